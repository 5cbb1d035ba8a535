/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/bench_options.h"

#include <math.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "check_words.h"
#include "command.h"
#include "transfer/transfer.h"

enum { KB = 1 << 10, MB = 1 << 20, THREADS_MAX = 49152, THREADS_STEP = 32 };
enum { RUN_MAX = 1 << 10, RUN_BYTES_MIN = 16 * KB, MICRO_STORE = 16 };
static const uint64_t bytes_max = 1 << 30, bytes_default = 256 * MB;
static const struct {
    uint64_t bytes;
    const char *text;
} bytes_min = {4 * KB, "4K"}, link_bytes_min = {MB, "1M"};
static const uint64_t chunk_min = 4 * KB, chunk_max = 256 * MB;

const char *const bench_names[BENCH_KINDS] = {"link", "micro", "latency", "step",
                                              "tracking"};

enum {
    LINK = 1 << BENCH_LINK,
    MICRO = 1 << BENCH_MICRO,
    LATENCY = 1 << BENCH_LATENCY,
    STEP = 1 << BENCH_STEP,
    ALL = LINK | MICRO | LATENCY | STEP | 1 << BENCH_TRACKING
};

enum word {
    MACHINE,
    DEVICES,
    METHOD,
    PATTERN,
    RATIO,
    CHUNK,
    THREADS,
    AGENT,
    BYTES,
    STORE,
    RUN,
    LAUNCHES,
    AGAINST,
    WITHIN,
    POINTS,
    HOST_THREADS,
    JSON,
    WORDS,
    SLEEP = WORDS,
    PEERS,
    OPTIONS
};

/* The benches that use an option. chooses: micro ignores it with --against, whose file
   selects the rows. */
static const struct {
    const char *name;
    unsigned benches;
    bool chooses;
} options[OPTIONS] = {
    [MACHINE] = {"machine", ALL, false},
    [DEVICES] = {"devices", LINK | MICRO | LATENCY | STEP, false},
    [METHOD] = {"method", LINK | MICRO | STEP, true},
    [PATTERN] = {"pattern", MICRO, true},
    [RATIO] = {"ratio", MICRO, true},
    [CHUNK] = {"chunk", MICRO, true},
    [THREADS] = {"threads", MICRO, true},
    [AGENT] = {"agent", MICRO, false},
    [BYTES] = {"bytes", LINK | MICRO, false},
    [STORE] = {"store", MICRO, false},
    [RUN] = {"run", MICRO, false},
    [LAUNCHES] = {"launches", LINK | MICRO, false},
    [AGAINST] = {"against", ALL, false},
    [WITHIN] = {"within", ALL, false},
    [POINTS] = {"points", 1 << BENCH_TRACKING, false},
    [HOST_THREADS] = {"host-threads", ALL, false},
    [JSON] = {"json", ALL, false},
    [SLEEP] = {"sleep", MICRO, false},
    [PEERS] = {"peers", MICRO, true},
};

struct bench_words {
    char *word[WORDS]; /* strings allocated by popt, which we own; NULL: not given */
    int flag[OPTIONS]; /* of SLEEP and PEERS */
    int help;
    poptContext popt;
    struct poptOption table[OPTIONS + 2];
};

static bool is_given(const struct bench_words *w, int option)
{
    return option < WORDS ? w->word[option] != NULL : w->flag[option] != 0;
}

static int take_count(const struct bench_words *w, enum word option, uint64_t high,
                      uint64_t *out)
{
    const char *word = w->word[option];
    char *end = NULL;

    if (!word)
        return EXIT_FINE;
    unsigned long long value = strtoull(word, &end, 10);
    unsigned shift = *end == 'K' || *end == 'k' ? 10 : *end == 'M' || *end == 'm' ? 20 : 0;

    if (option == CHUNK && (strlen(word) > 12 || value > high >> shift))
        return usage_error("bench",
                           "--chunk: %s is not a power of two "
                           "from 4K to 256M",
                           word);
    if (*word < '0' || *word > '9' || strlen(word) > 12 || end[shift != 0] || !value ||
        value > high >> shift)
        return usage_error("bench",
                           "--%s: expected a whole number from 1 to %llu, found '%s'",
                           options[option].name, (unsigned long long)high, word);
    *out = value << shift;
    return EXIT_FINE;
}

