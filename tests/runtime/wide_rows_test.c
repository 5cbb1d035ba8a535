/* SPDX-License-Identifier: Apache-2.0 */
/* A launch that writes one cell in each of many distant rows. Only the cells next to a
   partition are sent, however many there are, and never the rows. */
#include "runtime/runtime_testing.h"

enum { PITCH = 1032, LAUNCHES = 6 }; /* words; a row has more than 4096 bytes */
enum { CHECKED = 1408 };             /* rows: the time of a check grows with their square */

struct rig {
    struct bench b;
    struct proact_kernel *kernel;
    struct proact_array *array[2];
    uint32_t *host[2], rows;
    unsigned newest;
};

#define MUST(call)                                                                         \
    do {                                                                                   \
        if (call)                                                                          \
            fail_msg("%s", r->b.err.text);                                                 \
    } while (0)

static size_t words(const struct rig *r)
{
    return (size_t)r->rows * PITCH;
}

static void open_rig(struct rig *r, const char *kernel, const char *method,
                     unsigned devices, uint32_t rows)
{
    *r = (struct rig){
        .b = testing_open(&(struct proact_options){.machine = "h200x4",
                                                   .device_count = devices,
                                                   .check = rows <= CHECKED,
                                                   .plan = {.method = method}}),
        .rows = rows};
    r->kernel = testing_kernel(&r->b, kernel);
    for (int i = 0; i < 2; i++) {
        const struct proact_shape shape = {i ? "odd" : "even", words(r), sizeof(uint32_t)};

        MUST(proact_array_create(r->b.p, &shape, &r->array[i], &r->b.err));
        r->host[i] = malloc(words(r) * sizeof(uint32_t));
        assert_non_null(r->host[i]);
        for (size_t n = 0; n < words(r); n++)
            r->host[i][n] = (uint32_t)n * 2654435761u;
        MUST(proact_array_write(r->array[i], 0, r->host[i], words(r), &r->b.err));
    }
}

static void close_rig(struct rig *r)
{
    proact_close(r->b.p);
    free(r->host[0]);
    free(r->host[1]);
}

static void launch(struct rig *r)
{
    const struct proact_grid g = {.ctas = {(r->rows + 31) / 32}, .threads = {32}};
    const uint32_t pitch = PITCH, rows = r->rows;

    MUST(proact_launch(r->kernel, &g,
                       (struct proact_arg[]){PROACT_ARRAY(r->array[r->newest]),
                                             PROACT_ARRAY(r->array[1 - r->newest]),
                                             PROACT_VALUE(rows), PROACT_VALUE(pitch)},
                       4, &r->b.err));
    assert_null(proact_kernel_refusal(r->kernel));
}

static void step(struct rig *r)
{
    const uint32_t pitch = PITCH, rows = r->rows;
    const uint32_t *in = r->host[r->newest];
    uint32_t *out = r->host[1 - r->newest];

    launch(r);
    for (size_t y = 0; y < rows; y++)
        out[y * pitch] = (y ? in[(y - 1) * pitch] : 0) + 2 * in[y * pitch] +
                         (y + 1 < rows ? in[(y + 1) * pitch] : 0);
    r->newest = 1 - r->newest;
}

static void expect(struct rig *r)
{
    uint32_t *got = malloc(words(r) * sizeof *got);

    assert_non_null(got);
    for (int i = 0; i < 2; i++) {
        MUST(proact_array_read(r->array[i], 0, got, words(r), &r->b.err));
        assert_memory_equal(got, r->host[i], words(r) * sizeof *got);
    }
    free(got);
}

static uint64_t sent(struct rig *r)
{
    struct proact_statistics s;
    uint64_t bytes = 0;

    for (int i = 0; i < 2; i++) {
        MUST(proact_statistics_get(r->b.p, PROACT_ALL_DEVICES, r->array[i], &s, &r->b.err));
        bytes += s.bytes;
    }
    return bytes;
}

static uint64_t sent_by_each(struct rig *r)
{
    for (int n = 0; n < 8; n++)
        step(r);
    const uint64_t before = sent(r);

    for (int n = 0; n < LAUNCHES; n++)
        step(r);
    return (sent(r) - before) / LAUNCHES;
}

static void cells_next_to_a_partition_are_sent(void **state)
{
    static const char *const methods[] = {"fused", "copy-engine"};

    (void)state;
    for (int n = 0; n < 2; n++) {
        struct rig r;

        open_rig(&r, "first_cells", methods[n], 4, 1408);
        assert_int_equal(sent_by_each(&r), 3 * 2 * sizeof(uint32_t));
        expect(&r);
        close_rig(&r);
    }
}

/* More rows than the ranges that a read set or a validity map once distinguished. */
static void cells_of_many_rows_are_distinguished(void **state)
{
    struct rig r;

    (void)state;
    open_rig(&r, "first_cells", "fused", 2, 2240);
    assert_int_equal(sent_by_each(&r), 2 * sizeof(uint32_t));
    expect(&r);
    close_rig(&r);
}

/* More ranges than the number above which the array was once broadcast. */
static void very_many_cells_are_distinguished(void **state)
{
    struct rig r;

    (void)state;
    open_rig(&r, "first_cells", "fused", 2, 4480);
    assert_int_equal(sent_by_each(&r), 2 * sizeof(uint32_t));
    expect(&r);
    close_rig(&r);
}

/* A device needs the current values of cells that it may write or leave unchanged. It
   fetches its own cells, too many to distinguish, and no other cells. */
static void conditional_stores_fetch_their_own_cells(void **state)
{
    struct rig r;

    (void)state;
    open_rig(&r, "odd_cells", "fused", 4, 1408);
    for (int n = 0; n < 4; n++)
        launch(&r);
    const uint64_t before = sent(&r);

    launch(&r);
    assert_int_equal(sent(&r), before);
    for (size_t y = 0; y < r.rows; y++)
        if (r.host[0][y * PITCH] & 1)
            r.host[1][y * PITCH] = r.host[0][y * PITCH] + 2;
    expect(&r);
    close_rig(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_next_to_a_partition_are_sent),
        cmocka_unit_test(cells_of_many_rows_are_distinguished),
        cmocka_unit_test(very_many_cells_are_distinguished),
        cmocka_unit_test(conditional_stores_fetch_their_own_cells),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
