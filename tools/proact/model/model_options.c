/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_options.h"

#include <popt.h>
#include <proact/proact.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "check_words.h"
#include "command.h"
#include "option_values.h"

/* Options of a launch, which `proact analyze` reads. */
enum {
    PASSED_KERNEL,
    PASSED_GRID,
    PASSED_BLOCK,
    PASSED_ARG,
    PASSED_ARRAY,
    PASSED_CONSTANT,
    PASSED
};
static const char *const passed_names[PASSED] = {"kernel", "grid",  "block",
                                                 "arg",    "array", "constant"};
enum { LAUNCH_WORDS_MAX = 2 * PASSED * ANALYZE_SETTINGS_MAX };

/* Strings allocated by popt, which we own; NULL: not given. */
struct model_words {
    poptContext popt;
    struct poptOption *table;
    char *machine, *devices, *bytes, *run, *ratio, *pattern, *kernel_us, *json;
    char **passed[PASSED];
    int help;
    struct text command_line, options[PASSED];
    char **launch; /* argv of analyze_options_parse() */
    struct analyze_words *analyzed;
};

static poptContext model_popt(struct model_words *w, int argc, char **argv, bool predicts)
{
    const struct poptOption common[] = {
        {"machine", 'm', POPT_ARG_STRING, &w->machine, 0, NULL, NULL},
        {"devices", 'n', POPT_ARG_STRING, &w->devices, 0, NULL, NULL},
        {"bytes", 0, POPT_ARG_STRING, &w->bytes, 0, NULL, NULL},
        {"help", 'h', POPT_ARG_NONE, &w->help, 0, NULL, NULL},
        {"run", 0, POPT_ARG_STRING, &w->run, 0, NULL, NULL},
        {"ratio", 0, POPT_ARG_STRING, &w->ratio, 0, NULL, NULL},
        {"pattern", 0, POPT_ARG_STRING, &w->pattern, 0, NULL, NULL},
        {"kernel-us", 0, POPT_ARG_STRING, &w->kernel_us, 0, NULL, NULL},
        {"json", 0, POPT_ARG_STRING, &w->json, 0, NULL, NULL},
    };
    enum { COMMON = 4, ALL = sizeof common / sizeof *common };
    struct poptOption *table = must_calloc(ALL + PASSED + 1, sizeof *table);
    size_t count = predicts ? ALL : COMMON;

    memcpy(table, common, count * sizeof *table);
    for (int i = 0; i < PASSED && predicts; i++)
        table[count++] = (struct poptOption){
            passed_names[i], 0, POPT_ARG_ARGV, &w->passed[i], 0, NULL, NULL};
    w->table = table; /* popt borrows it */
    return poptGetContext("proact", argc, (const char **)argv, table, 0);
}

/* The launch as `proact analyze` reads it. */
static int take_kernel(struct model_words *w, const char *file, struct model_request *q)
{
    int count = 0;
    bool help;

    w->launch = must_calloc(LAUNCH_WORDS_MAX + 3, sizeof *w->launch);
    w->launch[count++] = strdup("analyze");
    w->launch[count++] = strdup(file);
    for (int i = 0; i < PASSED; i++) {
        text_print(&w->options[i], "--%s", passed_names[i]);
        for (char **word = w->passed[i]; word && *word; word++) {
            if (count + 2 > LAUNCH_WORDS_MAX)
                return usage_error("model", "--%s: more than %d", passed_names[i],
                                   ANALYZE_SETTINGS_MAX);
            w->launch[count++] = strdup(w->options[i].data);
            w->launch[count++] = strdup(*word);
        }
    }
    q->has_kernel = true;
    int code = analyze_options_parse(count, w->launch, &w->analyzed, &q->kernel, &help);

    if (!code && !q->kernel.has_launch)
        code = usage_error("model", "a kernel needs its launch: add --grid and --block");
    return code;
}

static int take_pattern(const struct model_words *w, struct model_request *q)
{
    if (!w->pattern)
        return EXIT_FINE;
    q->is_one_to_all = strcmp(w->pattern, "one-to-all") == 0;
    if (!q->is_one_to_all && strcmp(w->pattern, "all-to-all") != 0)
        return usage_error("model",
                           "--pattern: expected one-to-all or all-to-all, found '%s'",
                           w->pattern);
    return EXIT_FINE;
}

