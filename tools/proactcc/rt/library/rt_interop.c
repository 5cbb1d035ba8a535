/* SPDX-License-Identifier: Apache-2.0 */
/* The ordering between the session and libraries that use device 0 directly. */
#include <proact/interop.h>

#include "rt/rt.h"

void rt_interop_end(struct rt *rt)
{
    struct rt_interop *g = &rt->interop;
    const struct proact_interop_writes writes = {g->written, g->count,
                                                 g->any || g->untracked};
    struct proact_error err = {""};

    if (!rt->broken && rt->session)
        rt_error(rt, proact_interop_end(rt->session, &writes, &err), &err);
    g->is_pending = g->any = false;
    g->count = 0;
}

void rt_interop_begin(struct rt *rt)
{
    struct proact_error err = {""};

    if (!rt->broken && rt->session && !rt_shadows_out(rt))
        rt_error(rt, proact_interop_begin(rt->session, &err), &err);
}
