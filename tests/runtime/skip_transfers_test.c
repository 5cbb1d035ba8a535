/* SPDX-License-Identifier: Apache-2.0 */
/* A run with skip_transfers queues the launches, counters and waits of the full run, and
   moves no byte between devices. */
#include <proact/device.h>

#include "device/device.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/program/session_open.h"
#include "runtime/runtime_testing.h"

#define NARROW PROACT_SOURCE "/tests/protocol/narrow.json"

enum { WIDTH = 128, ROWS = 1024, CELLS = WIDTH * ROWS, DEVICES = 4, LAUNCHES = 6 };
enum call { LAUNCH, RECORD, WAIT_EVENT, WAIT_VALUE, COPY, CALLS };

static const char *const call_names[CALLS] = {
    [LAUNCH] = "launches",
    [RECORD] = "records",
    [WAIT_EVENT] = "waits for events",
    [WAIT_VALUE] = "waits for counters",
    [COPY] = "copies",
};

/* What one run queues and executes. The backend has no context, so the tally is global. */
static struct tally {
    unsigned calls[CALLS];
    unsigned kernels[DEVICES]; /* executed, with kernels that kernels launch */
    uint64_t bytes, ns;
} tally;

static enum proact_status counted_launch(struct device_stream *s, struct device_function *f,
                                         const struct device_launch *launch,
                                         struct proact_error *err)
{
    tally.calls[LAUNCH]++;
    return device_emulator.launch(s, f, launch, err);
}

static enum proact_status counted_record(struct device_stream *s,
                                         struct device_event *event,
                                         struct proact_error *err)
{
    tally.calls[RECORD]++;
    return device_emulator.record(s, event, err);
}

static enum proact_status counted_wait_event(struct device_stream *s,
                                             struct device_event *event,
                                             struct proact_error *err)
{
    tally.calls[WAIT_EVENT]++;
    return device_emulator.wait_event(s, event, err);
}

static enum proact_status counted_wait_value(struct device_stream *s, device_addr word,
                                             uint32_t value,
                                             const struct device_reason *reason,
                                             struct proact_error *err)
{
    tally.calls[WAIT_VALUE]++;
    return device_emulator.wait_value(s, word, value, reason, err);
}

static enum proact_status counted_copy(struct device_stream *s, device_addr to,
                                       device_addr from, size_t bytes,
                                       struct proact_error *err)
{
    tally.calls[COPY]++;
    return device_emulator.copy(s, to, from, bytes, err);
}

static enum proact_status counted_copy_rows(struct device_stream *s,
                                            const struct device_rows *rows,
                                            struct proact_error *err)
{
    tally.calls[COPY]++;
    return device_emulator.copy_rows(s, rows, err);
}

static unsigned children_limit; /* 0: the default */

static enum proact_status open_limited(const struct device_options *options,
                                       struct device_set **out, struct proact_error *err)
{
    struct device_options limited = *options;

    limited.children_limit = children_limit;
    return device_emulator.open(&limited, out, err);
}

static void count_kernel(void *context, const struct proact_trace_span *span)
{
    (void)context;
    tally.kernels[span->device] += span->kind == PROACT_TRACE_KERNEL;
}

static void must(struct bench *b, enum proact_status status)
{
    if (status)
        fail_msg("%s", b->err.text);
}

static struct bench open_counted(const char *method, bool skip)
{
    static struct device_backend backend; /* the session borrows it */
    const struct proact_options options = {.machine = NARROW,
                                           .seed = 1,
                                           .plan = {.method = method,
                                                    .chunk_bytes = 4096,
                                                    .transfer_threads = 128,
                                                    .skip_transfers = skip}};
    struct bench b = {0};

    backend = device_emulator;
    backend.open = open_limited;
    backend.launch = counted_launch;
    backend.record = counted_record;
    backend.wait_event = counted_wait_event;
    backend.wait_value = counted_wait_value;
    backend.copy = counted_copy;
    backend.copy_rows = counted_copy_rows;
    must(&b, session_open(&backend, &options, &b.p, &b.err));
    proact_trace_set_callback(b.p, count_kernel, NULL);
    return b;
}

/* A stencil that reads one array and writes the other, by turns. The host reads the result,
   which fetches it to device 0. */
