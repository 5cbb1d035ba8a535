/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel of the table and every plain sample, without annotations and maps, on
   emulated devices. The results equal the CPU's reference and those of one device bit for
   bit, and all replicas are equal. Kernels that the table splits are split; the others have
   a reason. Without arguments each kernel has one compiler and number of devices, with one
   method and with plans that differ from launch to launch.
   `all` tries all methods and numbers, with compilers in turn; `local` uses the GPUs of
   this machine. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <proact/program.h>

#include "base/hash.h"
#include "base/memory.h"
#include "device/device.h"
#include "kernels/kernels.h"
#include "runtime/objects/session.h"
#include "samples/samples_ptx.h"

/* Kernels that are not split although no two CTAs store to one element, with the reason,
   for all compilers or for one. */
static const struct reason {
    const char *name, *part, *compiler; /* NULL: any */
} reasons[] = {
    {"chosen_by_data", "where it writes depends on what line", NULL},
    {"bounded_rows", "where it writes depends on what line", NULL},
    /* For sm_100 the loop is unrolled. Its read range is a superset that extends past the
       end, to the bins. */
    {"hist", "and the kernel may read the same bytes", "sm_100"},
};

/* Kernels that do not run here: they need cooperative or cluster launches. tests/proactcc
   and tests/device test such launches. */
static const char *const not_here[] = {"grid sync", "cluster"};

/* Each launch has another plan. */
static const char varied[] = "varied plans";

struct setup {
    struct proact *session;
    const char *compiler, *method; /* method: or `varied` */
    unsigned devices;
    uint32_t seed;
    bool has_races; /* runs only kernels with races, unchecked; otherwise only the others */
    unsigned *ran, *failed;
    struct proact_error err;
    char title[160];
};

/* A running kernel. */
struct run {
    struct setup *setup;
    const struct sample *sample;
    struct samples_case c;
    struct proact_array *arrays[SAMPLES_ARRAYS_MAX];
    struct proact_kernel *kernel;
    bool is_block; /* launched with a parameter buffer */
    uint64_t *truth;
};

static bool failed(struct setup *s, const char *sentence)
{
    print_error("%s: %s\n", s->title, sentence);
    ++*s->failed;
    return false;
}

static bool ok(struct setup *s, enum proact_status status)
{
    return !status || failed(s, s->err.text);
}

static bool make_arrays(struct run *r)
{
    uint64_t addresses[SAMPLES_ARRAYS_MAX] = {0};
    struct setup *s = r->setup;
    bool good = true;

    for (unsigned i = 0; i < r->c.array_count && good; i++) {
        const struct samples_array *a = &r->c.arrays[i];
        const struct proact_shape shape = {a->name, a->count, samples_bytes(a) / a->count};

        good = ok(s, proact_array_create(s->session, &shape, &r->arrays[i], &s->err));
        addresses[i] = good ? proact_array_address(r->arrays[i], 0) : 0;
    }
    for (unsigned i = 0; i < r->c.array_count && good; i++) {
        void *content = must_calloc(1, samples_bytes(&r->c.arrays[i]));

        samples_lay_content(&r->c, addresses, i, content);
        good = ok(
            s, proact_array_write(r->arrays[i], 0, content, r->c.arrays[i].count, &s->err));
        free(content);
    }
    return good;
}

static enum proact_status launch_block(struct run *r)
{
    const struct proact_kernel_info info = proact_kernel_describe(r->kernel);
    struct proact_relocation relocations[SAMPLES_PARAMETERS_MAX * SAMPLES_INSIDE_MAX];
    _Alignas(16) unsigned char bytes[SAMPLES_BLOCK_MAX] = {0};
    const uint64_t no_addresses[SAMPLES_ARRAYS_MAX] = {0};
    struct proact_parameter_buffer block = {bytes, 0, relocations, 0};

    block.size = samples_lay_parameters(&r->c, no_addresses, bytes);
    for (unsigned p = 0; p < r->c.parameter_count; p++) {
        const struct samples_parameter *q = &r->c.parameters[p];
        uint32_t at = info.parameters[p].offset;

        if (q->array >= 0)
            relocations[block.relocation_count++] =
                (struct proact_relocation){at, r->arrays[q->array], 0};
        for (unsigned i = 0; i < q->inside_count; i++)
            relocations[block.relocation_count++] = (struct proact_relocation){
                at + (uint32_t)q->inside[i].offset, r->arrays[q->inside[i].array], 0};
    }
    r->c.grid.device_count = r->setup->devices; /* also small grids are split */
    return proact_launch_buffer(r->kernel, &r->c.grid, &block, &r->setup->err);
}

