/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions whose device 0 opens before the others. Earlier work is visible on devices that
   open later, and a program that never needs them never waits. */
#include "runtime/program/session_open.h"
#include "runtime/runtime_testing.h"

#include <proact/program.h>
#include <unistd.h>

#include "base/random.h"
#include "runtime/objects/session.h"
#include "runtime/session/lazy_devices.h"

/* out[i] = in[i] + 1 + added, and a dependence that prevents a split: in[0] from out[n -
   1]. */
static const char ptx[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .u32 added = 0;\n"
    ".visible .entry step(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n"
    " .reg .pred %p<2>;\n .reg .b32 %r<8>;\n .reg .b64 %rd<8>;\n"
    " ld.param.u64 %rd1, [a];\n ld.param.u64 %rd2, [b];\n ld.param.u32 %r1, [n];\n"
    " mov.u32 %r2, %ctaid.x;\n mov.u32 %r3, %ntid.x;\n mov.u32 %r4, %tid.x;\n"
    " mad.lo.s32 %r5, %r2, %r3, %r4;\n setp.ge.u32 %p1, %r5, %r1;\n @%p1 bra DONE;\n"
    " mul.wide.u32 %rd3, %r5, 4;\n add.s64 %rd4, %rd1, %rd3;\n add.s64 %rd5, %rd2, %rd3;\n"
    " ld.global.u32 %r6, [%rd5];\n ld.global.u32 %r7, [added];\n"
    " add.s32 %r6, %r6, %r7;\n add.s32 %r6, %r6, 1;\n st.global.u32 [%rd4], %r6;\n"
    "DONE:\n ret;\n}\n";

enum { STEPS = 60 };

struct lazy_fixture {
    struct proact *p;
    struct proact_array *array[2];
    uint32_t is[2][N], added; /* expected content */
    struct proact_kernel *step;
    struct proact_variable variable;
    struct proact_error err;
};

#define MUST(call)                                                                         \
    do {                                                                                   \
        if (call)                                                                          \
            fail_msg("%s", l->err.text);                                                   \
    } while (0)

/* Opens the devices immediately, as a fast driver does. */
static enum proact_status open_at_once(struct device_set *set, bool waits, bool *are_open,
                                       struct proact_error *err)
{
    (void)waits;
    return device_emulator.open_remaining(set, true, are_open, err);
}

/* A machine file of this test states how long a device takes to open. */
static void come_by(struct lazy_fixture *l, const struct device_backend *backend,
                    double open_ms, const char *more, uint64_t seed)
{
    char path[256];
    FILE *f;

    memset(l, 0, sizeof *l);
    snprintf(path, sizeof path, PROACT_BINARY "/tests/runtime/lazy-%d.json", (int)getpid());
    f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "{\"like\": \"v100x4\", \"device\": {\"open_ms\": %.9f%s}}\n", open_ms,
            more);
    assert_int_equal(fclose(f), 0);
    MUST(session_open(
        backend,
        &(struct proact_options){
            .machine = path, .lazy_devices = true, .check = true, .seed = seed},
        &l->p, &l->err));
    unlink(path);
}

static void come(struct lazy_fixture *l, double open_ms, const char *more, uint64_t seed)
{
    come_by(l, &device_emulator, open_ms, more, seed);
}

static void make(struct lazy_fixture *l)
{
    const struct proact_image image = {.name = "lazy.ptx", .text = ptx};

    for (int i = 0; i < 2; i++)
        MUST(proact_array_create(l->p, &(struct proact_shape){"a", N, 4}, &l->array[i],
                                 &l->err));
    MUST(proact_array_write(l->array[0], 0, l->is[0], N, &l->err));
    MUST(proact_kernel_load(l->p, &image, "step", &l->step, &l->err));
    MUST(proact_variable_find(l->p, &image, "added", &l->variable, &l->err));
}

/* Replaces the array with a new, unwritten one. */
static void lazy_recreate(struct lazy_fixture *l, int which)
{
    proact_array_destroy(l->array[which]);
    MUST(proact_array_create(l->p, &(struct proact_shape){"a", N, 4}, &l->array[which],
                             &l->err));
}

