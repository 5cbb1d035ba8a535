/* SPDX-License-Identifier: Apache-2.0 */
/* Random kernels of branches and loops, some of which depend on memory. Whatever memory
   contains, the write set of the slice contains all that the kernel writes, and exactly
   that if the set is marked exact. Usage: slice_random_test [SEED COUNT] */
#include <inttypes.h>
#include <stdio.h>

#include "access/write_set_truth.h"
#include "base/random.h"
#include "write_set_testing.h"

enum {
    COUNT = 600,
    CONTENTS = 4,
    DEPTH_MAX = 4,
    KNOWN_MAX = 64,
    IN_WORDS = 256,
    SHARED_FIRST = 2, /* registers that are assigned repeatedly */
    SHARED = 4
};

/* Text of a random kernel. Registers are %v0 and up; the listed ones hold a value. */
struct writer {
    struct text text;
    uint64_t chance;
    uint32_t registers, labels;
    uint32_t known[KNOWN_MAX], known_count;  /* values of parameters and indices only */
    uint32_t places[KNOWN_MAX], place_count; /* addresses of words */
    uint32_t ends[2 * DEPTH_MAX], depth;     /* labels of the enclosing blocks */
    unsigned left;                           /* number of statements that may follow */
    unsigned good, assigned; /* bits of the shared registers: values of parameters and
                                indices only; assigned */
    bool returns;            /* some thread may have returned, so that its registers are
                                undefined */
};

static uint32_t draw(struct writer *w, uint32_t below)
{
    return (uint32_t)random_below(&w->chance, below);
}

static uint32_t any_shared(struct writer *w)
{
    return SHARED_FIRST + draw(w, SHARED);
}

/* Returns a register of a known value, rarely of a loaded one. The kernel may then be
   refused, but its slice must never be wrong. */
static uint32_t any_known(struct writer *w)
{
    uint32_t shared = any_shared(w);

    if ((w->good >> (shared - SHARED_FIRST) & 1 && draw(w, 2)) || draw(w, 60) == 0)
        return shared;
    return w->known[draw(w, w->known_count)];
}

static void learn(struct writer *w, uint32_t reg)
{
    if (w->known_count < KNOWN_MAX)
        w->known[w->known_count++] = reg;
}

/* Writes a register with a small word of memory. Computed values have separate registers,
   as compilers write them. */
static uint32_t write_load(struct writer *w)
{
    uint32_t at = w->registers++;

    text_print(&w->text,
               "and.b32 %%v%u, %%v%u, %d; mul.wide.u32 %%w%u, %%v%u, 4;\n"
               "add.s64 %%x%u, %%rd2, %%w%u; ld.global.u32 %%v%u, [%%x%u];\n",
               at, any_known(w), IN_WORDS - 1, at, at, at, at, w->registers, at);
    return w->registers++;
}

/* Returns the number of the predicate. */
static uint32_t write_condition(struct writer *w)
{
    uint32_t of = draw(w, 4) == 0 ? any_shared(w)
                  : draw(w, 2)    ? any_known(w)
                                  : write_load(w);
    static const char *const relations[] = {"lt", "ge", "eq", "ne"};

    text_print(&w->text, "setp.%s.s32 %%q%u, %%v%u, %u;\n", relations[draw(w, 4)],
               w->registers, of, draw(w, 4));
    return w->registers++;
}

/* Assigns a shared register, from memory or not. */
static void write_shared(struct writer *w)
{
    uint32_t to = any_shared(w), bit = 1u << (to - SHARED_FIRST);

    w->assigned |= bit;
    if (draw(w, 3) == 0) {
        text_print(&w->text, "mov.b32 %%v%u, %%v%u;\n", to, write_load(w));
        w->good &= ~bit;
    } else {
        text_print(&w->text, "add.s32 %%v%u, %%v%u, %u;\n", to, any_known(w), draw(w, 9));
        w->good |= bit;
    }
}

