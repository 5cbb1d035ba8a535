/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of a program's kernels end where those of one end whose CTAs write more: what both
   write stays where it is, once it is there. */
#include "runtime/runtime_testing.h"
/* after it */
#include "runtime/held/array_held.h"

enum { DEVICES = 4, ROWS = 1000, PITCH = 40, CELLS = PITCH - 4, WORDS = ROWS * PITCH };
enum { CELL_THREADS = 64, EDGE_THREADS = 128 };

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

/* As a program launches it. */
static void launch(struct rig *r, struct proact_kernel *k, uint32_t threads, uint32_t count,
                   struct proact_array *const *arrays)
{
    const struct proact_grid g = {.ctas = {(count + threads - 1) / threads},
                                  .threads = {threads},
                                  .device_count = DEVICES};
    enum { ARRAYS = 2 };
    struct proact_place places[ARRAYS];
    uint32_t block[6] = {0};

    for (size_t i = 0; i < ARRAYS; i++)
        places[i] = (struct proact_place){(uint32_t)(8 * i), arrays[i], 0};
    block[2 * ARRAYS] = ROWS;
    block[2 * ARRAYS + 1] = PITCH;
    MUST(proact_launch_block(
        k, &g, &(struct proact_block){block, 8 * ARRAYS + 8, places, ARRAYS}, &r->b.err));
    if (proact_kernel_refusal(k))
        fail_msg("%s", proact_kernel_refusal(k));
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

/* The first cells of what was made last, from what that was made of. */
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
    MUST(proact_statistics_get(r->b.p, PROACT_ALL, NULL, &s, &r->b.err));
    return s.bytes;
}

static const uint32_t even_cells[] = {0, 141, 282, 423, 563}, edges[] = {0, 2, 4, 6, 8},
                      cut_cells[] = {0, 144, 288, 432, 563}; /* as rows of 256 */

static void what_writes_little_follows(void **state)
{
    static struct rig rig;
    struct rig *r = &rig;

    (void)state;
    open_rig(r);
    step_cells(r);
    step_edges(r);
    ends_at(r->cells, even_cells); /* nobody was there before, and then only once */
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
    /* Cells on both sides of where shares end, and nothing else. */
    assert_in_range(sent(r) - before, 1, 2 * (DEVICES - 1) * 4);
    close_rig(r);
}

/* Where the first one settles them nothing changes. */
static void what_writes_much_comes_first(void **state)
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

/* Of launches that are no program's. */
static void others_are_as_they_were(void **state)
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

/* The first device alone has what lies between rows that others write: it goes there once,
   and from then on each has a stretch. */
static void what_lies_between_is_brought_once(void **state)
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
    assert_in_range(r->array[1]->holdings.count, DEVICES, 2 * DEVICES);
    const uint64_t before = sent(r);

    r->newest = 0;
    array_written(r->array[1], 0, WORDS * sizeof(uint32_t), FIRST);
    step_cells(r);
    assert_int_equal(sent(r), before);
    proact_close(r->b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_writes_little_follows),
        cmocka_unit_test(what_writes_much_comes_first),
        cmocka_unit_test(others_are_as_they_were),
        cmocka_unit_test(what_lies_between_is_brought_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
