/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_options.h"

#include <math.h>
#include <popt.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check_words.h"
#include "command.h"
#include "option_values.h"
#include "run/run_median.h"
#include "run/run_values.h"

enum { CHUNK_MIN = 4 << 10, CHUNK_MAX = 256 << 20 };
enum { EVERY_DEFAULT = 100 }; /* iterations between two checkpoints */
enum { THREADS_MIN = 32, THREADS_MAX = 49152, THREADS_STEP = 32 };

/* Strings allocated by popt, which we own; NULL: not given. */
struct run_words {
    poptContext popt;
    struct poptOption *table;
    char *machine, *devices, *method, *chunk, *threads, *seed, *tolerance, *iterations,
        *json, *plot, *trace, *output, *log, *checkpoint, *every, *resume, *send, *profile,
        *sample, *runs;
    struct run_app_words application;
    int chart, check, compare, reference, replay, help;
    struct text command_line;
};

static poptContext make_popt(struct run_words *w, int argc, char **argv)
{
    const struct poptOption table[] = {
        {"machine", 'm', POPT_ARG_STRING, &w->machine, 0, NULL, NULL},
        {"devices", 'n', POPT_ARG_STRING, &w->devices, 0, NULL, NULL},
        {"method", 0, POPT_ARG_STRING, &w->method, 0, NULL, NULL},
        {"chunk", 0, POPT_ARG_STRING, &w->chunk, 0, NULL, NULL},
        {"threads", 0, POPT_ARG_STRING, &w->threads, 0, NULL, NULL},
        {"send", 0, POPT_ARG_STRING, &w->send, 0, NULL, NULL},
        {"profile", 0, POPT_ARG_STRING, &w->profile, 0, NULL, NULL},
        {"seed", 0, POPT_ARG_STRING, &w->seed, 0, NULL, NULL},
        {"tolerance", 0, POPT_ARG_STRING, &w->tolerance, 0, NULL, NULL},
        {"iterations", 0, POPT_ARG_STRING, &w->iterations, 0, NULL, NULL},
        {"json", 0, POPT_ARG_STRING, &w->json, 0, NULL, NULL},
        {"plot", 0, POPT_ARG_STRING, &w->plot, 0, NULL, NULL},
        {"chart", 0, POPT_ARG_NONE, &w->chart, 0, NULL, NULL},
        {"trace", 0, POPT_ARG_STRING, &w->trace, 0, NULL, NULL},
        {"output", 'o', POPT_ARG_STRING, &w->output, 0, NULL, NULL},
        {"log", 0, POPT_ARG_STRING, &w->log, 0, NULL, NULL},
        {"checkpoint", 0, POPT_ARG_STRING, &w->checkpoint, 0, NULL, NULL},
        {"every", 0, POPT_ARG_STRING, &w->every, 0, NULL, NULL},
        {"resume", 0, POPT_ARG_STRING, &w->resume, 0, NULL, NULL},
        {"compare", 0, POPT_ARG_NONE, &w->compare, 0, NULL, NULL},
        {"reference", 0, POPT_ARG_NONE, &w->reference, 0, NULL, NULL},
        {"check", 0, POPT_ARG_NONE, &w->check, 0, NULL, NULL},
        {"replay", 0, POPT_ARG_NONE, &w->replay, 0, NULL, NULL},
        {"sample", 0, POPT_ARG_STRING, &w->sample, 0, NULL, NULL},
        {"runs", 0, POPT_ARG_STRING, &w->runs, 0, NULL, NULL},
        {"help", 'h', POPT_ARG_NONE, &w->help, 0, NULL, NULL},
    };
    size_t common = sizeof table / sizeof *table;
    /* popt borrows the table; the entry of zeros ends it. */
    struct poptOption *kept = must_calloc(common + RUN_WORDS_MAX + 1, sizeof *kept);

    memcpy(kept, table, sizeof table);
    run_values_add(&w->application, kept + common);
    w->table = kept;
    return poptGetContext("proact", argc, (const char **)argv, kept, 0);
}

static int take_integer(const char *option, const char *word, uint64_t low, uint64_t high,
                        uint64_t *out)
{
    const struct option_range range = {"run", option, low, high};

    return option_integer(&range, word, out);
}

static int take_threads(const char *word, unsigned *out)
{
    uint64_t value = *out;
    int code = take_integer("threads", word, THREADS_MIN, THREADS_MAX, &value);

    if (!code && value % THREADS_STEP)
        return usage_error("run",
                           "--threads: %s is not a "
                           "multiple of %d",
                           word, THREADS_STEP);
    *out = (unsigned)value;
    return code;
}

static int take_number(const char *option, const char *word, uint64_t low, uint64_t high,
                       unsigned *out)
{
    uint64_t value = *out;
    int code = take_integer(option, word, low, high, &value);

    *out = (unsigned)value;
    return code;
}

