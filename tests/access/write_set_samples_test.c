/* SPDX-License-Identifier: Apache-2.0 */
/* Write sets of the slices of every sample, from every compiler, against the writes of the
   complete kernel. An exact set is equal to the writes, and any other set contains them.
   Random launches are tested too. `write_set_samples_test spare` removes single
   instructions of a slice, which must change the set. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/write_set.h"
#include "access/write_set_truth.h"
#include "base/random.h"
#include "base/text.h"
#include "samples/samples_ptx.h"

enum { TRIALS = 16, LAUNCHES_MAX = 96 };

struct subject {
    const struct sample *sample;
    const char *compiler;
    struct ptx_module *module;
    struct execute_program *program;
    struct write_set_slice *slice; /* NULL: refused */
    struct proact_error refusal;
};

/* Returns false if there is no text of that compiler. */
static bool open_subject(struct subject *u, const struct sample *s, const char *compiler)
{
    struct proact_error err;
    size_t bytes;
    char *text = samples_ptx(s, compiler, SAMPLES_PLAIN, &bytes);

    if (!text)
        return false;
    *u = (struct subject){.sample = s, .compiler = compiler};
    if (ptx_parse(s->file, text, bytes, &u->module, &err) ||
        execute_program_create(u->module, &u->program, &err))
        fail_msg("%s", err.text);
    free(text);
    (void)write_set_slice_create(u->module, s->name, NULL, &u->slice, &u->refusal);
    return true;
}

static void close_subject(struct subject *u)
{
    write_set_slice_destroy(u->slice);
    execute_program_destroy(u->program);
    ptx_destroy(u->module);
}

static enum proact_status run_slice(const struct subject *u, const struct trial *t,
                                    bool is_sliced, struct write_set **out,
                                    struct proact_error *err)
{
    struct write_set_array arrays[SAMPLES_ARRAYS_MAX];
    struct write_set_launch l = {.parameters = t->parameters,
                                 .parameter_bytes = t->parameter_bytes,
                                 .arrays = arrays,
                                 .array_count = t->c.array_count,
                                 .is_sliced = is_sliced};

    memcpy(l.grid, t->grid, sizeof l.grid);
    memcpy(l.block, t->threads, sizeof l.block);
    for (unsigned i = 0; i < t->c.array_count; i++)
        arrays[i] =
            (struct write_set_array){t->c.arrays[i].name, (uint64_t)(uintptr_t)t->place[i],
                                     samples_bytes(&t->c.arrays[i])};
    return write_set_run(u->slice, &l, out, err);
}

/* True if the ranges `a` cover the ranges `b`; both are sorted and disjoint. */
static bool covers(const struct proact_range *a, size_t a_count,
                   const struct proact_range *b, size_t b_count)
{
    for (size_t i = 0, k = 0; k < b_count; k++) {
        while (i < a_count && a[i].first_byte + a[i].bytes <= b[k].first_byte)
            i++;
        if (i == a_count || a[i].first_byte > b[k].first_byte ||
            a[i].first_byte + a[i].bytes < b[k].first_byte + b[k].bytes)
            return false;
    }
    return true;
}

static void compare_array(const struct subject *u, const struct trial *t,
                          const struct write_set *set, const struct truth *truth,
                          unsigned n)
{
    struct proact_range *got = must_calloc(set->arrays[n].count + 1u, sizeof *got);

    for (uint32_t cta = 0; cta < set->cta_count; cta++) {
        struct cta_runs_walk w = cta_runs_walk(&set->arrays[n].runs, cta, cta + 1);
        const uint32_t *must = truth->first[n] + cta;
        size_t is_count = 0, must_count = must[1] - must[0];
        const struct proact_range *wanted = must_count ? truth->ranges[n] + must[0] : NULL;

        for (struct span s; cta_runs_span(&w, &s);)
            got[is_count++] = (struct proact_range){s.first, s.end - s.first};
        bool good = set->is_exact
                        ? is_count == must_count &&
                              (!is_count || !memcmp(got, wanted, is_count * sizeof *got))
                        : covers(got, is_count, wanted, must_count);

        if (!good)
            fail_msg("%s, %s: CTA %" PRIu32 " of (%" PRIu32 ",%" PRIu32 ",%" PRIu32
                     ") of %" PRIu32 "x%" PRIu32 " threads writes other bytes of %s\n%s",
                     u->sample->name, u->compiler, cta, t->grid[0], t->grid[1], t->grid[2],
                     t->threads[0], t->threads[1], t->c.arrays[n].name,
                     write_set_slice_info(u->slice).text);
    }
    free(got);
}

struct tally {
    unsigned compared, out_of_object, skipped, exact, may, closed, closed_exact;
    const char *why; /* reason for the lack of a closed form */
    uint64_t slice_lanes, whole_lanes, may_bytes, true_bytes;
};

