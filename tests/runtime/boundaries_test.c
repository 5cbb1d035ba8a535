/* SPDX-License-Identifier: Apache-2.0 */
/* Partition boundaries of a program's kernels. A kernel follows the boundaries of the
   kernel whose CTAs write more. The data that both write therefore stays on its device. A
   launch that writes a part of one device's data runs on that device. */
#include "runtime/runtime_testing.h"
/* included after it */
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/validity/array_validity.h"

enum { DEVICES = 4, ROWS = 1000, PITCH = 40, CELLS = PITCH - 4, WORDS = ROWS * PITCH };
enum { CELL_THREADS = 64, EDGE_THREADS = 128, ROW_THREADS = 8 };

struct rig {
    struct bench b;
    struct proact_kernel *cells, *edges;
    struct proact_array *array[2];
    uint32_t host[2][WORDS];
    unsigned newest;
};

#define MUST(call)                                                                         \
    do {                                                                                   \
        if (call)                                                                          \
            fail_msg("%s", r->b.err.text);                                                 \
    } while (0)

static void open_rig(struct rig *r)
{
    *r = (struct rig){.b = testing_open(&(struct proact_options){
                          .machine = "h200x4", .device_count = DEVICES, .check = true})};
    r->cells = testing_kernel(&r->b, "cells");
    r->edges = testing_kernel(&r->b, "first_cells");
    for (int i = 0; i < 2; i++) {
        const struct proact_shape shape = {i ? "odd" : "even", WORDS, sizeof(uint32_t)};

        for (uint32_t n = 0; n < WORDS; n++)
            r->host[i][n] = n * 2654435761u;
        MUST(proact_array_create(r->b.p, &shape, &r->array[i], &r->b.err));
        MUST(proact_array_write(r->array[i], 0, r->host[i], WORDS, &r->b.err));
    }
}

/* A launch with a parameter buffer, as a program issues it. */
static void launch_with(struct rig *r, struct proact_kernel *k, uint32_t threads,
                        uint32_t count, struct proact_array *const *arrays, uint32_t rows,
                        uint32_t pitch)
{
    const struct proact_grid g = {.ctas = {(count + threads - 1) / threads},
                                  .threads = {threads},
                                  .device_count = DEVICES};
    enum { ARRAYS = 2 };
    struct proact_relocation relocations[ARRAYS];
    uint32_t block[6] = {0};

    for (size_t i = 0; i < ARRAYS; i++)
        relocations[i] = (struct proact_relocation){(uint32_t)(8 * i), arrays[i], 0};
    block[2 * ARRAYS] = rows;
    block[2 * ARRAYS + 1] = pitch;
    MUST(proact_launch_buffer(
        k, &g,
        &(struct proact_parameter_buffer){block, 8 * ARRAYS + 8, relocations, ARRAYS},
        &r->b.err));
    if (proact_kernel_refusal(k))
        fail_msg("%s", proact_kernel_refusal(k));
}

static void launch(struct rig *r, struct proact_kernel *k, uint32_t threads, uint32_t count,
                   struct proact_array *const *arrays)
{
    launch_with(r, k, threads, count, arrays, ROWS, PITCH);
}

static void step_cells(struct rig *r)
{
    struct proact_array *const arrays[] = {r->array[r->newest], r->array[1 - r->newest]};
    const uint32_t *in = r->host[r->newest];
    uint32_t *out = r->host[1 - r->newest];

    launch(r, r->cells, CELL_THREADS, ROWS * CELLS, arrays);
    for (size_t y = 0; y < ROWS; y++)
        for (size_t at = y * PITCH; at < y * PITCH + CELLS; at++)
            out[at] = in[at] + 1;
    r->newest = 1 - r->newest;
}

/* Updates the first cell of each row of the newest array from the array before it. */
static void step_edges(struct rig *r)
{
    struct proact_array *const arrays[] = {r->array[1 - r->newest], r->array[r->newest]};
    const uint32_t *in = r->host[1 - r->newest];
    uint32_t *out = r->host[r->newest];

    launch(r, r->edges, EDGE_THREADS, ROWS, arrays);
    for (size_t y = 0; y < ROWS; y++)
        out[y * PITCH] = (y ? in[(y - 1) * PITCH] : 0) + 2 * in[y * PITCH] +
                         (y + 1 < ROWS ? in[(y + 1) * PITCH] : 0);
}

static void ends_at(const struct proact_kernel *k, const uint32_t *cta_first)
{
    assert_non_null(k->bindings);
    for (unsigned d = 0; d <= DEVICES; d++)
        assert_int_equal(k->bindings->cta_first[d], cta_first[d]);
}

