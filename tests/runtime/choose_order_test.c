/* SPDX-License-Identifier: Apache-2.0 */
/* Partition axis of a launch: it follows the kernels whose results the launch reads. */
#include "runtime/interchange_testing.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/interchanged_shape.h"

enum { THREADS_X = 64, W = 512, H = 64, D = 4, DEEP = 8, DEVICES = 4, ROUNDS = 12 };
enum { A, B, C };
static const unsigned a_to_b[] = {A, B}, b_to_a[] = {B, A}, c_to_b[] = {C, B},
                      b_to_c[] = {B, C}, a_to_a[] = {A, A};

static void open_cells(struct rig *r, unsigned devices, int32_t depth)
{
    rig_open(r,
             &(struct proact_options){
                 .machine = "v100x4", .device_count = devices, .plan = {.method = "bulk"}},
             (struct cells){W, H, depth});
}

static void by_rows(struct rig *r, struct proact_kernel *k, const unsigned way[2],
                    unsigned over)
{
    rig_launch(r, k, way, (const uint32_t[]){1, H, 1}, W, over);
}

static void by_cells(struct rig *r, struct proact_kernel *k, const unsigned way[2],
                     unsigned over)
{
    rig_launch(r, k, way, (const uint32_t[]){W / THREADS_X, H, (uint32_t)r->cells.d},
               THREADS_X, over);
}

static void by_slices(struct rig *r, struct proact_kernel *k, const unsigned way[2])
{
    rig_launch(r, k, way, (const uint32_t[]){(uint32_t)r->cells.d, 1, 1}, THREADS_X,
               DEVICES);
}

static uint64_t moved(struct rig *r)
{
    struct proact_statistics s;

    MUST(proact_statistics_get(r->p, PROACT_ALL_DEVICES, NULL, &s, &r->err));
    return s.bytes;
}

/* One kernel writes b by rows; another kernel reads b and writes back to a, or on to c.
   Returns the content, the partition axis of the second kernel, and the bytes moved in the
   second half of the rounds. */
static uint32_t *disagree(const char *name, const unsigned way[2], unsigned devices,
                          unsigned over, char *split_axis, uint64_t *bytes)
{
    struct rig rig, *r = &rig;

    open_cells(r, devices, D);
    struct proact_kernel *rows = rig_kernel(r, "rows"), *other = rig_kernel(r, name);

    for (unsigned n = 0; n < ROUNDS; n++) {
        if (n == ROUNDS / 2)
            *bytes = moved(r);
        by_rows(r, rows, a_to_b, over);
        by_cells(r, other, way, over);
    }
    *bytes = moved(r) - *bytes;
    *split_axis = proact_kernel_split_axis(other);
    assert_int_equal(proact_kernel_split_axis(rows), 0);
    uint32_t *content = rig_content(r);

    rig_close(r);
    return content;
}

/* A kernel changes its axis if that reduces the time to fetch its missing ranges. The
   cases: no missing range remains; one row next to its partition remains; many bytes
   remain, in few copies; an array that the host wrote at the beginning and hardly any other
   kernel reads; an addition to data of device 0. */
static void a_kernel_follows_its_producers_axis(void **state)
{
    static const struct {
        const char *name;
        const unsigned *way;
        char split_axis;
        uint64_t most; /* bytes in one round, always split */
    } rows[] = {{"each", b_to_a, 'y', 0},
                {"stars", b_to_a, 'y', 6 * 4 * W * D},
                {"mirrors", b_to_a, 'y', 4 * 2 * W * H},
                {"adds", b_to_c, 'y', 0},
                {"sums", b_to_c, 0, 4 * 4 * W * H * D}};

    (void)state;
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++)
        for (unsigned over = 0; over <= DEVICES; over += DEVICES) {
            char split_axis;
            uint64_t bytes;
            uint32_t *expected =
                         disagree(rows[n].name, rows[n].way, 1, 1, &split_axis, &bytes),
                     *is = disagree(rows[n].name, rows[n].way, DEVICES, over, &split_axis,
                                    &bytes);

            assert_memory_equal(is, expected, 4 * INTERCHANGE_ARRAYS * W * H * D);
            if (split_axis != rows[n].split_axis ||
                (over && bytes > ROUNDS / 2 * rows[n].most))
                fail_msg("%s: along '%c', %zu bytes", rows[n].name, split_axis,
                         (size_t)bytes);
            free(is);
            free(expected);
        }
}

