/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of refused.ptx: each has its expected refusal with the line, or none. A refused
   kernel runs on device 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <proact/proact.h>

#include "base/text.h"
#include "instrument/instrument.h"

enum {
    INLINE = 1 << INSTRUMENT_INLINE,
    STAGE = 1 << INSTRUMENT_STAGE,
    SEND = 1 << INSTRUMENT_SEND,
    ENDING = 1 << INSTRUMENT_COUNT | SEND | STAGE,
    ALL = 1 << INSTRUMENT_GRID | INLINE | ENDING
};

static const char returned[] =
    "some threads of the CTA may have returned by then, and sending needs all threads at "
    "the end";
static const char cannot_tell[] =
    "a store into one of several arrays, or into an unknown array: 'inline' cannot find "
    "its address on the peers";

static const char waits[] =
    "a loop waits for the value that this load reads: another CTA would have to "
    "store it during the launch";

static const struct {
    const char *kernel, *why; /* NULL: not refused */
    unsigned clones;
} cases[] = {
    {"grid_sync",
     "it reads %envreg2, as grid-wide synchronisation does: its CTAs would wait for those "
     "of other devices",
     ALL},
    {"grid_number", "it reads %gridid, which differs between devices", ALL},
    {"cluster_id", "it reads %cluster_ctaid.x: clusters of CTAs are not split", ALL},
    {"cluster_launch", "it is launched in clusters, which are not split", ALL},
    {"cluster", NULL, 0}, /* by name */
    {"cluster_barrier", "a barrier of a cluster: clusters are not split", ALL},
    {"cluster_rank", "it names CTAs of its cluster: clusters are not split", ALL},
    {"depends", NULL, 0}, /* on grids that have ended: no grid is launched early */
    {"half", "it reads %ctaid.x as 16 bits, a partition's has 32", ALL},
    {"bulk_store",
     "an asynchronous bulk copy writes to global memory, without order to the kernel's "
     "stores",
     ALL},
    {"async_store", "an asynchronous store to global memory", ALL},
    {"atomic_slot",
     "an atomic on a replicated array: each device would update its own replica only", ALL},
    {"fetch_atomic_slot",
     "it uses the result of an atomic on a replicated array: each device would count in "
     "its own replica",
     ALL},
    {"red_slot",
     "an atomic on a replicated array: each device would update its own replica only", ALL},
    {"atomic_somewhere", "an atomic on an unknown array", ALL},
    {"atomic_variable",
     "an atomic on a variable of the module, and each device has its own copy", ALL},
    {"store_variable",
     "it stores into a variable of the module, and each device has its own copy", ALL},
    {"matrix_variable",
     "it stores into a variable of the module, and each device has its own copy", ALL},
    {"calls_matrix", "it calls 'stores_matrix', which writes to global memory in line 576",
     ALL},
    {"calls_recursive",
     "it calls 'again', which may call itself: its threads may return one by one, and "
     "sending needs all threads at the end",
     SEND},
    {"calls_leaf", NULL, 0},
    {"ticket", "it uses the result of an atomic that CTAs of all devices update", ALL},
    {"waits", waits, ALL},
    {"waits_fenced", waits, ALL},
    {"waits_asleep", waits, ALL},
    {"waits_fresh", waits, ALL},
    {"waits_shared", waits, ALL},
    {"waits_beside", waits, ALL},
    {"waits_chosen", waits, ALL},
    {"waits_inside", waits, ALL},
    {"waits_returning", waits, ALL},
    {"waits_counting", waits, ALL},
    {"waits_falling", waits, ALL},
    {"waits_seldom", waits, ALL},
    {"waits_tangled", waits, ALL},
    {"watches_aside", NULL, 0},
    {"counts_to_fresh", NULL, 0},
    {"fenced_once", NULL, 0},
    {"fenced_narrow", NULL, 0},
    {"calls_writer", "it calls 'writer', which writes to global memory in line 16", ALL},
    {"calls_place", "it calls 'asks', which reads its index in the grid in line 22", ALL},
    {"calls_end", "it calls 'ends', which ends the kernel in line 27", ALL},
    {"allocates", "it allocates memory, which exists on one device only", ALL},
    {"calls_unknown", "it calls 'elsewhere', which this module does not define", ALL},
    {"loaded", cannot_tell, INLINE | STAGE},
    {"either", cannot_tell, INLINE | STAGE},
    {"merged", cannot_tell, INLINE | STAGE},
    {"warp_ends", returned, SEND},
    {"odd_barrier", returned, SEND},
    {"calls_barrier", returned, SEND},
    {"few_registers",
     "setmaxnreg may leave its warps fewer registers than the epilogue needs", ENDING},
    {"shared_wait", NULL, 0},
    {"shared_atomic", NULL, 0},
    {"narrow_atomic", NULL, 0},
    {"other_atomic", NULL, 0},
    {"prefetch", NULL, 0},
    {"prints", NULL, 0},
    {"difference", NULL, 0},
    {"words", "a store with qualifiers that shared memory does not have: it is not staged",
     STAGE},
    {"leaves", returned, SEND},
};
enum { CASES = sizeof cases / sizeof *cases };