/* Over that many devices; 0: the faster mode. */
static void launch_over(struct lazy_fixture *l, int to, unsigned ctas, unsigned devices)
{
    const struct {
        uint64_t to, from;
        uint32_t n, unused;
    } block = {0, 0, N, 0};
    const struct proact_relocation relocations[] = {{0, l->array[to], 0},
                                                    {8, l->array[!to], 0}};

    MUST(proact_launch_buffer(
        l->step,
        &(struct proact_grid){
            .ctas = {ctas}, .threads = {THREADS}, .device_count = devices},
        &(struct proact_parameter_buffer){&block, 20, relocations, 2}, &l->err));
    for (unsigned i = 0; i < N && i < ctas * THREADS; i++)
        l->is[to][i] = l->is[!to][i] + 1 + l->added;
}

static void launch_of(struct lazy_fixture *l, int to, unsigned ctas)
{
    launch_over(l, to, ctas, 4);
}

static void launch(struct lazy_fixture *l, int to)
{
    launch_of(l, to, CTAS);
}

static void holds(struct lazy_fixture *l, int which)
{
    uint32_t *is = calloc(N, sizeof *is);

    assert_non_null(is);
    MUST(proact_array_read(l->array[which], 0, is, N, &l->err));
    assert_memory_equal(is, l->is[which], sizeof l->is[which]);
    free(is);
}

static uint64_t sent(struct lazy_fixture *l)
{
    struct proact_statistics s;

    MUST(proact_statistics_get(l->p, PROACT_ALL_DEVICES, NULL, &s, &l->err));
    return s.bytes;
}

static const char *lazy_report(struct lazy_fixture *l)
{
    bool failed;
    const char *lazy_devices = proact_lazy_devices_report(l->p, &failed);

    return lazy_devices ? lazy_devices : "";
}

#define REPORTS(part)                                                                      \
    do {                                                                                   \
        if (!strstr(lazy_report(l), part))                                                 \
            fail_msg("'%s' has no '%s'", lazy_report(l), part);                            \
    } while (0)

static uint64_t address(const struct lazy_fixture *l, int which, unsigned cell)
{
    return proact_array_address(l->array[which], 0) + 4ull * cell;
}

/* One random call of a program on some cells of an array. */
static void act(struct lazy_fixture *l, uint64_t *chance)
{
    const int which = (int)random_below(chance, 2);
    const unsigned first = (unsigned)random_below(chance, N - 10),
                   count = 1 + (unsigned)random_below(chance, N - first - 1);
    uint32_t *to = l->is[which] + first;

    switch (random_below(chance, 10)) {
    case 0:
        for (unsigned i = 0; i < count; i++)
            to[i] = i * first;
        MUST(proact_device0_write(l->p, address(l, which, first), to, 4ull * count,
                                  &l->err));
        break;
    case 1:
        memset(to, 3, 4ull * count);
        MUST(proact_device0_fill(l->p, address(l, which, first), 3, 4ull * count, &l->err));
        break;
    case 2:
        memcpy(to, l->is[!which] + first, 4ull * count);
        MUST(proact_device0_copy(l->p, address(l, which, first), address(l, !which, first),
                                 4ull * count, &l->err));
        break;
    case 3:
        l->added = first;
        MUST(proact_variable_write(l->p, &l->variable, 0, &l->added, 4, &l->err));
        break;
    case 4:
        holds(l, which);
        break;
    case 5:
        for (unsigned i = 0; i < count; i++)
            to[i] = i + first;
        MUST(proact_array_write(l->array[which], first, to, count, &l->err));
        break;
    case 6:
        lazy_recreate(l, which);
        launch(l, which);
        break;
    default:
        launch(l, which);
    }
}

/* Devices that open at any time have all earlier data. Check mode finds reads of data that
   was not sent. */
static void lazy_devices_receive_earlier_data(void **state)
{
    (void)state;
    struct lazy_fixture *l = calloc(1, sizeof *l);
    unsigned came = 0, stayed_away = 0;

    assert_non_null(l);
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t chance = seed;

        come(l, (seed % 7 ? 1e-5 : 1e-3) * (double)(seed * seed % 401), "", seed);
        make(l);
        launch(l, 1);
        for (unsigned i = 0; i < STEPS; i++)
            act(l, &chance);
        holds(l, 0);
        holds(l, 1);
        came += strstr(lazy_report(l), "were open after") != NULL;
        stayed_away += strstr(lazy_report(l), "not opened") != NULL;
        proact_close(l->p);
    }
    assert_true(came > 10);
    assert_true(stayed_away > 3);
    free(l);
}

