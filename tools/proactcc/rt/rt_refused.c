/* SPDX-License-Identifier: Apache-2.0 */
/* Runtime calls that are not implemented. Each prints its name and ignores its arguments.
   The linker defines the second names of calls (ALIAS). */
#include "rt/abi/cuda_calls.h"
#include "rt/rt.h"

#define CALL(name)
#define ALIAS(name, of)
#define REFUSED(name)                                                                      \
    RT_API enum cuda_error name(void);                                                     \
    enum cuda_error name(void)                                                             \
    {                                                                                      \
        return rt_refuse(#name);                                                           \
    }
#include "rt/abi/cuda_call.def"
