/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/repeat.h"

#include <stdio.h>
#include <stdlib.h>

#include "graph/complain.h"

/* pairs[i % REPEAT_BATCH] is what iteration i reads. */
struct pair_ring {
    struct proact_array *pairs[REPEAT_BATCH];
    struct sum_pair *host;
};

static void ring_clear(struct pair_ring *ring)
{
    for (unsigned i = 0; i < REPEAT_BATCH; i++)
        proact_array_destroy(ring->pairs[i]);
    free(ring->host);
}

static enum proact_status ring_init(const struct repeat *r, struct pair_ring *ring,
                                    struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    ring->host = app_calloc(r->cta_count, sizeof *ring->host);
    for (unsigned i = 0; !status && i < REPEAT_BATCH; i++) {
        char name[16];
        struct proact_shape shape = {name, r->cta_count, sizeof(struct sum_pair)};

        snprintf(name, sizeof name, "sums %u", i);
        status = proact_array_create(r->session, &shape, &ring->pairs[i], err);
    }
    return status;
}

static enum proact_status launch(const struct repeat *r, const struct pair_ring *ring,
                                 unsigned number, struct proact_error *err)
{
    return r->launch(r->context, number, ring->pairs[number % REPEAT_BATCH],
                     ring->pairs[(number + 1) % REPEAT_BATCH], err);
}

static enum proact_status start(const struct repeat *r, const struct pair_ring *ring,
                                struct proact_error *err)
{
    enum proact_status status = r->reset(r->context, err);

    for (uint32_t i = 0; i < r->cta_count; i++)
        ring->host[i] = (struct sum_pair){0};
    ring->host[0] = r->start;
    if (!status)
        status = proact_array_write(ring->pairs[0], 0, ring->host, r->cta_count, err);
    return status;
}

/* Reads what the iterations since out->iterations left. Sets out->converged. */
static enum proact_status look(const struct repeat *r, const struct pair_ring *ring,
                               struct repeat_result *out, struct proact_error *err)
{
    while (out->iterations < out->launches && !out->converged) {
        struct proact_array *pairs = ring->pairs[(out->iterations + 1) % REPEAT_BATCH];
        enum proact_status status =
            proact_array_read(pairs, 0, ring->host, r->cta_count, err);

        if (status)
            return status;
        out->change = sum_pairs(ring->host, r->cta_count).a;
        out->converged = out->change < r->tolerance;
        out->iterations++;
    }
    if (r->progress)
        r->progress(r->progress_context, out->iterations, out->change);
    return PROACT_OK;
}

static enum proact_status launch_batch(const struct repeat *r, const struct pair_ring *ring,
                                       unsigned first, unsigned count,
                                       struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (unsigned i = 0; i < count && !status; i++)
        status = launch(r, ring, first + i, err);
    return status;
}

/* A batch as one: none where it would not pay, or the machine cannot. It is launched twice
   before: first all is sent to all, then each device gets what it was seen to read, which a
   recording keeps. */
static enum proact_status record(const struct repeat *r, const struct pair_ring *ring,
                                 struct proact_recording **out, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (r->iterations_max < 2 * REPEAT_BATCH)
        return PROACT_OK;
    for (unsigned i = 0; i < 2 && !status; i++)
        status = launch_batch(r, ring, 0, REPEAT_BATCH, err);
    if (status)
        return status;
    if ((status = proact_record_begin(r->session, err)))
        return status == PROACT_EREFUSED ? PROACT_OK : status;
    if ((status = launch_batch(r, ring, 0, REPEAT_BATCH, err)))
        return status;
    return proact_record_end(r->session, out, err);
}

static enum proact_status go_on(const struct repeat *r, const struct pair_ring *ring,
                                struct proact_recording *recording,
                                struct repeat_result *out, struct proact_error *err)
{
    unsigned left = r->iterations_max - out->launches;
    unsigned count = left < REPEAT_BATCH ? left : REPEAT_BATCH;
    enum proact_status status = recording && count == REPEAT_BATCH
                                    ? proact_replay(recording, err)
                                    : launch_batch(r, ring, out->launches, count, err);

    out->launches += count;
    return status ? status : look(r, ring, out, err);
}

static enum proact_status iterate(const struct repeat *r, const struct pair_ring *ring,
                                  struct repeat_result *out, struct proact_error *err)
{
    struct proact_recording *recording = NULL;
    enum proact_status status;

    if ((status = start(r, ring, err)) || (status = launch(r, ring, 0, err)) ||
        (status = record(r, ring, &recording, err)) || (status = start(r, ring, err)) ||
        (status = proact_wait(r->session, err)))
        return status;
    uint64_t began = proact_now_ns(r->session);

    proact_statistics_reset(r->session);
    while (!out->converged && out->launches < r->iterations_max)
        if ((status = go_on(r, ring, recording, out, err)))
            return status;
    if ((status = proact_wait(r->session, err)))
        return status;
    out->time_ns = proact_now_ns(r->session) - began;
    return proact_statistics_get(r->session, PROACT_ALL, NULL, &out->statistics, err);
}

enum proact_status repeat_run(const struct repeat *r, struct repeat_result *out,
                              struct proact_error *err)
{
    struct pair_ring ring = {0};
    struct repeat_result result = {0};
    enum proact_status status = ring_init(r, &ring, err);

    if (!status)
        status = iterate(r, &ring, &result, err);
    if (!status)
        *out = result;
    ring_clear(&ring);
    return status;
}