static void run(const char *method, bool skip, struct tally *out)
{
    static uint32_t cells[CELLS];
    static const char *const names[] = {"even", "odd"};
    const struct proact_grid grid = {.ctas = {WIDTH / 32, ROWS / 4}, .threads = {32, 4}};
    uint32_t width = WIDTH, height = ROWS, depth = 1;
    struct bench b = open_counted(method, skip);
    struct proact_kernel *smooths = testing_kernel(&b, "smooths");
    struct proact_array *array[2];
    struct proact_statistics s;

    for (int n = 0; n < 2; n++) {
        const struct proact_shape shape = {names[n], CELLS, sizeof *cells};

        must(&b, proact_array_create(b.p, &shape, &array[n], &b.err));
        must(&b, proact_array_write(array[n], 0, cells, CELLS, &b.err));
    }
    tally = (struct tally){.bytes = 0};
    for (unsigned n = 0; n < LAUNCHES; n++) {
        const struct proact_arg args[] = {
            PROACT_ARRAY(array[n % 2]), PROACT_ARRAY(array[(n + 1) % 2]),
            PROACT_VALUE(width), PROACT_VALUE(height), PROACT_VALUE(depth)};

        must(&b, proact_launch(smooths, &grid, args, 5, &b.err));
    }
    must(&b, proact_array_read(array[0], 0, cells, CELLS, &b.err));
    must(&b, proact_statistics_get(b.p, PROACT_ALL_DEVICES, NULL, &s, &b.err));
    *out = tally;
    out->bytes = s.bytes;
    out->ns = proact_now_ns(b.p);
    proact_close(b.p);
}

static void a_skipped_run_differs_only_by_the_data(void **state)
{
    (void)state;
    for (const char *const *m = proact_method_names(); *m; m++) {
        struct tally full, skipped;

        run(*m, false, &full);
        run(*m, true, &skipped);
        for (int c = 0; c < CALLS; c++)
            if (c != COPY && full.calls[c] != skipped.calls[c])
                fail_msg("%s: %u %s without transfers, %u with them", *m, skipped.calls[c],
                         call_names[c], full.calls[c]);
        for (unsigned d = 0; d < DEVICES; d++)
            if (full.kernels[d] != skipped.kernels[d])
                fail_msg("%s: device %u executes %u kernels without transfers, %u with", *m,
                         d, skipped.kernels[d], full.kernels[d]);
        assert_true(full.bytes > 0 && full.calls[WAIT_EVENT] > 0);
        assert_int_equal(skipped.bytes, 0);
        assert_int_equal(skipped.calls[COPY], 0);
    }
}

/* Kernels that kernels launch are not traced. A device that accepts only one of them at a
   time changes the time of a run that launches them. */
static void a_skipped_run_launches_children(void **state)
{
    struct tally many, few;

    (void)state;
    run("dynamic", true, &many);
    children_limit = 1;
    run("dynamic", true, &few);
    children_limit = 0;
    assert_int_not_equal(many.ns, few.ns);
    assert_int_equal(few.bytes, 0);
}

/* A CTA whose launch of a child fails sends the chunk itself: to nobody, also not to its
   own device, whose offset the peers have. */
static void a_skipped_piece_has_no_receivers(void **state)
{
    const struct proact_options options = {
        .machine = "h200x2",
        .plan = {.method = "dynamic", .skip_transfers = true, .broadcast = true}};
    struct bench b = testing_open(&options);
    struct proact_partition partition;
    struct proact_piece piece;

    (void)state;
    must(&b, testing_fill(&b, 3));
    transfer_partition(&b.fill->bindings->transfer, 0, 1, &partition);
    assert_true(partition.peer_count > 0);
    must(&b, device_emulator.read(b.p->devices.device[0].lane[TRANSFER_MAIN], &piece,
                                  (device_addr)(uintptr_t)partition.slot[0].piece,
                                  sizeof piece, &b.err));
    must(&b, proact_wait(b.p, &b.err));
    assert_true(piece.bytes > 0);
    assert_int_equal(piece.peer_count, 0);
    proact_close(b.p);
}

