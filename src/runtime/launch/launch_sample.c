/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of CTAs for a sample: CTAs of a device with equal stores by the map. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "runtime/access_sets/found.h"
#include "runtime/launch/launch_quanta.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/request/launching.h"

/* Adds the ranges of each CTA in the slot, relative to its first one, to its class. */
static void classify_stores(const struct launching *l, uint32_t slot, uint32_t count,
                            struct device_sample_cta *ctas)
{
    const struct cta_runs *runs = found_runs(l, slot);

    for (uint32_t c = 0; c < count; c++) {
        struct cta_runs_walk walk = cta_runs_walk(runs, c, c + 1);
        struct span span;

        for (bool is_first = true; cta_runs_span(&walk, &span); is_first = false) {
            if (is_first)
                ctas[c].first[slot] = span.first;
            span.end -= span.first;
            span.first -= ctas[c].first[slot];
            ctas[c].kind = hash_bytes(&span, sizeof span, ctas[c].kind + slot);
        }
    }
}

void launch_sample(const struct launching *l, struct device_shape *shape)
{
    const uint32_t count = l->grid[0] * l->grid[1] * l->grid[2];
    struct device_sample_cta *ctas = must_calloc(count, sizeof *ctas);
    const unsigned devices = l->binding ? l->over : 1;

    for (unsigned d = 0; d < devices; d++) {
        const uint32_t from = l->binding ? l->binding->cta_first[d] : 0,
                       end = l->binding ? l->binding->cta_first[d + 1] : count;

        for (uint32_t c = from; c < end; c++)
            ctas[c].kind = d;
    }
    for (uint32_t s = 0; l->binding && l->found.set && s < l->kernel->slot_count; s++)
        classify_stores(l, s, count, ctas);
    ctas[0].kind = ~ctas[0].kind; /* both ends of a grid often differ from the rest */
    if (count > 1)
        ctas[count - 1].kind = ~ctas[count - 1].kind;
    device_shape_sample(shape, ctas);
    free(ctas);
}
