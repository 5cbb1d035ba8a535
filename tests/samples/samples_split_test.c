/* SPDX-License-Identifier: Apache-2.0 */
/* Every sample kernel on 1, 2, 4, 8 and 16 emulated devices under every method. Results
   equal the CPU's reference on every replica, and those of one device bit for bit.

   Without arguments every compiler's PTX runs with some of the devices. `all` tries all
   combinations, `check` runs kernels without races under the checker, and `local` uses the
   GPUs of this machine. A second argument, `plain`, uses the plain kernels with the same
   maps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "device/device.h"
#include "samples/samples_ptx.h"

static const unsigned device_counts[] = {1, 2, 4, 8, 16};
enum { DEVICE_COUNTS = 5, COMPILERS_MAX = 8 };

/* Results of one device, by compiler, sample and array; the content has the sample's
   size. */
struct truth {
    void *content[COMPILERS_MAX][SAMPLES_COUNT][SAMPLES_ARRAYS_MAX];
};

struct setup {
    struct proact *session;
    unsigned devices, compiler;
    uint64_t seed;
    bool checks, few, plain;
    const char *method, *machine;
    struct truth *truth;
    struct proact_error err;
    char title[128];
};

static void must(struct setup *s, enum proact_status status)
{
    if (status)
        fail_msg("%s: %s", s->title, s->err.text);
}

static void make_arrays(struct setup *s, const struct samples_case *c,
                        struct proact_array **arrays)
{
    for (unsigned i = 0; i < c->array_count; i++) {
        const struct samples_array *a = &c->arrays[i];
        const struct proact_shape shape = {.name = a->name,
                                           .count = a->count,
                                           .element_bytes = samples_bytes(a) / a->count};

        must(s, proact_array_create(s->session, &shape, &arrays[i], &s->err));
        must(s, proact_array_write(arrays[i], 0, a->content, a->count, &s->err));
    }
}

/* Maps belong to arguments, and are declared in the order of the slots. */
static void declare_maps(struct setup *s, const struct samples_case *c,
                         struct proact_kernel *kernel)
{
    for (unsigned i = 0; i < c->array_count; i++)
        for (unsigned p = 0; c->arrays[i].is_mapped && p < c->parameter_count; p++)
            if (c->parameters[p].array == (int)i)
                must(s, proact_kernel_map(kernel, p, &c->arrays[i].map, &s->err));
}

static void launch(struct setup *s, const struct samples_case *c,
                   struct proact_kernel *kernel, struct proact_array *const *arrays)
{
    struct proact_arg args[SAMPLES_PARAMETERS_MAX] = {{0}};
    int32_t zero = 0, changed = 0;

    for (unsigned p = 0; p < c->parameter_count; p++) {
        const struct samples_parameter *q = &c->parameters[p];

        if (q->array >= 0)
            args[p].array = arrays[q->array];
        if (q->array < 0 || q->bytes > 8) { /* a struct that begins with an address */
            args[p].value = q->value;
            args[p].bytes = q->bytes;
        }
    }
    do {
        if (c->again >= 0)
            must(s, proact_array_write(arrays[c->again], 0, &zero, 1, &s->err));
        must(s, proact_launch(kernel, &c->grid, args, c->parameter_count, &s->err));
        if (c->again >= 0)
            must(s, proact_array_read(arrays[c->again], 0, &changed, 1, &s->err));
    } while (changed);
    must(s, proact_wait(s->session, &s->err));
}

static void compare(struct setup *s, const struct sample *sample,
                    const struct samples_array *a, struct proact_array *array, void **truth)
{
    void *got = must_calloc(1, samples_bytes(a));
    char sentence[160];

    for (unsigned d = 0; d < s->devices; d++) {
        must(s, proact_array_read_replica(array, d, 0, got, a->count, &s->err));
        if (!samples_agree(a, got, sentence, sizeof sentence))
            fail_msg("%s: device %u: %s", s->title, d, sentence);
        if (!*truth) {
            *truth = must_calloc(1, samples_bytes(a));
            memcpy(*truth, got, samples_bytes(a));
        }
        if (!sample->is_unordered && memcmp(*truth, got, samples_bytes(a)))
            fail_msg("%s: device %u: %s differs from what one device gives", s->title, d,
                     a->name);
    }
    free(got);
}

static unsigned samples_split_one(struct setup *s, unsigned number)
{
    const struct sample *sample = &samples[number];
    const char *compiler = samples_compilers[s->compiler];
    enum samples_form form =
        s->plain || sample->is_plain_only ? SAMPLES_PLAIN : SAMPLES_ANNOTATED;
    struct proact_array *arrays[SAMPLES_ARRAYS_MAX] = {NULL};
    struct proact_kernel *kernel = NULL;
    struct samples_case c;
    size_t bytes;
    char *text = samples_ptx(sample, compiler, form, &bytes);

    if (!text)
        return 0;
    snprintf(s->title, sizeof s->title, "%s, %s, %s on %u devices", sample->name, compiler,
             s->method, s->devices);
    const struct proact_image image = {.name = sample->file, .text = text, .bytes = bytes};

    samples_begin(&c, sample, false);
    make_arrays(s, &c, arrays);
    enum proact_status status =
        proact_kernel_load(s->session, &image, sample->name, &kernel, &s->err);
    bool is_newer = s->machine && status == PROACT_EREFUSED; /* than the GPU */

    if (is_newer)
        goto done;
    must(s, status);
    declare_maps(s, &c, kernel);
    if (proact_kernel_refusal(kernel))
        fail_msg("%s: %s", s->title, proact_kernel_refusal(kernel));
    launch(s, &c, kernel, arrays);
    for (unsigned i = 0; i < c.array_count; i++)
        if (c.arrays[i].expected)
            compare(s, sample, &c.arrays[i], arrays[i],
                    &s->truth->content[s->compiler][number][i]);
    proact_kernel_destroy(kernel);
done:
    for (unsigned i = 0; i < c.array_count; i++)
        proact_array_destroy(arrays[i]);
    samples_end(&c);
    free(text);
    return !is_newer;
}

