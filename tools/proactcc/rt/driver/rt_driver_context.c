/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/driver/rt_driver_context.h"

#include "base/memory.h"
#include "rt/rt.h"

struct cuda_context *driver_context_create(struct rt *rt, unsigned flags)
{
    struct cuda_context *c = must_calloc(1, sizeof *c);

    *c = (struct cuda_context){++rt->allocations, flags, 0};
    handle_add(&rt->handles, c, RT_CONTEXT);
    return c;
}