static int take_unsigned(const struct bench_words *w, enum word option, uint64_t high,
                         unsigned *out)
{
    uint64_t value = *out;
    int code = take_count(w, option, high, &value);

    *out = (unsigned)value;
    return code;
}

static int take_real(const struct bench_words *w, enum word option, double *out)
{
    const char *word = w->word[option];
    char *end = NULL;

    if (!word)
        return EXIT_FINE;
    *out = strtod(word, &end);
    if (end == word || *end || !isfinite(*out) || *out <= 0)
        return usage_error("bench", "--%s: expected a positive number, found '%s'",
                           options[option].name, word);
    return EXIT_FINE;
}

static int check_agent(const struct bench_words *w)
{
    const char *word = w->word[AGENT];

    if (!word || strcmp(word, "sleep") == 0 || strcmp(word, "spin") == 0)
        return EXIT_FINE;
    return usage_error("bench", "--agent: expected sleep or spin, found '%s'", word);
}

static int check_ratio(const struct bench_words *w, double ratio)
{
    struct text known = {0};

    for (int i = 0; i < BENCH_RATIOS; i++) {
        if (!w->word[RATIO] || fabs(ratio - bench_ratios[i]) < 1e-9) {
            text_clear(&known);
            return EXIT_FINE;
        }
        text_print(&known, "%s%g",
                   i == 0                  ? ""
                   : i == BENCH_RATIOS - 1 ? " and "
                                           : ", ",
                   bench_ratios[i]);
    }
    int code =
        usage_error("bench", "--ratio: %s is not one of %s", w->word[RATIO], known.data);

    text_clear(&known);
    return code;
}

/* A run has whole stores; a CTA has whole runs. */
static int check_stores(const struct bench_words *w, struct bench_request *q)
{
    if (!w->word[STORE] && !w->word[RUN])
        return EXIT_FINE;
    if (!q->store_bytes)
        q->store_bytes = MICRO_STORE;
    if (!q->run_bytes)
        q->run_bytes = q->store_bytes;
    if (q->store_bytes != 4 && q->store_bytes != 8 && q->store_bytes != MICRO_STORE)
        return usage_error("bench", "--store: expected 4, 8 or 16, found '%s'",
                           w->word[STORE]);
    if (q->run_bytes < q->store_bytes || q->run_bytes & (q->run_bytes - 1))
        return usage_error("bench",
                           "--run: %u is not a power of two from the %u bytes of a store "
                           "to %d",
                           q->run_bytes, q->store_bytes, RUN_MAX);
    if (q->bytes < RUN_BYTES_MIN)
        return usage_error("bench", "--run: the array needs 16K (--bytes)");
    return EXIT_FINE;
}

static int check_sizes(const struct bench_words *w, struct bench_request *q,
                       enum bench_kind kind)
{
    const uint64_t bytes = q->bytes, chunk = q->chunk_bytes;
    const uint64_t least = kind == BENCH_LINK ? link_bytes_min.bytes : bytes_min.bytes;

    if (w->word[BYTES] && (bytes < least || bytes & (bytes - 1)))
        return usage_error("bench",
                           "--bytes: %s is not a power of two "
                           "from %s to 1024M",
                           w->word[BYTES],
                           kind == BENCH_LINK ? link_bytes_min.text : bytes_min.text);
    if (w->word[CHUNK] && (chunk < chunk_min || chunk & (chunk - 1)))
        return usage_error("bench",
                           "--chunk: %s is not a power of two "
                           "from 4K to 256M",
                           w->word[CHUNK]);
    if (chunk > bytes && bytes)
        return usage_error("bench", "--chunk: %s is more than the array's %lluK (--bytes)",
                           w->word[CHUNK], (unsigned long long)(bytes / KB));
    if (q->threads % THREADS_STEP)
        return usage_error("bench",
                           "--threads: %s is not a "
                           "multiple of %d",
                           w->word[THREADS], THREADS_STEP);
    return check_stores(w, q);
}