/* Evaluations of other axes are charged to the budget, and wait for it. */
static void evaluations_are_charged(void **state)
{
    (void)state;
    for (int has_budget = 0; has_budget < 2; has_budget++) {
        struct rig rig, *r = &rig;

        open_cells(r, DEVICES, D);
        struct proact_kernel *rows = rig_kernel(r, "rows"), *each = rig_kernel(r, "each");
        const uint64_t spent = has_budget ? 0 : UINT64_MAX / 2;

        r->p->budget.spent_ns = spent;
        for (unsigned n = 0; n < ROUNDS; n++) {
            by_rows(r, rows, a_to_b, DEVICES);
            by_cells(r, each, b_to_a, DEVICES);
        }
        assert_int_equal(proact_kernel_split_axis(each), has_budget ? 'y' : 0);
        assert_true(has_budget == (r->p->budget.spent_ns > spent));
        free(rig_content(r));
        rig_close(r);
    }
}

/* An evaluation that would exceed the budget is not begun. */
static void evaluations_stay_in_the_budget(void **state)
{
    struct rig rig, *r = &rig;

    (void)state;
    open_cells(r, DEVICES, D);
    struct proact_kernel *rows = rig_kernel(r, "rows"), *each = rig_kernel(r, "each");
    struct plan_budget *budget = &r->p->budget;

    for (unsigned n = 0; n < ROUNDS; n++) {
        budget->spent_ns = plan_budget_allowed_ns(budget) - 100;
        by_rows(r, rows, a_to_b, DEVICES);
        by_cells(r, each, b_to_a, DEVICES);
    }
    assert_int_equal(proact_kernel_split_axis(each), 0);
    free(rig_content(r));
    rig_close(r);
}

/* An axis along which the devices would write too many ranges is not evaluated. */
static void fragmented_axes_are_not_evaluated(void **state)
{
    struct rig rig, *r = &rig;

    (void)state;
    open_cells(r, DEVICES, D);
    struct proact_kernel *rows = rig_kernel(r, "rows"), *each = rig_kernel(r, "each");

    struct interchanged_shape *shape = interchanged_shape_find(
        each, (const uint32_t[]){W / THREADS_X, H, D}, (const uint32_t[]){THREADS_X, 1, 1});

    assert_non_null(shape);
    for (unsigned d = 0; d < 3; d++)
        shape->evaluation_ns[d] = UINT64_MAX;
    for (unsigned n = 0; n < ROUNDS; n++) {
        by_rows(r, rows, a_to_b, DEVICES);
        by_cells(r, each, b_to_a, DEVICES);
    }
    assert_int_equal(proact_kernel_split_axis(each), 0);
    assert_int_equal(r->p->budget.spent_ns, 0);
    free(rig_content(r));
    rig_close(r);
}

/* Along x each of two devices would write a range for each of 33000 rows, along y only two
   ranges. */
static void many_ranges_exclude_an_axis(void **state)
{
    enum { NARROW = 8, LONG = 16500, LAYERS = 2, PART = 4 };
    static const uint32_t grid[] =
    { NARROW / PART,
      LONG,
      LAYERS },
                          threads[] = {
                              PART,
                              1,
                              1
                          };
    struct rig rig, *r = &rig;

    (void)state;
    rig_open(r,
             &(struct proact_options){
                 .machine = "v100x4", .device_count = 2, .plan = {.method = "bulk"}},
             (struct cells){NARROW, LONG, LAYERS});
    struct proact_kernel *rows = rig_kernel(r, "rows"), *each = rig_kernel(r, "each");

    rig_launch(r, rows, a_to_b, (const uint32_t[]){1, LONG, 1}, NARROW, 2);
    rig_launch(r, each, b_to_a, grid, PART, 2);
    const struct interchanged_shape *shape = interchanged_shape_find(each, grid, threads);

    assert_non_null(shape);
    assert_true(shape->evaluation_ns[0] == UINT64_MAX);
    assert_true(shape->evaluation_ns[1] > 0 && shape->evaluation_ns[1] < UINT64_MAX);
    free(rig_content(r));
    rig_close(r);
}

static struct device_backend counting;
static unsigned loads;

static enum proact_status counted_load(struct device_set *set, unsigned device,
                                       const char *name, const char *ptx, size_t bytes,
                                       struct device_module **out, struct proact_error *err)
{
    loads++;
    return device_emulator.module_load(set, device, name, ptx, bytes, out, err);
}

static void count_loads(struct rig *r)
{
    counting = *r->p->backend;
    counting.module_load = counted_load;
    r->p->backend = &counting;
    loads = 0;
}

