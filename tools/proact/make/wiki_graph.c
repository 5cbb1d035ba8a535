/* SPDX-License-Identifier: Apache-2.0 */
#include "make/wiki_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/random.h"

enum { DIGIT_BITS = 11, DIGIT_VALUES = 1 << DIGIT_BITS };
enum { PROGRESS_EDGES = 1 << 16 };

static const double draws_per_edge = 1.35; /* so that enough distinct ones remain */
static const double draw_share = 0.85;     /* of the time; sorting takes the rest */

/* Quadrants of the adjacency matrix: up to `a` the upper left one, then the upper right,
   the lower left and the lower right one. */
static const double quadrant_a = .57, quadrant_b = .67, quadrant_c = .89;

struct wiki_draws {
    uint64_t *edge, *spare;
    size_t count;
};

/* One edge, by its quadrant on every level of the matrix. The result may lie outside the
   graph or be a loop. */
static uint64_t wiki_draw(uint64_t *state, unsigned levels)
{
    uint64_t source = 0, target = 0;

    for (unsigned level = 0; level < levels; level++) {
        double r = random_unit(state);

        source = source << 1 | (r >= quadrant_b);
        target = target << 1 | ((r >= quadrant_a && r < quadrant_b) || r >= quadrant_c);
    }
    return source << 32 | target;
}

static void wiki_report(const struct wiki_options *options, double part)
{
    if (options->progress)
        options->progress(options->context, part);
}

static void wiki_draw_all(const struct wiki_options *options, unsigned levels,
                          size_t wanted, struct wiki_draws *draws)
{
    uint64_t state = options->seed;

    while (draws->count < wanted) {
        uint64_t edge = wiki_draw(&state, levels);
        uint64_t source = edge >> 32, target = edge & UINT32_MAX;

        if (source >= options->vertices || target >= options->vertices || source == target)
            continue;
        draws->edge[draws->count++] = edge;
        if (draws->count % PROGRESS_EDGES == 0)
            wiki_report(options, draw_share * (double)draws->count / (double)wanted);
    }
}

/* Sorts by the bits from `shift` on, stably (radix sort). */
static void wiki_sort_digit(struct wiki_draws *draws, unsigned shift)
{
    size_t first[DIGIT_VALUES + 1] = {0};

    for (size_t i = 0; i < draws->count; i++)
        first[(draws->edge[i] >> shift) % DIGIT_VALUES + 1]++;
    for (size_t digit = 0; digit < DIGIT_VALUES; digit++)
        first[digit + 1] += first[digit];
    for (size_t i = 0; i < draws->count; i++)
        draws->spare[first[(draws->edge[i] >> shift) % DIGIT_VALUES]++] = draws->edge[i];
    uint64_t *sorted = draws->spare;

    draws->spare = draws->edge;
    draws->edge = sorted;
}

static void wiki_sort(struct wiki_draws *draws, unsigned levels)
{
    for (unsigned half = 0; half < 64; half += 32)
        for (unsigned bit = 0; bit < levels; bit += DIGIT_BITS)
            wiki_sort_digit(draws, half + bit);
}

static void wiki_remove_duplicates(struct wiki_draws *draws)
{
    size_t distinct = 0;

    for (size_t i = 0; i < draws->count; i++)
        if (i == 0 || draws->edge[i] != draws->edge[i - 1])
            draws->edge[distinct++] = draws->edge[i];
    draws->count = distinct;
}

/* Selection sampling: each edge remains with probability needed / left. */
static void wiki_select(const struct wiki_options *options, struct wiki_draws *draws)
{
    uint64_t state = options->seed + 1;
    size_t needed = options->edges, left = draws->count, selected = 0;

    for (size_t i = 0; i < draws->count; i++, left--) {
        if (random_unit(&state) * (double)left >= (double)needed)
            continue;
        draws->edge[selected++] = draws->edge[i];
        needed--;
    }
    draws->count = selected;
}

static unsigned wiki_levels(uint64_t vertices)
{
    unsigned levels = 0;

    while ((uint64_t)1 << levels < vertices)
        levels++;
    return levels;
}

static enum proact_status wiki_make(const struct wiki_options *options, size_t wanted,
                                    struct wiki_draws *draws, struct proact_error *err)
{
    unsigned levels = wiki_levels(options->vertices);

    wiki_draw_all(options, levels, wanted, draws);
    wiki_sort(draws, levels);
    wiki_remove_duplicates(draws);
    if (draws->count < options->edges)
        return fail(err, PROACT_EINVAL,
                    "make wiki: %llu edges are too many for %llu vertices: %zu draws gave "
                    "%zu distinct edges",
                    (unsigned long long)options->edges,
                    (unsigned long long)options->vertices, wanted, draws->count);
    wiki_select(options, draws);
    wiki_report(options, 1);
    return PROACT_OK;
}

enum proact_status wiki_graph_create(const struct wiki_options *options, uint64_t **out,
                                     struct proact_error *err)
{
    size_t wanted = (size_t)((double)options->edges * draws_per_edge);
    struct wiki_draws draws = {.edge = calloc(wanted, sizeof *draws.edge),
                               .spare = calloc(wanted, sizeof *draws.spare)};
    enum proact_status status;

    if (draws.edge && draws.spare)
        status = wiki_make(options, wanted, &draws, err);
    else
        status = fail(err, PROACT_ENOSPACE,
                      "make wiki: %llu edges need %zu bytes of memory, which this computer "
                      "refuses",
                      (unsigned long long)options->edges, 2 * wanted * sizeof *draws.edge);
    free(draws.spare);
    if (status)
        free(draws.edge);
    else
        *out = draws.edge;
    return status;
}