static bool is_in(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

static int refuse_method(enum bench_kind kind, bool peers, const struct proact_error *why)
{
    struct text more = {0};

    if (kind == BENCH_LINK)
        text_print(&more, "; and %s", BENCH_RAW);
    for (const char *const *p = bench_peers(); peers && *p; p++)
        text_print(&more, "%s%s", p == bench_peers() ? "; with --peers also " : ", ", *p);
    int code =
        usage_error("bench", "--method: %s%s", why->text, more.data ? more.data : "");

    text_clear(&more);
    return code;
}

static int check_method(enum bench_kind kind, bool peers, const char *word, size_t length)
{
    char name[BENCH_METHOD_BYTES];
    struct transfer_plan plan;
    struct proact_error err = {""};

    if (length >= sizeof name)
        return usage_error("bench",
                           "--method: '%.*s' is longer than "
                           "any method name",
                           (int)length, word);
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    if (kind == BENCH_LINK && strcmp(name, BENCH_RAW) == 0)
        return EXIT_FINE;
    if (kind == BENCH_MICRO && strcmp(name, BENCH_AUTO) == 0)
        return EXIT_FINE;
    if (kind == BENCH_MICRO && is_in(bench_peers(), name))
        return peers ? EXIT_FINE
                     : usage_error("bench",
                                   "--method: '%s' belongs to another library: "
                                   "add --peers",
                                   name);
    if (kind == BENCH_MICRO && strcmp(name, "bulk") == 0)
        return usage_error("bench",
                           "--method: 'bulk' is the baseline that micro always runs");
    if (transfer_methods_read(name, &plan, &err))
        return refuse_method(kind, peers, &err);
    return EXIT_FINE;
}

static int check_names(const struct bench_words *w, enum bench_kind kind)
{
    const char *pattern = w->word[PATTERN];
    int code;

    for (const char *at = w->word[METHOD]; at;
         at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if ((code = check_method(kind, w->flag[PEERS], at, strcspn(at, ","))))
            return code;
    if (pattern && !is_in(bench_patterns, pattern))
        return usage_error("bench",
                           "--pattern: expected one-to-all, two-to-all or all-to-all, "
                           "found '%s'",
                           pattern);
    if ((w->word[WITHIN] || w->word[POINTS]) && !w->word[AGAINST])
        return usage_error("bench", "--%s is for comparisons: add --against FILE",
                           options[w->word[WITHIN] ? WITHIN : POINTS].name);
    return EXIT_FINE;
}

/* An option that the bench would ignore is an error. */
static int check_heeded(const struct bench_words *w, enum bench_kind kind)
{
    for (int i = 0; i < OPTIONS; i++) {
        struct text whose = {0};

        if (!is_given(w, i))
            continue;
        if (kind == BENCH_MICRO && w->word[AGAINST] && options[i].chooses)
            return usage_error("bench",
                               "--%s: --against selects what micro measures: "
                               "remove one of the two",
                               options[i].name);
        if (options[i].benches >> kind & 1)
            continue;
        for (int k = 0; k < BENCH_KINDS; k++)
            if (options[i].benches >> k & 1)
                text_print(&whose, "%s%s", whose.length ? ", " : "", bench_names[k]);
        int code = usage_error("bench", "--%s is for %s; %s does not accept it",
                               options[i].name, whose.data, bench_names[kind]);

        text_clear(&whose);
        return code;
    }
    return EXIT_FINE;
}

static int take_words(const struct bench_words *w, struct bench_options *o)
{
    struct bench_request *q = &o->request;
    int code;

    *q = (struct bench_request){.machine = w->word[MACHINE],
                                .against = w->word[AGAINST],
                                .pattern = w->word[PATTERN],
                                .method = w->word[METHOD],
                                .agent = w->word[AGENT],
                                .bytes = o->kind == BENCH_LINK ? 0 : bytes_default,
                                .sleeps = w->flag[SLEEP],
                                .peers = w->flag[PEERS]};
    o->within = o->points = INFINITY;
    o->json = take_output(w->word[JSON]);
    if ((code = check_heeded(w, o->kind)) || (code = check_names(w, o->kind)) ||
        (code = take_unsigned(w, DEVICES, 1 << 10, &q->devices)) ||
        (code = take_unsigned(w, HOST_THREADS, 1 << 10, &q->host_threads)) ||
        (code = take_unsigned(w, LAUNCHES, 1 << 10, &q->launches)) ||
        (code = take_unsigned(w, THREADS, THREADS_MAX, &q->threads)) ||
        (code = take_count(w, CHUNK, chunk_max, &q->chunk_bytes)) ||
        (code = take_count(w, BYTES, bytes_max, &q->bytes)) ||
        (code = take_unsigned(w, STORE, MICRO_STORE, &q->store_bytes)) ||
        (code = take_unsigned(w, RUN, RUN_MAX, &q->run_bytes)) ||
        (code = take_real(w, RATIO, &q->ratio)) ||
        (code = take_real(w, WITHIN, &o->within)) ||
        (code = take_real(w, POINTS, &o->points)) || (code = check_ratio(w, q->ratio)) ||
        (code = check_agent(w)))
        return code;
    return check_sizes(w, q, o->kind);
}

static int take_name(struct bench_words *w, struct bench_options *o)
{
    const char *name = poptGetArg(w->popt), *more = poptGetArg(w->popt);

    if (!name)
        return usage_error("bench", "bench needs a name: link, micro, latency, step, "
                                    "tracking or figures");
    for (int i = 0; i < BENCH_KINDS; i++)
        if (strcmp(bench_names[i], name) == 0) {
            o->kind = (enum bench_kind)i;
            return more ? usage_error("bench", "bench: unexpected argument '%s'", more)
                        : EXIT_FINE;
        }
    return usage_error("bench", "no bench '%s'", name);
}

static void open_popt(struct bench_words *w, int argc, char **argv)
{
    for (int i = 0; i < OPTIONS; i++)
        w->table[i] = (struct poptOption){
            .longName = options[i].name,
            .shortName = i == MACHINE   ? 'm'
                         : i == DEVICES ? 'n'
                                        : '\0',
            .argInfo = i < WORDS ? POPT_ARG_STRING : POPT_ARG_NONE,
            .arg = i < WORDS ? (void *)&w->word[i] : (void *)&w->flag[i]};
    w->table[OPTIONS] = (struct poptOption){
        .longName = "help", .shortName = 'h', .argInfo = POPT_ARG_NONE, .arg = &w->help};
    w->popt = poptGetContext("proact", argc, (const char **)argv, w->table, 0);
}

int bench_options_read(int argc, char **argv, struct bench_words **words,
                       struct bench_options *out)
{
    struct bench_words *w = must_calloc(1, sizeof *w);

    *words = w;
    open_popt(w, argc, argv);
    int code = poptGetNextOpt(w->popt);

    if (code < -1)
        return usage_error("bench", "bench: %s: %s",
                           poptBadOption(w->popt, POPT_BADOPTION_NOALIAS),
                           poptStrerror(code));
    out->help = w->help;
    if (w->help)
        return EXIT_FINE;
    code = take_name(w, out);
    return code ? code : take_words(w, out);
}

void bench_options_destroy(struct bench_words *w)
{
    for (int i = 0; i < WORDS; i++)
        free(w->word[i]);
    poptFreeContext(w->popt);
    free(w);
}
