/* SPDX-License-Identifier: Apache-2.0 */
/* Plain kernels without maps. A kernel is split if its write set is known. Otherwise it
   runs on device 0, and a refusal text gives the reason. */
#include "runtime/runtime_testing.h"

#include <proact/program.h>

static const struct proact_grid grid = {.ctas = {CTAS}, .threads = {THREADS}};

#define MUST(call)                                                                         \
    do {                                                                                   \
        if (call)                                                                          \
            fail_msg("%s", b.err.text);                                                    \
    } while (0)

static struct bench open_on(const char *method, unsigned devices)
{
    return testing_open(&(struct proact_options){.machine = "v100x4",
                                                 .device_count = devices,
                                                 .check = true,
                                                 .plan = {.method = method}});
}

static uint64_t sent_by(struct bench *b, unsigned device)
{
    struct proact_statistics s;

    if (proact_statistics_get(b->p, device, b->out, &s, &b->err))
        fail_msg("%s", b->err.text);
    return s.bytes;
}

static void every_method_splits_known_write_sets(void **state)
{
    (void)state;
    for (const char *const *m = proact_method_names(); *m; m++)
        for (unsigned devices = 2; devices <= 4; devices++) {
            struct bench b = open_on(*m, devices);
            struct proact_kernel *plain = testing_kernel(&b, "plain");
            struct view {
                uint64_t out;
                uint32_t n, factor;
            } view = {0, N, 0};

            for (view.factor = 1; view.factor < 4; view.factor++)
                MUST(proact_launch(
                    plain, &grid,
                    &(struct proact_arg){.array = b.out, .value = &view, .bytes = 16}, 1,
                    &b.err));
            testing_holds(&b, b.out, 3);
            assert_null(proact_kernel_refusal(plain));
            for (unsigned d = 0; d < devices; d++)
                assert_in_range(sent_by(&b, d), 1, 3 * 4 * N);
            proact_close(b.p);
        }
}

/* A parameter buffer with a pointer into the middle of an array, as in a program for one
   GPU, is split. */
static void a_parameter_buffer_is_split(void **state)
{
    struct bench b = open_on("fused", 4);
    static const uint32_t zeros[N];
    const struct {
        uint64_t out;
        uint32_t n, factor;
    } view = {1, N - 10, 3};
    const struct proact_relocation relocation = {0, b.out, 40};
    struct proact_kernel *plain = testing_kernel(&b, "plain");
    uint32_t is[2];

    (void)state;
    MUST(proact_device0_write(b.p, proact_array_address(b.out, 0), zeros, sizeof zeros,
                              &b.err)); /* stale elsewhere */
    MUST(proact_launch_buffer(
        plain, &grid, &(struct proact_parameter_buffer){&view, sizeof view, &relocation, 1},
        &b.err));
    assert_null(proact_kernel_refusal(plain));
    for (unsigned d = 0; d < 4; d++) {
        MUST(proact_array_read_replica(b.out, d, 9, is, 2, &b.err));
        assert_int_equal(is[0], 0);
        assert_int_equal(is[1], 3);
        MUST(proact_array_read_replica(b.out, d, N - 1, is, 1, &b.err));
        assert_int_equal(is[0], 3 * (N - 10));
    }
    proact_close(b.p);
}

enum { PLACES = 72 }; /* CTAs */

static void expect_places(struct bench *b, uint32_t width)
{
    uint32_t is[PLACES * THREADS];

    if (proact_array_read(b->out, 0, is, PLACES * THREADS, &b->err))
        fail_msg("%s", b->err.text);
    for (uint32_t i = 0; i < PLACES * THREADS; i++)
        assert_int_equal(is[i], 1000 * (i / THREADS / width) + i / THREADS % width);
}

/* A change of grid or block shape, also to one dimension, selects another kernel
   version. */
static void a_grid_may_have_another_shape(void **state)
{
    static const uint32_t widths[] = {PLACES, PLACES / 3, 1, PLACES, 2, PLACES};

    (void)state;
    for (const char *const *m = proact_method_names(); *m; m++) {
        struct bench b = open_on(*m, 3);
        struct proact_kernel *relocations = testing_kernel(&b, "places");

        for (unsigned i = 0; i < sizeof widths / sizeof *widths; i++) {
            const uint32_t width = widths[i], n = N;
            const struct proact_grid g = {.ctas = {width, PLACES / width},
                                          .threads = {THREADS >> i, 1u << i}};
            const struct proact_arg args[] = {PROACT_ARRAY(b.out), PROACT_VALUE(width),
                                              PROACT_VALUE(n)};

            MUST(proact_launch(relocations, &g, args, 3, &b.err));
            expect_places(&b, width);
        }
        assert_null(proact_kernel_refusal(relocations));
        proact_close(b.p);
    }
}