static enum proact_status launch(struct run *r)
{
    struct proact_arg args[SAMPLES_PARAMETERS_MAX] = {{0}};

    if (r->is_block)
        return launch_block(r);
    for (unsigned p = 0; p < r->c.parameter_count; p++) {
        const struct samples_parameter *q = &r->c.parameters[p];

        if (q->array >= 0)
            args[p].array = r->arrays[q->array];
        if (q->array < 0 || q->bytes > 8) { /* a struct that begins with an address */
            args[p].value = q->value;
            args[p].bytes = q->bytes;
        }
    }
    return proact_launch(r->kernel, &r->c.grid, args, r->c.parameter_count, &r->setup->err);
}

static bool launch_until_done(struct run *r)
{
    int32_t zero = 0, changed = 0;
    struct setup *s = r->setup;
    bool good;

    do {
        struct proact_array *again = r->c.again >= 0 ? r->arrays[r->c.again] : NULL;

        good = (!again || ok(s, proact_array_write(again, 0, &zero, 1, &s->err))) &&
               ok(s, launch(r)) &&
               (!again || ok(s, proact_array_read(again, 0, &changed, 1, &s->err)));
    } while (good && changed);
    /* A launch with a parameter buffer on device 0 sends nothing by itself. */
    for (unsigned i = 0; i < r->c.array_count && good && r->is_block; i++)
        good = ok(s, proact_array_broadcast(r->arrays[i], &s->err));
    return good && ok(s, proact_wait(s->session, &s->err));
}

static uint32_t ctas(const struct proact_grid *g)
{
    return g->ctas[0] * (g->ctas[1] ? g->ctas[1] : 1) * (g->ctas[2] ? g->ctas[2] : 1);
}

static bool check_split(struct run *r)
{
    const char *why = proact_kernel_refusal(r->kernel);
    struct setup *s = r->setup;

    if (s->devices == 1)
        return true;
    if (r->sample->verdict >= SAMPLES_IRREGULAR)
        return why || samples_have_table(&r->c) || failed(s, "is split, which cannot be");
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons && why; i++)
        if (!strcmp(reasons[i].name, r->sample->name) && strstr(why, reasons[i].part) &&
            (!reasons[i].compiler || !strcmp(reasons[i].compiler, s->compiler)))
            return true;
    return !why || ctas(&r->c.grid) < s->devices || failed(s, why);
}

static bool compare(struct run *r, unsigned number)
{
    const struct samples_array *a = &r->c.arrays[number];
    void *got = must_calloc(1, samples_bytes(a));
    struct setup *s = r->setup;
    char sentence[200];
    bool good = true;

    for (unsigned d = 0; d < r->setup->devices && good; d++) {
        good = ok(
            s, proact_array_read_replica(r->arrays[number], d, 0, got, a->count, &s->err));
        uint64_t hash = hash_bytes(got, samples_bytes(a), 0);

        if (good && !samples_agree(a, got, sentence, sizeof sentence))
            good = failed(s, sentence);
        if (!r->truth[number])
            r->truth[number] = hash;
        if (good && hash != r->truth[number] && !r->sample->is_unordered && !a->is_set)
            good = failed(s, "differs from what the first device of one gives");
    }
    free(got);
    return good;
}

static bool runs_plainly(const struct sample *sample)
{
    for (size_t i = 0; sample->refusal && i < sizeof not_here / sizeof *not_here; i++)
        if (!strcmp(sample->refusal, not_here[i]))
            return false;
    return true;
}

static bool runs(const struct setup *s, const struct sample *sample)
{
    return runs_plainly(sample) && sample->races == s->has_races;
}

static void run_kernel(struct setup *s, const struct sample *sample,
                       const struct proact_image *image, uint64_t *truth)
{
    struct run r = {.setup = s, .sample = sample, .truth = truth};
    bool good;

    snprintf(s->title, sizeof s->title, "%s, %s, %s on %u devices, seed %" PRIu32,
             sample->name, s->compiler, s->method, s->devices, s->seed);
    samples_begin_seeded(&r.c, sample, false, s->seed);
    for (unsigned p = 0; p < r.c.parameter_count; p++)
        r.is_block |= r.c.parameters[p].inside_count > 0;
    /* These are split only in programs. */
    r.is_block |= r.sample->verdict == SAMPLES_REDUCES;
    r.is_block |= samples_have_table(&r.c);
    good = make_arrays(&r) &&
           ok(s, proact_kernel_load(s->session, image, sample->name, &r.kernel, &s->err)) &&
           launch_until_done(&r) && check_split(&r);
    for (unsigned i = 0; i < r.c.array_count && good; i++)
        if (r.c.arrays[i].expected)
            good = compare(&r, i);
    proact_kernel_destroy(r.kernel);
    for (unsigned i = 0; i < r.c.array_count; i++)
        proact_array_destroy(r.arrays[i]);
    samples_end(&r.c);
    ++*s->ran;
}

