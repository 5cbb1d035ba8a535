/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/kernel/children.h"

#include <stdlib.h>

#include "base/memory.h"

enum proact_status children_open(struct device_set *set, unsigned device,
                                 struct proact_error *err)
{
    struct emulated *d = &set->devices[device];
    uint32_t count = set->options.children_limit;
    uint64_t base;
    enum proact_status status;

    if (d->children)
        return PROACT_OK;
    if ((status = memory_allocate(&set->memory, device,
                                  (uint64_t)count * CHILD_PARAMETER_BYTES, &base, err)))
        return status;
    struct children *c = must_calloc(1, sizeof *c);

    *c = (struct children){.base = base,
                           .count = count,
                           .free = must_calloc(count, sizeof *c->free),
                           .place = must_calloc(count, sizeof *c->place)};
    while (c->free_count < count) {
        c->free[c->free_count] = count - 1 - c->free_count;
        c->free_count++;
    }
    d->children = c;
    return PROACT_OK;
}

void children_clear(struct emulated *d)
{
    if (d->children) {
        free(d->children->free);
        free(d->children->place);
    }
    free(d->children);
    d->children = NULL;
}