/* out[i] = tint + level. `marks` writes to a variable whose address another variable holds.
   `adds` uses the previous value that an atomic returns. */
static const char tints[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .const .align 4 .u32 tint[1];\n.visible .global .align 4 .u32 level = 5;\n"
    ".visible .global .align 8 .u64 where = level;\n"
    ".visible .entry tints(.param .u64 out)\n{\n .reg .b32 %r<8>;\n .reg .b64 %rd<4>;\n"
    " ld.param.u64 %rd1, [out];\n mov.u32 %r1, %ctaid.x;\n mov.u32 %r2, %ntid.x;\n"
    " mov.u32 %r3, %tid.x;\n mad.lo.u32 %r1, %r1, %r2, %r3;\n"
    " mul.wide.u32 %rd2, %r1, 4;\n add.u64 %rd2, %rd1, %rd2;\n"
    " ld.const.u32 %r4, [tint];\n ld.global.u32 %r5, [level];\n"
    " add.u32 %r4, %r4, %r5;\n st.global.u32 [%rd2], %r4;\n ret;\n}\n"
    ".visible .entry marks(.param .u64 out)\n{\n .reg .b32 %r<4>;\n"
    " ld.global.u32 %r1, [level];\n add.u32 %r1, %r1, 100;\n"
    " st.global.u32 [level], %r1;\n ret;\n}\n"
    ".visible .entry adds(.param .u64 out)\n{\n .reg .b32 %r<4>;\n .reg .b64 %rd<4>;\n"
    " ld.param.u64 %rd1, [out];\n mov.u32 %r1, %ctaid.x;\n"
    " mul.wide.u32 %rd2, %r1, 4;\n add.u64 %rd2, %rd1, %rd2;\n"
    " atom.global.add.u32 %r2, [%rd2], 1;\n st.global.u32 [%rd2], %r2;\n ret;\n}\n";

static void expect_all(struct bench *b, uint32_t value)
{
    for (unsigned d = 0; d < 4; d++)
        for (uint32_t i = 0; i < 4096; i += 819) {
            uint32_t is = 0;

            if (proact_array_read_replica(b->out, d, i, &is, 1, &b->err))
                fail_msg("%s", b->err.text);
            assert_int_equal(is, value);
        }
}

static void versions_read_current_variables(void **state)
{
    struct bench b = open_on("fused", 4);
    const struct proact_image image = {.name = "tints.ptx", .text = tints};
    const struct proact_grid small = {.ctas = {64}, .threads = {64}};
    const struct proact_arg out = PROACT_ARRAY(b.out);
    struct proact_kernel *k = NULL, *marks = NULL, *adds = NULL;
    struct proact_variable tint, level;
    static const uint32_t zeros[N];
    uint32_t value = 10;

    (void)state;
    MUST(proact_array_write(b.out, 0, zeros, N, &b.err));
    MUST(proact_kernel_load(b.p, &image, "tints", &k, &b.err));
    MUST(proact_kernel_load(b.p, &image, "marks", &marks, &b.err));
    MUST(proact_kernel_load(b.p, &image, "adds", &adds, &b.err));
    MUST(proact_variable_find(b.p, &image, "tint", &tint, &b.err));
    MUST(proact_variable_find(b.p, &image, "level", &level, &b.err));
    MUST(proact_launch(k, &small, &out, 1, &b.err));
    assert_null(proact_kernel_refusal(k));
    expect_all(&b, 5);
    MUST(proact_variable_write(b.p, &tint, 0, &value, 4, &b.err));
    MUST(proact_launch(k, &small, &out, 1, &b.err));
    expect_all(&b, 15);
    value = 20; /* as through cudaGetSymbolAddress() */
    MUST(proact_device0_write(b.p, level.address[0], &value, 4, &b.err));
    MUST(proact_launch(k, &small, &out, 1, &b.err));
    expect_all(&b, 30);
    MUST(proact_launch(marks, &(struct proact_grid){.ctas = {1}}, &out, 1, &b.err));
    assert_string_equal(proact_kernel_refusal(marks),
                        "kernel 'marks', tints.ptx:29: it writes to variable 'level', "
                        "and each device has its own copy");
    MUST(proact_launch(adds, &(struct proact_grid){.ctas = {64}}, &out, 1, &b.err));
    /* Each CTA stores the returned value to a word of its own. */
    assert_null(proact_kernel_refusal(adds));
    expect_all(&b, 30);
    MUST(proact_launch(k, &small, &out, 1, &b.err));
    assert_null(proact_kernel_refusal(k));
    expect_all(&b, 130);
    proact_close(b.p);
}

static void an_array_may_be_missing(void **state)
{
    static const char *const methods[] = {"inline", "fused", "copy-engine"};

    (void)state;
    for (int m = 0; m < 3; m++) {
        struct bench b = open_on(methods[m], 3);
        struct proact_kernel *k = testing_kernel(&b, "both");
        struct proact_array *a[] = {b.out, testing_array(&b, "other"), NULL};
        static const int passed[][2] = {{0, 1}, {0, 2}, {2, 0}, {1, 0}, {2, 1}};
        unsigned holds[3] = {0};
        uint64_t null = 0;
        uint32_t n = N, factor = 0;

        for (factor = 1; factor <= 10; factor++) {
            const int *p = passed[factor % 5];
            const struct proact_arg args[] = {
                p[0] < 2 ? PROACT_ARRAY(a[p[0]]) : PROACT_VALUE(null),
                p[1] < 2 ? PROACT_ARRAY(a[p[1]]) : PROACT_VALUE(null), PROACT_VALUE(n),
                PROACT_VALUE(factor)};

            MUST(proact_launch(k, &grid, args, 4, &b.err));
            assert_null(proact_kernel_refusal(k));
            for (unsigned i = 0; i < 2; i++) /* holds[2] is not checked */
                holds[p[i]] = factor + i;
            for (unsigned i = 0; i < 2; i++)
                if (holds[i])
                    testing_holds(&b, a[i], holds[i]);
        }
        proact_close(b.p);
    }
}

/* A store into one of several arrays cannot be sent as a store to the peers. The plan falls
   back to copies after the kernel. */
static void unsupported_plans_fall_back_to_bulk_copies(void **state)
{
    struct bench b = open_on("inline", 3);
    struct proact_kernel *k = testing_kernel(&b, "either");
    struct proact_array *other = testing_array(&b, "other");
    static const uint32_t zeros[N];
    uint32_t n = N, host[N];
    const struct proact_arg args[] = {PROACT_ARRAY(b.out), PROACT_ARRAY(other),
                                      PROACT_VALUE(n)};

    (void)state;
    MUST(proact_array_write(b.out, 0, zeros, N, &b.err));
    MUST(proact_array_write(other, 0, zeros, N, &b.err));
    MUST(proact_launch(k, &grid, args, 3, &b.err));
    assert_null(proact_kernel_refusal(k));
    for (unsigned d = 0; d < 3; d++) {
        assert_in_range(sent_by(&b, d), 1, 4 * N);
        MUST(proact_array_read_replica(b.out, d, 0, host, N, &b.err));
        for (uint32_t i = 0; i < N; i++)
            assert_int_equal(host[i], i / THREADS % 2 ? i + 1 : 0);
    }
    MUST(proact_kernel_map(k, 0, &testing_map, &b.err)); /* maps need the plan */
    MUST(proact_kernel_map(k, 1, &testing_map, &b.err));
    assert_non_null(strstr(proact_kernel_refusal(k), "into one of several arrays"));
    proact_close(b.p);
}

/* A word in a program's memory that may be a device-0 address is read, but not
   dereferenced. */
static void a_program_may_read_words_but_not_follow_them(void **state)
{
    struct bench b = open_on("fused", 3);
    struct proact_kernel *doubles = testing_kernel(&b, "doubles_long"),
                         *picks = testing_kernel(&b, "picks"),
                         *follows = testing_kernel(&b, "follows"),
                         *others[] = {testing_kernel(&b, "follows_halves"),
                                      testing_kernel(&b, "follows_called")};
    struct proact_array *from = testing_array(&b, "from");
    struct view {
        uint64_t out, from;
        uint32_t n, padding;
    } view = {0, 0, N / 2, 0};
    const struct proact_relocation relocations[] = {{0, b.out, 0}, {8, from, 0}};
    uint32_t host[N];

    (void)state;
    for (uint32_t i = 0; i < N; i++)
        host[i] = i;
    MUST(proact_array_write(b.out, 0, host, N, &b.err));
    MUST(proact_array_write(from, 0, host, N, &b.err));
    MUST(proact_launch_buffer(
        doubles, &grid,
        &(struct proact_parameter_buffer){(uint32_t[]){0, 0, N / 2, 0}, 12, relocations, 1},
        &b.err));
    assert_null(proact_kernel_refusal(doubles));
    for (unsigned d = 0; d < 3; d++) {
        MUST(proact_array_read_replica(b.out, d, 0, host, N, &b.err));
        for (uint32_t i = 0; i < N; i++)
            assert_int_equal(host[i], 2 * i);
    }
    MUST(proact_launch_buffer(picks, &grid,
                              &(struct proact_parameter_buffer){&view, 20, relocations, 2},
                              &b.err));
    assert_null(proact_kernel_refusal(picks));
    view.from = proact_array_address(b.out, 0);
    MUST(proact_device0_write(b.p, proact_array_address(from, 0), &view.from, 8, &b.err));
    MUST(proact_launch_buffer(follows, &grid,
                              &(struct proact_parameter_buffer){&view, 20, relocations, 2},
                              &b.err));
    assert_non_null(strstr(proact_kernel_refusal(follows), "values that may be pointers"));
    for (unsigned i = 0; i < 2; i++) {
        MUST(proact_launch_buffer(
            others[i], &grid, &(struct proact_parameter_buffer){&view, 20, relocations, 2},
            &b.err));
        assert_non_null(
            strstr(proact_kernel_refusal(others[i]), "values that may be pointers"));
    }
    proact_close(b.p);
}

static void a_guard_from_memory_only_makes_the_map_larger(void **state)
{
    struct bench b = open_on("copy-engine", 3);
    struct proact_kernel *k = testing_kernel(&b, "doubles_odd");
    struct proact_array *in = testing_array(&b, "in");
    uint32_t n = N, i = 0, host[N];

    (void)state;
    for (i = 0; i < N; i++)
        host[i] = i;
    MUST(proact_array_write(in, 0, host, N, &b.err));
    MUST(proact_array_write(b.out, 0, host, N, &b.err));
    MUST(proact_launch(
        k, &grid,
        (struct proact_arg[]){PROACT_ARRAY(b.out), PROACT_ARRAY(in), PROACT_VALUE(n)}, 3,
        &b.err));
    assert_null(proact_kernel_refusal(k));
    for (unsigned d = 0; d < 3; d++) {
        MUST(proact_array_read_replica(b.out, d, 0, host, N, &b.err));
        for (i = 0; i < N; i++)
            assert_int_equal(host[i], i % 2 ? 2 * i : i);
    }
    proact_close(b.p);
}

static void refused_kernels_run_on_one_device(void **state)
{
    static const struct {
        const char *kernel, *part;
    } cases[] = {{"neighbours", "kernel 'neighbours': CTAs 19 and 20 are in"},
                 {"scatters", "where it writes depends on what line"},
                 {"counts_floats", "where it writes depends on what line"},
                 {"takes_turns", "a loop waits for the value that this load reads"}};

    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        /* Without check mode, because these kernels race. */
        struct bench b = testing_open(
            &(struct proact_options){.machine = "v100x4", .plan = {.method = "fused"}});
        struct proact_kernel *k = testing_kernel(&b, cases[c].kernel);
        struct proact_array *where = testing_array(&b, "where");
        uint32_t host[N], n = N;
        struct proact_arg args[3] = {PROACT_ARRAY(b.out), PROACT_VALUE(n)};
        size_t count = 2;

        for (uint32_t i = 0; i < N; i++)
            host[i] = N - 1 - i;
        MUST(proact_array_write(where, 0, host, N, &b.err));
        MUST(proact_array_write(b.out, 0, host, N, &b.err));
        if (c > 0) {
            args[2] = args[1];
            args[1].array = where;
            args[1].value = NULL;
            count = 3;
        }
        MUST(proact_launch(k, &grid, args, count, &b.err));
        MUST(proact_wait(b.p, &b.err));
        assert_non_null(proact_kernel_refusal(k));
        if (!strstr(proact_kernel_refusal(k), cases[c].part))
            fail_msg("%s", proact_kernel_refusal(k));
        assert_int_equal(sent_by(&b, 1), 0);
        MUST(proact_array_read_replica(b.out, 3, 0, host, N, &b.err));
        if (c == 1)
            assert_int_equal(host[0], N - 1);
        proact_close(b.p);
    }
}

