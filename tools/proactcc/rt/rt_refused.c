/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the interface that we do not have: each says so. Their arguments are not looked
   at. (Second names of calls, ALIAS, are given by the linker.) */
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
