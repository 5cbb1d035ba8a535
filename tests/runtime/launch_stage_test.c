/* SPDX-License-Identifier: Apache-2.0 */
/* Staging under `inline`: sub-packet stores of CTAs that each write one range are staged
   and go to the peers as full packets. All other stores are sent as they happen. Every
   replica equals the result of one device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include <proact/program.h>

#include "runtime/objects/kernel.h"

enum { COUNT = 50000, SKIPPED = 77, PACKET = 128 };

static const char *const forms[] = {PROACT_BINARY "/tests/runtime/staged_runs.ptx",
                                    PROACT_BINARY "/tests/runtime/staged_runs_90.ptx"};

/* `n` of the kernel, threads of a CTA, bytes of its own shared memory. */
static const struct one {
    const char *kernel;
    uint32_t n, threads, shared;
    bool is_staged, is_same; /* is_same: `out` and `other` are one array */
} all[] = {
    {"triples", 8192, 256, 0, true, false},
    {"triples", 10007, 256, 0, true, false}, /* ends within a packet and within 16 bytes */
    {"triples", 3, 256, 0, false, false},    /* less than the range of one CTA */
    {"triples", 8192, 32, 0, true, false},   /* a short range */
    {"triples", 8192, 256, 40000, false, false}, /* fewer CTAs would fit on an SM */
    /* Ranges of 3000 bytes: no multiple of 16. */
    {"triples", 8000, 250, 0, false, false},
    {"shifted", 8000, 256, 0, false, false},
    {"apart", 8000, 256, 0, false, false},
    {"restaged", 9001, 256, 100, true, false},
    {"both", 6001, 256, 0, true, false},
    {"twice", 9000, 256, 0, false, true},
    {"wide", 8192, 1024, 0, false, false},
    {"some", 9000, 256, 0, false, false},
    {"gaps", 9000, 256, 0, false, false},
    {"noted", 9000, 256, 0, false, false},
};
enum { ALL = sizeof all / sizeof *all };

struct stage {
    struct proact *p;
    struct proact_array *out, *other, *in;
    struct proact_kernel *kernel;
    struct proact_error err;
    const char *title;
};

static void must(struct stage *s, enum proact_status status)
{
    if (status)
        fail_msg("%s: %s", s->title, s->err.text);
}

static struct proact_array *array(struct stage *s, const char *name, int factor)
{
    static float content[COUNT];
    const struct proact_shape shape = {name, COUNT, sizeof *content};
    struct proact_array *a;

    for (int i = 0; i < COUNT; i++)
        content[i] = (float)(i * factor % 1009);
    must(s, proact_array_create(s->p, &shape, &a, &s->err));
    must(s, proact_array_write(a, 0, content, COUNT, &s->err));
    return a;
}

static void open_stage(struct stage *s, const struct proact_options *o, const char *form,
                       const struct one *one)
{
    char *text;
    size_t bytes;

    *s = (struct stage){.title = one->kernel};
    must(s, proact_open(o, &s->p, &s->err));
    s->out = array(s, "out", 0);
    s->other = one->is_same ? s->out : array(s, "other", 0);
    s->in = array(s, "in", 37);
    must(s, file_read(form, &text, &bytes, &s->err));
    must(s, proact_kernel_load(s->p, &(struct proact_image){.name = "runs", .text = text},
                               one->kernel, &s->kernel, &s->err));
    free(text);
}

static void launch(struct stage *s, const struct one *one)
{
    const int n = (int)one->n;
    const struct proact_grid grid = {
        .ctas = {(one->n + one->threads - 1) / one->threads + 1},
        .threads = {one->threads},
        .dynamic_shared_bytes = one->shared};
    const struct proact_arg args[] = {PROACT_ARRAY(s->out), PROACT_ARRAY(s->other),
                                      PROACT_ARRAY(s->in), PROACT_VALUE(n)};

    must(s, proact_launch(s->kernel, &grid, args, 4, &s->err));
}

