/* SPDX-License-Identifier: Apache-2.0 */
/* Driver calls that are not implemented. Each prints its name in C and ignores its
   arguments. */
#include "rt/driver/rt_driver.h"

#define CALL(name, of, version)
#define ALIAS(name, of)
#define REFUSED(name, of, version)                                                         \
    RT_API enum cuda_error name(void) DRIVER_NAME(name);                                   \
    enum cuda_error name(void)                                                             \
    {                                                                                      \
        driver_enter(DRIVER_NEVER);                                                        \
        return driver_leave(rt_refuse(#of));                                               \
    }
#include "rt/abi/driver_call.def"
