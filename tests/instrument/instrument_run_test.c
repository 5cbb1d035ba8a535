/* SPDX-License-Identifier: Apache-2.0 */
/* Plain kernels on several devices. Results equal those of one device bit for bit, with
   every method, several seeds, and the checker. `all` tries more devices and seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"

enum { CTA = 128, CTAS = 60, N = CTAS * CTA - 37 };

/* Written arrays in the order of the slots; 2 before 1 in "place". */
static const struct kernel {
    const char *name;
    uint32_t ctas[3];
    unsigned mapped[2], mapped_count;

} kernels[] = {
    {"early", {CTAS}, {1}, 1},       {"whole", {CTAS}, {1}, 1},
    {"place", {5, 4, 3}, {2, 1}, 2}, {"columns", {6, 10}, {1}, 1},
    {"widths", {CTAS}, {1, 2}, 2},   {"calls", {CTAS}, {1}, 1},
    {"warps", {CTAS}, {1}, 1},       {"walks", {CTAS}, {1}, 1},
    {"late", {CTAS}, {1}, 1},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

struct bench {
    struct proact *p;
    struct proact_error err;
    char title[100];
};

static void must(struct bench *b, enum proact_status status)
{
    if (status)
        fail_msg("%s: %s", b->title, b->err.text);
}

static struct proact_array *make(struct bench *b, const char *name, bool filled)
{
    struct proact_array *a;
    float content[N];

    for (int i = 0; i < N; i++)
        content[i] = filled ? (float)(i * 37 % 1009) : -1;
    must(b, proact_array_create(b->p, &(struct proact_shape){name, N, 4}, &a, &b->err));
    must(b, proact_array_write(a, 0, content, N, &b->err));
    return a;
}

static struct proact_kernel *load(struct bench *b, const struct kernel *k)
{
    const struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = 4 * CTA};
    struct proact_image image = {.name = "plain.ptx"};
    struct proact_kernel *kernel;
    char *text;

    must(b, file_read(PLAIN_PTX, &text, &image.bytes, &b->err));
    image.text = text;
    must(b, proact_kernel_load(b->p, &image, k->name, &kernel, &b->err));
    free(text);
    for (unsigned s = 0; s < k->mapped_count; s++)
        must(b, proact_kernel_map(kernel, k->mapped[s], &map, &b->err));
    const char *why = proact_kernel_refusal(kernel);

    if (why && !strstr(why, "sending needs all threads")) /* with another reason the kernel
                                                             must be split */
        fail_msg("%s: %s", b->title, why);
    return kernel;
}

static void compare(struct bench *b, struct proact_array *a, unsigned devices, float *truth)
{
    float got[N];

    for (unsigned d = 0; d < devices; d++) {
        must(b, proact_array_read_replica(a, d, 0, got, N, &b->err));
        for (int i = 0; i < N; i++)
            if (devices > 1 && got[i] != truth[i]) /* there are no NaN */
                fail_msg("%s: device %u: '%s' [%d] is %g, on one device %g", b->title, d,
                         a->name, i, (double)got[i], (double)truth[i]);
    }
    if (devices == 1)
        memcpy(truth, got, sizeof got);
}

/* Runs two launches, the second with exchanged arrays, which is then recorded and
   replayed. */
static void run(struct bench *b, const struct kernel *k, unsigned devices, float *truth)
{
    struct proact_array *in = make(b, "in", true), *one = make(b, "one", false),
                        *two = make(b, "two", false);
    struct proact_kernel *kernel = load(b, k);
    struct proact_recording *recording;
    const int n = N;
    const struct proact_grid grid = {.ctas = {k->ctas[0], k->ctas[1], k->ctas[2]},
                                     .threads = {CTA}};
    const struct proact_arg first[] = {PROACT_ARRAY(in), PROACT_ARRAY(one),
                                       PROACT_ARRAY(two), PROACT_VALUE(n)},
                            second[] = {PROACT_ARRAY(one), PROACT_ARRAY(two),
                                        PROACT_ARRAY(in), PROACT_VALUE(n)};

    must(b, proact_launch(kernel, &grid, first, 4, &b->err));
    must(b, proact_launch(kernel, &grid, second, 4, &b->err));
    must(b, proact_record_begin(b->p, &b->err));
    must(b, proact_launch(kernel, &grid, first, 4, &b->err));
    must(b, proact_launch(kernel, &grid, second, 4, &b->err));
    must(b, proact_record_end(b->p, &recording, &b->err));
    for (int i = 0; i < 2; i++)
        must(b, proact_replay(recording, &b->err));
    must(b, proact_wait(b->p, &b->err));
    assert_true(devices == 1 || kernel->bindings || proact_kernel_refusal(kernel));
    compare(b, in, devices, truth);
    compare(b, one, devices, truth + N);
    compare(b, two, devices, truth + 2 * N);
    proact_kernel_destroy(kernel);
    proact_array_destroy(two);
    proact_array_destroy(one);
    proact_array_destroy(in);
}

