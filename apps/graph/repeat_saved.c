/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/repeat_saved.h"

#include <stdlib.h>

#include "graph/complain.h"

enum { STATE_PARTS_MAX = REPEAT_STATES_MAX + 2 };

static unsigned count_states(const struct repeat *r)
{
    unsigned count = 0;

    while (count < REPEAT_STATES_MAX && r->state[count].array)
        count++;
    return count;
}

/* Returns the number of parts. */
static size_t list_state_parts(struct repeat_saved *s, const struct repeat *r,
                               struct app_part parts[STATE_PARTS_MAX])
{
    size_t count = 0;

    for (; count < count_states(r); count++)
        parts[count] =
            (struct app_part){r->state[count].name, s->array[count], r->state[count].bytes};
    parts[count++] =
        (struct app_part){"sums", s->pairs, s->pair_count * sizeof(struct sum_pair)};
    parts[count++] = (struct app_part){"loop", &s->look, sizeof s->look};
    return count;
}

enum proact_status repeat_saved_load(struct repeat_saved *s, const struct repeat *r,
                                     size_t pair_count, struct proact_error *err)
{
    const struct app_checkpoint *c = &r->checkpoint;
    struct app_part parts[STATE_PARTS_MAX];

    if (!c->every && !c->load)
        return PROACT_OK;
    for (unsigned i = 0; i < count_states(r); i++)
        s->array[i] = app_calloc(1, r->state[i].bytes);
    s->pair_count = pair_count;
    s->pairs = app_calloc(pair_count, sizeof *s->pairs);
    if (!c->load)
        return PROACT_OK;
    size_t count = list_state_parts(s, r, parts);
    enum proact_status status = c->load(c->context, &s->done, parts, count, err);

    if (status)
        return status;
    if (s->done % REPEAT_BATCH || s->done > r->iterations_max ||
        s->done != s->look.iterations)
        return complain(err, PROACT_EINVAL,
                        "the checkpoint is of iteration %u: expected a multiple of %d, at "
                        "most %u",
                        s->done, REPEAT_BATCH, r->iterations_max);
    return PROACT_OK;
}

enum proact_status repeat_saved_save(struct repeat_saved *s, const struct repeat *r,
                                     struct proact_array *sums,
                                     const struct repeat_state *now,
                                     struct proact_error *err)
{
    struct app_part parts[STATE_PARTS_MAX];
    enum proact_status status = PROACT_OK;

    for (unsigned i = 0; i < count_states(r) && !status; i++)
        status =
            proact_array_read(r->state[i].array, 0, s->array[i], r->state[i].count, err);
    if (!status)
        status = proact_array_read(sums, 0, s->pairs, s->pair_count, err);
    if (status)
        return status;
    s->look = *now;
    size_t count = list_state_parts(s, r, parts);

    return r->checkpoint.save(r->checkpoint.context, (unsigned)now->iterations, parts,
                              count, err);
}

enum proact_status repeat_saved_restore(const struct repeat_saved *s,
                                        const struct repeat *r, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (unsigned i = 0; i < count_states(r) && !status; i++)
        status =
            proact_array_write(r->state[i].array, 0, s->array[i], r->state[i].count, err);
    return status;
}

void repeat_saved_clear(struct repeat_saved *s)
{
    for (unsigned i = 0; i < REPEAT_STATES_MAX; i++)
        free(s->array[i]);
    free(s->pairs);
}
