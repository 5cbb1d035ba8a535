/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/tune_options.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "tune/tune.h"

int tune_options_parse(int argc, char **argv, const char *extra, struct tune_options *o,
                       bool *is_done)
{
    const struct poptOption extras[] = {
        {"svg", 0, POPT_ARG_STRING, &o->svg, 0, NULL, NULL},
        {"all", 0, POPT_ARG_NONE, &o->all, 0, NULL, NULL},
        {"machine", 'm', POPT_ARG_STRING, &o->machine, 0, NULL, NULL}};
    unsigned count = 0;

    *o = (struct tune_options){.count = 0};
    o->table[count++] =
        (struct poptOption){"profile", 0, POPT_ARG_STRING, &o->profile, 0, NULL, NULL};
    o->table[count++] =
        (struct poptOption){"help", 'h', POPT_ARG_NONE, &o->help, 0, NULL, NULL};
    for (int i = 0; i < 3; i++)
        if (extra && strcmp(extra, extras[i].longName) == 0)
            o->table[count++] = extras[i];
    o->popt = poptGetContext("proact", argc, (const char **)argv, o->table, 0);
    const int code = poptGetNextOpt(o->popt);

    *is_done = true;
    if (code < -1)
        return usage_error("tune", "%s %s: %s", argv[0],
                           poptBadOption(o->popt, POPT_BADOPTION_NOALIAS),
                           poptStrerror(code));
    if (o->help) {
        tune_help();
        return EXIT_FINE;
    }
    o->words = (char **)poptGetArgs(o->popt);
    while (o->words && o->words[o->count])
        o->count++;
    *is_done = false;
    return tune_path(o->profile, &o->path);
}

void tune_options_clear(struct tune_options *o)
{
    free(o->profile);
    free(o->svg);
    free(o->machine);
    free(o->path);
    poptFreeContext(o->popt);
}
