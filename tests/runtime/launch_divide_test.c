/* SPDX-License-Identifier: Apache-2.0 */
/* Interior/boundary split of stencil partitions: when the boundaries are kernels of their
   own, and that interior CTAs have the right indices in grids of two and three
   dimensions. */
#include "runtime/runtime_testing.h"

#define NARROW PROACT_SOURCE "/tests/protocol/narrow.json"

enum { CELLS = 131072, LAUNCHES = 6, DEVICES = 4 };

struct shape {
    const char *name;
    uint32_t size[3], threads[3];
    bool divides;
};

static const struct shape rows = {"rows", {128, 256, 1}, {32, 4, 1}, true};
static const struct shape planes = {"planes", {64, 8, 64}, {32, 2, 2}, true};
static const struct shape uneven = {
    "shares that end within rows", {96, 339, 1}, {32, 4, 1}, true};
static const struct shape long_rows = {"long rows", {128, 1024, 1}, {32, 4, 1}, true};
static const struct shape many_planes = {"many planes", {64, 8, 256}, {32, 2, 2}, true};
static const struct shape small = {"too few", {32, 64, 1}, {32, 4, 1}, false};

struct stage {
    struct bench b;
    const struct shape *shape;
    struct proact_array *cells[2];
    struct proact_kernel *smooths;
    uint32_t truth[2][CELLS];
    unsigned kernels[DEVICES]; /* counted since the last launch */
};

static void must(struct stage *s, enum proact_status status)
{
    if (status)
        fail_msg("%s: %s", s->shape->name, s->b.err.text);
}

static void count_kernel(void *context, const struct proact_trace_span *span)
{
    struct stage *s = context;

    s->kernels[span->device] += span->kind == PROACT_TRACE_KERNEL;
}

static uint32_t cells_of(const struct shape *shape)
{
    return shape->size[0] * shape->size[1] * shape->size[2];
}

static struct stage *open_stage(const struct shape *shape, const char *method)
{
    static const char *const names[] = {"even", "odd"};
    struct stage *s = calloc(1, sizeof *s);
    const uint32_t count = cells_of(shape);

    assert_non_null(s);
    assert_in_range(count, 1, CELLS);
    s->shape = shape;
    s->b = testing_open(&(struct proact_options){
        .machine = NARROW, .check = true, .plan = {.method = method, .chunk_bytes = 4096}});
    s->smooths = testing_kernel(&s->b, "smooths");
    for (uint32_t i = 0; i < count; i++)
        s->truth[0][i] = s->truth[1][i] = i * 2654435761u;
    for (int n = 0; n < 2; n++) {
        const struct proact_shape of = {names[n], count, sizeof(uint32_t)};

        must(s, proact_array_create(s->b.p, &of, &s->cells[n], &s->b.err));
        must(s, proact_array_write(s->cells[n], 0, s->truth[n], count, &s->b.err));
    }
    proact_trace_set_callback(s->b.p, count_kernel, s);
    return s;
}

static void close_stage(struct stage *s)
{
    proact_close(s->b.p);
    free(s);
}

static void expect(struct stage *s, unsigned number)
{
    const uint32_t *size = s->shape->size, *in = s->truth[number % 2];
    const uint32_t slice = size[2] > 1 ? size[0] * size[1] : size[0];

    for (uint32_t i = slice; i < cells_of(s->shape) - slice; i++)
        s->truth[(number + 1) % 2][i] = in[i - slice] + 2 * in[i] + in[i + slice];
}

static void launch(struct stage *s, unsigned number)
{
    const uint32_t *size = s->shape->size, *threads = s->shape->threads;
    uint32_t width = size[0], height = size[1], depth = size[2];
    struct proact_grid grid = {.threads = {threads[0], threads[1], threads[2]}};
    const struct proact_arg args[] = {
        PROACT_ARRAY(s->cells[number % 2]), PROACT_ARRAY(s->cells[(number + 1) % 2]),
        PROACT_VALUE(width), PROACT_VALUE(height), PROACT_VALUE(depth)};

    for (int i = 0; i < 3; i++)
        grid.ctas[i] = (size[i] + threads[i] - 1) / threads[i];
    must(s, proact_launch(s->smooths, &grid, args, 5, &s->b.err));
}