/* The evaluation of an axis that is not selected loads no kernel version. */
static void evaluations_load_nothing(void **state)
{
    unsigned counts[2];

    (void)state;
    for (int has_budget = 0; has_budget < 2; has_budget++) {
        struct rig rig, *r = &rig;

        open_cells(r, DEVICES, D);
        struct proact_kernel *rows = rig_kernel(r, "rows"), *sums = rig_kernel(r, "sums");
        const uint64_t spent = has_budget ? 0 : UINT64_MAX / 2;

        count_loads(r);
        r->p->budget.spent_ns = spent;
        for (unsigned n = 0; n < ROUNDS; n++) {
            by_rows(r, rows, a_to_b, DEVICES);
            by_cells(r, sums, b_to_c, DEVICES);
        }
        assert_int_equal(proact_kernel_split_axis(sums), 0);
        assert_true(has_budget == (r->p->budget.spent_ns > spent));
        counts[has_budget] = loads;
        free(rig_content(r));
        rig_close(r);
    }
    assert_true(counts[0] > 0);
    assert_int_equal(counts[1], counts[0]);
}

/* Kernels with the same axis keep it. */
static void kernels_with_equal_axes_keep_them(void **state)
{
    struct rig rig, *r = &rig;

    (void)state;
    open_cells(r, DEVICES, D);
    struct proact_kernel *each = rig_kernel(r, "each"), *slices = rig_kernel(r, "slices");

    for (unsigned n = 0; n < ROUNDS; n++) {
        by_cells(r, each, a_to_b, DEVICES);
        assert_int_equal(proact_kernel_split_axis(each), 0);
        by_slices(r, slices, b_to_a);
    }
    rig_close(r);
}

/* The neighbours alternate between rows and slices: the kernel follows them twice and then
   keeps its axis. */
static void axis_changes_are_bounded(void **state)
{
    enum { PHASES = 8, EACH = 12 };
    struct rig rig, *r = &rig;
    char split_axis = 0;
    unsigned changes = 0;

    (void)state;
    open_cells(r, DEVICES, D);
    struct proact_kernel *rows = rig_kernel(r, "rows"), *each = rig_kernel(r, "each"),
                         *slices = rig_kernel(r, "slices");

    for (unsigned n = 0; n < PHASES * EACH; n++) {
        if (n / EACH % 2)
            by_slices(r, slices, a_to_b);
        else
            by_rows(r, rows, a_to_b, DEVICES);
        by_cells(r, each, b_to_a, DEVICES);
        changes += proact_kernel_split_axis(each) != split_axis;
        split_axis = proact_kernel_split_axis(each);
    }
    assert_int_equal(changes, 2);
    rig_close(r);
}

/* A kernel keeps its axis if the change would send more of its output than it saves in
   reads. */
static void a_kernel_with_many_readers_keeps_its_axis(void **state)
{
    struct rig rig, *r = &rig;

    (void)state;
    open_cells(r, DEVICES, DEEP);
    struct proact_kernel *rows = rig_kernel(r, "rows"), *spreads = rig_kernel(r, "spreads"),
                         *slices = rig_kernel(r, "slices");

    for (unsigned n = 0; n < ROUNDS; n++) {
        by_rows(r, rows, c_to_b, DEVICES);
        by_cells(r, spreads, b_to_a, DEVICES);
        assert_int_equal(proact_kernel_split_axis(spreads), 0);
        by_slices(r, slices, a_to_a);
    }
    rig_close(r);
}

/* Number of timed single-device launches among `launches` launches without a forced device
   count. */
static unsigned timed_whole(struct rig *r, struct proact_kernel *k, unsigned launches)
{
    unsigned timed = 0;

    for (unsigned n = 0; n < launches; n++) {
        by_rows(r, k, a_to_b, 0);
        const char *why = proact_kernel_refusal(k);

        timed += why && strstr(why, "was timed") != NULL;
    }
    return timed;
}

static void times_are_taken_again_when_an_axis_changes(void **state)
{
    struct rig rig, *r = &rig;

    (void)state;
    open_cells(r, DEVICES, D);
    struct proact_kernel *k = rig_kernel(r, "rows");

    assert_in_range(timed_whole(r, k, ROUNDS), 1, 2);
    assert_int_equal(timed_whole(r, k, ROUNDS), 0);
    r->p->orders++;
    assert_in_range(timed_whole(r, k, ROUNDS), 1, 2);
    assert_int_equal(timed_whole(r, k, ROUNDS), 0);
    rig_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_follows_its_producers_axis),
        cmocka_unit_test(evaluations_are_charged),
        cmocka_unit_test(evaluations_stay_in_the_budget),
        cmocka_unit_test(fragmented_axes_are_not_evaluated),
        cmocka_unit_test(many_ranges_exclude_an_axis),
        cmocka_unit_test(evaluations_load_nothing),
        cmocka_unit_test(kernels_with_equal_axes_keep_them),
        cmocka_unit_test(axis_changes_are_bounded),
        cmocka_unit_test(a_kernel_with_many_readers_keeps_its_axis),
        cmocka_unit_test(times_are_taken_again_when_an_axis_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