/* Runs the kernels of one text in one session, with the checker unless they have races. */
static void run_text(struct setup s, const struct sample *first, int count,
                     const struct proact_image *image, uint64_t truth[][SAMPLES_ARRAYS_MAX])
{
    const struct proact_options options = {
        .machine = PROACT_SOURCE "/tests/kernels/recent.json",
        .device_count = s.devices,
        .seed = s.seed + 1,
        .check = !s.has_races,
        .host_threads = 1,
        .plan = {.method = s.method == varied ? NULL : s.method,
                 .chunk_bytes = 4096,
                 .transfer_threads = 256}};
    int some = 0;

    for (int i = 0; i < count; i++)
        some += runs(&s, &first[i]);
    snprintf(s.title, sizeof s.title, "%s on %u devices", s.method, s.devices);
    if (!some || !ok(&s, proact_open(&options, &s.session, &s.err)))
        return;
    if (s.method == varied)
        s.session->vary_plans = hash_text(first->file, s.seed + 1);
    for (int i = 0; i < count; i++)
        if (runs(&s, &first[i]))
            run_kernel(&s, &first[i], image, truth[i]);
    proact_close(s.session);
}

enum { NUMBERS = 4, SEEDS = 2 };
static const unsigned device_counts[NUMBERS] = {1, 2, 4, 8};

static void run_all(struct setup s, const struct sample *first, int count,
                    const struct proact_image *image)
{
    const char *const *const methods = proact_method_names();
    uint64_t(*truth)[SAMPLES_ARRAYS_MAX] = must_calloc((size_t)count, sizeof *truth);

    for (int d = 0; d < NUMBERS; d++)
        for (const char *const *m = methods; *m && (d || m == methods); m++)
            for (int races = 0; races < 2; races++) {
                s.devices = device_counts[d];
                s.method = *m;
                s.has_races = races > 0;
                run_text(s, first, count, image, truth);
            }
    free(truth);
}

static unsigned methods_known(void)
{
    unsigned count = 0;

    while (proact_method_names()[count])
        count++;
    return count;
}

static void run_once(struct setup s, const struct sample *first, int count,
                     const struct proact_image *image, unsigned turn)
{
    uint64_t(*truth)[SAMPLES_ARRAYS_MAX] = must_calloc((size_t)count, sizeof *truth);

    s.method = proact_method_names()[turn % methods_known()];
    s.devices = device_counts[1 + turn % (NUMBERS - 1)];
    s.seed = turn % 3;
    for (int races = 0; races < 4; races++) {
        s.has_races = races & 1;
        s.method = races < 2 ? s.method : varied;
        run_text(s, first, count, image, truth);
    }
    free(truth);
}

/* Source of rows: a table, and the compilers' texts of its files. */
struct table {
    const struct sample *rows;
    int count;
    const char *const *compilers;
    char *(*text)(const struct sample *s, const char *compiler, size_t *bytes);
    /* NULL: the tree contains all texts; otherwise the build made them. */
    bool (*compiles)(const char *compiler, const struct sample *s);
};

static char *plain_text(const struct sample *s, const char *compiler, size_t *bytes)
{
    return samples_ptx(s, compiler, SAMPLES_PLAIN, bytes);
}

/* The text of a file by the next compiler that has one. */
static char *next_text(const struct table *t, const struct sample *s, unsigned turn,
                       struct setup *setup, size_t *bytes)
{
    unsigned compilers = 0;
    char *text = NULL;

    do
        compilers++;
    while (t->compilers[compilers]);
    for (unsigned i = 0; i < compilers && !text; i++) {
        setup->compiler = t->compilers[(turn + i) % compilers];
        text = t->text(s, setup->compiler, bytes);
    }
    return text;
}

/* Another seed also selects another compiler. */
static void run_table(const struct table *t, bool all, struct setup s)
{
    unsigned turn = 0;

    for (int first = 0, count; first < t->count; first += count, turn++) {
        const char *file = t->rows[first].file;
        struct proact_image image = {.name = file};

        for (count = 0; first + count < t->count; count++)
            if (strcmp(t->rows[first + count].file, file) != 0)
                break;
        for (s.seed = 0; s.seed < (all ? SEEDS : 1); s.seed++) {
            char *text = next_text(t, &t->rows[first], turn + s.seed, &s, &image.bytes);

            image.text = text;
            if (text && all)
                run_all(s, &t->rows[first], count, &image);
            else if (text)
                run_once(s, &t->rows[first], count, &image, turn);
            free(text);
        }
    }
}