/* Atomics do not work across PCIe, so idempotent flags that share a word need links with
   atomics. */
static void idempotent_flags_of_a_word_need_atomic_links(void **state)
{
    static const char *const machines[] = {"v100x4", "k40x4"};

    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        struct bench b = testing_open(&(struct proact_options){
            .machine = machines[slow], .plan = {.method = "fused"}});
        struct proact_kernel *k = testing_kernel(&b, "notes_two");
        struct proact_array *noted = testing_array(&b, "seen");
        uint32_t n = N, host[N] = {0};

        MUST(proact_array_write(noted, 0, host, N, &b.err));
        MUST(proact_launch(k, &grid,
                           (struct proact_arg[]){PROACT_ARRAY(b.out), PROACT_ARRAY(noted),
                                                 PROACT_VALUE(n)},
                           3, &b.err));
        MUST(proact_wait(b.p, &b.err));
        if (slow && !strstr(proact_kernel_refusal(k), "not all links support them"))
            fail_msg("%s", proact_kernel_refusal(k));
        if (!slow && proact_kernel_refusal(k))
            fail_msg("%s", proact_kernel_refusal(k));
        MUST(proact_array_read(noted, 0, host, N, &b.err));
        assert_int_equal(host[0], 3);
        MUST(proact_array_read_replica(b.out, 3, 0, host, N, &b.err));
        for (uint32_t i = 0; i < N; i++)
            assert_int_equal(host[i], 2 * i);
        proact_close(b.p);
    }
}

