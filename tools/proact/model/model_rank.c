/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_rank.h"

#include <stdlib.h>
#include <string.h>

/* Chunk sizes, and the most chunks of a device: more take long, here and on the machine. */
enum { CHUNK_MIN = 4 << 10, CHUNK_STEP = 4, CHUNK_MAX = 256 << 20, CHUNKS_MAX = 1 << 16 };

/* Two candidates within this share of each other count as equal. */
static const double rank_tie = 0.02;

static void add_candidate(struct model_ranking *r, const struct topology *t,
                          const struct model_problem *p, enum model_sender who,
                          uint64_t chunk)
{
    const struct model_plan plan = {.who = who, .chunks = {chunk, 0}};
    const struct model_candidate c = model_candidate_of(t, p, &plan);

    if (r->count == RANK_MAX)
        return;
    const struct model_schedule none = {0, 0}, given = {chunk, 0};

    r->rows[r->count++] = (struct rank_row){.who = who,
                                            .chunks = !model_sends_chunks(who) ? none
                                                      : chunk                  ? given
                                                                               : c.chunks,
                                            .time = model_candidate_time(&c)};
}

static int compare_rows(const void *a, const void *b)
{
    const struct rank_row *x = a, *y = b;

    if (x->time.ns < y->time.ns || x->time.ns > y->time.ns)
        return x->time.ns < y->time.ns ? -1 : 1;
    if (x->who != y->who)
        return x->who < y->who ? -1 : 1;
    return (x->chunks.first_bytes > y->chunks.first_bytes) -
           (x->chunks.first_bytes < y->chunks.first_bytes);
}

static void list_candidates(const struct topology *t, const struct model_problem *p,
                            struct model_ranking *r)
{
    r->count = 0;
    for (int who = 0; who < MODEL_SENDERS; who++) {
        const enum model_sender sender = (enum model_sender)who;

        if (!model_sender_exists(t, sender))
            continue;
        if (!model_sends_chunks(sender) || sender == MODEL_SEND_COPY_WAIT)
            add_candidate(r, t, p, sender, 0);
        for (uint64_t chunk = CHUNK_MIN; chunk <= CHUNK_MAX && model_sends_chunks(sender);
             chunk *= CHUNK_STEP)
            if (chunk < CHUNK_STEP * p->bytes && p->bytes / chunk <= CHUNKS_MAX)
                add_candidate(r, t, p, sender, chunk);
    }
}

static const struct rank_row *rank_find_row(const struct model_ranking *r,
                                            const struct rank_row *like)
{
    for (unsigned i = 0; i < r->count; i++)
        if (r->rows[i].who == like->who &&
            r->rows[i].chunks.first_bytes == like->chunks.first_bytes &&
            r->rows[i].chunks.step_bytes == like->chunks.step_bytes)
            return &r->rows[i];
    return NULL;
}

const struct rank_row *model_rank_first(const struct model_ranking *r)
{
    const struct rank_row *first = r->rows;

    while (first->who == MODEL_SEND_UNIT)
        first++;
    return first;
}

/* Ranks the candidates with a changed key. */
static void find_flip(const struct topology *t, const struct model_problem *p,
                      const char *key, double factor, struct model_ranking *r)
{
    struct topology *changed = malloc(sizeof *changed);
    struct model_ranking *other = malloc(sizeof *other);

    if (!changed || !other)
        abort();
    *changed = *t;
    topology_scale(changed, key, factor);
    list_candidates(changed, p, other);
    qsort(other->rows, other->count, sizeof *other->rows, compare_rows);

    const struct rank_row *best = model_rank_first(other);
    const struct rank_row *same = rank_find_row(other, model_rank_first(r));
    const struct rank_row *here = rank_find_row(r, best);

    if (same && here && best->time.ns * (1 + rank_tie) < same->time.ns)
        r->flips[r->flip_count++] =
            (struct rank_flip){key, factor, (unsigned)(here - r->rows)};
    free(other);
    free(changed);
}

void model_rank(const struct topology *t, const struct model_problem *p,
                struct model_ranking *out)
{
    const struct model_plan bulk = {.who = MODEL_SEND_COPY};
    const struct model_candidate c = model_candidate_of(t, p, &bulk);

    *out = (struct model_ranking){.bulk_ns = model_candidate_time(&c).ns};
    list_candidates(t, p, out);
    qsort(out->rows, out->count, sizeof *out->rows, compare_rows);
    for (unsigned i = 0; i < t->estimate_count; i++) {
        find_flip(t, p, t->estimates[i], 2, out);
        find_flip(t, p, t->estimates[i], 0.5, out);
    }
}