static char *read_text(size_t *bytes)
{
    char *text;

    assert_int_equal(
        file_read(PROACT_SOURCE "/tests/instrument/refused.ptx", &text, bytes, NULL), 0);
    return text;
}

/* Line that ends in the kernel's name, or 0 if the message has no line. */
static unsigned line_of(const char *text, const char *kernel)
{
    char mark[80];
    unsigned line = 1;

    snprintf(mark, sizeof mark, " // %s\n", kernel);
    const char *at = strstr(text, mark);

    for (; at && text < at; text++)
        line += *text == '\n';
    return at ? line : 0;
}

static char *instrument(struct instrument_result *results, struct ptx_module **out)
{
    struct instrument_request requests[CASES];
    size_t bytes;
    char *text = read_text(&bytes), *clones;

    assert_int_equal(ptx_parse("refused.ptx", text, bytes, out, NULL), 0);
    for (int i = 0; i < CASES; i++)
        requests[i] = (struct instrument_request){
            .kernel = cases[i].kernel, .slot_count = 2, .slot_offset = {0, 8}};
    assert_int_equal(
        instrument_module(*out, requests, CASES, results, &clones, &bytes, NULL), 0);
    free(text);
    return clones;
}

static void each_refusal_has_its_message(void **state)
{
    struct instrument_result results[CASES];
    struct ptx_module *m;
    char *clones = instrument(results, &m), expected[600];

    (void)state;
    for (int i = 0; i < CASES; i++) {
        unsigned line = line_of(m->text, cases[i].kernel);
        char number[16] = "";

        if (line)
            snprintf(number, sizeof number, ":%u", line);
        snprintf(expected, sizeof expected, "kernel '%s', refused.ptx%s: %s",
                 cases[i].kernel, number, cases[i].why ? cases[i].why : "");
        for (int k = 0; k < INSTRUMENT_CLONES; k++)
            assert_string_equal(results[i].refusal[k].text,
                                cases[i].clones >> k & 1 ? expected : "");
    }
    free(clones);
    ptx_destroy(m);
}

/* Atomics on elements that only the CTAs of one device update stay atomics. Only the
   versions that store directly to the peers refuse them. */
static void only_inline_refuses_own_atomics(void **state)
{
    static const char *const kernels[] = {"atomic_slot", "fetch_atomic_slot", "red_slot"};
    struct instrument_request requests[3];
    struct instrument_result results[3];
    struct ptx_module *m;
    size_t bytes;
    char *text = read_text(&bytes), *clones;

    (void)state;
    assert_int_equal(ptx_parse("refused.ptx", text, bytes, &m, NULL), 0);
    for (int i = 0; i < 3; i++)
        requests[i] = (struct instrument_request){.kernel = kernels[i],
                                                  .slot_count = 2,
                                                  .slot_offset = {0, 8},
                                                  .owns_atomics = true};
    assert_int_equal(instrument_module(m, requests, 3, results, &clones, &bytes, NULL), 0);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < INSTRUMENT_CLONES; k++)
            if (1 << k & (INLINE | STAGE))
                assert_non_null(strstr(results[i].refusal[k].text,
                                       "not a store that could be repeated on the peers"));
            else
                assert_string_equal(results[i].refusal[k].text, "");
    free(text);
    free(clones);
    ptx_destroy(m);
}

