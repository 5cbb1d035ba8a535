/* SPDX-License-Identifier: Apache-2.0 */
/* Driver calls that equal a runtime call (driver_same.def). */
#include "rt/driver/rt_driver.h"

#define SAME(name, need, of, parameters, arguments)                                        \
    enum cuda_error name parameters                                                        \
    {                                                                                      \
        enum cuda_error error = driver_enter(DRIVER_##need);                               \
                                                                                           \
        return driver_leave(error ? error : of arguments);                                 \
    }
#include "rt/abi/driver_same.def"
