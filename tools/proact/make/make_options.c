/* SPDX-License-Identifier: Apache-2.0 */
#include "make/make_options.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "check_words.h"
#include "command.h"

/* Options of all generators. */
struct make_words {
    char *output;
    int help;
};

static int make_options_parse(const struct make_options *o, int argc, char **argv,
                              struct make_words *w)
{
    const struct poptOption table[] = {
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)o->table, 0, NULL, NULL},
        {"output", 'o', POPT_ARG_STRING, &w->output, 0, NULL, NULL},
        {"help", 'h', POPT_ARG_NONE, &w->help, 0, NULL, NULL},
        POPT_TABLEEND,
    };
    poptContext popt = poptGetContext("proact", argc, (const char **)argv, table, 0);
    int code, result = EXIT_FINE;

    while ((code = poptGetNextOpt(popt)) > 0)
        ;
    const char *more = poptPeekArg(popt);

    if (code < -1)
        result =
            usage_error(o->command, "%s: %s", poptBadOption(popt, POPT_BADOPTION_NOALIAS),
                        poptStrerror(code));
    else if (!w->help && more)
        result = usage_error(o->command, "unexpected argument '%s'", more);
    else if (!w->help && !(result = o->take(o->request)) && !w->output)
        result = usage_error(o->command, "no file is named: add -o FILE");
    poptFreeContext(popt);
    return result;
}

int make_options_run(const struct make_options *options, int argc, char **argv)
{
    struct make_words words = {0};
    struct proact_error err = {""};
    int code = make_options_parse(options, argc, argv, &words);

    if (!code && words.help) {
        fputs(options->help, stdout);
    } else if (!code) {
        const char *path = take_output(words.output);

        if (check_folder(path, &err) || options->create(options->request, path, &err))
            code = failure_exit(&err);
    }
    for (const struct poptOption *o = options->table; o->longName; o++)
        if (o->argInfo == POPT_ARG_STRING)
            free(*(char **)o->arg);
    free(words.output);
    return code;
}