/* A number of bytes with an optional suffix K or M: 64K, 1M. */
static int take_chunk(const char *word, uint64_t *out)
{
    char *end = NULL;

    if (!word)
        return EXIT_FINE;
    unsigned long long value = strtoull(word, &end, 10);
    unsigned shift = *end == 'K' || *end == 'k' ? 10 : *end == 'M' || *end == 'm' ? 20 : 0;

    if (*word < '0' || *word > '9' || strlen(word) > 12 || end[shift != 0])
        return usage_error(
            "run", "--chunk: expected bytes such as 65536, 64K or 1M, found '%s'", word);
    value <<= shift;
    if (value < CHUNK_MIN || value > CHUNK_MAX || (value & (value - 1)))
        return usage_error("run",
                           "--chunk: %s is not a power of two "
                           "from 4K to 256M",
                           word);
    *out = value;
    return EXIT_FINE;
}

/* 0 on the command line means "never stop", which is negative in a request. */
static int take_tolerance(const char *word, double *out)
{
    char *end = NULL;

    if (!word)
        return EXIT_FINE;
    double value = strtod(word, &end);

    if (end == word || *end || !isfinite(value) || value < 0)
        return usage_error("run", "--tolerance: expected a number from 0 up, found '%s'",
                           word);
    *out = value > 0 ? value : -1;
    return EXIT_FINE;
}

static int take_send(const char *word, bool *all)
{
    *all = word && strcmp(word, "all") == 0;
    if (word && !*all && strcmp(word, "needed") != 0)
        return usage_error("run", "--send: expected all or needed, found '%s'", word);
    return EXIT_FINE;
}

/* "-" names stdout, which takes one file. */
static int take_outputs(const struct run_words *w, struct run_request *r)
{
    const struct {
        const char *option, *word;
        const char **out;
    } outputs[] = {{"json", w->json, &r->json},
                   {"plot", w->plot, &r->plot},
                   {"output", w->output, &r->output},
                   {"log", w->log, &r->log}};
    const char *on_stdout = NULL;

    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        bool is_stdout = outputs[i].word && strcmp(outputs[i].word, "-") == 0;

        if (is_stdout && on_stdout)
            return usage_error("run", "--%s - and --%s - both name stdout", on_stdout,
                               outputs[i].option);
        on_stdout = is_stdout ? outputs[i].option : on_stdout;
    }
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        *outputs[i].out = take_output(outputs[i].word);
    r->trace = w->trace;
    return EXIT_FINE;
}

/* Of an even number of runs no single one is the median. */
static int take_runs(const char *word, unsigned *out)
{
    int code = take_number("runs", word, 1, RUN_RUNS_MAX, out);

    if (!code && word && *out % 2 == 0)
        return usage_error("run", "--runs: %s is even, but a median needs an odd number",
                           word);
    return code;
}

/* Records of one run, with several. A comparison traces one run of several. */
static int check_runs(const struct run_words *w, struct run_request *r)
{
    const struct {
        const char *option;
        bool given;
    } single[] = {{"log", w->log},
                  {"plot", w->plot},
                  {"trace", w->trace},
                  {"checkpoint", w->checkpoint},
                  {"resume", w->resume}};

    for (size_t i = 0; i < sizeof single / sizeof *single && !r->compare; i++)
        if (single[i].given && r->runs > 1)
            return usage_error("run", "--%s is of one run: it does not go with --runs %u",
                               single[i].option, r->runs);
        else if (single[i].given)
            r->runs = 1;
    return EXIT_FINE;
}

/* Options of one kind of run, with the other kind. */
static int check_kind(const struct run_words *w, bool compares)
{
    const struct {
        const char *option;
        bool given;
    } single[] = {{"output", w->output},
                  {"log", w->log},
                  {"checkpoint", w->checkpoint},
                  {"resume", w->resume},
                  {"reference", w->reference}};

    for (size_t i = 0; i < sizeof single / sizeof *single && compares; i++)
        if (single[i].given)
            return usage_error("run",
                               "--%s is for one run, not for a comparison of methods",
                               single[i].option);
    if (w->profile && (compares || w->method || w->chunk || w->threads))
        return usage_error("run", "--profile selects the plan: it does not go with --%s",
                           compares    ? "compare"
                           : w->method ? "method"
                           : w->chunk  ? "chunk"
                                       : "threads");
    if (w->chart && !compares)
        return usage_error("run", "--chart shows a comparison of methods: add --compare");
    if ((w->replay || w->sample) && !compares)
        return usage_error("run",
                           "--%s computes no answer, only the times of a comparison: add "
                           "--compare",
                           w->sample ? "sample" : "replay");
    if ((w->replay || w->sample) && w->check)
        return usage_error("run", "--check: --%s executes no access to check",
                           w->sample ? "sample" : "replay");
    if (w->sample && !w->iterations)
        return usage_error("run", "--sample computes no answer that could converge: add "
                                  "--iterations N");
    if (w->every && !w->checkpoint)
        return usage_error("run", "--every needs --checkpoint FILE");
    return EXIT_FINE;
}