static uint64_t bytes_of(const struct truth *w, unsigned n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < w->count[n]; i++)
        sum += w->ranges[n][i].bytes;
    return sum;
}

/* Compares the write set of the slice, or of closed forms where they exist, with the
   reference. */
static void compare_with(const struct subject *u, struct trial *t,
                         const struct truth *truth, bool is_sliced, struct tally *tally)
{
    struct write_set *set = NULL;
    struct proact_error err = {""};

    if (run_slice(u, t, is_sliced, &set, &err))
        fail_msg("%s, %s: %s", u->sample->name, u->compiler, err.text);
    for (unsigned n = 0; n < t->c.array_count; n++) {
        compare_array(u, t, set, truth, n);
        tally->may_bytes += is_sliced ? set->arrays[n].bytes : 0;
        tally->true_bytes += is_sliced ? bytes_of(truth, n) : 0;
    }
    tally->slice_lanes += set->lanes;
    tally->closed += !set->ctas_run;
    tally->closed_exact += !set->ctas_run && set->is_exact;
    if (!is_sliced && !!set->ctas_run)
        tally->why = set->why_sliced;
    write_set_destroy(set);
}

static void compare(const struct subject *u, struct trial *t, struct tally *tally)
{
    struct truth truth = {0};
    struct write_set *set = NULL;
    struct proact_error err = {""};

    truth_find(&truth, t, u->program, u->sample->name);
    if (truth.fault[0]) {
        tally->skipped++; /* the kernel does not support these numbers */
    } else if (truth.is_out_of_object) {
        if (!run_slice(u, t, false, &set, &err) && set->is_exact)
            fail_msg("%s, %s: a stray store is not found", u->sample->name, u->compiler);
        write_set_destroy(set);
        tally->out_of_object++;
    } else {
        compare_with(u, t, &truth, false, tally);
        compare_with(u, t, &truth, true, tally);
        tally->whole_lanes += truth.lanes;
        tally->compared++;
    }
    truth_clear(&truth);
}

static bool is_irregular(const struct sample *s)
{
    return !strcmp(s->name, "pr_push") || !strcmp(s->name, "relax_edges");
}

/* Kernels with loaded guards, whose write set is a superset. */
static bool is_guarded(const struct sample *s)
{
    return !strcmp(s->name, "relax_csr") || !strcmp(s->name, "hist");
}

static void try_sample(const struct subject *u, struct tally *all, uint64_t *chance)
{
    struct tally tally = {0};

    for (unsigned n = 0; n < TRIALS; n++) {
        struct trial t;

        trial_begin(&t, u->sample, n ? chance : NULL);
        compare(u, &t, &tally);
        trial_end(&t);
        if (!n && tally.compared != 1)
            fail_msg("%s, %s: its own launch does not run", u->sample->name, u->compiler);
        if (!n)
            print_message("%-16s %-6s %-5s %5.1f %% of the thread instructions",
                          u->sample->name, u->compiler,
                          write_set_slice_info(u->slice).is_exact ? "exact" : "may",
                          100. * (double)tally.slice_lanes / (double)tally.whole_lanes);
    }
    print_message(", %.3f times the bytes; of %u launches %u closed, %u exact (%s)\n",
                  (double)tally.may_bytes / (double)tally.true_bytes, tally.compared,
                  tally.closed, tally.closed_exact, tally.why ? tally.why : "");
    all->closed += tally.closed;
    all->closed_exact += tally.closed_exact;
    all->compared += tally.compared;
    all->out_of_object += tally.out_of_object;
    all->skipped += tally.skipped;
}

static void slices_write_what_kernels_write(void **state)
{
    struct tally all = {0};
    uint64_t chance = 4;

    (void)state;
    for (int i = 0; samples_compilers[i]; i++)
        for (int j = 0; j < SAMPLES_COUNT; j++) {
            struct subject u;

            if (!open_subject(&u, &samples[j], samples_compilers[i]))
                continue;
            if (!u.slice != is_irregular(u.sample))
                fail_msg("%s, %s: refused or not: %s", u.sample->name, u.compiler,
                         u.refusal.text);
            if (!u.slice) {
                print_message("%-16s %-6s refused: %s\n", u.sample->name, u.compiler,
                              u.refusal.text);
            } else {
                bool exact = write_set_slice_info(u.slice).is_exact;

                if (exact == is_guarded(u.sample))
                    fail_msg("%s, %s: exact or not", u.sample->name, u.compiler);
                all.exact += exact;
                all.may += !exact;
                try_sample(&u, &all, &chance);
            }
            close_subject(&u);
        }
    print_message("%u exact, %u may; %u launches compared, %u stray, %u broken; %u from "
                  "closed forms, %u exact\n",
                  all.exact, all.may, all.compared, all.out_of_object, all.skipped,
                  all.closed, all.closed_exact);
    assert_true(all.compared > 20 * SAMPLES_COUNT);
}