static void short_programs_do_not_open_them(void **state)
{
    (void)state;
    struct lazy_fixture *l = calloc(1, sizeof *l);

    assert_non_null(l);
    come(l, 100, "", 1);
    make(l);
    for (int i = 1; i <= 20; i++)
        launch(l, i & 1);
    assert_string_equal(lazy_report(l), "the other devices were not opened");
    assert_non_null(strstr(proact_kernel_refusal(l->step), "before the other devices"));
    holds(l, 1);
    assert_int_equal(proact_array_address(l->array[0], 1), 0);
    assert_true(proact_now_ns(l->p) < 200000000);
    proact_close(l->p);
    free(l);
}

/* Opening starts when the virtual run time exceeds the cost of opening and half of it,
   counted from the first launch. Opening then takes its time. */
static void devices_open_when_the_cost_is_amortized(void **state)
{
    (void)state;
    struct lazy_fixture *l = calloc(1, sizeof *l);

    assert_non_null(l);
    come(l, 0.1, "", 1);
    make(l);
    launch(l, 1);
    while (strstr(lazy_report(l), "not opened")) {
        launch(l, 0);
        assert_true(proact_now_ns(l->p) < 2000000);
        holds(l, 0);
    }
    /* In milliseconds: 0.1 for device 0, 0.45 of launches, 0.3 in the background, and at
       most one more launch in each phase. */
    assert_true(proact_now_ns(l->p) > 850000);
    launch(l, 1);
    assert_null(proact_kernel_refusal(l->step));
    holds(l, 1);
    assert_true(sent(l) >= N);
    proact_close(l->p);
    free(l);
}

/* The devices are not opened before the budget suffices to prepare all kernels that were
   launched again. */
static void unprepared_programs_do_not_open_them(void **state)
{
    (void)state;
    struct lazy_fixture *l = calloc(1, sizeof *l);

    assert_non_null(l);
    come(l, 0.1, "", 1);
    make(l);
    l->p->preparations.done = 1;
    l->p->preparations.ns = 1000000000;
    launch(l, 1);
    assert_int_equal(l->p->preparations.waiting, 0);
    int i = 0;

    while (proact_now_ns(l->p) < 2000000) { /* more than four times the cost of opening */
        launch_over(l, !(i++ & 1), CTAS, 0);
        MUST(proact_wait(l->p, &l->err));
    }
    assert_string_equal(lazy_report(l), "the other devices were not opened");
    l->p->preparations.ns = 0;
    for (int n = 0; n < 4 * STEPS; n++) {
        launch_over(l, !(i++ & 1), CTAS, 0);
        MUST(proact_wait(l->p, &l->err));
    }
    REPORTS("were open after");
    holds(l, i & 1);
    proact_close(l->p);
    free(l);
}

/* The launch that triggers the opening was analysed without these devices and runs on one
   device. */
static void a_launch_without_lazy_devices_is_single(void **state)
{
    (void)state;
    struct lazy_fixture *l = calloc(1, sizeof *l);
    struct device_backend backend = device_emulator;

    assert_non_null(l);
    backend.open_remaining = open_at_once;
    come_by(l, &backend, 0.01, "", 1);
    make(l);
    launch(l, 1);
    while (strcmp(lazy_report(l), "the other devices were not opened") == 0)
        launch(l, 1);
    REPORTS("not opened in time");
    assert_non_null(proact_kernel_refusal(l->step));
    launch(l, 0);
    REPORTS("were open after");
    assert_null(proact_kernel_refusal(l->step));
    holds(l, 0);
    holds(l, 1);
    proact_close(l->p);
    free(l);
}

/* A program without splittable kernels never opens them, however long it runs. */
static void unsplittable_programs_do_not_open_them(void **state)
{
    (void)state;
    struct lazy_fixture *l = calloc(1, sizeof *l);

    assert_non_null(l);
    come(l, 0.01, "", 1);
    make(l);
    launch_of(l, 1, 1);
    MUST(proact_array_write(l->array[1], 0, l->is[1], N, &l->err));
    for (int i = 0; proact_now_ns(l->p) < 500000; i++) {
        launch_of(l, i & 1, 1);
        holds(l, i & 1);
    }
    assert_string_equal(lazy_report(l), "the other devices were not opened");
    launch(l, 0);
    holds(l, 0);
    REPORTS("the other devices were not opened in time");
    proact_close(l->p);
    free(l);
}