static void run_all(const struct proact_options *options, float *truth)
{
    struct bench b = {.p = NULL};

    snprintf(b.title, sizeof b.title, "opening");
    must(&b, proact_open(options, &b.p, &b.err));
    for (unsigned k = 0; k < KERNELS; k++) {
        snprintf(b.title, sizeof b.title, "%s, %s on %u devices, seed %d%s",
                 kernels[k].name, options->plan.method, options->device_count,
                 (int)options->seed, options->check ? ", checked" : "");
        run(&b, &kernels[k], options->device_count, truth + 3 * N * k);
    }
    proact_close(b.p);
}

static void splits_like_one_device(void **state)
{
    static const char *const mixed[] = {"fused+copy-engine:8K", "polling+fused:16K", NULL};
    static const unsigned devices[] = {3, 2, 8};
    float *truth = must_calloc(3ull * N * KERNELS, sizeof *truth);
    struct proact_options o = {.machine = "v100x16",
                               .device_count = 1,
                               .host_threads = 1,
                               .plan = {.method = "bulk", .chunk_bytes = 4096}};

    const char *const *argv = *state;
    bool all = argv[1] && !strcmp(argv[1], "all");

    run_all(&o, truth);
    for (int which = 0; which < 2; which++)
        for (const char *const *m = which ? mixed : proact_method_names(); *m; m++)
            for (unsigned d = 0; d < (all ? 3 : 1); d++)
                for (uint64_t seed = 0; seed < (all ? 4 : 2); seed++) {
                    o.plan.method = *m;
                    o.device_count = devices[d];
                    o.seed = seed;
                    o.check = seed == 0 && d < 2;
                    run_all(&o, truth);
                }
    free(truth);
}

/* Versions for one slot are replaced by versions for more. */
static void maps_may_come_later(void **state)
{
    const struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = 4 * CTA};
    const struct kernel place = {"place", {5, 4, 3}, {2}, 1};
    const struct proact_grid grid = {.ctas = {5, 4, 3}, .threads = {CTA}};
    float *truth = must_calloc(N, sizeof *truth);
    const int n = N;
    struct bench b = {.title = "place, with maps later"};

    (void)state;
    for (int i = 0; i < N; i++) {
        int cta = i / CTA, z = cta / 20, y = cta / 5 % 4;

        truth[i] = (float)(i * 37 % 1009 + 100 * y + z);
    }
    for (const char *const *m = proact_method_names(); *m; m++) {
        must(&b, proact_open(
                     &(struct proact_options){.machine = "v100x4", .plan = {.method = *m}},
                     &b.p, &b.err));
        struct proact_kernel *kernel = load(&b, &place);
        struct proact_array *in = make(&b, "in", true), *one = make(&b, "one", false),
                            *two = make(&b, "two", false);
        const struct proact_arg args[] = {PROACT_ARRAY(in), PROACT_ARRAY(one),
                                          PROACT_ARRAY(two), PROACT_VALUE(n)};

        must(&b, proact_launch(kernel, &grid, args, 4, &b.err));
        must(&b, proact_kernel_map(kernel, 1, &map, &b.err));
        must(&b, proact_launch(kernel, &grid, args, 4, &b.err));
        compare(&b, one, 4, truth);
        proact_close(b.p);
    }
    free(truth);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_may_come_later),
        cmocka_unit_test_prestate(splits_like_one_device, argv),
    };

    (void)argc;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