static const struct table tables[] = {
    {samples, SAMPLES_COUNT, samples_compilers, plain_text, NULL},
    {kernels, KERNELS_COUNT, kernels_compilers, kernels_ptx, kernels_compiles}};
enum { TABLES = sizeof tables / sizeof *tables };

static bool is_here(const struct table *t, const char *compiler)
{
    char *text = NULL;

    for (int i = 0; i < t->count && !text; i++)
        text = t->text(&t->rows[i], compiler, &(size_t){0});
    free(text);
    return text != NULL;
}

/* Number of rows that `compiler`, or any compiler (NULL), supports, and that run. */
static unsigned rows_due(const struct table *t, const char *compiler)
{
    bool is_due[KERNELS_COUNT + SAMPLES_COUNT] = {false};
    unsigned due = 0;

    for (const char *const *c = t->compilers; *c; c++) {
        const bool some = (!compiler || !strcmp(*c, compiler)) && is_here(t, *c);

        for (int i = 0; some && i < t->count; i++)
            is_due[i] |= !t->compiles || t->compiles(*c, &t->rows[i]);
    }
    for (int i = 0; i < t->count; i++)
        due += is_due[i] && runs_plainly(&t->rows[i]);
    return due;
}

static unsigned runs_of_row(bool all)
{
    return all ? SEEDS * (1 + (NUMBERS - 1) * methods_known()) : 2;
}

/* Runs all kernels of a table in the open session, from the text for its kind of GPU. */
static void run_table_here(const struct table *t, struct setup s,
                           uint64_t truth[][SAMPLES_ARRAYS_MAX])
{
    s.compiler = "sm_90";
    for (int i = 0; i < t->count; i++) {
        const struct sample *sample = &t->rows[i];
        struct proact_image image = {.name = sample->file};
        char *text;

        s.has_races = sample->races;
        /* With `dynamic` the driver links each kernel again, which takes one second. */
        if ((!strcmp(s.method, "dynamic") && i % 16) || !runs(&s, sample) ||
            !(text = t->text(sample, s.compiler, &image.bytes)))
            continue;
        image.text = text;
        run_kernel(&s, sample, &image, truth[i]);
        free(text);
    }
}

/* One device runs first and gives the expected results. */
static void run_here(struct setup s)
{
    uint64_t(*truth[TABLES])[SAMPLES_ARRAYS_MAX];
    struct topology found;

    if (device_cuda.find(&found, NULL))
        skip();
    for (int i = 0; i < TABLES; i++)
        truth[i] = must_calloc((size_t)tables[i].count, sizeof *truth[i]);
    for (s.devices = 1; s.devices <= found.device_count; s.devices *= 2)
        for (const char *const *m = proact_method_names(); *m; m++) {
            const struct proact_options options = {
                .machine = PROACT_MACHINE_LOCAL,
                .device_count = s.devices,
                .plan = {.method = *m, .chunk_bytes = 4096, .transfer_threads = 256}};

            s.method = *m;
            if (proact_open(&options, &s.session, &s.err) == PROACT_EREFUSED)
                continue; /* it does not support the method */
            for (int i = 0; i < TABLES; i++)
                run_table_here(&tables[i], s, truth[i]);
            proact_close(s.session);
        }
    for (int i = 0; i < TABLES; i++)
        free(truth[i]);
}

static void plain_kernels_equal_their_reference_on_all_devices(void **state)
{
    const char *which = *state;
    const bool here = !strcmp(which, "local"), all = !strcmp(which, "all");
    unsigned ran = 0, failures = 0, due = 0;
    const struct setup s = {.ran = &ran, .failed = &failures};

    if (here)
        run_here(s);
    for (int i = 0; i < TABLES; i++) {
        const unsigned rows = rows_due(&tables[i], here ? "sm_90" : NULL);

        if (!rows && !here)
            fail_msg("no compiler made any text of table %d", i);
        due += rows * (here ? 1 : runs_of_row(all));
        if (!here)
            run_table(&tables[i], all, s);
    }
    print_message("%u runs of kernels\n", ran);
    assert_int_equal(failures, 0);
    assert_true(here ? ran >= due : ran == due); /* here each at least once */
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(plain_kernels_equal_their_reference_on_all_devices,
                                  argc > 1 ? argv[1] : ""),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
