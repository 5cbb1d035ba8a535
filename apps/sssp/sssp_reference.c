/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "graph/complain.h"
#include "sssp/sssp_answer.h"

/* One round; returns the number of changed vertices. */
static uint32_t round_int32(const struct graph *g, const int32_t *old, int32_t *now)
{
    uint32_t changed = 0;

    for (uint32_t v = 0; v < g->vertex_count; v++) {
        int32_t best = old[v];

        for (uint32_t e = g->in_first[v]; e < g->in_first[v + 1]; e++) {
            int32_t d = sssp_through_int32(old[g->source[e]], (int32_t)g->weight[e]);

            best = sssp_less_int32(d, best) ? d : best;
        }
        now[v] = best;
        changed += best != old[v];
    }
    return changed;
}

static uint32_t round_f32(const struct graph *g, const float *old, float *now)
{
    uint32_t changed = 0;

    for (uint32_t v = 0; v < g->vertex_count; v++) {
        float best = old[v];

        for (uint32_t e = g->in_first[v]; e < g->in_first[v + 1]; e++) {
            float d = sssp_through_f32(old[g->source[e]], (float)g->weight[e]);

            best = d < best ? d : best;
        }
        now[v] = best;
        changed += best < old[v];
    }
    return changed;
}

static union sssp_distances sssp_start(const struct graph *g,
                                       const struct sssp_options *options)
{
    union sssp_distances d;

    d.any = app_calloc(g->vertex_count, sizeof(int32_t));
    for (uint32_t v = 0; v < g->vertex_count; v++) {
        if (options->type == SSSP_F32)
            d.f32[v] = v == options->source ? 0 : INFINITY;
        else
            d.int32[v] = v == options->source ? 0 : SSSP_UNREACHABLE;
    }
    return d;
}

enum proact_status sssp_reference(const struct graph *g, const struct sssp_options *given,
                                  struct sssp_result *out, struct proact_error *err)
{
    struct sssp_options options;
    enum proact_status status = sssp_defaults(g, given, &options, err);

    if (status)
        return status;
    struct sssp_result r = {.type = options.type, .distance = sssp_start(g, &options)};
    union sssp_distances next = sssp_start(g, &options);

    while (!r.converged && r.rounds < options.rounds_max) {
        union sssp_distances swap = r.distance;

        r.changed = options.type == SSSP_F32 ? round_f32(g, r.distance.f32, next.f32)
                                             : round_int32(g, r.distance.int32, next.int32);
        r.converged = r.changed < 0.5;
        r.rounds++;
        r.distance = next;
        next = swap;
        if (options.progress)
            options.progress(options.context, r.rounds, r.changed);
    }
    free(next.any);
    status = sssp_refuse_unfinished(g, &r, err);
    if (status)
        sssp_clear(&r);
    else
        *out = r;
    return status;
}