static void close_rig(struct rig *r)
{
    static uint32_t got[WORDS];

    for (int i = 0; i < 2; i++) {
        MUST(proact_array_read(r->array[i], 0, got, WORDS, &r->b.err));
        assert_memory_equal(got, r->host[i], sizeof got);
    }
    proact_close(r->b.p);
}

static uint64_t sent(struct rig *r)
{
    struct proact_statistics s;

    MUST(proact_wait(r->b.p, &r->b.err));
    MUST(proact_statistics_get(r->b.p, PROACT_ALL_DEVICES, NULL, &s, &r->b.err));
    return s.bytes;
}

static const uint32_t even_cells[] = {0, 141, 282, 423, 563}, edges[] = {0, 2, 4, 6, 8},
                      cut_cells[] = {0, 144, 288, 432, 563}; /* in rows of 256 cells */

static void the_smaller_writer_follows(void **state)
{
    static struct rig rig;
    struct rig *r = &rig;

    (void)state;
    open_rig(r);
    step_cells(r);
    step_edges(r);
    /* Even: the first launch finds no boundaries. */
    ends_at(r->cells, even_cells);
    ends_at(r->edges, edges);
    for (int n = 0; n < 8; n++) {
        step_cells(r);
        step_edges(r);
    }
    ends_at(r->cells, cut_cells);
    ends_at(r->edges, edges);
    const uint64_t before = sent(r);

    step_cells(r);
    step_edges(r);
    /* Only the cells on both sides of each boundary are sent. */
    assert_in_range(sent(r) - before, 1, 2 * (DEVICES - 1) * 4);
    close_rig(r);
}

/* If the dominant kernel is launched first, its boundaries never change. */
static void the_larger_writer_decides(void **state)
{
    static struct rig rig;
    struct rig *r = &rig;

    (void)state;
    open_rig(r);
    for (int n = 0; n < 4; n++) {
        step_edges(r);
        step_cells(r);
        ends_at(r->cells, cut_cells);
        ends_at(r->edges, edges);
    }
    close_rig(r);
}

/* Boundaries do not apply to launches through proact_launch(). */
static void plain_launches_keep_even_partitions(void **state)
{
    static struct rig rig;
    struct rig *r = &rig;
    const uint32_t rows = ROWS, pitch = PITCH;

    (void)state;
    open_rig(r);
    for (int n = 0; n < 3; n++)
        step_edges(r);
    MUST(proact_launch(
        r->cells,
        &(struct proact_grid){.ctas = {(ROWS * CELLS + CELL_THREADS - 1) / CELL_THREADS},
                              .threads = {CELL_THREADS}},
        (struct proact_arg[]){PROACT_ARRAY(r->array[0]), PROACT_ARRAY(r->array[1]),
                              PROACT_VALUE(rows), PROACT_VALUE(pitch)},
        4, &r->b.err));
    ends_at(r->cells, even_cells);
    proact_close(r->b.p);
}

/* Device 0 has the only copy of the gaps between the rows that other devices write. The
   gaps are fetched once; afterwards each device has one contiguous range. */
static void gaps_between_rows_are_fetched_once(void **state)
{
    static struct rig rig;
    struct rig *r = &rig;

    (void)state;
    open_rig(r);
    array_written(r->array[1], 0, WORDS * sizeof(uint32_t), FIRST);
    step_cells(r);
    const uint64_t others = ROWS - even_cells[1] * CELL_THREADS / CELLS;

    assert_in_range(sent(r), (others - DEVICES) * (PITCH - CELLS) * 4,
                    (others + DEVICES) * (PITCH - CELLS) * 4);
    assert_in_range(r->array[1]->validity_map.count, DEVICES, 2 * DEVICES);
    const uint64_t before = sent(r);

    r->newest = 0;
    array_written(r->array[1], 0, WORDS * sizeof(uint32_t), FIRST);
    step_cells(r);
    assert_int_equal(sent(r), before);
    proact_close(r->b.p);
}

/* Writes one row of the newest array with the given number of threads. */
static void step_row(struct rig *r, const char *name, uint32_t row, uint32_t threads,
                     uint32_t count, const uint32_t *cta_first)
{
    struct proact_array *const arrays[] = {r->array[1 - r->newest], r->array[r->newest]};
    struct proact_kernel *k = testing_kernel_of(&r->b, testing_text(ROW_PTX), name);

    launch_with(r, k, threads, count, arrays, row, PITCH);
    for (size_t x = 0; x < PITCH; x++)
        r->host[r->newest][row * PITCH + x] = 3 * r->host[1 - r->newest][row * PITCH + x];
    ends_at(k, cta_first);
}

