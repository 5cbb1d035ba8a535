/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions with partial results: each device has its own, and after the kernel they are
   combined into the replica of device 0. The cases cover every operation and exhausted
   memory. */
#include "runtime_testing.h"

#include <proact/program.h>

#include "runtime/objects/array.h"
#include "runtime/objects/session.h"
#include "runtime/program/session_open.h"
#include "runtime/session/partials.h"

enum { PLACES = 1000, TOUCHED = 997, ROUNDS = 3 };

static uint64_t add(uint64_t a, uint64_t b)
{
    return a + b;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t least_signed(uint64_t a, uint64_t b)
{
    return (int64_t)a < (int64_t)b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t most_signed(uint64_t a, uint64_t b)
{
    return (int64_t)a > (int64_t)b ? a : b;
}

static uint64_t both(uint64_t a, uint64_t b)
{
    return a & b;
}

static uint64_t either(uint64_t a, uint64_t b)
{
    return a | b;
}

static uint64_t one(uint64_t a, uint64_t b)
{
    return a ^ b;
}

static uint64_t add_double(uint64_t a, uint64_t b)
{
    double x, y;

    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&a, &x, sizeof x);
    return a;
}

static uint64_t add_float(uint64_t a, uint64_t b)
{
    uint32_t words[] = {(uint32_t)(a >> 32), (uint32_t)(b >> 32)};
    float x, y;

    memcpy(&x, &words[0], sizeof x);
    memcpy(&y, &words[1], sizeof y);
    x += y;
    memcpy(&words[0], &x, sizeof x);
    return (uint64_t)words[0] << 32;
}

/* Values of 4 bytes are compared as the upper half of 8 bytes. */
struct kind {
    const char *kernel;
    unsigned bytes;
    uint64_t (*join)(uint64_t a, uint64_t b);
};
static const struct kind kinds[] = {
    {"reduces_add_u32", 4, add},          {"reduces_min_u32", 4, least},
    {"reduces_min_s32", 4, least_signed}, {"reduces_max_u32", 4, most},
    {"reduces_max_s32", 4, most_signed},  {"reduces_and_b32", 4, both},
    {"reduces_or_b32", 4, either},        {"reduces_xor_b32", 4, one},
    {"reduces_add_u64", 8, add},          {"reduces_min_u64", 8, least},
    {"reduces_min_s64", 8, least_signed}, {"reduces_max_u64", 8, most},
    {"reduces_max_s64", 8, most_signed},  {"reduces_and_b64", 8, both},
    {"reduces_or_b64", 8, either},        {"reduces_xor_b64", 8, one},
    {"reduces_add_f32", 4, add_float},    {"reduces_add_f64", 8, add_double},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct reducing {
    struct bench b;
    struct proact_array *to, *in;
    struct proact_kernel *kernel[KINDS];
    uint32_t ctas, from[N];
    uint64_t expected[PLACES];
    unsigned bytes, combined[PROACT_DEVICES_MAX];
    uint64_t worked_ns, reduced_ns; /* end on device 0; start on another */
};

static void must(enum proact_status status, const struct proact_error *err)
{
    if (status)
        fail_msg("%s", err->text);
}

static void partials_record_span(void *context, const struct proact_trace_span *span)
{
    struct reducing *r = context;

    if (strcmp(span->name, "works") == 0)
        r->worked_ns = span->end_ns;
    else if (span->device && strncmp(span->name, "reduces", 7) == 0)
        r->reduced_ns = span->start_ns;
    if (span->kind == PROACT_TRACE_KERNEL &&
        strcmp(span->name, TRANSFER_COMBINE_LABEL) == 0)
        r->combined[span->device]++;
}

static bool is_float(const struct kind *k)
{
    return k->join == add_float || k->join == add_double;
}

/* The value in the upper half of 8 bytes, or in all of them. */
static uint64_t bits_of(double value, unsigned bytes)
{
    const float narrow = (float)value;
    uint32_t word;
    uint64_t bits;

    memcpy(&word, &narrow, sizeof word);
    memcpy(&bits, &value, sizeof bits);
    return bytes == 8 ? bits : (uint64_t)word << 32;
}

/* Initial content that is part of the result; floating-point content includes -0. */
static void fill_for(struct reducing *r, const struct kind *k)
{
    const unsigned bytes = k->bytes;
    unsigned char *image = calloc(PLACES, bytes);

    assert_non_null(image);
    r->bytes = bytes;
    for (uint32_t i = 0; i < PLACES; i++) {
        const uint64_t bits = is_float(k) ? bits_of(i % 3 ? i : -0.0, bytes)
                                          : (i + 1) * 0xd6e8feb86659fd93ull,
                       word = bits >> (8 - bytes) * 8;

        r->expected[i] = word << (8 - bytes) * 8;
        memcpy(image + (size_t)i * bytes, &word, bytes);
    }
    must(proact_array_write(r->to, 0, image, (size_t)PLACES * bytes, &r->b.err), &r->b.err);
    free(image);
}

static void fill(struct reducing *r, unsigned bytes)
{
    fill_for(r, &(struct kind){.bytes = bytes});
}

static struct reducing *begin_on(const struct device_backend *backend,
                                 const struct proact_options *options, size_t bytes)
{
    struct reducing *r = calloc(1, sizeof *r);

    assert_non_null(r);
    must(session_open(backend, options, &r->b.p, &r->b.err), &r->b.err);
    must(proact_array_create(r->b.p, &(struct proact_shape){"to", bytes, 1}, &r->to,
                             &r->b.err),
         &r->b.err);
    r->in = testing_array(&r->b, "in");
    for (uint32_t i = 0; i < N; i++)
        r->from[i] = (i + 1) * 2246822519u >> 3;
    must(proact_array_write(r->in, 0, r->from, N, &r->b.err), &r->b.err);
    proact_trace_set_callback(r->b.p, partials_record_span, r);
    r->ctas = CTAS;
    return r;
}

static struct reducing *begin(const char *method, unsigned devices, uint64_t seed)
{
    const struct proact_options options = {.machine = "h200x8",
                                           .device_count = devices,
                                           .check = true,
                                           .reassociate_floats = true,
                                           .seed = seed,
                                           .plan = {.method = method}};

    return begin_on(&device_emulator, &options, 8 * PLACES + 3);
}

static void end(struct reducing *r)
{
    proact_close(r->b.p);
    free(r);
}

static uint64_t value_of(const struct kind *k, uint32_t v)
{
    if (is_float(k))
        return bits_of(v % TOUCHED ? (int)(v >> 4 & 63) - 32 : -0.0, k->bytes);
    return k->bytes == 8 ? v * 0x9e3779b97f4a7c15ull : (uint64_t)(v * 2654435761u) << 32;
}

static void queue(struct reducing *r, const struct kind *k, unsigned devices)
{
    struct proact_kernel **at = &r->kernel[k - kinds],
                         *kernel = *at ? *at : (*at = testing_kernel(&r->b, k->kernel));
    const struct proact_grid grid = {
        .ctas = {r->ctas, 1, 1}, .threads = {THREADS, 1, 1}, .device_count = devices};
    const struct proact_relocation relocations[] = {{0, r->to, 0}, {8, r->in, 0}};
    unsigned char bytes[20] = {0};
    const uint32_t n = N;

    memcpy(bytes + 16, &n, sizeof n);
    must(proact_launch_buffer(
             kernel, &grid,
             &(struct proact_parameter_buffer){bytes, sizeof bytes, relocations, 2},
             &r->b.err),
         &r->b.err);
    for (uint32_t i = 0; i < N; i++) {
        uint64_t *to = &r->expected[r->from[i] % TOUCHED];

        *to = k->join(*to, value_of(k, r->from[i]));
    }
}

static void launch_on(struct reducing *r, const struct kind *k, unsigned devices)
{
    const char *why;

    queue(r, k, devices);
    if ((why = proact_kernel_refusal(r->kernel[k - kinds])))
        fail_msg("%s", why);
}

static void launch(struct reducing *r, const struct kind *k)
{
    launch_on(r, k, proact_device_count(r->b.p));
}

static void check(struct reducing *r, const char *what)
{
    unsigned char *got = calloc(PLACES, r->bytes);

    assert_non_null(got);
    must(proact_array_read(r->to, 0, got, (size_t)PLACES * r->bytes, &r->b.err), &r->b.err);
    for (uint32_t i = 0; i < PLACES; i++) {
        uint64_t word = 0;

        memcpy(&word, got + (size_t)i * r->bytes, r->bytes);
        if (word << (8 - r->bytes) * 8 != r->expected[i])
            fail_msg("%s: place %u is %llx, not %llx", what, i, (unsigned long long)word,
                     (unsigned long long)(r->expected[i] >> (8 - r->bytes) * 8));
    }
    free(got);
}

static void check_combined(const struct reducing *r, unsigned first, unsigned end,
                           unsigned times)
{
    assert_int_equal(r->combined[0], 0);
    for (unsigned d = first; d < end; d++)
        assert_int_equal(r->combined[d], times);
}

/* One array with every operation in turn, so the neutral element changes. Several launches
   run in a row, with a read between. */
static void every_kind_is_combined(void **state)
{
    (void)state;
    for (unsigned devices = 2; devices <= 8; devices += devices == 2 ? 1 : 5) {
        struct reducing *r = begin("fused", devices, devices);

        for (unsigned k = 0; k < KINDS; k++) {
            fill_for(r, &kinds[k]);
            launch(r, &kinds[k]);
            check(r, kinds[k].kernel);
            for (unsigned round = 1; round < ROUNDS; round++)
                launch(r, &kinds[k]);
            check(r, kinds[k].kernel);
        }
        check_combined(r, 1, devices, KINDS * ROUNDS);
        end(r);
    }
}

static void every_method_combines(void **state)
{
    (void)state;
    for (const char *const *m = proact_method_names(); *m; m++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            struct reducing *r = begin(*m, 4, seed);

            fill(r, 4);
            for (unsigned round = 0; round < ROUNDS; round++)
                launch(r, &kinds[round ? 0 : 2]);
            check(r, *m);
            check_combined(r, 1, 4, ROUNDS);
            end(r);
        }
}

/* Partial results of unused devices do not change the result. */
static void fewer_devices_combine(void **state)
{
    struct reducing *r = begin("inline", 4, 1);

    (void)state;
    fill(r, 8);
    launch_on(r, &kinds[8], 4);
    launch_on(r, &kinds[8], 2);
    launch_on(r, &kinds[8], 3);
    launch_on(r, &kinds[8], 4);
    check(r, "fewer devices");
    check_combined(r, 1, 2, 4);
    check_combined(r, 2, 3, 3);
    check_combined(r, 3, 4, 2);
    end(r);
}

/* Each element crosses the link once, whatever the number of atomics. */
static void each_element_crosses_the_link_once(void **state)
{
    struct reducing *r = begin("fused", 2, 1);
    const struct proact *p = r->b.p;

    (void)state;
    fill(r, 4);
    for (unsigned round = 0; round < ROUNDS; round++)
        launch(r, &kinds[0]);
    must(proact_wait(r->b.p, &r->b.err), &r->b.err);
    const uint64_t bytes = p->backend->traffic(p->set, 1, 0).bytes;

    assert_true(bytes > 0);
    assert_true(bytes <= ROUNDS * 4 * TOUCHED);
    end(r);
}

/* Kernels do not wait for earlier accesses to the replica on device 0; only the combination
   does. */
static void only_the_combination_waits(void **state)
{
    struct reducing *r = begin("fused", 2, 1);
    struct proact_kernel *works = testing_kernel(&r->b, "works");
    const struct proact_grid grid = {
        .ctas = {16, 1, 1}, .threads = {THREADS, 1, 1}, .device_count = 1};
    const struct proact_relocation relocation = {0, r->to, 0};
    const uint32_t numbers[] = {PLACES, 100000};
    unsigned char bytes[16] = {0};

    (void)state;
    fill(r, 4);
    launch(r, &kinds[0]);
    check(r, "before");
    memcpy(bytes + 8, numbers, sizeof numbers);
    must(proact_launch_buffer(
             works, &grid,
             &(struct proact_parameter_buffer){bytes, sizeof bytes, &relocation, 1},
             &r->b.err),
         &r->b.err);
    launch(r, &kinds[0]);
    must(proact_wait(r->b.p, &r->b.err), &r->b.err);
    assert_true(r->reduced_ns < r->worked_ns);
    end(r);
}

/* Partial results of a failed launch do not enter the next result. */
static void failed_launches_leave_no_partial_results(void **state)
{
    struct reducing *r = begin("fused", 2, 1);
    struct proact *p = r->b.p;

    (void)state;
    fill(r, 4);
    launch(r, &kinds[0]);
    must(p->backend->fill(p->devices.device[1].lane[TRANSFER_MAIN], r->to->partials.at[1],
                          0x55, r->to->bytes, &r->b.err),
         &r->b.err);
    p->generation++;
    launch(r, &kinds[0]);
    check(r, "after a launch that broke");
    end(r);
}

/* Arrays with more elements than the launch's threads could combine are updated on device
   0. Most threads of the launch are idle. */
static void large_arrays_have_no_partial_results(void **state)
{
    static const struct proact_options options = {
        .machine = "h200x2", .device_count = 2, .plan = {.method = "fused"}};
    enum { MANY = PARTIALS_ALWAYS_BYTES / 4 / PARTIALS_A_THREAD / THREADS + 1 };
    static const struct {
        uint32_t more, ctas;
    } cases[] = {{0, CTAS}, {256, CTAS}, {256, MANY}, {256 * (THREADS + 1), MANY}};

    (void)state;
    for (uint32_t n = 0; n < 4; n++) {
        struct reducing *r = begin_on(&device_emulator, &options,
                                      (size_t)PARTIALS_ALWAYS_BYTES + cases[n].more);

        r->ctas = cases[n].ctas;
        fill(r, 4);
        launch(r, &kinds[0]);
        check(r, "a large array");
        check_combined(r, 1, 2, n % 2 == 0);
        end(r);
    }
}

/* Partial sums of floating-point values change the order of additions, so a session must
   allow them. */
static void float_sums_need_permission(void **state)
{
    static const struct proact_options options = {.machine = "h200x2",
                                                  .plan = {.method = "fused"}};
    const struct kind *k = &kinds[KINDS - 2];
    struct reducing *r = begin_on(&device_emulator, &options, 4 * PLACES);
    const char *why;

    (void)state;
    fill_for(r, k);
    queue(r, k, 2);
    why = proact_kernel_refusal(r->kernel[KINDS - 2]);
    assert_non_null(why);
    assert_non_null(strstr(why, "(reassociate_floats)"));
    check(r, "on one device");
    check_combined(r, 1, 2, 0);
    end(r);
}

static bool is_full;

static enum proact_status alloc(struct device_set *set, unsigned device, size_t bytes,
                                device_addr *out, struct proact_error *err)
{
    if (is_full && device == 2 && bytes == 8 * PLACES)
        return PROACT_ENOSPACE;
    return device_emulator.alloc(set, device, bytes, out, err);
}

static void exhausted_memory_disables_partial_results(void **state)
{
    static const struct proact_options options = {
        .machine = "h200x4", .device_count = 4, .plan = {.method = "fused"}};
    struct device_backend tight = device_emulator;
    struct reducing *r;

    (void)state;
    tight.alloc = alloc;
    is_full = false;
    r = begin_on(&tight, &options, 8 * PLACES);
    is_full = true;
    fill(r, 8);
    launch(r, &kinds[8]);
    is_full = false;
    launch(r, &kinds[8]);
    check(r, "without memory");
    check_combined(r, 1, 4, 0);
    end(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_combined),
        cmocka_unit_test(every_method_combines),
        cmocka_unit_test(fewer_devices_combine),
        cmocka_unit_test(each_element_crosses_the_link_once),
        cmocka_unit_test(only_the_combination_waits),
        cmocka_unit_test(failed_launches_leave_no_partial_results),
        cmocka_unit_test(large_arrays_have_no_partial_results),
        cmocka_unit_test(float_sums_need_permission),
        cmocka_unit_test(exhausted_memory_disables_partial_results),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
