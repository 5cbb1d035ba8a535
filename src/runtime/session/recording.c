/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/session/recording.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/session.h"
#include "runtime/request/need.h"
#include "runtime/session/lazy_devices.h"
#include "runtime/session/program_streams.h"
#include "runtime/session/recorded.h"

void recording_add_launch(struct proact *p, uint32_t epoch, const struct kernel_binding *b)
{
    struct proact_recording *r = p->recording;

    r->launch =
        must_grow(r->launch, r->launch_count, &r->launch_capacity, sizeof *r->launch);
    r->launch[r->launch_count++] = (struct session_launch){epoch, b};
}

void recording_add_kernel(struct proact *p, const struct proact_kernel *k, unsigned device,
                          uint64_t sequence)
{
    struct proact_recording *r = p->recording;

    r->kernel =
        must_grow(r->kernel, r->kernel_count, &r->kernel_capacity, sizeof *r->kernel);
    r->kernel[r->kernel_count++] = (struct recorded_kernel){k, device, sequence};
}

void recording_add_traffic(struct proact *p, struct proact_array *a, unsigned device,
                           uint64_t bytes, uint64_t chunks)
{
    struct proact_recording *r = p->recording;

    r->traffic =
        must_grow(r->traffic, r->traffic_count, &r->traffic_capacity, sizeof *r->traffic);
    r->traffic[r->traffic_count++] = (struct recorded_traffic){a, device, bytes, chunks};
}

void recording_add_array(struct proact *p, struct proact_array *a)
{
    struct proact_recording *r = p->recording;

    for (size_t i = 0; i < r->array_count; i++)
        if (r->array[i].array == a)
            return;
    r->array = must_grow(r->array, r->array_count, &r->array_capacity, sizeof *r->array);
    struct recorded_array *to = &r->array[r->array_count++];

    *to = (struct recorded_array){.array = a};
    validity_copy(&to->before, &a->validity_map);
}

void recording_note_first(struct proact *p)
{
    p->recording->uses_first = true;
}

void recording_note_program(struct proact *p)
{
    p->recording->is_program = true;
}

void recording_follow_variables(struct proact *p)
{
    struct proact_recording *r = p->recording;

    r->follows = true;
    r->variables = p->variables;
    r->constants = p->constants;
}

void recording_pause(struct proact *p)
{
    if (!p->recording)
        return;
    p->recording->was_paused = true;
    p->backend->capture_pause(p->set);
}

void recording_resume(struct proact *p)
{
    if (p->recording)
        p->backend->capture_resume(p->set);
}

bool recording_has_variables(const struct proact *p)
{
    return !p->recording || p->variables == p->recording->variables_before;
}

static bool knows_tables(const struct proact_recording *r, const struct transfer_tables *t)
{
    for (size_t i = 0; i < r->table_count; i++)
        if (r->table[i].tables == t)
            return true;
    return false;
}

enum proact_status recording_rewind(struct proact *p, const struct kernel_binding *b,
                                    struct proact_error *err)
{
    struct proact_recording *r = p->recording;
    enum proact_status status = PROACT_OK;
    bool anything = false;

    for (unsigned s = 0; s < b->transfer.slot_count && !status; s++) {
        struct transfer_tables *t = b->transfer.slot[s].tables;

        if (knows_tables(r, t))
            continue;
        r->table =
            must_grow(r->table, r->table_count, &r->table_capacity, sizeof *r->table);
        r->table[r->table_count++] =
            (struct recorded_table){.tables = t, .kept = t->table_epoch};
        anything = true;
        /* protocol: counter-rewind (else: t->table_epoch = 0;) */
        status = transfer_tables_restart(&p->devices, t, TRANSFER_SIDE, err);
    }
    if (!anything)
        return status;
    uint64_t sequence = ++p->sequence;

    for (unsigned d = 0; d < p->devices.count && !status; d++) {
        struct order_place main = {d, TRANSFER_MAIN}, side = {d, TRANSFER_SIDE};

        status = order_record(&p->order, side, sequence, err);
        if (!status)
            /* protocol: rewind-wait */
            status = order_wait(&p->order, main, side, sequence, err);
    }
    return status;
}

/* Restores the epochs: the recorded launches have not run. */
static void tables_put_back(struct proact_recording *r)
{
    for (size_t i = 0; i < r->table_count; i++) {
        struct recorded_table *t = &r->table[i];

        t->epochs = t->tables->table_epoch;
        t->tables->table_epoch = t->kept;
    }
}

static void recording_restore_validity(struct proact_recording *r)
{
    for (size_t i = 0; i < r->array_count; i++) {
        struct recorded_array *a = &r->array[i];

        validity_copy(&a->after, &a->array->validity_map);
        validity_copy(&a->array->validity_map, &a->before);
        a->array->writer = NULL;
    }
}

static void recording_free(struct proact_recording *r)
{
    r->session->backend->graph_destroy(r->graph);
    free(r->launch);
    free(r->kernel);
    free(r->traffic);
    for (size_t i = 0; i < r->array_count; i++) {
        validity_clear(&r->array[i].before);
        validity_clear(&r->array[i].after);
    }
    free(r->array);
    free(r->table);
    free(r->plan);
    free(r);
}

