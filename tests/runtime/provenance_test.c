/* SPDX-License-Identifier: Apache-2.0 */
/* Number of provenance queries and of access analyses. Each costs the host milliseconds, so
   results are cached. */
#include "runtime/runtime_testing.h"

#include <proact/program.h>

#include "runtime/objects/array.h"
#include "runtime/provenance/provenance_query.h"

static unsigned queries, bounded;

/* The linker calls these wrappers in place of the runtime's functions.
   NOLINTBEGIN(bugprone-reserved-identifier) */
void __real_provenance_query_threads(const struct provenance_query *q,
                                     struct provenance_result *found);
void __wrap_provenance_query_threads(const struct provenance_query *q,
                                     struct provenance_result *found);

void __wrap_provenance_query_threads(const struct provenance_query *q,
                                     struct provenance_result *found)
{
    queries++;
    __real_provenance_query_threads(q, found);
}

bool __real_access_extent(const struct access_analysis *a, const struct access_record *r,
                          const struct access_launch *l, const int64_t *trips,
                          struct access_span *spans, uint32_t *count);
bool __wrap_access_extent(const struct access_analysis *a, const struct access_record *r,
                          const struct access_launch *l, const int64_t *trips,
                          struct access_span *spans, uint32_t *count);

bool __wrap_access_extent(const struct access_analysis *a, const struct access_record *r,
                          const struct access_launch *l, const int64_t *trips,
                          struct access_span *spans, uint32_t *count)
{
    bounded++;
    return __real_access_extent(a, r, l, trips, spans, count);
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* A bound from memory is unknown to the analysis: to[i] = 7 for i below from[0], if `from`
   is not NULL. The load is volatile, so its value may change. */
static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 to, .param .u64 from)\n{\n"
    ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [to]; cvta.to.global.u64 %rd2, %rd1;\n"
    "ld.param.u64 %rd3, [from]; cvta.to.global.u64 %rd4, %rd3;\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.s32 %r4, %r1, %r2, %r3; ld.volatile.global.u32 %r5, [%rd4];\n"
    "setp.eq.s64 %p1, %rd3, 0; @%p1 bra END;\n"
    "setp.ge.u32 %p1, %r4, %r5; @%p1 bra END;\n"
    "mul.wide.u32 %rd5, %r4, 4; add.s64 %rd6, %rd2, %rd5; mov.u32 %r6, 7;\n"
    "st.global.u32 [%rd6], %r6;\nEND: ret;\n}\n";

enum {
    OUTSIDE = 4096,
    MORE = (N + OUTSIDE + THREADS - 1) / THREADS, /* CTAs */
    PITCHED = 1025
};

struct launches {
    struct bench b;
    struct proact_kernel *kernel;
};

static struct launches open_launches_of(const char *of)
{
    struct launches l = {.b = testing_open(&(struct proact_options){.machine = "h200x4",
                                                                    .device_count = 2})};

    if (proact_kernel_load(l.b.p, &(struct proact_image){.name = "k.ptx", .text = of}, "k",
                           &l.kernel, &l.b.err))
        fail_msg("%s", l.b.err.text);
    return l;
}

static struct launches open_launches(void)
{
    return open_launches_of(text);
}

static struct proact_array *array_of(struct launches *l, size_t count)
{
    struct proact_array *a = NULL;
    const uint32_t limit = N;

    if (proact_array_create(l->b.p, &(struct proact_shape){"a", count, 4}, &a, &l->b.err) ||
        proact_array_write(a, 0, &limit, 1, &l->b.err))
        fail_msg("%s", l->b.err.text);
    return a;
}

/* Returns the number of provenance queries of the launch. */
static unsigned launch_ctas(struct launches *l, struct proact_array *to,
                            struct proact_array *from, unsigned ctas, const uint32_t *pitch)
{
    const struct proact_grid grid = {
        .ctas = {ctas}, .threads = {THREADS}, .device_count = 2};
    const uint64_t block[] = {0, 0, pitch ? *pitch : 0};
    const size_t bytes = 2 * sizeof *block + (pitch ? sizeof *pitch : 0);
    const struct proact_relocation relocations[] = {{0, to, 0}, {8, from, 0}};
    const unsigned before = queries;

    if (proact_launch_buffer(
            l->kernel, &grid,
            &(struct proact_parameter_buffer){block, bytes, relocations, 2}, &l->b.err) ||
        proact_wait(l->b.p, &l->b.err))
        fail_msg("%s", l->b.err.text);
    return queries - before;
}

static unsigned launch(struct launches *l, struct proact_array *to,
                       struct proact_array *from)
{
    return launch_ctas(l, to, from, MORE, NULL);
}

static void a_recreated_array_is_not_checked_again(void **state)
{
    struct launches l = open_launches();

    (void)state;
    for (int n = 0; n < 4; n++) {
        struct proact_array *from = array_of(&l, 1000);

        assert_int_equal(launch(&l, l.b.out, from) != 0, n == 0);
        if (n % 2) /* the next arrays do not reuse its address */
            proact_array_destroy(from);
    }
    assert_int_not_equal(launch(&l, l.b.out, array_of(&l, 2000)), 0); /* another size */
    proact_close(l.b.p);
}

static void results_are_relative_to_the_array(void **state)
{
    struct launches l = open_launches();
    struct proact_array *from = array_of(&l, 10), *low = array_of(&l, N),
                        *high = array_of(&l, N);
    const uint64_t at[] = {proact_array_address(low, 0), proact_array_address(high, 0)};

    (void)state;
    assert_in_range(at[1], at[0] + 4 * N, at[0] + 4 * (N + OUTSIDE) - 1);
    assert_int_not_equal(launch(&l, high, from), 0);
    assert_null(proact_kernel_refusal(l.kernel));
    launch(&l, low, from); /* an array follows it, so the query runs in full */
    assert_non_null(
        strstr(proact_kernel_refusal(l.kernel), "'a (2)', to which argument 0 points"));
    for (int n = 0; n < 3; n++) {
        assert_int_equal(launch(&l, high, from), 0);
        assert_null(proact_kernel_refusal(l.kernel));
        assert_int_equal(launch(&l, low, from), 0);
        assert_non_null(strstr(proact_kernel_refusal(l.kernel), "it may leave array"));
    }
    proact_close(l.b.p);
}

/* The refusal names the offset of a pointer within a struct parameter. */
static void fields_are_named_by_their_offset(void **state)
{
    static const char head[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                               ".visible .entry k(.param .align 8 .b8 both[16])\n{\n"
                               ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
                               "ld.param.u64 %rd1, [both]; ld.param.u64 %rd3, [both+8];\n"
                               "cvta.to.global.u64 %rd2, %rd3;\n"
                               "cvta.to.global.u64 %rd4, %rd1;\n";
    static char fields[sizeof text + sizeof head];

    (void)state;
    sprintf(fields, "%s%s", head, strstr(text, "mov.u32 %r1"));
    struct launches l = open_launches_of(fields);
    struct proact_array *from = array_of(&l, 10), *low = array_of(&l, N);

    array_of(&l, N);
    launch(&l, from, low);
    assert_non_null(strstr(proact_kernel_refusal(l.kernel),
                           "to which byte 8 of argument 0 points, possibly for another"));
    proact_close(l.b.p);
}

/* The kernel stores to to[i] and loads from[i]. The result for one pointer does not apply
   to the other, nor to the memory between the arrays. */
static void arrays_are_distinguished(void **state)
{
    static const char load[] = "add.s64 %rd7, %rd4, %rd5; ld.global.u32 %r7, [%rd7];\n";
    static char both[sizeof text + sizeof load];
    const char *store = strstr(text, "st.global");

    (void)state;
    sprintf(both, "%.*s%s%s", (int)(store - text), text, load, store);
    struct launches l = open_launches_of(both);
    struct proact_array *from = array_of(&l, N), *gap = array_of(&l, N + OUTSIDE),
                        *to = array_of(&l, N);

    proact_array_destroy(gap); /* no array follows either of them */
    assert_int_not_equal(launch(&l, to, from), 0);
    assert_null(proact_kernel_refusal(l.kernel));
    proact_close(l.b.p);
}

/* The results for 50 shapes, such as the layers of a network, are all cached. */
static void results_of_many_shapes_are_cached(void **state)
{
    enum { SHAPES = 50 };
    struct launches l = open_launches();
    struct proact_array *from[SHAPES];

    (void)state;
    for (size_t n = 0; n < SHAPES; n++)
        from[n] = array_of(&l, 100 + n);
    struct proact_array *to = array_of(&l, N); /* no array follows it */

    for (size_t n = 0; n < SHAPES; n++)
        assert_int_not_equal(launch(&l, to, from[n]), 0);
    bounded = 0;
    for (size_t n = 0; n < 2 * SHAPES; n++)
        assert_int_equal(launch(&l, to, from[n % SHAPES]), 0);
    assert_in_range(bounded, 0, SHAPES / 5); /* rebuilt tables count as well */
    assert_null(proact_kernel_refusal(l.kernel));
    proact_close(l.b.p);
}

/* Arrays that are recreated in every iteration need no new analysis. */
static void recreated_arrays_need_no_analysis(void **state)
{
    struct launches l = open_launches();

    (void)state;
    for (unsigned n = 0; n < 6; n++) {
        struct proact_array *from = array_of(&l, 1000),
                            *to = array_of(&l, (size_t)MORE * THREADS);

        bounded = 0;
        assert_int_equal(launch(&l, to, from), 0);
        if ((bounded != 0) != (n == 0))
            fail_msg("round %u: bounded %u times", n, bounded);
    }
    assert_null(proact_kernel_refusal(l.kernel));
    proact_close(l.b.p);
}

/* An unrolled loop with an unknown trip count. If boxes do not help its first stores, they
   are not tried for the others. */
static void useless_boxes_are_not_tried_again(void **state)
{
    enum { STORES = 200 };
    static const char store[] = "st.global.u32 [%rd6], %r6;\n";
    static const char again[] = "add.s64 %rd6, %rd6, 4; add.s32 %r4, %r4, 1;\n"
                                "setp.lt.u32 %p1, %r4, %r5; @%p1 bra LOOP;\nEND: ret;\n}\n";
    static char many[sizeof text + STORES * sizeof store + sizeof again];
    const uint32_t nobody = 0;
    char *to = many;

    (void)state;
    to += sprintf(to, "%.*sLOOP:\n", (int)(strstr(text, "st.global") - text), text);
    for (unsigned n = 0; n < STORES; n++)
        to += sprintf(to, "%s", store);
    strcpy(to, again);
    struct launches l = open_launches_of(many);
    struct proact_array *from = array_of(&l, 1000);

    assert_int_equal(proact_array_write(from, 0, &nobody, 1, &l.b.err), PROACT_OK);
    bounded = 0;
    assert_int_equal(launch(&l, array_of(&l, N), from), STORES);
    assert_in_range(bounded, STORES, 8 * STORES); /* up to 64 for each store otherwise */
    proact_close(l.b.p);
}

/* A kernel that loads from[pitch * f]; `function` sets %r6 to f for CTA %r1. */
static void put_pitched(char *into, const char *function)
{
    const char *store = strstr(text, "setp.ge.u32"), *body = strchr(text, ')');

    sprintf(into,
            "%.*s, .param .u32 pitch%.*sld.param.u32 %%r5, [pitch]; %s\n"
            "mul.lo.s32 %%r6, %%r6, %%r5; mul.wide.u32 %%rd7, %%r6, 4;\n"
            "add.s64 %%rd7, %%rd4, %%rd7; ld.global.u32 %%r5, [%%rd7];\n%s",
            (int)(body - text), text, (int)(store - body), body, function, store);
}

/* A launch value times a function of the index leads to another array. The CTAs at the ends
   of each part of 32 stay in theirs. */
static void distances_times_functions_are_found(void **state)
{
    char pitched[sizeof text + 400];

    (void)state;
    put_pitched(pitched, "add.s32 %r6, %r1, 8; shr.u32 %r6, %r6, 4; and.b32 %r6, %r6, 1;");
    struct launches l = open_launches_of(pitched);
    struct proact_array *from = array_of(&l, N), *next = array_of(&l, N),
                        *to = array_of(&l, PITCHED * THREADS);
    const uint32_t pitches[] = {(uint32_t)(next->base[0] - from->base[0]) / 4, N - 1};

    launch_ctas(&l, to, from, PITCHED, &pitches[0]);
    assert_non_null(proact_kernel_refusal(l.kernel));
    assert_non_null(strstr(proact_kernel_refusal(l.kernel), "to which argument 1 points"));
    launch_ctas(&l, to, from, PITCHED, &pitches[1]);
    assert_null(proact_kernel_refusal(l.kernel));
    proact_close(l.b.p);
}

/* i - i / 8 * 8 rows: what is subtracted leads to no array in front. */
static void subtracted_rows_are_no_distances(void **state)
{
    char pitched[sizeof text + 400];
    const uint32_t pitch = N / 8;

    (void)state;
    put_pitched(pitched,
                "shr.u32 %r6, %r1, 3; shl.b32 %r6, %r6, 3; sub.s32 %r6, %r1, %r6;");
    struct launches l = open_launches_of(pitched);

    array_of(&l, N); /* precedes `from` */
    struct proact_array *from = array_of(&l, N), *to = array_of(&l, PITCHED * THREADS);

    assert_int_equal(launch_ctas(&l, to, from, PITCHED, &pitch), 1);
    assert_null(proact_kernel_refusal(l.kernel));
    proact_close(l.b.p);
}

/* The access depends on bits of the index, which has no symbolic expression. All threads
   below 4096 perform it, and N is larger. */
static void put_by_bits(char *into, const char *access)
{
    const char *query = strstr(text, "setp.ge.u32"), *relocation = strstr(text, "mul.wide");

    sprintf(into,
            "%.*sclz.b32 %%r7, %%r4; setp.lt.u32 %%p1, %%r7, 20; @%%p1 bra END;\n"
            "%.*s%s\nEND: ret;\n}\n",
            (int)(query - text), text, (int)(strstr(relocation, "st.global") - relocation),
            relocation, access);
}

/* The write-set slice proves that the stores stay in their array, so they are not
   reported. */
static void a_slice_proves_that_stores_stay_inside(void **state)
{
    char by_bits[sizeof text + 200];

    (void)state;
    put_by_bits(by_bits, "st.global.u32 [%rd6], %r6;");
    struct launches l = open_launches_of(by_bits);
    struct proact_array *from = array_of(&l, 10), *low = array_of(&l, N);

    array_of(&l, N); /* follows `low` */
    launch(&l, low, from);
    assert_null(proact_kernel_refusal(l.kernel));
    proact_close(l.b.p);
}

static void loads_outside_are_reported(void **state)
{
    char by_bits[sizeof text + 200];

    (void)state;
    put_by_bits(by_bits, "add.s64 %rd7, %rd4, %rd5; ld.global.u32 %r6, [%rd7];\n"
                         "st.global.u32 [%rd6], %r6;");
    struct launches l = open_launches_of(by_bits);
    struct proact_array *from = array_of(&l, N), *to = array_of(&l, N);

    launch(&l, to, from);
    assert_non_null(strstr(proact_kernel_refusal(l.kernel), "to which argument 1 points"));
    proact_close(l.b.p);
}

/* Arguments that never repeat have a bounded cost; then the analysis is given up. */
static void fruitless_queries_are_given_up(void **state)
{
    enum { MOST = 2000 };
    struct launches l = open_launches();
    struct proact_array *to = array_of(&l, N);
    unsigned last = 0, count = 0;

    (void)state;
    for (size_t n = 0; n < MOST; n++) {
        struct proact_array *from = array_of(&l, 1 + n);

        if (launch(&l, to, from)) {
            count++;
            last = (unsigned)n;
        }
        proact_array_destroy(from);
    }
    assert_in_range(count, 64, MOST - 1);
    assert_int_equal(count, last + 1);
    assert_non_null(strstr(proact_kernel_refusal(l.kernel), "takes the host too long"));
    proact_close(l.b.p);
}

/* Results are kept per pointer. A pointer has a limited number of ranges, and the closest
   ones are merged. */
static void results_are_keyed_by_address(void **state)
{
    enum { ADDRESSES = 100, EACH = PROVENANCE_RANGES_MAX + 3 };
    struct provenance_result f = {0};

    (void)state;
    for (uint32_t n = 0; n < ADDRESSES; n++)
        provenance_result_add(
            &f, &(struct provenance_range){1000 * n, 1000 * n + 1, 0, 8 * n, 1, true});
    assert_int_equal(f.count, ADDRESSES);
    for (unsigned n = 0; n < EACH; n++)
        provenance_result_add(&f, &(struct provenance_range){1u << n, (1u << n) + 1, 0,
                                                             8 * ADDRESSES, 1, true});
    assert_int_equal(f.count, ADDRESSES + PROVENANCE_RANGES_MAX);
    for (uint32_t n = 0; n < ADDRESSES; n++)
        assert_true(f.outside[n].is_certain);
    assert_false(f.is_mixed);
    provenance_result_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slice_proves_that_stores_stay_inside),
        cmocka_unit_test(loads_outside_are_reported),
        cmocka_unit_test(distances_times_functions_are_found),
        cmocka_unit_test(subtracted_rows_are_no_distances),
        cmocka_unit_test(fruitless_queries_are_given_up),
        cmocka_unit_test(results_are_keyed_by_address),
        cmocka_unit_test(a_recreated_array_is_not_checked_again),
        cmocka_unit_test(results_are_relative_to_the_array),
        cmocka_unit_test(fields_are_named_by_their_offset),
        cmocka_unit_test(arrays_are_distinguished),
        cmocka_unit_test(results_of_many_shapes_are_cached),
        cmocka_unit_test(recreated_arrays_need_no_analysis),
        cmocka_unit_test(useless_boxes_are_not_tried_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