static void write_assignment(struct writer *w)
{
    static const char *const operations[] = {"add.s32", "xor.b32", "mul.lo.s32", "and.b32"};
    bool again = draw(w, 4) == 0; /* to a register that already holds a value */
    uint32_t to = again ? any_known(w) : w->registers++;

    if (draw(w, 40) == 0) {
        text_print(&w->text, "mov.b32 %%v%u, %%v%u;\n", to, write_load(w));
    } else if (again && draw(w, 2)) {
        uint32_t of = w->registers++;

        text_print(&w->text, "setp.gt.s32 %%q%u, %%v%u, 1; @%%q%u mov.b32 %%v%u, %u;\n", of,
                   any_known(w), of, to, draw(w, 9));
    } else {
        text_print(&w->text, "%s %%v%u, %%v%u, %u;\n", operations[draw(w, 4)], to,
                   any_known(w), draw(w, 9));
    }
    if (!again)
        learn(w, to);
}

static uint32_t write_place(struct writer *w)
{
    uint32_t at = w->registers;

    w->registers += 2;
    text_print(&w->text,
               "mad.lo.s32 %%v%u, %%v%u, %u, %u; and.b32 %%v%u, %%v%u, %d;\n"
               "mul.wide.u32 %%w%u, %%v%u, 4; add.s64 %%x%u, %%rd1, %%w%u;\n",
               at, any_known(w), 1 + draw(w, 40), draw(w, 999), at + 1, at, WORDS - 1, at,
               at + 1, at, at);
    if (w->place_count < KNOWN_MAX)
        w->places[w->place_count++] = at;
    return at;
}

/* Writes a store, often to an address of another store. */
static void write_store(struct writer *w)
{
    bool again = w->place_count && draw(w, 3) == 0;
    uint32_t at = again ? w->places[draw(w, w->place_count)] : write_place(w);

    if (draw(w, 6) == 0)
        text_print(&w->text, "@%%q%u ", write_condition(w));
    text_print(&w->text, "st.global.u32 [%%x%u], 0;\n", at);
}

/* Writes an exchange of all remaining lanes. */
static void write_exchange(struct writer *w)
{
    static const char *const sums[] = {"add.s32", "min.u32", "xor.b32"};
    const uint32_t to = w->registers++, what = draw(w, w->returns ? 2 : 4);

    if (what == 0)
        text_print(&w->text, "vote.sync.ballot.b32 %%v%u, %%q%u, -1;\n", to,
                   write_condition(w));
    else if (what == 1)
        text_print(&w->text, "redux.sync.%s %%v%u, %%v%u, -1;\n", sums[draw(w, 3)], to,
                   any_known(w));
    else if (what == 2)
        text_print(&w->text, "shfl.sync.idx.b32 %%v%u, %%v%u, %u, 31, -1;\n", to,
                   any_known(w), draw(w, 4));
    else
        text_print(&w->text, "shfl.sync.bfly.b32 %%v%u|%%q%u, %%v%u, %u, 31, -1;\n", to, to,
                   any_known(w), 1 + draw(w, 7));
    learn(w, to);
}

static void write_statements(struct writer *w, unsigned depth);

/* Addresses that both arms may store to: one address, or an address computed from one
   register in each arm. */
struct both {
    uint32_t place, of; /* place 0: none */
};

static void write_both(struct writer *w, const struct both *b)
{
    uint32_t at = b->place;

    if (draw(w, 2)) {
        at = w->registers++;
        text_print(&w->text,
                   "and.b32 %%v%u, %%v%u, %d; mul.wide.u32 %%w%u, %%v%u, 4;\n"
                   "add.s64 %%x%u, %%rd1, %%w%u;\n",
                   at, b->of, WORDS - 1, at, at, at, at);
    }
    text_print(&w->text, "st.global.u32 [%%x%u], 0;\n", at);
}