/* Compares all replicas with `truth`, which one device first computes. */
static void compare(struct stage *s, struct proact_array *a, float *truth)
{
    static float got[COUNT];
    const unsigned devices = proact_device_count(s->p);

    for (unsigned d = 0; d < devices; d++) {
        must(s, proact_array_read_replica(a, d, 0, got, COUNT, &s->err));
        if (devices == 1)
            memcpy(truth, got, sizeof got);
        for (int i = 0; i < COUNT; i++)
            if (memcmp(&got[i], &truth[i], sizeof *got) != 0)
                fail_msg("%s: device %u: element %d is %g, on one device %g", s->title, d,
                         i, (double)got[i], (double)truth[i]);
    }
}

/* Bytes per packet of at most two launches. */
static double run(const struct proact_options *o, const char *form, const struct one *one,
                  float *truth)
{
    struct proact_statistics before, after;
    struct proact_recording *recording;
    struct stage s;

    open_stage(&s, o, form, one);
    must(&s, proact_statistics_get(s.p, PROACT_ALL_DEVICES, NULL, &before, &s.err));
    launch(&s, one);
    must(&s, proact_statistics_get(s.p, PROACT_ALL_DEVICES, NULL, &after, &s.err));
    if (one->is_staged && strstr(form, "_90") && proact_device_count(s.p) > 1 &&
        !strstr(proact_kernel_plan(s.kernel), "; stores staged: modelled "))
        fail_msg("%s: %s", one->kernel, proact_kernel_plan(s.kernel));
    compare(&s, s.out, truth);
    compare(&s, s.other, truth + COUNT);
    must(&s, proact_record_begin(s.p, &s.err));
    launch(&s, one);
    must(&s, proact_record_end(s.p, &recording, &s.err));
    must(&s, proact_replay(recording, &s.err));
    compare(&s, s.out, truth);
    if (!strcmp(one->kernel, "wide"))
        assert_false(s.kernel->is_narrow); /* its packets are full without staging */
    proact_close(s.p);
    return after.packets > before.packets ? (double)(after.bytes - before.bytes) /
                                                (double)(after.packets - before.packets)
                                          : 0;
}

static void check_packets(const struct one *one, const char *form, bool may, double bytes)
{
    const bool is_staged = bytes > PACKET * 3 / 4.0;

    if (strcmp(one->kernel, "wide") && (one->is_staged && may) != is_staged)
        fail_msg("%s of %u, %s: %g bytes a packet", one->kernel, one->n, form, bytes);
}

static void subpacket_stores_are_staged(void **state)
{
    float *truth = must_calloc(2ull * COUNT, sizeof *truth);
    struct proact_options o = {.machine = "h200x8", .plan = {.method = "inline"}};

    (void)state;
    for (int n = 0; n < ALL; n++)
        for (size_t f = 0; f < 2; f++)
            for (unsigned devices = 1; devices <= 8; devices += devices < 4 ? 1 : 4) {
                o.device_count = devices;
                o.seed = devices;
                o.check = devices > 1;
                double bytes = run(&o, forms[f], &all[n], truth);

                if (devices > 1)
                    check_packets(&all[n], forms[f], f > 0, bytes);
            }
    free(truth);
}

/* Staged stores give the result of one device on the machine named by `*state`. */
static void staged_stores_arrive(void **state)
{
    float *truth = must_calloc(2ull * COUNT, sizeof *truth);
    struct proact_options o = {.machine = *state, .plan = {.method = "inline"}};

    for (int n = 0; n < ALL; n++)
        for (unsigned devices = 1; devices != UINT32_MAX;
             devices = devices ? 0 : UINT32_MAX) {
            o.device_count = devices;
            run(&o, forms[1], &all[n], truth);
        }
    free(truth);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest anywhere[] = {
        cmocka_unit_test_prestate(staged_stores_arrive, argc > 1 ? argv[1] : NULL),
    };
    const struct CMUnitTest tests[] = {cmocka_unit_test(subpacket_stores_are_staged)};
    struct proact *p;

    if (argc == 1)
        return cmocka_run_group_tests(tests, NULL, NULL);
    if (proact_open(&(struct proact_options){.machine = argv[1]}, &p, NULL))
        return SKIPPED;
    proact_close(p);
    return cmocka_run_group_tests(anywhere, NULL, NULL);
}