static int take_methods(const struct run_words *w, struct run_request *r)
{
    const bool several =
        w->method && (strcmp(w->method, "all") == 0 || strchr(w->method, ','));
    int code;

    r->compare = w->compare || several;
    r->method = w->method;
    if (w->trace && r->compare && (several || !w->method))
        return usage_error("run", "--trace records one method: add --method NAME");
    if (w->method && strcmp(w->method, run_unified) == 0 && (w->trace || !r->compare))
        return usage_error("run", "--method unified is a baseline: %s",
                           w->trace ? "--trace cannot record it" : "add --compare");
    if ((code = check_kind(w, r->compare)))
        return code;
    return run_methods_parse(w->method, &r->methods);
}

static int take_values(const struct run_words *w, struct run_request *r)
{
    int code;

    if ((code = take_number("devices", w->devices, 1, PROACT_DEVICES_MAX, &r->devices)) ||
        (code = take_chunk(w->chunk, &r->chunk_bytes)) ||
        (code = take_threads(w->threads, &r->threads)) ||
        (code = take_send(w->send, &r->sends_all)) ||
        (code = take_integer("seed", w->seed, 0, INT64_MAX, &r->seed)) ||
        (code = take_number("iterations", w->iterations, 1, 1000000, &r->iterations)) ||
        (code = take_number("sample", w->sample, RUN_SAMPLE_MIN, RUN_SAMPLE_MAX,
                            &r->sample)) ||
        (code = take_runs(w->runs, &r->runs)) ||
        (code = take_number("every", w->every, 1, 1000000, &r->every)))
        return code;
    if ((code = take_tolerance(w->tolerance, &r->tolerance)))
        return code;
    r->machine = w->machine;
    r->profile = w->profile;
    r->check = w->check;
    r->replay = w->replay || w->sample;
    r->reference = w->reference;
    r->checkpoint = w->checkpoint;
    r->every = r->every ? r->every : EVERY_DEFAULT;
    r->resume = w->resume;
    r->chart = w->chart;
    r->command_line = w->command_line.data;
    if ((code = take_methods(w, r)) || (code = check_runs(w, r)))
        return code;
    return take_outputs(w, r);
}

static int find_application(const char *name, const struct run_application **out)
{
    for (size_t i = 0; name && run_applications[i]; i++)
        if (strcmp(run_applications[i]->name, name) == 0) {
            *out = run_applications[i];
            return EXIT_FINE;
        }
    struct text names = run_values_list(NULL, name ? " and " : " or ");
    int code =
        name ? usage_error("run", "no application '%s': there are %s", name, names.data)
             : usage_error("run", "run needs an application: %s", names.data);

    text_clear(&names);
    return code;
}

/* The input, if the application takes one, and nothing more. */
static int take_operands(struct run_words *w, const struct run_application *application,
                         struct run_request *r)
{
    if (application->operand) {
        r->input = poptGetArg(w->popt);
        if (!r->input)
            return usage_error("run", "%s needs %s", application->name,
                               application->input_missing);
    }
    const char *more = poptGetArg(w->popt);

    if (more)
        return usage_error("run", "%s: unexpected argument '%s'", application->name, more);
    return EXIT_FINE;
}

/* The command line with quotes, so that a shell reads the same words. */
static void keep_command_line(struct text *line, int argc, char **argv)
{
    text_print(line, "proact");
    for (int i = 0; i < argc; i++) {
        if (argv[i][0] && !strpbrk(argv[i], " \t\n'\"\\$*?[](){}<>|&;#~`!")) {
            text_print(line, " %s", argv[i]);
            continue;
        }
        text_add(line, " '", 2);
        for (const char *c = argv[i]; *c; c++)
            text_add(line, *c == '\'' ? "'\\''" : c, *c == '\'' ? 4 : 1);
        text_add(line, "'", 1);
    }
}

int run_options_parse(int argc, char **argv, struct run_words **words,
                      const struct run_application **application,
                      struct run_request *request, bool *help)
{
    struct run_words *w = must_calloc(1, sizeof *w);
    int code;

    *words = w;
    keep_command_line(&w->command_line, argc, argv);
    w->popt = make_popt(w, argc, argv);
    while ((code = poptGetNextOpt(w->popt)) > 0)
        ;
    if (code < -1)
        return usage_error("run", "%s: %s", poptBadOption(w->popt, POPT_BADOPTION_NOALIAS),
                           poptStrerror(code));
    const char *name = poptGetArg(w->popt);

    *help = w->help;
    if (w->help && !name)
        return EXIT_FINE;
    if ((code = find_application(name, application)) || w->help)
        return code;
    if ((code = take_operands(w, *application, request)) ||
        (code = run_values_take(&w->application, *application, request)))
        return code;
    if (w->tolerance && (*application)->stop_rule)
        return usage_error("run", "%s stops %s: it has no --tolerance", name,
                           (*application)->stop_rule);
    return take_values(w, request);
}

void run_options_destroy(struct run_words *w)
{
    char *strings[] = {w->machine,    w->devices, w->method,  w->chunk,     w->threads,
                       w->seed,       w->trace,   w->json,    w->tolerance, w->iterations,
                       w->checkpoint, w->every,   w->resume,  w->plot,      w->output,
                       w->log,        w->send,    w->profile, w->sample,    w->runs};

    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        free(strings[i]);
    run_values_clear(&w->application);
    poptFreeContext(w->popt);
    free(w->table);
    text_clear(&w->command_line);
    free(w);
}
