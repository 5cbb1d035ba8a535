/* SPDX-License-Identifier: Apache-2.0 */
#include "model_fit/fit_options.h"

#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "command.h"
#include "model/initiator.h"
#include "option_values.h"

enum {
    FIT_BYTES_LEAST = 64 << 10,
    FIT_THREADS_MAX = 1 << 10,
    FIT_SECONDS_MAX = 1 << 20,
    FIT_PERCENT_MAX = 1000
};
static const uint64_t fit_bytes_most = 1ull << 34;
static const char command[] = "model fit";

static int initiator_unknown(const char *name, size_t length)
{
    struct text known = {0};

    for (int who = 0; who < MODEL_SENDERS; who++)
        text_print(&known, "%s%s", who ? ", " : "",
                   model_sender_name((enum model_sender)who));
    const int code = usage_error(command, "--initiator: no initiator '%.*s': there are %s",
                                 (int)length, name, known.data);

    text_clear(&known);
    return code;
}

static int fit_initiators(const char *list, unsigned *out)
{
    *out = list ? 0 : (1u << MODEL_SENDERS) - 1;
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        int who = 0;

        while (who < MODEL_SENDERS &&
               (strlen(model_sender_name((enum model_sender)who)) != length ||
                strncmp(at, model_sender_name((enum model_sender)who), length) != 0))
            who++;
        if (who == MODEL_SENDERS)
            return initiator_unknown(at, length);
        *out |= 1u << who;
    }
    return EXIT_FINE;
}

/* Options for measurements do not apply to --from, and --like does to nothing else. */
static int fit_misplaced(const struct fit_options *o)
{
    const struct {
        const char *name, *word;
    } measures[] = {{"machine", o->machine},      {"keys", o->keys},
                    {"initiator", o->initiators}, {"time", o->time},
                    {"bytes", o->bytes},          {"host-threads", o->host_threads},
                    {"within", o->within}};

    if (!o->from)
        return o->like ? usage_error(command, "--like is for --from FILE") : EXIT_FINE;
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        if (measures[i].word)
            return usage_error(command,
                               "--%s measures a machine, --from reads a file: "
                               "remove one of the two",
                               measures[i].name);
    return EXIT_FINE;
}

static int fit_values(struct fit_options *o)
{
    const struct option_range threads = {command, "host-threads", 1, FIT_THREADS_MAX},
                              bytes = {command, "bytes", FIT_BYTES_LEAST, fit_bytes_most},
                              time = {command, "time", 0, FIT_SECONDS_MAX},
                              within = {command, "within", 0, FIT_PERCENT_MAX};
    int code = fit_misplaced(o);

    if (code || (code = fit_initiators(o->initiators, &o->senders)) ||
        (code = option_real(&time, o->time, &o->seconds)) ||
        (code = option_real(&within, o->within, &o->percent)) ||
        (code = option_bytes(&bytes, o->bytes, &o->bytes_max)))
        return code;
    return option_integer(&threads, o->host_threads, &o->threads);
}

int fit_options_read(int argc, char **argv, struct fit_options *out)
{
    struct fit_options *o = out;
    int json = 0, help = 0, code;

    *o = (struct fit_options){.json = false};
    struct poptOption options[] = {
        {"machine", 'm', POPT_ARG_STRING, &o->machine, 0, NULL, NULL},
        {"keys", '\0', POPT_ARG_STRING, &o->keys, 0, NULL, NULL},
        {"from", '\0', POPT_ARG_STRING, &o->from, 0, NULL, NULL},
        {"like", '\0', POPT_ARG_STRING, &o->like, 0, NULL, NULL},
        {"initiator", '\0', POPT_ARG_STRING, &o->initiators, 0, NULL, NULL},
        {"time", '\0', POPT_ARG_STRING, &o->time, 0, NULL, NULL},
        {"bytes", '\0', POPT_ARG_STRING, &o->bytes, 0, NULL, NULL},
        {"host-threads", '\0', POPT_ARG_STRING, &o->host_threads, 0, NULL, NULL},
        {"within", '\0', POPT_ARG_STRING, &o->within, 0, NULL, NULL},
        {"json", '\0', POPT_ARG_NONE, &json, 0, NULL, NULL},
        {"help", 'h', POPT_ARG_NONE, &help, 0, NULL, NULL},
        POPT_TABLEEND,
    };
    poptContext context = poptGetContext("proact", argc, (const char **)argv, options, 0);
    const int option = poptGetNextOpt(context);
    const char *more = option < -1 ? NULL : poptGetArg(context);

    o->json = json != 0;
    o->help = help != 0;
    if (option < -1)
        code = usage_error(command, "%s: %s: %s", command,
                           poptBadOption(context, POPT_BADOPTION_NOALIAS),
                           poptStrerror(option));
    else if (more)
        code = usage_error(command, "%s: unexpected argument '%s'", command, more);
    else
        code = o->help ? EXIT_FINE : fit_values(o);
    poptFreeContext(context);
    return code;
}

void fit_options_clear(struct fit_options *o)
{
    free(o->machine);
    free(o->keys);
    free(o->from);
    free(o->like);
    free(o->initiators);
    free(o->time);
    free(o->bytes);
    free(o->host_threads);
    free(o->within);
}