static int model_take_numbers(const struct model_words *w, struct model_request *q)
{
    const struct option_range devices = {"model", "devices", 2, PROACT_DEVICES_MAX};
    const struct option_range bytes = {"model", "bytes", 1, (uint64_t)1 << 40};
    const struct option_range run = {"model", "run", 1, (uint64_t)1 << 40};
    const struct option_range ratio = {"model", "ratio", 0, 1000};
    const struct option_range kernel_us = {"model", "kernel-us", 0, 1000000000};
    uint64_t count = 0;
    int code;

    if ((code = option_integer(&devices, w->devices, &count)) ||
        (code = option_bytes(&bytes, w->bytes, &q->bytes)) ||
        (code = option_bytes(&run, w->run, &q->run)) ||
        (code = option_real(&ratio, w->ratio, &q->ratio)) ||
        (code = option_real(&kernel_us, w->kernel_us, &q->kernel_us)))
        return code;
    q->devices = (unsigned)count;
    return take_pattern(w, q);
}

/* Either a kernel or numbers describe the launch. */
static int take_problem(struct model_words *w, const char *part, struct model_request *q)
{
    const char *file = poptGetArg(w->popt), *more = poptGetArg(w->popt);
    const bool predicts = strcmp(part, "predict") == 0;
    int code = model_take_numbers(w, q);

    if (code)
        return code;
    if (more || (file && !predicts))
        return usage_error("model", "model %s: unexpected argument '%s'", part,
                           more ? more : file);
    if (!predicts)
        return EXIT_FINE;
    if (file && (w->bytes || w->run || w->ratio || w->pattern))
        return usage_error("model", "--%s describes a launch without a kernel: remove %s",
                           w->bytes   ? "bytes"
                           : w->run   ? "run"
                           : w->ratio ? "ratio"
                                      : "pattern",
                           file);
    if (file)
        return take_kernel(w, file, q);
    for (int i = 0; i < PASSED; i++)
        if (w->passed[i])
            return usage_error("model", "--%s is for a kernel: add its file",
                               passed_names[i]);
    if (!w->bytes)
        return usage_error("model", "model predict needs a kernel or --bytes");
    if (w->ratio && w->kernel_us)
        return usage_error("model", "--ratio and --kernel-us both give the kernel's time: "
                                    "remove one");
    return EXIT_FINE;
}

int model_options_parse(int argc, char **argv, struct model_words **words,
                        struct model_request *q, bool *help)
{
    struct model_words *w = must_calloc(1, sizeof *w);
    int code;

    *words = w;
    *q = (struct model_request){.machine = NULL};
    text_print(&w->command_line, "proact model");
    for (int i = 0; i < argc; i++)
        text_print(&w->command_line, " %s", argv[i]);
    w->popt = model_popt(w, argc, argv, strcmp(argv[0], "predict") == 0);
    while ((code = poptGetNextOpt(w->popt)) > 0)
        ;
    if (code < -1)
        return usage_error("model", "model %s: %s: %s", argv[0],
                           poptBadOption(w->popt, POPT_BADOPTION_NOALIAS),
                           poptStrerror(code));
    *help = w->help;
    if (w->help)
        return EXIT_FINE;
    if ((code = take_problem(w, argv[0], q)))
        return code;
    q->machine = w->machine ? w->machine : "v100x4";
    q->json = take_output(w->json);
    q->command_line = w->command_line.data;
    return EXIT_FINE;
}

static void free_words(char **words)
{
    for (char **word = words; word && *word; word++)
        free(*word);
    free(words);
}

void model_options_destroy(struct model_words *w)
{
    if (!w)
        return;
    char *strings[] = {w->machine, w->devices, w->bytes,     w->run,
                       w->ratio,   w->pattern, w->kernel_us, w->json};

    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        free(strings[i]);
    for (int i = 0; i < PASSED; i++) {
        free_words(w->passed[i]);
        text_clear(&w->options[i]);
    }
    if (w->analyzed)
        analyze_options_destroy(w->analyzed);
    free_words(w->launch);
    poptFreeContext(w->popt);
    free(w->table);
    text_clear(&w->command_line);
    free(w);
}

int model_machine(const struct model_request *q, struct topology *out)
{
    int code = check_machine("model", q->machine, q->devices, out);

    if (code)
        return code;
    if (out->fabric.egress_gbps <= 0)
        return usage_error("model",
                           "--machine %s: its latencies and rates are not known, "
                           "give a machine that `proact machines` lists or a file",
                           out->name);
    if (out->device_count < 2)
        return usage_error("model",
                           "--machine %s: it has %u device, and a launch sends "
                           "between at least 2",
                           out->name, out->device_count);
    return EXIT_FINE;
}
