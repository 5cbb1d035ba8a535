/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels partitioned along another axis than the slowest one give the result of one
   device. */
#include "runtime/interchange_testing.h"
#include "runtime/objects/session.h"
#include "runtime/request/interchanged_shape.h"

enum { THREADS_X = 32, TILES = 3, W = THREADS_X * TILES - 5, H = 6, D = 5, DEVICES = 4 };
enum { AXIS_X = 1, AXIS_Y = 2 };

static const struct axis_case {
    const char *kernel;
    struct cells cells;
    uint32_t ctas[3];
    unsigned forced_axes;
    char is; /* possible axis; 0: none */
} axis_cases[] = {
    {"stars", {W, H, D}, {TILES, H, D}, AXIS_Y, 'y'},
    {"stars", {W, H, D}, {TILES, H, D}, AXIS_X, 'x'},
    {"stars", {W, 1, D}, {TILES, 1, D}, AXIS_X, 'x'},
    {"stars", {W, H, 1}, {TILES, H, 1}, AXIS_X, 'x'},
    {"rows", {W, H, D}, {TILES, H}, AXIS_X, 'x'},
    {"each", {W, H, D}, {TILES, H, D}, AXIS_X | AXIS_Y, 'y'},
    {"each", {W, H, 1}, {TILES, H, 1}, AXIS_Y, 0}, /* y is the slowest axis */
    {"each", {W, 1, 1}, {TILES}, AXIS_X, 0},
    {"slices", {W, H, D}, {D}, AXIS_X, 0},
    /* Two devices write the same cells. */
    {"halves", {W, H, D}, {TILES, H, D}, AXIS_Y, 0},
    {"each_takes", {W, H, D}, {TILES, H, D}, AXIS_Y, 0}, /* order may be visible */
};
enum { AXIS_CASES = sizeof axis_cases / sizeof *axis_cases };

/* Three launches in each direction, one of them on a single device. */
static uint32_t *run(const struct axis_case *t, const struct proact_options *o)
{
    static const unsigned ways[2][2] = {{0, 1}, {1, 0}};
    struct rig rig, *r = &rig;

    rig_open(r, o, t->cells);
    r->p->forced_axes = t->forced_axes;
    struct proact_kernel *k = rig_kernel(r, t->kernel);

    for (unsigned n = 0; n < 6; n++) {
        const unsigned over = n == 3 ? 1 : o->device_count;

        rig_launch(r, k, ways[n % 2], t->ctas, THREADS_X, over);
        if (over == 1)
            continue;
        const char *why = proact_kernel_refusal(k);

        if (why || proact_kernel_split_axis(k) != t->is)
            fail_msg("%s on %u devices: along '%c': %s", t->kernel, o->device_count,
                     proact_kernel_split_axis(k), why ? why : "split");
    }
    uint32_t *content = rig_content(r);

    rig_close(r);
    return content;
}

static void interchanged_kernels_give_equal_results(void **state)
{
    (void)state;
    for (int n = 0; n < AXIS_CASES; n++) {
        const struct axis_case *t = &axis_cases[n];
        struct proact_options o = {.machine = "h200x4", .device_count = 1};
        uint32_t *expected = run(t, &o);
        const size_t bytes = 4 * INTERCHANGE_ARRAYS * (size_t)t->cells.w *
                             (size_t)t->cells.h * (size_t)t->cells.d;

        for (const char *const *m = proact_method_names(); *m; m++)
            for (unsigned devices = 2; devices <= DEVICES; devices++) {
                if (!t->is && strcmp(*m, "fused") != 0)
                    continue;
                o.device_count = devices;
                o.seed = devices;
                o.plan.method = *m;
                o.check = devices == 3;
                uint32_t *is = run(t, &o);

                if (memcmp(is, expected, bytes) != 0)
                    fail_msg("%s along %c, %s on %u devices", t->kernel, t->is, *m,
                             devices);
                free(is);
            }
        free(expected);
    }
}

/* A grid has at most 65535 CTAs along y and z, so a wider dimension is not interchanged. */
static void wide_dimensions_are_not_interchanged(void **state)
{
    struct interchanged_shape s = {.grid = {65535, 2, 1}};

    (void)state;
    assert_int_equal(shape_slowest(s.grid), 1);
    assert_true(shape_may_be_slowest(&s, 0));
    assert_true(shape_may_be_slowest(&s, 1));
    assert_false(shape_may_be_slowest(&s, 2));
    s.grid[0] = 65536;
    assert_false(shape_may_be_slowest(&s, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interchanged_kernels_give_equal_results),
        cmocka_unit_test(wide_dimensions_are_not_interchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