/* A launch that writes a row of one device runs on that device, and nothing is sent for
   it. */
static void a_row_launch_runs_on_the_owner(void **state)
{
    enum { COUNT = PITCH / ROW_THREADS };
    static const struct {
        uint32_t row, cta_first[DEVICES + 1];
    } of[] = {{0, {0, COUNT, COUNT, COUNT, COUNT}},
              {300, {0, 0, COUNT, COUNT, COUNT}},
              {ROWS - 1, {0, 0, 0, 0, COUNT}}};

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        static struct rig rig;
        struct rig *r = &rig;

        open_rig(r);
        for (int n = 0; n < 4; n++) {
            step_cells(r);
            step_edges(r);
        }
        step_cells(r);
        const uint64_t before = sent(r);

        step_row(r, "one_row", of[i].row, ROW_THREADS, PITCH, of[i].cta_first);
        assert_int_equal(sent(r), before);
        close_rig(r);
    }
}

/* Partitions are even until boundaries exist, and follow the boundaries afterwards. */
static void a_row_waits_for_boundaries(void **state)
{
    static const uint32_t even[] = {0, 2, 3, 4, 5}, there[] = {0, 0, 0, 0, 5};
    static struct rig rig;
    struct rig *r = &rig;

    (void)state;
    open_rig(r);
    for (int n = 0; n < 2; n++)
        step_row(r, "one_row", ROWS - 1, ROW_THREADS, PITCH, even);
    step_cells(r);
    step_cells(r);
    step_row(r, "one_row", ROWS - 1, ROW_THREADS, PITCH, there);
    close_rig(r);
}

/* Partitions are even for a launch that exceeds the residency of a device, and for one
   whose CTAs write backwards. */
static void large_or_backward_launches_are_even(void **state)
{
    enum { MANY = 1024, COUNT = 268 }; /* h200x4 runs 264 of them at the same time */
    static const uint32_t even[] = {0, 2, 3, 4, 5},
                          many[] = {0, COUNT / 4, COUNT / 2, COUNT / 4 * 3, COUNT},
                          fit[] = {0, 0, 0, 0, COUNT - 4};
    static struct rig rig;
    struct rig *r = &rig;

    (void)state;
    open_rig(r);
    step_cells(r);
    step_cells(r);
    step_row(r, "one_row_back", ROWS - 1, ROW_THREADS, PITCH, even);
    step_row(r, "one_row", ROWS - 1, MANY, MANY * COUNT, many);
    step_row(r, "one_row", ROWS - 1, MANY, MANY * (COUNT - 4), fit);
    close_rig(r);
}

/* A range too large for one device is split over all devices. A later launch on a row of
   that range follows the range's boundaries, not those of the whole array. */
static void a_row_follows_the_range_it_belongs_to(void **state)
{
    enum { MANY = 1024, COUNT = 268, EACH = 37, ROW = 750 };
    static const uint32_t partitions[] = {0, 67, 134, 201, COUNT}, here[] = {0, 5, 5, 5, 5},
                          last[] = {0, 0, 0, 0, 5};
    static struct rig rig;
    struct rig *r = &rig;

    (void)state;
    open_rig(r);
    step_cells(r);
    step_cells(r);
    step_row(r, "one_row", ROW + 50, ROW_THREADS, PITCH, last);
    struct proact_array *const arrays[] = {r->array[1 - r->newest], r->array[r->newest]};
    struct proact_kernel *k = testing_kernel_of(&r->b, testing_text(ROW_PTX), "stretch");

    for (int n = 0; n < 2; n++) {
        launch_with(r, k, MANY, MANY * COUNT, arrays, ROW * PITCH, EACH);
        ends_at(k, partitions);
    }
    for (size_t at = (size_t)ROW * PITCH; at < ROW * PITCH + COUNT * EACH; at++)
        r->host[r->newest][at] = 5 * r->host[1 - r->newest][at];
    step_row(r, "one_row", ROW + 50, ROW_THREADS, PITCH, here);
    close_rig(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smaller_writer_follows),
        cmocka_unit_test(the_larger_writer_decides),
        cmocka_unit_test(plain_launches_keep_even_partitions),
        cmocka_unit_test(gaps_between_rows_are_fetched_once),
        cmocka_unit_test(a_row_launch_runs_on_the_owner),
        cmocka_unit_test(a_row_waits_for_boundaries),
        cmocka_unit_test(large_or_backward_launches_are_even),
        cmocka_unit_test(a_row_follows_the_range_it_belongs_to),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
