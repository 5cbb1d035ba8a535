/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/cuda_set.h"

/* Nested calls that pushed a context, one bit each; the innermost is the lowest. */
static _Thread_local uint64_t pushed;

cu_result cuda_context_push(const struct driver *v, cu_context context)
{
    cu_context has = NULL;
    cu_result result = v->context_current(&has);
    const bool is_other = result || has != context;

    if (is_other)
        result = v->context_push(context);
    pushed = pushed << 1 | (is_other && !result);
    return result;
}

void cuda_context_pop(const struct driver *v)
{
    cu_context was;

    if (pushed & 1)
        v->context_pop(&was);
    pushed >>= 1;
}