static void a_map_that_is_too_small_is_refused(void **state)
{
    struct bench b = open_on("fused", 2);
    struct proact_kernel *k = testing_kernel(&b, "neighbours");
    struct proact_map small = {.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = THREADS * 4};
    uint32_t n = N;

    (void)state;
    MUST(proact_kernel_map(k, 0, &small, &b.err));
    REFUSED(
        proact_launch(k, &grid, (struct proact_arg[]){PROACT_ARRAY(b.out), PROACT_VALUE(n)},
                      2, &b.err),
        PROACT_EINVAL,
        "kernel 'neighbours': CTA 0 writes byte 256 of array 'out', which is not in the "
        "map of argument 0");
    proact_close(b.p);
}

static enum proact_status work(struct bench *b, struct proact_kernel *k, uint32_t rounds)
{
    const struct {
        uint64_t out;
        uint32_t n, rounds;
    } block = {1, N, rounds};
    const struct proact_relocation relocation = {0, b->out, 0};

    return proact_launch_buffer(
        k, &(struct proact_grid){.ctas = {N}, .threads = {256}},
        &(struct proact_parameter_buffer){&block, sizeof block, &relocation, 1}, &b->err);
}

/* The first launch sends nothing. The third is measured split and the fourth on one device.
   The fifth repeats the slower mode, and later launches use the faster one. */
