/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "kit.h"
#include "link_machine.h"
#include "runtime/session/runtime_machine.h"
#include "sweep/sweep_parts.h"

void sweep_run(const struct sweep_request *q, struct sweep *out)
{
    struct sweep_run r = {.q = q, .out = out};
    const struct device_backend *backend;
    struct proact_error err = {""};

    *out = (struct sweep){.is_complete = true};
    bench_must(runtime_machine(q->machine, &out->topology, &backend, &err), &err);
    link_need_two(out->topology.name, out->topology.device_count);
    bench_must(topology_restrict(&out->topology, 2, &err), &err);
    out->is_virtual = backend->is_virtual;
    sweep_link_plan(&r);
    sweep_method_plan(&r);
    sweep_link(&r);
    sweep_method(&r);
}

void sweep_clear(struct sweep *s)
{
    free(s->rows);
    *s = (struct sweep){.count = 0};
}
