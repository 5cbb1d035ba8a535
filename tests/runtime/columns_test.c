/* SPDX-License-Identifier: Apache-2.0 */
/* Column decompositions, whose validity maps have thousands of ranges. A device that needs
   nothing receives nothing, and a device that needs columns receives only these. */
#include "runtime/interchange_testing.h"
#include "runtime/objects/array.h"

enum { DEVICES = 4, ROUNDS = 12 };
enum { A, B };
static const unsigned a_to_b[] = {A, B}, b_to_a[] = {B, A}, a_to_a[] = {A, A};

static void open_cells(struct rig *r, unsigned devices, struct cells cells,
                       const char *method)
{
    rig_open(r,
             &(struct proact_options){
                 .machine = "v100x4", .device_count = devices, .plan = {.method = method}},
             cells);
}

static uint64_t moved(struct rig *r)
{
    struct proact_statistics s;

    MUST(proact_statistics_get(r->p, PROACT_ALL_DEVICES, NULL, &s, &r->err));
    return s.bytes;
}

typedef void go(struct rig *r, struct proact_kernel *const k[2], unsigned devices);

/* Bytes moved per round in the second half of the rounds. *out receives the content. */
static uint64_t in_a_round(const char *const name[2], unsigned devices, struct cells cells,
                           const char *method, go *round, uint32_t **out)
{
    struct rig rig, *r = &rig;
    uint64_t bytes = 0;

    open_cells(r, devices, cells, method);
    struct proact_kernel *k[2] = {rig_kernel(r, name[0]), rig_kernel(r, name[1])};

    for (unsigned n = 0; n < ROUNDS; n++) {
        if (n == ROUNDS / 2)
            bytes = moved(r);
        round(r, k, devices);
    }
    bytes = moved(r) - bytes;
    if (devices > 1) /* repeated transitions come from the cache */
        assert_non_null(r->array[A]->validity_map.value);
    *out = rig_content(r);
    rig_close(r);
    return bytes / (ROUNDS - ROUNDS / 2);
}

static void expect(const char *one, const char *other, struct cells cells, go *round,
                   uint64_t bytes)
{
    static const char *const methods[] = {"bulk", "fused", "copy-engine"};
    const char *const name[] = {one, other};
    const size_t count = (size_t)cells.w * (size_t)cells.h * (size_t)cells.d;
    uint32_t *want, *got;

    assert_int_equal(in_a_round(name, 1, cells, "bulk", round, &want), 0);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        assert_int_equal(in_a_round(name, DEVICES, cells, methods[m], round, &got), bytes);
        assert_memory_equal(got, want, INTERCHANGE_ARRAYS * count * sizeof *got);
        free(got);
    }
    free(want);
}

/* One CTA per device. */
static uint32_t threads(const struct rig *r)
{
    return (uint32_t)r->cells.w / DEVICES;
}

static void by_columns(struct rig *r, struct proact_kernel *k, const unsigned way[2],
                       unsigned over)
{
    rig_launch(r, k, way, (const uint32_t[]){DEVICES, 1, 1}, threads(r), over);
}

static void there_and_back(struct rig *r, struct proact_kernel *const k[2],
                           unsigned devices)
{
    by_columns(r, k[0], a_to_b, devices);
    by_columns(r, k[1], b_to_a, devices);
}

/* Each device owns one range per row, and no byte is sent. */
static void columns_stay_where_they_are(void **state)
{
    (void)state;
    expect("columns", "columns", (struct cells){256, 700, 1}, there_and_back, 0);
}

/* Columns of 20000 rows. The gap between a device's bytes of two rows is 96 bytes, more
   than the minimum of access/ranges/pieces.c (64), whether or not the compiler unrolls the
   loop over rows. */
static void columns_of_many_rows_stay(void **state)
{
    (void)state;
    expect("columns", "columns", (struct cells){32, 20000, 1}, there_and_back, 0);
}

static void then_by_cells(struct rig *r, struct proact_kernel *const k[2], unsigned devices)
{
    by_columns(r, k[0], a_to_b, devices);
    rig_launch(r, k[1], b_to_a, (const uint32_t[]){DEVICES, (uint32_t)r->cells.h, 1},
               threads(r), devices);
}

/* A kernel over rows is split by columns, like the kernel that precedes it. */
static void rows_follow_columns(void **state)
{
    (void)state;
    expect("columns", "each", (struct cells){256, 700, 1}, then_by_cells, 0);
}

static void ends_and_beside(struct rig *r, struct proact_kernel *const k[2],
                            unsigned devices)
{
    rig_launch(r, k[0], a_to_a, (const uint32_t[]){1, (uint32_t)r->cells.d, 1},
               (uint32_t)r->cells.h, devices);
    rig_launch(r, k[1], a_to_a, (const uint32_t[]){(uint32_t)r->cells.h, 1, 1}, 32,
               devices);
}

/* One kernel is split by planes, the other by rows. Both write two cells of each row and
   read two cells that the other wrote. For three rows in four these belong to another
   device. */
static void single_cells_are_sent_instead_of_rows(void **state)
{
    const struct cells cells = {1030, 1024, 4};

    (void)state;
    expect("ends", "beside_ends", cells, ends_and_beside,
           (uint64_t)(cells.h * cells.d) * 3 / 4 * 4 * sizeof(uint32_t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_stay_where_they_are),
        cmocka_unit_test(columns_of_many_rows_stay),
        cmocka_unit_test(rows_follow_columns),
        cmocka_unit_test(single_cells_are_sent_instead_of_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