/* Writes an arm that may store to the addresses of the other arm. */
static void write_arm(struct writer *w, unsigned depth, const struct both *b)
{
    const uint32_t where = b->place ? draw(w, 5) : 0; /* before, after, twice, or not */

    if (where == 1 || where == 3)
        write_both(w, b);
    if (where != 4)
        write_statements(w, depth + 1);
    if (where > 1)
        write_both(w, b);
}

static void write_if(struct writer *w, unsigned depth)
{
    struct both both = {draw(w, 3) ? 0 : write_place(w), any_known(w)};
    uint32_t other = w->labels++, end = w->labels++, known = w->known_count;
    uint32_t places = w->place_count;
    unsigned good = w->good, assigned = w->assigned;

    w->assigned = 0;
    text_print(&w->text, "@%%q%u bra L%u;\n", write_condition(w), other);
    w->ends[w->depth++] = end;
    write_arm(w, depth, &both);
    w->known_count = known;
    w->place_count = places;
    w->good = good; /* the other arm uses the values from before the branch */
    if (draw(w, 2)) {
        text_print(&w->text, "bra L%u; L%u:\n", end, other);
        write_arm(w, depth, &both);
    } else {
        text_print(&w->text, "L%u:\n", other);
    }
    w->depth--;
    text_print(&w->text, "L%u:\n", end);
    w->known_count = known;
    w->place_count = places;
    w->good = good & ~w->assigned;
    w->assigned |= assigned;
}

/* Writes a loop of at most three iterations, which a counter ends, or a counter and
   memory. */
static void write_loop(struct writer *w, unsigned depth)
{
    uint32_t counter = w->registers++, head = w->labels++, end = w->labels++;
    uint32_t known = w->known_count, places = w->place_count, kind = draw(w, 3);
    unsigned good = w->good, assigned = w->assigned;

    if (kind == 0) {
        uint32_t loaded = write_load(w);

        text_print(&w->text, "and.b32 %%v%u, %%v%u, 3;\n", counter, loaded);
    } else {
        text_print(&w->text, "mov.b32 %%v%u, %u;\n", counter, 1 + draw(w, 3));
        learn(w, counter);
    }
    text_print(&w->text, "L%u:\n", head);
    if (kind != 1)
        text_print(&w->text, "setp.le.s32 %%q%u, %%v%u, 0; @%%q%u bra L%u;\n", counter,
                   counter, counter, end);
    w->ends[w->depth++] = end;
    /* a copy replaces the counter, which must not be assigned */
    if (kind != 0) {
        text_print(&w->text, "mov.b32 %%v%u, %%v%u;\n", w->registers, counter);
        w->known[w->known_count - 1] = w->registers++;
    }
    w->good = w->assigned = 0; /* a shared register may hold the value of the previous
                                  iteration */
    write_statements(w, depth + 1);
    w->good = good & ~w->assigned;
    w->assigned |= assigned;
    w->depth--;
    uint32_t last = w->registers++;

    text_print(&w->text,
               "add.s32 %%v%u, %%v%u, -1; setp.gt.s32 %%q%u, %%v%u, 0;\n"
               "@%%q%u bra L%u; L%u:\n",
               counter, counter, last, counter, last, head, end);
    w->known_count = known;
    w->place_count = places;
}

static void write_leaving(struct writer *w)
{
    uint32_t condition = write_condition(w);

    if (w->depth && draw(w, 3))
        text_print(&w->text, "@%%q%u bra L%u;\n", condition, w->ends[draw(w, w->depth)]);
    else
        text_print(&w->text, "@%%q%u ret;\n", condition), w->returns = true;
}