static void the_faster_mode_is_selected(void **state)
{
    (void)state;
    for (int heavy = 0; heavy < 2; heavy++) {
        struct bench b = testing_open(
            &(struct proact_options){.machine = "k40x4", .plan = {.method = "inline"}});
        struct proact_kernel *k = testing_kernel(&b, "works");
        uint32_t first[N], last[N];

        for (int launch = 0; launch < 7; launch++) {
            bool split = launch < 3 || (launch == 4 ? !heavy : launch > 4 && heavy);
            uint64_t before = sent_by(&b, 3);

            MUST(work(&b, k, heavy ? 60 : 1));
            MUST(proact_wait(b.p, &b.err));
            if ((sent_by(&b, 3) > before) != (split && launch))
                fail_msg("launch %d, heavy %d: %s", launch, heavy,
                         proact_kernel_refusal(k));
            if (launch != 3)
                assert_int_equal(proact_kernel_refusal(k) == NULL, split);
            MUST(proact_array_read(b.out, 0, launch ? last : first, N, &b.err));
            if (launch)
                assert_memory_equal(first, last, sizeof last);
        }
        if (!heavy && !strstr(proact_kernel_refusal(k), "us on one device"))
            fail_msg("%s", proact_kernel_refusal(k));
        proact_close(b.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_splits_known_write_sets),
        cmocka_unit_test(a_parameter_buffer_is_split),
        cmocka_unit_test(a_grid_may_have_another_shape),
        cmocka_unit_test(versions_read_current_variables),
        cmocka_unit_test(an_array_may_be_missing),
        cmocka_unit_test(unsupported_plans_fall_back_to_bulk_copies),
        cmocka_unit_test(a_program_may_read_words_but_not_follow_them),
        cmocka_unit_test(a_guard_from_memory_only_makes_the_map_larger),
        cmocka_unit_test(refused_kernels_run_on_one_device),
        cmocka_unit_test(idempotent_flags_of_a_word_need_atomic_links),
        cmocka_unit_test(a_map_that_is_too_small_is_refused),
        cmocka_unit_test(the_faster_mode_is_selected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
