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

enum { CHUNK_MIN = 4 << 10, CHUNK_MAX = 256 << 20 };
enum { THREADS_MIN = 32, THREADS_MAX = 49152, THREADS_STEP = 32 };

static const struct run_application *const applications[] = {&run_pagerank, &run_jacobi};

/* Strings allocated by popt, which we own; NULL: not given. */
struct run_words {
    poptContext popt;
    struct poptOption *table;
    char *names, *machine, *devices, *method, *chunk, *threads, *seed, *tolerance,
        *iterations, *size, *json, *plot, *trace, *send;
    int chart, check, help;
    struct text command_line;
};

static poptContext make_popt(struct run_words *w, int argc, char **argv)
{
    const struct poptOption table[] = {
        {"names", 0, POPT_ARG_STRING, &w->names, 0, NULL, NULL},
        {"machine", 'm', POPT_ARG_STRING, &w->machine, 0, NULL, NULL},
        {"devices", 'n', POPT_ARG_STRING, &w->devices, 0, NULL, NULL},
        {"method", 0, POPT_ARG_STRING, &w->method, 0, NULL, NULL},
        {"chunk", 0, POPT_ARG_STRING, &w->chunk, 0, NULL, NULL},
        {"threads", 0, POPT_ARG_STRING, &w->threads, 0, NULL, NULL},
        {"send", 0, POPT_ARG_STRING, &w->send, 0, NULL, NULL},
        {"seed", 0, POPT_ARG_STRING, &w->seed, 0, NULL, NULL},
        {"tolerance", 0, POPT_ARG_STRING, &w->tolerance, 0, NULL, NULL},
        {"iterations", 0, POPT_ARG_STRING, &w->iterations, 0, NULL, NULL},
        {"size", 0, POPT_ARG_STRING, &w->size, 0, NULL, NULL},
        {"json", 0, POPT_ARG_STRING, &w->json, 0, NULL, NULL},
        {"plot", 0, POPT_ARG_STRING, &w->plot, 0, NULL, NULL},
        {"chart", 0, POPT_ARG_NONE, &w->chart, 0, NULL, NULL},
        {"trace", 0, POPT_ARG_STRING, &w->trace, 0, NULL, NULL},
        {"check", 0, POPT_ARG_NONE, &w->check, 0, NULL, NULL},
        {"help", 'h', POPT_ARG_NONE, &w->help, 0, NULL, NULL},
        POPT_TABLEEND,
    };
    struct poptOption *kept = must_calloc(1, sizeof table); /* popt borrows it */

    memcpy(kept, table, sizeof table);
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
    bool json_on_stdout = w->json && strcmp(w->json, "-") == 0;

    if (json_on_stdout && w->plot && strcmp(w->plot, "-") == 0)
        return usage_error("run", "--json - and --plot - both name stdout");
    r->json = take_output(w->json);
    r->plot = json_on_stdout ? w->plot : take_output(w->plot);
    r->trace = w->trace;
    return EXIT_FINE;
}

static int take_methods(const struct run_words *w, struct run_request *r)
{
    const bool one = w->method && strcmp(w->method, "all") != 0 && !strchr(w->method, ',');

    if (w->trace && !one)
        return usage_error("run", "--trace records one method: add --method NAME");
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
        (code = take_number("size", w->size, 3, 32768, &r->size)))
        return code;
    if ((code = take_tolerance(w->tolerance, &r->tolerance)))
        return code;
    r->names = w->names;
    r->machine = w->machine;
    r->check = w->check;
    r->chart = w->chart;
    r->command_line = w->command_line.data;
    if ((code = take_methods(w, r)))
        return code;
    return take_outputs(w, r);
}

static int find_application(const char *name, const struct run_application **out)
{
    if (!name)
        return usage_error("run", "run needs an application: pagerank or jacobi");
    for (size_t i = 0; i < sizeof applications / sizeof *applications; i++)
        if (strcmp(applications[i]->name, name) == 0) {
            *out = applications[i];
            return EXIT_FINE;
        }
    return usage_error("run", "no application '%s': there are pagerank and jacobi", name);
}

/* The operands: the application, and its input if it takes one. */
static int take_operands(struct run_words *w, const struct run_application **application,
                         struct run_request *r)
{
    int code = find_application(poptGetArg(w->popt), application);

    if (code)
        return code;
    if ((*application)->takes_input) {
        r->input = poptGetArg(w->popt);
        if (!r->input)
            return usage_error("run",
                               "%s needs a graph: a Matrix Market file, plain or gzip",
                               (*application)->name);
        if (w->size)
            return usage_error("run", "--size is for jacobi");
    } else if (w->names) {
        return usage_error("run", "--names is for pagerank");
    }
    const char *more = poptGetArg(w->popt);

    if (more)
        return usage_error("run", "%s: unexpected argument '%s'", (*application)->name,
                           more);
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
    *help = w->help;
    if (w->help)
        return EXIT_FINE;
    if ((code = take_operands(w, application, request)))
        return code;
    return take_values(w, request);
}

void run_options_destroy(struct run_words *w)
{
    char *strings[] = {w->names,   w->machine, w->devices, w->method,    w->chunk,
                       w->threads, w->seed,    w->trace,   w->tolerance, w->iterations,
                       w->size,    w->json,    w->plot,    w->send};

    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        free(strings[i]);
    poptFreeContext(w->popt);
    free(w->table);
    text_clear(&w->command_line);
    free(w);
}
