/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "stress/stress.h"

enum { ARRAYS = 5, SHAPES = 5, RECORDINGS = 2, RECORDED = 4, CHECKED_BYTES = 32 << 10 };
enum { REPLICATED = 3 }; /* the first arrays are replicated, so that each shape has some */

struct recorded {
    struct proact_recording *on;
    struct stress_launch launch[RECORDED];
    unsigned count;
};

struct session {
    const struct stress_options *options;
    struct proact *proact;
    struct proact_error *err;
    struct text log;
    uint64_t chance, launches, bytes_most;
    struct stress_array array[ARRAYS];
    struct stress_shape shape[SHAPES];
    struct recorded recorded[RECORDINGS];
    struct stress_launch last; /* most recently picked */
    unsigned array_count, shape_count, devices;
    struct proact_plan plan;
};

static uint64_t below(struct session *s, uint64_t bound)
{
    return random_below(&s->chance, bound);
}

static bool one_in(struct session *s, uint64_t n)
{
    return below(s, n) == 0;
}

/* A single method, or two methods that share the chunks. */
static const char *pick_method(struct session *s)
{
    static const char *const mixed[] = {"copy-engine+fused:8K", "copy-engine+polling",
                                        "polling+fused:100K",   "fused+polling:70000",
                                        "fused+copy-engine:1M", "polling+copy-engine:20K"};
    const char *const *methods = proact_method_names();
    uint64_t count = 0;

    if (one_in(s, 3))
        return mixed[below(s, sizeof mixed / sizeof *mixed)];
    while (methods[count])
        count++;
    return methods[below(s, count)];
}

static enum proact_status pick_plan(struct session *s)
{
    enum proact_status status;

    do {
        s->plan = (struct proact_plan){
            .method = s->options->method ? s->options->method : pick_method(s),
            .chunk_bytes = one_in(s, 4) ? 0 : 4096ull << below(s, one_in(s, 4) ? 17 : 6),
            .transfer_threads =
                one_in(s, 2) ? 0 : 32 * (unsigned)stress_pick_log(&s->chance, 1, 64),
        };
        status = proact_plan_set(s->proact, &s->plan, s->err);
    } while (status == PROACT_EREFUSED && !s->options->method);
    return status;
}

static void fill(struct session *s, unsigned char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word = random_next(&s->chance);

        memcpy(at + i, &word, bytes - i < 8 ? bytes - i : 8);
    }
}

static enum proact_status make_array(struct session *s, unsigned number)
{
    double part = random_unit(&s->chance);
    struct stress_array *a = &s->array[number];
    const char name[] = {(char)('a' + number), 0};
    struct proact_shape shape = {.name = name, .element_bytes = 1};

    if (s->options->stencils) /* enough CTAs for an interior */
        part = 1 - part / 20;
    a->bytes = (size_t)exp(part * part * log((double)s->bytes_most));
    a->truth = must_calloc(a->bytes, 1);
    fill(s, a->truth, a->bytes);
    shape.count = a->bytes;
    enum proact_status status = PROACT_EREFUSED;

    a->is_distributed = number >= REPLICATED && one_in(s, 2);
    if (a->is_distributed)
        status = proact_array_create_distributed(s->proact, &shape, &a->on, s->err);
    if (status == PROACT_EREFUSED) { /* some devices cannot reach each other */
        a->is_distributed = false;
        status = proact_array_create(s->proact, &shape, &a->on, s->err);
    }
    text_print(&s->log, "array %s: %zu bytes%s\n", name, a->bytes,
               a->is_distributed ? ", distributed" : "");
    return status ? status : proact_array_write(a->on, 0, a->truth, a->bytes, s->err);
}

static enum proact_status make_shape(struct session *s, unsigned number)
{
    const struct stress_array *a = &s->array[below(s, s->array_count)];
    uint64_t bytes = one_in(s, 2) ? a->bytes : below(s, a->bytes + a->bytes / 4 + 16);
    struct stress_shape *shape = &s->shape[number];