static void compare(struct stage *s)
{
    static uint32_t is[CELLS];

    for (int n = 0; n < 2; n++)
        for (unsigned d = 0; d < proact_device_count(s->b.p); d++) {
            must(s, proact_array_read_replica(s->cells[n], d, 0, is, cells_of(s->shape),
                                              &s->b.err));
            assert_memory_equal(is, s->truth[n], cells_of(s->shape) * sizeof *is);
        }
}

/* The first two launches record the consumers. The kernels of the last launch are
   counted. */
static void run(struct stage *s)
{
    for (unsigned number = 0; number < LAUNCHES; number++) {
        if (number == LAUNCHES - 1) {
            must(s, proact_wait(s->b.p, &s->b.err));
            memset(s->kernels, 0, sizeof s->kernels);
        }
        launch(s, number);
        expect(s, number);
    }
    must(s, proact_wait(s->b.p, &s->b.err));
    assert_null(proact_kernel_refusal(s->smooths));
}

/* The first and the last device have one boundary each. */
static unsigned kernels_of(unsigned device)
{
    return device == 0 || device == DEVICES - 1 ? 2 : 3;
}

static void run_shape(const struct shape *shape, const char *method, bool divides)
{
    struct stage *s = open_stage(shape, method);

    run(s);
    for (unsigned d = 0; d < DEVICES; d++)
        assert_int_equal(s->kernels[d], divides ? kernels_of(d) : 1);
    compare(s);
    close_stage(s);
}

static void boundaries_are_separate_kernels(void **state)
{
    static const struct shape *const shapes[] = {&rows, &planes, &uneven, &small};

    (void)state;
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++)
        run_shape(shapes[n], "fused", shapes[n]->divides);
}

/* Copies follow the boundaries if the interior takes longer than the host needs to queue
   them. `rows` is too short for that. */
static void copies_follow_the_boundaries(void **state)
{
    (void)state;
    run_shape(&long_rows, "bulk", true);
    run_shape(&many_planes, "bulk", true);
    run_shape(&rows, "bulk", false);
}

/* A launch has no boundaries if no device reads what another writes. */
static void launches_that_send_nothing_have_no_boundaries(void **state)
{
    struct stage *s = open_stage(&long_rows, "fused");
    struct proact_kernel *grows = testing_kernel(&s->b, "grows");
    const struct proact_grid grid = {.ctas = {CELLS / 128}, .threads = {128}};
    const uint32_t count = CELLS;
    const struct proact_arg args[] = {PROACT_ARRAY(s->cells[0]), PROACT_VALUE(count)};

    (void)state;
    for (unsigned number = 0; number < LAUNCHES; number++) {
        must(s, proact_wait(s->b.p, &s->b.err));
        memset(s->kernels, 0, sizeof s->kernels);
        must(s, proact_launch(grows, &grid, args, 2, &s->b.err));
        for (uint32_t i = 0; i < CELLS; i++)
            s->truth[0][i] = 3 * s->truth[0][i] + i;
    }
    must(s, proact_wait(s->b.p, &s->b.err));
    for (unsigned d = 0; d < DEVICES; d++)
        assert_int_equal(s->kernels[d], 1);
    compare(s);
    close_stage(s);
}

static void edges_are_replayed(const struct shape *shape, const char *method)
{
    struct stage *s = open_stage(shape, method);
    struct proact_recording *r;

    run(s);
    must(s, proact_record_begin(s->b.p, &s->b.err));
    launch(s, 0);
    launch(s, 1);
    must(s, proact_record_end(s->b.p, &r, &s->b.err));
    memset(s->kernels, 0, sizeof s->kernels);
    for (int n = 0; n < 2; n++) {
        must(s, proact_replay(r, &s->b.err));
        expect(s, 0);
        expect(s, 1);
    }
    launch(s, 0); /* an interior while no transfer is in flight */
    expect(s, 0);
    must(s, proact_wait(s->b.p, &s->b.err));
    for (unsigned d = 0; d < DEVICES; d++)
        assert_int_equal(s->kernels[d], 5 * kernels_of(d));
    compare(s);
    close_stage(s);
}

static void recordings_have_boundaries(void **state)
{
    (void)state;
    edges_are_replayed(&long_rows, "fused");
    edges_are_replayed(&long_rows, "bulk");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boundaries_are_separate_kernels),
        cmocka_unit_test(launches_that_send_nothing_have_no_boundaries),
        cmocka_unit_test(copies_follow_the_boundaries),
        cmocka_unit_test(recordings_have_boundaries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