/* On this machine the launches of fused and bulk have an interior and boundaries. */
static void a_skipped_run_has_boundaries(void **state)
{
    static const char *const methods[] = {"fused", "bulk"};

    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        struct tally skipped;

        run(methods[m], true, &skipped);
        assert_true(skipped.kernels[1] > 2 * LAUNCHES);
    }
}

/* What the stores of a launch on device 1 know of their peers. */
static void inline_looks_for_peers(struct bench *b, const struct proact_kernel *k)
{
    struct proact_partition partition;
    const struct proact_stores *s = &partition.slot[0].stores;
    uint32_t peers = 1;

    transfer_partition(&k->bindings->transfer, 1, 1, &partition);
    assert_int_equal(partition.mode, PROACT_MODE_STORE);
    assert_int_equal(partition.peer_count, proact_device_count(b->p) - 1);
    for (uint32_t i = 0; i < s->region_count; i++)
        assert_int_equal(s->region[i].peers, 0);
    /* Without regions each CTA has its word; a missing list would mean all peers. */
    assert_non_null(s->peers);
    must(b, device_emulator.read(b->p->devices.device[1].lane[TRANSFER_MAIN], &peers,
                                 (device_addr)(uintptr_t)s->peers, sizeof peers, &b->err));
    must(b, proact_wait(b->p, &b->err));
    assert_int_equal(peers, 0);
}

/* One launch from an array that contains 1, 2, ... to the other, by turns. */
static void blur(struct bench *b, struct proact_kernel *k, struct proact_array *array[2],
                 int round)
{
    const struct proact_grid grid = {.ctas = {CTAS}, .threads = {THREADS}};
    const unsigned n = N;
    const struct proact_arg args[] = {PROACT_ARRAY(array[round % 2]),
                                      PROACT_ARRAY(array[(round + 1) % 2]),
                                      PROACT_VALUE(n)};

    must(b, proact_launch(k, &grid, args, 3, &b->err));
    must(b, proact_wait(b->p, &b->err));
}

/* Under inline, stores of annotated and of plain kernels look for their peers, and find
   none. The same tables serve no later launch that sends. */
static void inline_stores_reach_no_peer(const char *kernel, bool broadcast)
{
    struct proact_plan plan = {
        .method = "inline", .skip_transfers = true, .broadcast = broadcast};
    struct bench b =
        testing_open(&(struct proact_options){.machine = "h200x4", .plan = plan});
    struct proact_kernel *k = testing_kernel(&b, kernel);
    struct proact_array *array[2] = {b.out, testing_array(&b, "other")};
    static uint32_t cells[N];
    struct proact_statistics s;

    if (strcmp(kernel, "blurs") != 0)
        must(&b, proact_kernel_map(k, 1, &testing_map, &b.err));
    for (int round = 0; round < 4; round++)
        blur(&b, k, array, round);
    must(&b, proact_statistics_get(b.p, PROACT_ALL_DEVICES, NULL, &s, &b.err));
    assert_int_equal(s.packets, 0);
    inline_looks_for_peers(&b, k);
    plan.skip_transfers = false;
    must(&b, proact_plan_set(b.p, &plan, &b.err));
    for (uint32_t i = 0; i < N; i++)
        cells[i] = i;
    must(&b, proact_array_write(array[0], 0, cells, N, &b.err));
    for (int round = 0; round < 2; round++)
        blur(&b, k, array, round);
    for (unsigned d = 0; d < proact_device_count(b.p); d++) {
        must(&b, proact_array_read_replica(array[0], d, 0, cells, N, &b.err));
        for (uint32_t i = 2; i < N - 2; i++)
            assert_int_equal(cells[i], 16 * i);
    }
    proact_close(b.p);
}

static void inline_skips_stores_of_all_kernels(void **state)
{
    (void)state;
    for (int broadcast = 0; broadcast < 2; broadcast++) {
        inline_stores_reach_no_peer("blurs", broadcast);
        inline_stores_reach_no_peer("blurs_by_tile", broadcast);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_skipped_run_differs_only_by_the_data),
        cmocka_unit_test(a_skipped_run_launches_children),
        cmocka_unit_test(a_skipped_run_has_boundaries),
        cmocka_unit_test(a_skipped_piece_has_no_receivers),
        cmocka_unit_test(inline_skips_stores_of_all_kernels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