    s->last.shape = NULL;
    enum proact_status status =
        stress_shape_make(s->proact, s->options->ptx, bytes, &s->chance, shape, s->err);

    text_print(&s->log,
               "shape %u: %s, %u x %u CTAs of %u, run %llu (%llu) stride %llu x %llu\n",
               number, shape->kernel, shape->ctas[0], shape->ctas[1], shape->threads,
               shape->work.run, shape->work.run2, shape->work.stride,
               shape->work.run_count + shape->work.rows);
    return status;
}

/* Maps need replicated arrays. */
static bool is_possible(const struct stress_launch *l)
{
    const bool is_distributed =
        l->to[0]->is_distributed || (l->to[1] && l->to[1]->is_distributed);

    return !is_distributed || strcmp(l->shape->kernel, "whole") == 0;
}

static void pick_arrays(struct session *s, struct stress_launch *l)
{
    uint64_t from = below(s, s->array_count), to = below(s, s->array_count - 1);
    uint64_t other = below(s, s->array_count - 2);

    to += to >= from;
    while (other == from || other == to)
        other++;
    *l = (struct stress_launch){
        .shape = &s->shape[below(s, s->shape_count)],
        .from = &s->array[from],
        .to = {&s->array[to]},
        .over = one_in(s, 5) ? 1 + (unsigned)below(s, s->devices) : 0,
        .plan = s->plan,
    };
    if (l->shape->slots == 2)
        l->to[1] = &s->array[other];
}

/* True if the last launch can be reversed: a stencil that reads what it wrote. */
static bool may_turn_back(struct session *s)
{
    const struct stress_shape *last = s->last.shape;

    return s->options->stencils && last && strcmp(last->kernel, "near") == 0 &&
           !one_in(s, 16);
}

static void turn_back(struct session *s, struct stress_launch *l)
{
    *l = s->last;
    l->from = s->last.to[0];
    l->to[0] = s->last.from;
    l->plan = s->plan;
    l->work.shift %= l->from->bytes;
}

/* Offset at which a launch reads. */
static uint64_t pick_shift(struct session *s, const struct stress_launch *l)
{
    enum { NEAR = 300 };

    return below(s, s->options->stencils && l->from->bytes > NEAR ? NEAR : l->from->bytes);
}

static void pick_work(struct session *s, struct stress_launch *l)
{
    l->work = l->shape->work;
    l->work.shift = pick_shift(s, l);
    l->work.salt = (unsigned)random_next(&s->chance);
    l->work.skip = one_in(s, 6) ? (2u << below(s, 4)) - 1 : 0;
    l->work.adds = one_in(s, 4);
    l->work.dawdle = one_in(s, 4) ? 1 + (unsigned)below(s, one_in(s, 4) ? 40000 : 3000) : 0;
}

static void pick_launch(struct session *s, struct stress_launch *l)
{
    bool turns;

    do {
        turns = may_turn_back(s);
        (turns ? turn_back : pick_arrays)(s, l);
    } while (!is_possible(l));
    if (!turns)
        pick_work(s, l);
    l->work.from_bytes = l->from->bytes;
    for (unsigned i = 0; i < 2 && l->to[i]; i++)
        l->work.count[i] = l->to[i]->bytes / l->shape->element_bytes;
    s->last = *l;
}

static void print_launch(struct session *s, const char *how, const struct stress_launch *l)
{
    char to = (char)('a' + (l->to[0] - s->array));
    char other = l->to[1] ? (char)('a' + (l->to[1] - s->array)) : '-';

    text_print(&s->log,
               "%s shape %d: %c -> %c %c, over %u, %s, chunk %llu, %u threads, "
               "skip %x, adds %u, dawdle %u\n",
               how, (int)(l->shape - s->shape), (char)('a' + (l->from - s->array)), to,
               other, l->over, l->plan.method, (unsigned long long)l->plan.chunk_bytes,
               l->plan.transfer_threads, l->work.skip, l->work.adds, l->work.dawdle);
}