static void write_statements(struct writer *w, unsigned depth)
{
    for (unsigned n = 1 + draw(w, 4); n && w->left; n--) {
        uint32_t what = draw(w, depth ? 19 : 22);

        w->left--;
        if (what < 4 && depth < DEPTH_MAX)
            write_if(w, depth);
        else if (what < 7 && depth < DEPTH_MAX)
            write_loop(w, depth);
        else if (what == 7)
            write_leaving(w);
        else if (what < 11)
            write_assignment(w);
        else if (what < 13)
            write_shared(w);
        else if (what == 13)
            write_place(w);
        else if (what > 18)
            write_exchange(w);
        else
            write_store(w);
    }
}

static char *write_kernel(uint64_t seed)
{
    struct writer w = {
        .chance = seed, .registers = SHARED_FIRST + SHARED, .labels = 1, .left = 24};
    struct text all = {0};

    w.known[0] = 0;
    w.known[1] = 1;
    w.known_count = 2;
    w.good = (1u << SHARED) - 1;
    while (w.left > 12)
        write_statements(&w, 0);
    text_print(&all, "%s", ".version 8.0\n.target sm_80\n.address_size 64\n" K_START);
    text_print(&all, ".reg .b32 %%v<%u>; .reg .pred %%q<%u>; .reg .b64 %%w<%u>, %%x<%u>;\n",
               w.registers, w.registers, w.registers, w.registers);
    text_print(&all, "mov.b32 %%v0, %%r2; and.b32 %%v1, %%r2, 3;\n");
    for (unsigned n = 0; n < SHARED; n++)
        text_print(&all, "mov.b32 %%v%u, %u;\n", SHARED_FIRST + n, n);
    text_print(&all, "%sret;\n}\n", w.text.data);
    text_clear(&w.text);
    return all.data;
}

struct tally {
    unsigned exact, may, refused, closed;
    uint64_t written, claimed;
};

static bool holds(const struct proact_range *a, uint32_t count,
                  const struct proact_range *one)
{
    for (uint32_t n = 0; n < count; n++)
        if (a[n].first_byte <= one->first_byte &&
            a[n].first_byte + a[n].bytes >= one->first_byte + one->bytes)
            return true;
    return false;
}

static void compare(const struct write_set *set, const struct truth *truth,
                    const char *text, uint64_t seed)
{
    struct proact_range *claimed = must_calloc(set->arrays[0].count + 1u, sizeof *claimed);

    for (uint32_t cta = 0; cta < set->cta_count; cta++) {
        uint32_t count = 0;
        uint32_t from = truth->first[0][cta], wanted = truth->first[0][cta + 1] - from;
        struct cta_runs_walk w = cta_runs_walk(&set->arrays[0].runs, cta, cta + 1);
        bool good = true;

        for (struct span s; cta_runs_span(&w, &s);)
            claimed[count++] = (struct proact_range){s.first, s.end - s.first};
        for (uint32_t n = 0; n < wanted && good; n++)
            good = holds(claimed, count, &truth->ranges[0][from + n]);
        for (uint32_t n = 0; n < count && good && set->is_exact; n++)
            good = holds(truth->ranges[0] + from, wanted, &claimed[n]);
        if (!good)
            fail_msg("seed %" PRIu64 ", CTA %" PRIu32 " writes other bytes:\n%s", seed, cta,
                     text);
    }
    free(claimed);
}

/* True if closed forms, where they exist, equal the slice. */
static bool is_same(const struct write_set_slice *s, const struct write_set_launch *l,
                    const struct write_set *set)
{
    struct write_set_launch sliced = *l;
    struct write_set *slice;
    struct proact_error err;

    sliced.is_sliced = true;
    if (write_set_run(s, &sliced, &slice, &err))
        fail_msg("%s", err.text);
    bool same = slice->digest == set->digest;

    write_set_destroy(slice);
    return same;
}

