/* SPDX-License-Identifier: Apache-2.0 */
/* Strided copies: consecutive copies of columns with a given width. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "link_query.h"

enum { ROWS = 2048, PITCH_BYTES = 16 << 10, COPIES = 16 };

static void queue_rows(struct link_machine *m, unsigned device, unsigned s, void *context)
{
    const struct link_query *a = context;
    struct link_device *d = &m->device[device];
    struct proact_error err = {""};
    const struct device_rows rows = {.to = m->device[a->q->peers].target,
                                     .from = d->source,
                                     .bytes = a->q->bytes,
                                     .count = ROWS,
                                     .to_pitch = PITCH_BYTES,
                                     .from_pitch = PITCH_BYTES};

    for (unsigned i = 0; i < COPIES; i++)
        bench_must(m->backend->copy_rows(d->stream[s], &rows, &err), &err);
}

/* Checks the first row, the last row, and the gap between the first two. */
static void verify_rows(struct link_machine *m, unsigned to, uint64_t bytes)
{
    const struct device_backend *b = m->backend;
    struct device_stream *s = m->device[to].stream[0], *first = m->device[0].stream[0];
    unsigned char *is = must_calloc(1, PITCH_BYTES), *was = must_calloc(1, PITCH_BYTES);
    struct proact_error err = {""};

    for (uint64_t y = 0; y < ROWS; y += ROWS - 1) {
        const device_addr at = m->device[to].target + y * PITCH_BYTES;

        bench_must(b->read(s, is, at, y ? bytes : (uint64_t)PITCH_BYTES, &err), &err);
        bench_must(b->read(first, was, m->device[0].source + y * PITCH_BYTES, bytes, &err),
                   &err);
        memset(was + bytes, 0, PITCH_BYTES - bytes);
        if (memcmp(is, was, y ? bytes : (uint64_t)PITCH_BYTES) != 0)
            bench_die("device %u: row %llu of %d is wrong", to, (unsigned long long)y,
                      ROWS);
    }
    bench_must(b->fill(s, m->device[to].target, 0, (size_t)ROWS * PITCH_BYTES, &err), &err);
    bench_must(b->synchronize(m->set, &err), &err);
    free(is);
    free(was);
}

struct bench_sample rows_time(struct link_machine *m, const struct link_question *q)
{
    struct link_query a = {.m = m, .q = q, .devices = 1, .streams = 1, .work = queue_rows};

    if (q->bytes >= PITCH_BYTES)
        bench_die("rows of %llu bytes: %d at most", (unsigned long long)q->bytes,
                  PITCH_BYTES - 1);
    struct bench_sample ns = link_measure(&a);

    verify_rows(m, (unsigned)q->peers, q->bytes);
    return link_us(ns, COPIES);
}