/* Copies one line of the text for a message. */
static const char *line_at(const char *text, uint32_t line, char *into, size_t size)
{
    while (line--)
        text = strchr(text, '\n') + 1;
    snprintf(into, size, "%.*s", (int)strcspn(text, "\n"), text);
    return into;
}

/* Text of the slice without line `line`, counted from 0. NULL if the line is not an
   instruction that the test removes. */
static char *without_line(const struct write_set_slice_info *i, uint32_t line)
{
    char *text = must_strdup(i->text), *at = text;

    while (line-- && at)
        at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    if (!at || !*at || strchr(".$(){}\t \n", *at) || !strncmp(at, "mov.b", 5) ||
        !strncmp(at, "ret", 3) || !strncmp(at, "bra", 3) ||
        !strncmp(at, "setp.ne.b32 %w", 14)) {
        free(text);
        return NULL;
    }
    while (*at && *at != '\n')
        *at++ = ' ';
    return text;
}

/* True if the text, run as a kernel, writes something else than the complete kernel in some
   launch. */
static bool is_caught(const struct subject *u, const char *text, const char *kernel)
{
    struct proact_error err;
    struct ptx_module *m;
    struct execute_program *program;
    uint64_t chance = 11;
    bool caught = false;

    if (ptx_parse("less", text, strlen(text), &m, &err) ||
        execute_program_create(m, &program, &err))
        fail_msg("%s", err.text);
    for (unsigned n = 0; n < LAUNCHES_MAX && !caught; n++) {
        struct truth whole = {0}, less = {0};
        struct trial t;

        trial_begin(&t, u->sample, n ? &chance : NULL);
        truth_find(&whole, &t, u->program, u->sample->name);
        if (!whole.is_out_of_object && !whole.fault[0]) {
            truth_find(&less, &t, program, kernel);
            caught = less.is_out_of_object || less.fault[0];
            for (unsigned a = 0; a < t.c.array_count && !caught; a++)
                caught = !truth_equal(&whole, &less, a, t.grid[0] * t.grid[1] * t.grid[2]);
        }
        truth_clear(&less);
        truth_clear(&whole);
        trial_end(&t);
    }
    execute_program_destroy(program);
    ptx_destroy(m);
    return caught;
}

/* Number of instructions without effect on the set: guards of threads that write the same
   bytes as others, and duplicates in the compiler's code. */
static unsigned may_be_spared(const struct sample *s)
{
    static const struct {
        const char *name;
        unsigned count;
    } known[] = {{"hist_part", 2},
                 {"reduce", 7},
                 {"reduce_smem", 3},
                 {"stencil3d", 1},
                 {"nd_stencil3d", 1}};

    for (size_t n = 0; n < sizeof known / sizeof *known; n++)
        if (!strcmp(s->name, known[n].name))
            return known[n].count;
    return 0;
}

/* Counts the instructions whose removal does not change the set, one at a time. */
static unsigned count_spared(const struct subject *u, unsigned *taken)
{
    struct write_set_slice_info i = write_set_slice_info(u->slice);
    unsigned spared = 0;

    for (uint32_t line = 3; line < 400; line++) {
        char *text = without_line(&i, line), removed[96];

        if (!text)
            continue;
        ++*taken;
        if (!is_caught(u, text, i.name)) {
            spared++;
            print_message("%s may go without %s\n", i.name,
                          line_at(i.text, line, removed, sizeof removed));
        }
        free(text);
    }
    return spared;
}

static void no_instruction_can_be_spared(void **state)
{
    unsigned taken = 0;

    (void)state;
    for (int j = 0; j < SAMPLES_COUNT; j++) {
        struct subject u;

        if (!open_subject(&u, &samples[j], "sm_90"))
            continue;
        if (u.slice && write_set_slice_info(u.slice).is_exact &&
            count_spared(&u, &taken) > may_be_spared(u.sample))
            fail_msg("%s: its slice is larger than it need be", u.sample->name);
        close_subject(&u);
    }
    print_message("%u instructions taken away\n", taken);
    assert_true(taken > 600);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest quick[] = {cmocka_unit_test(slices_write_what_kernels_write)};
    const struct CMUnitTest slow[] = {cmocka_unit_test(no_instruction_can_be_spared)};

    if (argc > 1 && !strcmp(argv[1], "spare"))
        return cmocka_run_group_tests(slow, NULL, NULL);
    return cmocka_run_group_tests(quick, NULL, NULL);
}
