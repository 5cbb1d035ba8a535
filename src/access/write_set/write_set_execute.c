/* SPDX-License-Identifier: Apache-2.0 */
#include "access/write_set/write_set_execute.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/float_mode.h"

enum { THREADS_MAX = 32, CTAS_LEAST = 64 }; /* CTAS_LEAST: fewer do not justify a thread */

/* CTAs from .. end - 1 of one host thread. */
struct part {
    const struct execution *e;
    uint32_t from, end;
    struct record record;
    uint64_t lanes;
    enum proact_status status;
    struct proact_error err;
    pthread_t thread;
};

uint64_t write_set_work(const struct record *r, uint64_t lanes)
{
    lanes += WRITE_SET_SPAN_WORK * r->spans;
    for (uint32_t n = 0; n < r->array_count; n++)
        lanes += WRITE_SET_RANGE_WORK * r->arrays[n].ranges;
    return lanes;
}

/* Reports the work limit; the message does not depend on the part that reaches it. */
static enum proact_status check_work(const struct execution *e, uint64_t work,
                                     struct proact_error *err)
{
    if (!e->work_most || work <= e->work_most)
        return PROACT_OK;
    return fail(err, PROACT_EREFUSED,
                "kernel '%s', %s:%" PRIu32
                ": where it writes is found only thread by thread (a store %s), which "
                "takes too long",
                e->slice->kernel, e->slice->file, e->line, e->why);
}

/* Executes one CTA in steps, because it may take too long alone. */
static enum proact_status run_cta(struct part *p, struct execute_cta *cta,
                                  struct proact_error *err)
{
    enum { STEP = 1 << 16 };
    const uint64_t limit = p->e->limit;
    enum proact_status status = PROACT_OK;
    enum execute_stop stop;

    do {
        const uint64_t left = limit > cta->issued ? limit - cta->issued : 1;

        stop = execute_cta_run(cta, left < STEP ? left : STEP, 0);
        status = check_work(p->e, write_set_work(&p->record, p->lanes + cta->lanes), err);
    } while (!status &&
             (stop == EXECUTE_STRONG || (stop == EXECUTE_BUDGET && cta->issued < limit)));
    p->lanes += cta->lanes;
    if (status || stop == EXECUTE_EXITED)
        return status;
    if (stop == EXECUTE_TRAPPED)
        return fail(err, PROACT_EFAULT, "%s", cta->fault);
    return fail(err, PROACT_EFAULT,
                "kernel '%s', %s: where CTA %" PRIu32 " writes is not known after %" PRIu64
                " instructions",
                p->e->slice->kernel, p->e->slice->file, cta->number, limit);
}

static struct execute_grid *open_grid(struct part *p)
{
    const struct execution *e = p->e;
    struct execute_launch l = {.kernel = e->slice->executable,
                               .host = &p->record.host,
                               .parameters = e->parameters,
                               .variables = e->variables,
                               .dynamic_shared_bytes = e->dynamic_shared_bytes,
                               .sm_count = 1};

    memcpy(l.grid, e->grid, sizeof l.grid);
    memcpy(l.block, e->block, sizeof l.block);
    record_open(&p->record);
    return execute_grid_create(&l);
}

static void *run_part(void *context)
{
    struct part *p = context;
    const uint32_t *size = p->e->grid;
    struct float_mode mode;

    float_mode_begin(&mode);
    struct execute_grid *grid = open_grid(p);
    struct execute_pool *pool = execute_pool_create();

    for (uint32_t n = p->from; n < p->end && !p->status; n++) {
        uint32_t id[3] = {n % size[0], n / size[0] % size[1], n / size[0] / size[1]};
        struct execute_cta *cta = execute_cta_create(grid, pool, id, 0);

        p->status = run_cta(p, cta, &p->err);
        execute_cta_destroy(cta);
        if (!p->status && !record_end_cta(&p->record, n - p->from))
            p->status = record_too_many(&p->record, &p->err);
    }
    float_mode_end(&mode);
    execute_pool_destroy(pool);
    execute_grid_destroy(grid);
    return NULL;
}

static unsigned count_threads(const struct execution *e, uint32_t ctas)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned count = e->threads ? e->threads : cores > 0 ? (unsigned)cores : 1;

    if (count > THREADS_MAX)
        count = THREADS_MAX;
    return count > ctas / CTAS_LEAST ? ctas / CTAS_LEAST + 1 : count;
}

static enum proact_status take_parts(struct part *parts, unsigned count,
                                     struct record *into, uint64_t *lanes,
                                     struct proact_error *err)
{
    enum proact_status status;

    for (unsigned n = 0; n < count; n++) {
        struct part *p = &parts[n];

        *lanes += p->lanes;
        into->spans += p->record.spans;
        into->is_cut_short |= p->record.is_cut_short;
        if (p->status)
            return fail(err, p->status, "%s", p->err.text);
        if ((status = record_part_take(into, &p->record, p->from - p->e->first, err)))
            return status;
    }
    return PROACT_OK;
}

enum proact_status write_set_execute(const struct execution *e, struct record *into,
                                     uint64_t *lanes, struct proact_error *err)
{
    const uint32_t ctas = e->end - e->first;
    unsigned count = count_threads(e, ctas);
    struct part *parts = must_calloc(count, sizeof *parts);
    bool *runs = must_calloc(count, sizeof *runs);
    enum proact_status status;

    for (unsigned n = 0; n < count; n++) {
        parts[n].e = e;
        parts[n].from = e->first + (uint32_t)((uint64_t)ctas * n / count);
        parts[n].end = e->first + (uint32_t)((uint64_t)ctas * (n + 1) / count);
        record_part_open(&parts[n].record, into);
        runs[n] = n && !pthread_create(&parts[n].thread, NULL, run_part, &parts[n]);
    }
    for (unsigned n = 0; n < count; n++) /* the caller's, and parts without a thread */
        if (!runs[n])
            run_part(&parts[n]);
    for (unsigned n = 0; n < count; n++)
        if (runs[n])
            pthread_join(parts[n].thread, NULL);
    status = take_parts(parts, count, into, lanes, err);
    if (!status)
        status = check_work(e, write_set_work(into, *lanes), err);
    for (unsigned n = 0; n < count; n++)
        record_part_close(&parts[n].record);
    free(parts);
    free(runs);
    return status;
}