/* True if the version's part of `text` contains these words. */
static bool has(const char *text, const char *clone, const char *words)
{
    char name[80];

    snprintf(name, sizeof name, ".entry words%s(", clone);
    const char *from = strstr(text, name);

    assert_non_null(from);
    char *body = strndup(from, (size_t)(strstr(from, "\n}") - from));
    bool found = strstr(body, words) != NULL;

    free(body);
    return found;
}

static void scopes_change_where_peers_take_part(void **state)
{
    struct instrument_result results[CASES];
    struct ptx_module *m;
    char *text = instrument(results, &m);

    (void)state;
    assert_true(has(text, "__proact_inline", "fence.acq_rel.sys;"));
    assert_true(has(text, "__proact_inline", "membar.sys;"));
    assert_true(has(text, "__proact_inline", "st.release.sys.global.f32 [%d3], %f1;"));
    assert_true(has(text, "__proact_count", "fence.acq_rel.gpu;"));
    assert_true(has(text, "__proact_count", "membar.gl;"));
    for (int k = 0; k < INSTRUMENT_KINDS; k++) {
        const char *clone = instrument_suffix((enum instrument_clone)k);

        assert_true(has(text, clone, "ld.global.f32 %f1, [%d3];"));
        assert_true(has(text, clone, "ld.global.nc.f32 %f2, [%d5];"));
    }
    free(text);
    ptx_destroy(m);
}

static void old_targets_and_long_parameters_are_refused(void **state)
{
    static const char text[] = ".version 6.0\n.target sm_60\n.address_size 64\n"
                               ".entry old()\n{\n\tret;\n}\n"
                               ".entry bare\n{\n\tret;\n}\n"
                               ".entry long(.param .b8 x[4200])\n{\n\tret;\n}\n";
    struct instrument_request r[] = {
        {.kernel = "old"}, {.kernel = "bare"}, {.kernel = "long"}};
    struct instrument_result results[3];
    struct ptx_module *m;
    struct proact_error err = {""};
    size_t bytes;
    char *clones;

    (void)state;
    assert_int_equal(ptx_parse("old.ptx", text, strlen(text), &m, NULL), 0);
    assert_int_equal(instrument_module(m, r, 3, results, &clones, &bytes, NULL), 0);
    assert_string_equal(results[0].refusal[INSTRUMENT_GRID].text, "");
    assert_string_equal(results[0].refusal[INSTRUMENT_COUNT].text,
                        "kernel 'old', old.ptx: it is PTX 6.0 for sm_60, to count its CTAs "
                        "needs 6.0 and sm_70");
    assert_non_null(strstr(clones, ".entry old__proact_grid(.param .align 8 .b8"));
    assert_non_null(strstr(clones, ".entry bare__proact_grid(.param .align 8 .b8"));
    assert_string_equal(results[2].refusal[INSTRUMENT_GRID].text,
                        "kernel 'long', old.ptx: its parameters have 4200 bytes, with the "
                        "partition's 272 they would not fit into 4352");
    free(clones);
    r[0].kernel = "none";
    assert_int_equal(instrument_module(m, r, 1, results, &clones, &bytes, &err),
                     PROACT_EINVAL);
    assert_string_equal(err.text, "old.ptx: no kernel is named 'none'");
    ptx_destroy(m);
}

static void newer_targets_take_long_parameters(void **state)
{
    static const char text[] = ".version 8.1\n.target sm_70\n.address_size 64\n"
                               ".entry fits(.param .b8 x[32480])\n{\n\tret;\n}\n"
                               ".entry longer(.param .b8 x[32488])\n{\n\tret;\n}\n";
    struct instrument_request r[] = {{.kernel = "fits"}, {.kernel = "longer"}};
    struct instrument_result results[2];
    struct ptx_module *m;
    size_t bytes;
    char *clones;

    (void)state;
    assert_int_equal(ptx_parse("new.ptx", text, strlen(text), &m, NULL), 0);
    assert_int_equal(instrument_module(m, r, 2, results, &clones, &bytes, NULL), 0);
    assert_string_equal(results[0].refusal[INSTRUMENT_GRID].text, "");
    assert_non_null(
        strstr(results[1].refusal[INSTRUMENT_GRID].text, "would not fit into 32764"));
    free(clones);
    ptx_destroy(m);
}