/* No transfer is pending: all were waited for, or the recorded ones have not run. */
static void nothing_fresh(struct proact *p)
{
    for (struct proact_array *a = p->arrays; a; a = a->next)
        for (unsigned d = 0; d < p->devices.count; d++)
            need_clear(&a->fresh[d]);
}

enum proact_status proact_record_begin(struct proact *p, struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_record_begin(p)", (const void *[]){p}, err);

    if (status)
        return status;
    if (p->recording)
        return fail(err, PROACT_EINVAL, "a recording is under way already");
    if (p->repeating || streams_are_used(p))
        return fail(err, PROACT_EINVAL, "a recording cannot begin within a %s",
                    p->repeating ? "loop" : "program's stream");
    if (p->unified)
        return fail(err, PROACT_EREFUSED,
                    "a recording cannot begin: unified memory decides at each launch which "
                    "pages move");
    if (!p->backend->capture_begin)
        return fail(err, PROACT_EREFUSED, "the %s backend has no graphs", p->backend->name);
    if (p->book.observer && !p->backend->is_virtual)
        return fail(err, PROACT_EREFUSED,
                    "a recording cannot begin while a trace callback is set");
    if ((status = lazy_devices_poll(p, err)))
        return status;
    if (p->lazy_devices.are_pending)
        return fail(err, PROACT_EINVAL,
                    "a recording cannot begin before all devices are open");
    /* A replay follows all earlier work, so the recording needs no waits for it. */
    if ((status = proact_wait(p, err)) || (status = p->backend->capture_begin(p->set, err)))
        return status;
    nothing_fresh(p);
    p->recording = must_calloc(1, sizeof *p->recording);
    p->recording->session = p;
    p->records_unlike = p->records_early = false;
    p->recording->begin = p->sequence;
    p->recording->variables_before = p->variables;
    return PROACT_OK;
}

enum proact_status proact_record_end(struct proact *p, struct proact_recording **out,
                                     struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_record_end(p, out)", (const void *[]){p, out}, err);

    if (status)
        return status;
    struct proact_recording *r = p->recording;

    if (!r)
        return fail(err, PROACT_EINVAL, "no recording is under way");
    status = p->backend->capture_end(p->set, &r->graph, err);
    if (r->was_paused) { /* later launches of any stream may use what it uploaded */
        const enum proact_status done =
            p->backend->synchronize(p->set, status ? NULL : err);

        status = status ? status : done;
    }
    p->recording = NULL;
    r->end = p->sequence;
    nothing_fresh(p);
    r->is_elsewhere = p->order.is_elsewhere; /* it was false at the start */
    tables_put_back(r);
    recording_restore_validity(r);
    if (status) {
        recording_free(r);
        return status;
    }
    r->next = p->recordings;
    p->recordings = r;
    *out = r;
    return PROACT_OK;
}

bool proact_record_is_early(const struct proact *p)
{
    return p->records_early;
}

void proact_recording_destroy(struct proact_recording *r)
{
    if (!r)
        return;
    struct proact_recording **link = &r->session->recordings;

    while (*link && *link != r)
        link = &(*link)->next;
    if (*link)
        *link = r->next;
    recording_free(r);
}

static void void_one(struct proact_recording *r, const char *missing)
{
    r->missing = missing;
    r->launch_count = r->table_count = r->plan_count = 0; /* what they refer to is freed */
}

static bool uses(const struct proact_recording *r, const struct proact_kernel *k)
{
    for (size_t i = 0; i < r->kernel_count; i++)
        if (r->kernel[i].kernel == k)
            return true;
    return false;
}

static void void_kernel(struct proact_recording *r, const struct proact_kernel *k)
{
    if (uses(r, k))
        void_one(r, "a kernel");
}

bool recordings_use(const struct proact *p, const struct proact_kernel *k)
{
    bool use = false;

    for (const struct proact_recording *r = p->recordings; r && !use; r = r->next)
        use = uses(r, k);
    return use;
}

void recordings_void(struct proact *p, const struct proact_kernel *k)
{
    if (p->recording)
        void_kernel(p->recording, k);
    for (struct proact_recording *r = p->recordings; r; r = r->next)
        void_kernel(r, k);
}

static void forget_in(struct proact_recording *r, const struct proact_array *a)
{
    for (size_t i = 0; i < r->array_count; i++) {
        if (r->array[i].array != a)
            continue;
        validity_clear(&r->array[i].before);
        validity_clear(&r->array[i].after);
        r->array[i] = r->array[--r->array_count];
        void_one(r, "an array");
        return;
    }
}

void recordings_forget(struct proact *p, const struct proact_array *a)
{
    if (p->recording)
        forget_in(p->recording, a);
    for (struct proact_recording *r = p->recordings; r; r = r->next)
        forget_in(r, a);
}

void recordings_destroy(struct proact *p)
{
    if (p->recording) {
        struct proact_recording *left;

        if (proact_record_end(p, &left, NULL))
            return;
    }
    for (struct proact_recording *r = p->recordings, *next; r; r = next) {
        next = r->next;
        recording_free(r);
    }
    p->recordings = NULL;
}
