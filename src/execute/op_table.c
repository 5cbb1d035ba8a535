/* SPDX-License-Identifier: Apache-2.0 */

/* Selection of the compiled operations for this processor. All sets give identical
   results. */

#include "execute/op.h"

const struct op_table *op_table_best(void)
{
#if defined __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return &op_table_v4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        return &op_table_v3;
#endif
    return &op_table_v1;
}