static void try_contents(const struct ptx_module *m, const struct write_set_slice *s,
                         const char *text, uint64_t seed, struct tally *tally)
{
    static uint32_t const nothing[WORDS];
    uint32_t out[WORDS], in[IN_WORDS];
    struct trial t = {.c = {.arrays = {{.name = "out", .count = WORDS},
                                       {.name = "in", .count = IN_WORDS}},
                            .array_count = 2},
                      .grid = {2, 1, 1},
                      .threads = {40, 1, 1},
                      .place = {(unsigned char *)out, (unsigned char *)in},
                      .memory = (unsigned char *)in,
                      .memory_bytes = sizeof in,
                      .parameter_bytes = 20};
    struct block b = {(uint64_t)(uintptr_t)out, (uint64_t)(uintptr_t)in, 3, 0};
    struct write_set_array array = {"out", b.out, sizeof out};
    struct write_set_launch l = {.grid = {2},
                                 .block = {40},
                                 .parameters = &b,
                                 .parameter_bytes = 20,
                                 .arrays = &array,
                                 .array_count = 1};
    struct execute_program *program;
    struct write_set *set = NULL;
    struct proact_error err;
    uint64_t chance = seed;
    uint32_t content[IN_WORDS];

    if (execute_program_create(m, &program, &err) || write_set_run(s, &l, &set, &err))
        fail_msg("seed %" PRIu64 ": %s\n%s\n%s", seed, err.text, text,
                 write_set_slice_info(s).text);
    if (!is_same(s, &l, set))
        fail_msg("seed %" PRIu64 ": closed forms are others:\n%s\n%s", seed, text,
                 write_set_slice_info(s).text);
    tally->closed += !set->ctas_run;
    memcpy(t.parameters, &b, sizeof b);
    t.c.arrays[0].content = (void *)(uintptr_t)nothing;
    t.c.arrays[1].content = content;
    for (unsigned n = 0; n < CONTENTS; n++) {
        struct truth truth = {0};

        for (unsigned i = 0; i < IN_WORDS; i++)
            content[i] = (uint32_t)random_below(&chance, n < 2 ? 2 + 2 * n : 6);
        truth_find(&truth, &t, program, "k");
        if (truth.fault[0] || truth.is_out_of_object)
            fail_msg("seed %" PRIu64 ": %s\n%s", seed, truth.fault, text);
        compare(set, &truth, text, seed);
        for (size_t i = 0; i < truth.count[0]; i++)
            tally->written += truth.ranges[0][i].bytes;
        tally->claimed += set->arrays[0].bytes;
        truth_clear(&truth);
    }
    tally->exact += set->is_exact;
    tally->may += !set->is_exact;
    write_set_destroy(set);
    execute_program_destroy(program);
}

static void try_kernel(uint64_t seed, struct tally *tally)
{
    char *text = write_kernel(seed);
    struct proact_error err;
    struct ptx_module *m = NULL;
    struct write_set_slice *s;

    if (ptx_parse("random.ptx", text, strlen(text), &m, &err))
        fail_msg("%s\n%s", err.text, text);
    if (write_set_slice_create(m, "k", NULL, &s, &err)) {
        if (!strstr(err.text, "depends on what line"))
            fail_msg("%s\n%s", err.text, text);
        tally->refused++;
    } else {
        try_contents(m, s, text, seed, tally);
        write_set_slice_destroy(s);
    }
    ptx_destroy(m);
    free(text);
}

struct request {
    uint64_t seed, count;
};

static void no_store_is_missed(void **state)
{
    const struct request *r = *state;
    struct tally tally = {0};

    for (uint64_t n = 0; n < r->count; n++)
        try_kernel(r->seed + n, &tally);
    print_message("%u exact, %u may (in all %.2f times what is written), %u refused; %u by "
                  "closed forms\n",
                  tally.exact, tally.may, (double)tally.claimed / (double)tally.written,
                  tally.refused, tally.closed);
    assert_true(r->count < COUNT || (tally.exact > COUNT / 40 && tally.may > COUNT / 10));
}

int main(int argc, char **argv)
{
    struct request r = {.seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1,
                        .count = argc > 2 ? strtoull(argv[2], NULL, 0) : COUNT};
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(no_store_is_missed, &r)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
