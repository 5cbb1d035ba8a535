/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "check_words.h"
#include "command.h"
#include "tune/tune.h"

struct tune_words {
    poptContext popt;
    struct poptOption table[5]; /* which popt borrows */
    char *effort, *time, *profile;
    int help;
};

static int tune_take_effort(const char *word, const char **out)
{
    static const char *const efforts[] = {"estimate", "measure", "exhaustive"};

    *out = "measure";
    for (int i = 0; word && i < 3; i++)
        if (strcmp(word, efforts[i]) == 0) {
            *out = efforts[i];
            return EXIT_FINE;
        }
    return word ? usage_error("tune",
                              "--effort: expected estimate, measure or exhaustive, found "
                              "'%s'",
                              word)
                : EXIT_FINE;
}

static int tune_take_time(const char *word, double *out)
{
    char *end = NULL;

    if (!word)
        return EXIT_FINE;
    *out = strtod(word, &end);
    if (end == word || *end || !(*out > 0 && *out <= 1e9))
        return usage_error(
            "tune", "--time: expected seconds above 0 and up to 1e9, found '%s'", word);
    return EXIT_FINE;
}

/* Whether the words are `proact run ...`. */
static bool is_application(char **argv)
{
    const char *slash = strrchr(argv[0], '/');

    return strcmp(slash ? slash + 1 : argv[0], "proact") == 0 && argv[1] &&
           strcmp(argv[1], "run") == 0;
}

static int tune_start(const struct tune_words *w, struct tune_request *request, int argc,
                      char **argv)
{
    struct proact_error err = {""};
    int code;

    if ((code = tune_take_effort(w->effort, &request->effort)) ||
        (code = tune_take_time(w->time, &request->seconds)))
        return code;
    if (!argc)
        return usage_error("tune",
                           "tune needs a program, or explain, forget, pin, merge or "
                           "check");
    if ((code = tune_path(w->profile, &request->path)))
        return code;
    if ((!w->profile && create_folders(request->path, &err)) ||
        check_folder(request->path, &err))
        return failure_exit(&err);
    return is_application(argv) ? tune_application(request, argc - 1, argv + 1)
                                : tune_program(request, argv);
}

/* The options are those before the program. */
static int tune_run(int argc, char **argv)
{
    struct tune_words w = {.help = 0};
    struct tune_request request = {.path = NULL};
    const struct poptOption table[] = {
        {"effort", 0, POPT_ARG_STRING, &w.effort, 0, NULL, NULL},
        {"time", 0, POPT_ARG_STRING, &w.time, 0, NULL, NULL},
        {"profile", 0, POPT_ARG_STRING, &w.profile, 0, NULL, NULL},
        {"help", 'h', POPT_ARG_NONE, &w.help, 0, NULL, NULL},
        POPT_TABLEEND};

    memcpy(w.table, table, sizeof table);
    w.popt = poptGetContext("proact", argc, (const char **)argv, w.table,
                            POPT_CONTEXT_POSIXMEHARDER);
    int code = poptGetNextOpt(w.popt);

    if (code < -1) {
        code = usage_error("tune", "%s: %s", poptBadOption(w.popt, POPT_BADOPTION_NOALIAS),
                           poptStrerror(code));
    } else if (w.help) {
        tune_help();
        code = EXIT_FINE;
    } else {
        char **rest = (char **)poptGetArgs(w.popt);
        int count = 0;

        while (rest && rest[count])
            count++;
        code = tune_start(&w, &request, count, rest);
    }
    free(w.effort);
    free(w.time);
    free(w.profile);
    free(request.path);
    poptFreeContext(w.popt);
    return code;
}

int command_tune(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"explain", tune_explain},
                    {"forget", tune_forget},
                    {"pin", tune_pin},
                    {"merge", tune_merge},
                    {"check", tune_check}};

    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return tune_run(argc, argv);
}
