/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/repeat_pairs.h"

#include <stdio.h>
#include <stdlib.h>

#include "graph/complain.h"

static enum proact_status make_pairs(struct proact *p, const char *name, unsigned number,
                                     uint32_t count, bool zeros, struct proact_array **out,
                                     struct proact_error *err)
{
    char numbered[24];
    struct proact_shape shape = {numbered, count, sizeof(struct sum_pair)};

    snprintf(numbered, sizeof numbered, "%s %u", name, number);
    enum proact_status status = proact_array_create(p, &shape, out, err);

    if (!status && zeros) {
        struct sum_pair *none = app_calloc(count, sizeof *none);

        status = proact_array_write(*out, 0, none, count, err);
        free(none);
    }
    return status;
}

static void choose_groups(struct repeat_pairs *pairs, uint32_t ctas)
{
    pairs->cta_count = pairs->count = ctas;
    if (ctas <= REPEAT_DIRECT_MAX)
        return;
    pairs->group_ctas = SUM_THREADS * ((ctas - 1) / (SUM_THREADS * REPEAT_GROUPS_MAX) + 1);
    pairs->count = (ctas - 1) / pairs->group_ctas + 1;
}

enum proact_status repeat_pairs_init(struct repeat_pairs *pairs, struct proact *p,
                                     uint32_t cta_count, bool zeros,
                                     const struct proact_image *image,
                                     struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    choose_groups(pairs, cta_count);
    for (unsigned i = 0; !status && i < REPEAT_BATCH; i++)
        status = make_pairs(p, "sums", i, pairs->count, zeros, &pairs->sums[i], err);
    if (!pairs->group_ctas)
        return status;
    for (unsigned i = 0; !status && i < 2; i++)
        status = make_pairs(p, "sums of CTAs", i, cta_count, zeros, &pairs->ctas[i], err);
    if (status)
        return status;
    return proact_kernel_load(p, image, "repeat_group", &pairs->group, err);
}

void repeat_pairs_clear(struct repeat_pairs *pairs)
{
    proact_kernel_destroy(pairs->group);
    for (unsigned i = 0; i < REPEAT_BATCH; i++)
        proact_array_destroy(pairs->sums[i]);
    for (unsigned i = 0; i < 2; i++)
        proact_array_destroy(pairs->ctas[i]);
}

struct repeat_step repeat_pairs_step(const struct repeat_pairs *pairs, unsigned number)
{
    struct proact_array *next = pairs->sums[(number + 1) % REPEAT_BATCH];

    return (struct repeat_step){.parity = number % 2,
                                .before = pairs->sums[number % REPEAT_BATCH],
                                .after = pairs->group ? pairs->ctas[number % 2] : next,
                                .sum_count = pairs->count};
}

enum proact_status repeat_pairs_group(const struct repeat_pairs *pairs, unsigned number,
                                      struct proact_error *err)
{
    struct proact_grid grid = {.ctas = {pairs->count}, .threads = {SUM_THREADS}};
    struct proact_arg args[] = {PROACT_ARRAY(pairs->ctas[number % 2]),
                                PROACT_ARRAY(pairs->sums[(number + 1) % REPEAT_BATCH]),
                                PROACT_VALUE(pairs->cta_count),
                                PROACT_VALUE(pairs->group_ctas)};

    if (!pairs->group)
        return PROACT_OK;
    return proact_launch(pairs->group, &grid, args, sizeof args / sizeof *args, err);
}