static bool is_wanted(const struct setup *s, const struct sample *sample)
{
    static const char *const few[] = {"vecadd", "jacobi", "transpose", "pr_pull"};

    if (s->checks && sample->races)
        return false;
    for (size_t i = 0; i < sizeof few / sizeof *few; i++)
        if (!strcmp(sample->name, few[i]))
            return true;
    /* With `dynamic` the driver links each kernel again, which takes one second. */
    return !s->few && !(s->machine && !strcmp(s->method, "dynamic"));
}

static unsigned split_all(struct setup *s)
{
    const struct proact_options options = {
        .machine = s->machine ? s->machine : PROACT_SOURCE "/tests/kernels/recent.json",
        .device_count = s->devices,
        .seed = s->seed,
        .check = s->checks,
        .host_threads = s->machine ? 0 : 1, /* on GPUs, all helper threads */
        .plan = {.method = s->method, .chunk_bytes = 4096, .transfer_threads = 256}};
    unsigned ran = 0;

    snprintf(s->title, sizeof s->title, "%s on %u devices", s->method, s->devices);
    enum proact_status status = proact_open(&options, &s->session, &s->err);

    if (s->machine && status == PROACT_EREFUSED) /* it does not support the method */
        return 0;
    must(s, status);
    for (unsigned i = 0; i < SAMPLES_COUNT; i++)
        if (is_wanted(s, &samples[i]))
            ran += samples_split_one(s, i);
    proact_close(s->session);
    return ran;
}

static void forget(struct truth *truth)
{
    for (unsigned c = 0; c < COMPILERS_MAX; c++)
        for (unsigned i = 0; i < SAMPLES_COUNT; i++)
            for (unsigned a = 0; a < SAMPLES_ARRAYS_MAX; a++)
                free(truth->content[c][i][a]);
    free(truth);
}

/* One device runs first and gives the expected results. */
static void run_methods(bool all, bool checks, bool plain)
{
    struct truth *truth = must_calloc(1, sizeof *truth);
    unsigned ran = 0, turn = 0;

    for (unsigned c = 0; samples_compilers[c]; c++)
        for (unsigned d = 0; d < DEVICE_COUNTS; d++)
            for (const char *const *m = proact_method_names(); *m; m++) {
                struct setup s = {.devices = device_counts[d],
                                  .compiler = c,
                                  .checks = checks,
                                  .plain = plain,
                                  .method = *m,
                                  .truth = truth};

                if (all || d == 0 || turn++ % 4 == 0)
                    ran += split_all(&s);
            }
    assert_true(ran >= SAMPLES_COUNT);
    forget(truth);
}

static void run_seeds(bool plain)
{
    enum { SEEDS = 200 };
    struct truth *truth = must_calloc(1, sizeof *truth);
    unsigned ran = 0;

    for (unsigned c = 0; samples_compilers[c] && !ran; c++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
            for (const char *const *m = proact_method_names(); *m; m++) {
                struct setup s = {.devices = 3,
                                  .compiler = c,
                                  .seed = seed,
                                  .few = true,
                                  .plain = plain,
                                  .method = *m,
                                  .truth = truth};

                ran += split_all(&s);
            }
    assert_true(ran >= SEEDS);
    forget(truth);
}

static void run_here(bool plain)
{
    struct truth *truth = must_calloc(1, sizeof *truth);
    struct topology found;
    unsigned ran = 0;

    if (device_cuda.find(&found, NULL))
        skip();
    for (unsigned c = 0; samples_compilers[c]; c++)
        for (unsigned d = 1; d <= found.device_count; d *= 2)
            for (const char *const *m = proact_method_names(); *m; m++) {
                struct setup s = {.devices = d,
                                  .compiler = c,
                                  .method = *m,
                                  .plain = plain,
                                  .machine = PROACT_MACHINE_LOCAL,
                                  .truth = truth};

                ran += split_all(&s);
            }
    printf("%u runs of samples on %u devices\n", ran, found.device_count);
    assert_true(ran >= SAMPLES_COUNT);
    forget(truth);
}

static void samples_equal_their_reference_on_all_devices(void **state)
{
    const char *const *argv = *state;
    const char *which = argv[1] ? argv[1] : "";
    bool plain = argv[1] && argv[2] && !strcmp(argv[2], "plain");

    if (!strcmp(which, "seeds"))
        run_seeds(plain);
    else if (!strcmp(which, "local"))
        run_here(plain);
    else
        run_methods(!strcmp(which, "all"), !strcmp(which, "check"), plain);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(samples_equal_their_reference_on_all_devices, argv),
    };

    (void)argc;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