static enum proact_status launch(struct session *s)
{
    struct stress_launch l;

    pick_launch(s, &l);
    print_launch(s, "launch", &l);
    stress_launch_expect(&l);
    s->launches++;
    return stress_launch(s->proact, &l, s->err);
}

static void drop_recordings(struct session *s)
{
    for (unsigned r = 0; r < RECORDINGS; r++) {
        proact_recording_destroy(s->recorded[r].on);
        s->recorded[r] = (struct recorded){0};
    }
}

/* Each launch runs once first, as recordings require, and then again for the recording. */
static enum proact_status record(struct session *s)
{
    struct recorded *r = &s->recorded[below(s, RECORDINGS)];
    enum proact_status status = PROACT_OK;

    text_print(&s->log, "recording %d\n", (int)(r - s->recorded));
    proact_recording_destroy(r->on);
    *r = (struct recorded){.count = 1 + (unsigned)below(s, RECORDED)};
    for (unsigned i = 0; i < r->count && !status; i++) {
        if (!s->options->stencils && one_in(s, 2))
            status = pick_plan(s);
        pick_launch(s, &r->launch[i]);
        print_launch(s, "record", &r->launch[i]);
        stress_launch_expect(&r->launch[i]);
        s->launches++;
        if (!status)
            status = stress_launch(s->proact, &r->launch[i], s->err);
    }
    if (status || (status = proact_record_begin(s->proact, s->err)))
        return status;
    for (unsigned i = 0; i < r->count && !status; i++)
        status = stress_launch(s->proact, &r->launch[i], s->err);
    struct proact_recording *made = NULL;
    enum proact_status end = proact_record_end(s->proact, &made, status ? NULL : s->err);

    r->on = made;
    if (!status && end == PROACT_EREFUSED) { /* GPUs do not record every operation */
        s->err->text[0] = '\0';
        return PROACT_OK;
    }
    return status ? status : end;
}

static enum proact_status replay(struct session *s)
{
    const struct recorded *r = &s->recorded[below(s, RECORDINGS)];
    uint64_t times = 1 + below(s, 4);
    enum proact_status status = PROACT_OK;

    for (uint64_t t = 0; t < times && r->on && !status; t++) {
        text_print(&s->log, "replay %d\n", (int)(r - s->recorded));
        for (unsigned i = 0; i < r->count; i++)
            stress_launch_expect(&r->launch[i]);
        s->launches += r->count;
        status = proact_replay(r->on, s->err);
    }
    return status;
}

static enum proact_status write_part(struct session *s)
{
    uint64_t number = below(s, s->array_count);
    struct stress_array *a = &s->array[number];
    size_t first = (size_t)below(s, a->bytes), count = (size_t)below(s, a->bytes - first);

    text_print(&s->log, "write %c: %zu from %zu\n", (char)('a' + number), count, first);
    fill(s, a->truth + first, count);
    return proact_array_write(a->on, first, a->truth + first, count, s->err);
}

static enum proact_status compare_replica(struct session *s, unsigned number,
                                          unsigned device, unsigned char *room)
{
    const struct stress_array *a = &s->array[number];
    enum proact_status status =
        proact_array_read_replica(a->on, device, 0, room, a->bytes, s->err);
    size_t i = 0;

    if (status || hash_bytes(room, a->bytes, 0) == hash_bytes(a->truth, a->bytes, 0))
        return status;
    while (room[i] == a->truth[i])
        i++;
    return fail(s->err, PROACT_EFAULT,
                "array '%c': byte %zu of %zu on device %u is %u, not %u", 'a' + (int)number,
                i, a->bytes, device, room[i], a->truth[i]);
}

static enum proact_status compare(struct session *s)
{
    unsigned char *room = must_calloc(s->bytes_most, 1);
    enum proact_status status = PROACT_OK;

    text_print(&s->log, "compare\n");
    for (unsigned a = 0; a < s->array_count && !status; a++)
        for (unsigned d = 0; d < s->devices && !status; d++)
            status = compare_replica(s, a, d, room);
    free(room);
    return status;
}

