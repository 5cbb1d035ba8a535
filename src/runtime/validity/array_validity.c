/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/validity/array_validity.h"

#include "runtime/objects/array.h"
#include "runtime/objects/session.h"

uint32_t all_devices(const struct proact *p)
{
    return (uint32_t)((1ull << p->devices.count) - 1);
}

/* A launch or call that may write any array runs on device 0 after a fetch of every array.
   It only advances all_changed; this function applies it to one array. */
void array_catch_up(struct proact_array *a)
{
    const struct proact *p = a->session;

    if (p->all_changed <= a->validity_sequence ||
        a->part) /* a distributed array has no replicas */
        return;
    validity_init(&a->validity_map, a->bytes, FIRST);
    a->validity_sequence = p->all_changed;
    a->changes++;
    a->by_launch = true;
    a->wrote = p->whole_by;
    a->writer = NULL;
}

bool array_has_replicas(const struct proact_array *a)
{
    return a->session->devices.count > 1 && !a->part;
}

void array_written(struct proact_array *a, uint64_t first, uint64_t end, uint32_t devices)
{
    a->changes++;
    if (!array_has_replicas(a))
        return;
    array_catch_up(a);
    validity_set(&a->validity_map, first, end, devices);
    a->by_launch = false;
    a->wrote = NULL;
}