struct bench {
    struct proact *p;
    struct proact_array *a[3];
    struct proact_kernel *kernel;
    struct proact_error err;
};

enum { N = 4096, CTA = 64 };

static void must(struct bench *b, enum proact_status status)
{
    if (status)
        fail_msg("%s", b->err.text);
}

static void open_bench(struct bench *b, const char *kernel, const char *method)
{
    const struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = 4 * CTA};
    struct proact_image image = {.name = "refused.ptx"};
    static const uint32_t zeros[N];
    static const char *const names[] = {"a", "b", "other"};
    char *text = read_text(&image.bytes);

    *b = (struct bench){.p = NULL};
    must(b, proact_open(&(struct proact_options){.machine = "v100x4",
                                                 .check = true,
                                                 .plan = {.method = method}},
                        &b->p, &b->err));
    image.text = text;
    must(b, proact_kernel_load(b->p, &image, kernel, &b->kernel, &b->err));
    free(text);
    for (int i = 0; i < 3; i++) {
        must(b, proact_array_create(b->p, &(struct proact_shape){names[i], N, 4}, &b->a[i],
                                    &b->err));
        must(b, proact_array_write(b->a[i], 0, zeros, N, &b->err));
    }
    assert_null(proact_kernel_refusal(b->kernel)); /* no array is mapped */
    for (unsigned s = 0; s < 2; s++)
        must(b, proact_kernel_map(b->kernel, s, &map, &b->err));
}

/* Checks element 0 of `a` on every device. */
static void launch(struct bench *b, uint32_t expected)
{
    const struct proact_arg args[] = {PROACT_ARRAY(b->a[0]), PROACT_ARRAY(b->a[1]),
                                      PROACT_ARRAY(b->a[2])};

    must(b, proact_launch(b->kernel,
                          &(struct proact_grid){.ctas = {N / CTA}, .threads = {CTA}}, args,
                          3, &b->err));
    for (unsigned d = 0; d < 4; d++) {
        uint32_t got = 0;

        must(b, proact_array_read_replica(b->a[0], d, 0, &got, 1, &b->err));
        assert_int_equal(got, expected);
    }
}

static void a_refused_kernel_runs_on_one_device(void **state)
{
    struct proact_statistics s;
    struct bench b;

    (void)state;
    open_bench(&b, "red_slot", "polling");
    assert_non_null(strstr(proact_kernel_refusal(b.kernel), "on a replicated array"));
    launch(&b, N);
    launch(&b, 2 * N);
    must(&b, proact_statistics_get(b.p, 0, b.a[0], &s, &b.err));
    assert_int_equal(s.bytes, 2 * 3 * 4); /* one word to three peers, where it was read */
    proact_close(b.p);
}

/* Only `inline` refuses this kernel; other methods support it. */
static void a_refusal_belongs_to_the_plan(void **state)
{
    const struct proact_plan polling = {.method = "polling"};
    struct bench b;

    (void)state;
    open_bench(&b, "either", "inline");
    assert_non_null(strstr(proact_kernel_refusal(b.kernel), cannot_tell));
    must(&b, proact_plan_set(b.p, &polling, &b.err));
    assert_null(proact_kernel_refusal(b.kernel));
    proact_close(b.p);
}

/* Methods with an agent count CTAs that return under a guard. */
static void guarded_returns_are_counted(void **state)
{
    struct bench b;

    (void)state;
    for (const char *const *m = proact_method_names(); *m; m++) {
        open_bench(&b, "leaves", *m);
        const char *why = proact_kernel_refusal(b.kernel);

        if (why)
            assert_non_null(strstr(why, returned));
        launch(&b, 7);
        proact_close(b.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_refusal_has_its_message),
        cmocka_unit_test(only_inline_refuses_own_atomics),
        cmocka_unit_test(scopes_change_where_peers_take_part),
        cmocka_unit_test(old_targets_and_long_parameters_are_refused),
        cmocka_unit_test(newer_targets_take_long_parameters),
        cmocka_unit_test(a_refused_kernel_runs_on_one_device),
        cmocka_unit_test(a_refusal_belongs_to_the_plan),
        cmocka_unit_test(guarded_returns_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