static enum proact_status wait(struct session *s)
{
    text_print(&s->log, "wait\n");
    return proact_wait(s->proact, s->err);
}

/* Destroys and recreates an array. Pending transfers complete first, and no data is
   lost. */
static enum proact_status renew_array(struct session *s)
{
    unsigned number = (unsigned)below(s, s->array_count);

    drop_recordings(s);
    proact_array_destroy(s->array[number].on);
    free(s->array[number].truth);
    s->array[number] = (struct stress_array){0};
    return make_array(s, number);
}

static enum proact_status renew_shape(struct session *s)
{
    unsigned number = (unsigned)below(s, s->shape_count);

    drop_recordings(s);
    stress_shape_clear(&s->shape[number]);
    return make_shape(s, number);
}

static const struct {
    unsigned weight;
    enum proact_status (*act)(struct session *s);
} acts[] = {
    {60, launch}, {12, pick_plan}, {4, record},      {12, replay},     {6, write_part},
    {4, compare}, {3, wait},       {2, renew_array}, {2, renew_shape},
};

static enum proact_status act(struct session *s)
{
    enum { ACTS = sizeof acts / sizeof *acts };
    uint64_t sum = 0, at, i = 0;

    if (s->options->stencils && one_in(s, 6)) /* interiors differ in recordings */
        return record(s);
    for (unsigned a = 0; a < ACTS; a++)
        sum += acts[a].weight;
    at = below(s, sum);
    while (at >= acts[i].weight)
        at -= acts[i++].weight;
    return acts[i].act(s);
}

static enum proact_status open_session(struct session *s,
                                       const struct stress_machine *machine)
{
    const bool stencils = s->options->stencils;
    bool checks = machine->is_emulated && one_in(s, stencils ? 2 : 3);
    const struct proact_options options = {
        .machine = s->options->machine,
        .device_count = 1 + (unsigned)below(s, machine->devices),
        .seed = random_next(&s->chance),
        .check = checks,
        .infinite_bandwidth = machine->is_emulated && one_in(s, 10),
        .host_threads = one_in(s, 4)   ? 0
                        : one_in(s, 3) ? machine->devices
                                       : 1,
    };
    enum proact_status status = proact_open(&options, &s->proact, s->err);

    s->bytes_most = s->options->bytes_most;
    if (checks && !stencils && s->bytes_most > CHECKED_BYTES)
        s->bytes_most = CHECKED_BYTES;
    s->devices = options.device_count;
    s->array_count = 3 + (unsigned)below(s, ARRAYS - 2);
    s->shape_count = 1 + (unsigned)below(s, SHAPES);
    text_print(&s->log, "%u devices%s\n", s->devices, checks ? ", checked" : "");
    for (unsigned a = 0; a < s->array_count && !status; a++)
        status = make_array(s, a);
    for (unsigned i = 0; i < s->shape_count && !status; i++)
        status = make_shape(s, i);
    return status ? status : pick_plan(s);
}

static void close_session(struct session *s)
{
    drop_recordings(s);
    for (unsigned i = 0; i < SHAPES; i++)
        stress_shape_clear(&s->shape[i]);
    proact_close(s->proact);
    for (unsigned a = 0; a < ARRAYS; a++)
        free(s->array[a].truth);
    text_clear(&s->log);
    free(s);
}

enum proact_status stress_session(const struct stress_options *o,
                                  const struct stress_machine *machine, uint64_t seed,
                                  uint64_t *launches, struct proact_error *err)
{
    struct session *s = must_calloc(1, sizeof *s);

    s->options = o;
    s->err = err;
    s->chance = hash_mix(seed);
    enum proact_status status = open_session(s, machine);

    for (uint64_t count = 10 + below(s, o->acts); count && !status; count--)
        status = act(s);
    if (!status)
        status = compare(s);
    if (status || o->is_verbose)
        printf("%s", s->log.data);
    *launches += s->launches;
    close_session(s);
    return status;
}