/* A call that needs all devices waits until they are open. */
static void calls_that_need_them_wait(void **state)
{
    (void)state;
    struct lazy_fixture *l = calloc(1, sizeof *l);
    struct proact_array *a;
    struct proact_kernel *k;
    uint32_t cell;
    char *text = testing_ptx();
    const struct proact_image marked = {.name = "runtime_kernels.ptx", .text = text};

    assert_non_null(l);
    for (int what = 0; what < 5; what++) {
        come(l, 10, "", 1);
        make(l);
        launch(l, 1);
        launch(l, 0);
        REPORTS("not opened");
        const uint32_t n = N;

        if (what == 0)
            MUST(proact_array_read_replica(l->array[0], 3, 7, &cell, 1, &l->err));
        if (what == 0)
            assert_int_equal(cell, l->is[0][7]);
        if (what == 1)
            MUST(proact_array_broadcast(l->array[0], &l->err));
        if (what == 2)
            MUST(proact_array_create_distributed(l->p, &(struct proact_shape){"d", N, 4},
                                                 &a, &l->err));
        if (what == 3)
            MUST(proact_kernel_load(l->p, &marked, "fill", &k, &l->err));
        if (what == 4)
            MUST(proact_launch(
                l->step, &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}},
                (struct proact_arg[]){PROACT_ARRAY(l->array[0]), PROACT_ARRAY(l->array[1]),
                                      PROACT_VALUE(n)},
                3, &l->err));
        REPORTS("were open after");
        holds(l, 0);
        proact_close(l->p);
    }
    free(text);
    free(l);
}

/* A recording needs all devices and begins after they are open. */
static void recordings_need_all_devices(void **state)
{
    (void)state;
    struct lazy_fixture *l = calloc(1, sizeof *l);
    struct proact_recording *r;

    assert_non_null(l);
    come(l, 0.001, "", 1);
    make(l);
    assert_int_equal(proact_record_begin(l->p, &l->err), PROACT_EINVAL);
    assert_non_null(strstr(l->err.text, "before all devices are open"));
    while (proact_record_begin(l->p, &l->err)) {
        launch(l, 1);
        holds(l, 1);
    }
    REPORTS("were open after");
    MUST(proact_record_end(l->p, &r, &l->err));
    proact_close(l->p);
    free(l);
}

/* Device 0 has memory for the arrays of the other devices, but not for the memory of their
   modules. */
static void exhausted_memory_keeps_them_closed(void **state)
{
    (void)state;
    struct lazy_fixture *l = calloc(1, sizeof *l);
    struct proact_array *a;
    bool failed;

    assert_non_null(l);
    come(l, 0.0001, ", \"memory_bytes\": 1048576", 1);
    make(l);
    for (size_t bytes = 1 << 20; bytes; bytes /= 2)
        while (!proact_array_create(l->p, &(struct proact_shape){"a", bytes, 1}, &a, NULL))
            ;
    for (int i = 1; i <= 50; i++) {
        launch(l, i & 1);
        holds(l, i & 1);
    }
    assert_non_null(proact_lazy_devices_report(l->p, &failed));
    assert_true(failed);
    REPORTS("could not be opened, so everything ran on device 0: device 0: ");
    assert_non_null(
        strstr(proact_kernel_refusal(l->step), "the other devices could not be opened"));
    assert_int_equal(proact_array_address(l->array[0], 1), 0);
    assert_int_equal(proact_array_broadcast(l->array[0], &l->err), PROACT_ENODEV);
    proact_close(l->p);
    free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lazy_devices_receive_earlier_data),
        cmocka_unit_test(short_programs_do_not_open_them),
        cmocka_unit_test(devices_open_when_the_cost_is_amortized),
        cmocka_unit_test(unprepared_programs_do_not_open_them),
        cmocka_unit_test(a_launch_without_lazy_devices_is_single),
        cmocka_unit_test(unsplittable_programs_do_not_open_them),
        cmocka_unit_test(calls_that_need_them_wait),
        cmocka_unit_test(recordings_need_all_devices),
        cmocka_unit_test(exhausted_memory_keeps_them_closed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
