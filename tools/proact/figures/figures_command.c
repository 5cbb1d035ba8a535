/* SPDX-License-Identifier: Apache-2.0 */
#include "figures/figures_command.h"

#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/memory.h"
#include "check_words.h"
#include "command.h"
#include "figures/figure_file.h"
#include "option_values.h"
#include "run/run_options.h"

static const char figures_help[] =
    "Usage: proact bench figures [OPTION...]\n"
    "\n"
    "Make the figures of the evaluation of the PROACT paper: the rows as JSON, a picture\n"
    "(SVG) and a table (text) of each. Applications are those of proact run, by every\n"
    "method and a sweep of chunk sizes and threads; each answer is compared with that of\n"
    "one device.\n"
    "\n"
    "  2       goodput of stores by the length of a range, on four fabrics\n"
    "  4       the microbenchmark by threads of the agent and chunk size\n"
    "  6       the microbenchmark by chunk size\n"
    "  7       speedup of the applications by method\n"
    "  table2  the fastest plan of each application\n"
    "  table2-planner  the plan of the cost model for the paper's inputs; nothing runs\n"
    "  8       overhead of tracking\n"
    "  9       hidden transfer time\n"
    "  10      speedup by the number of devices\n"
    "\n"
    "Options:\n"
    "  --only N[,N...]     only these figures\n"
    "  -m, --machine M     only this machine (default: the paper's, emulated)\n"
    "  --application NAME  only this application\n"
    "  -n, --devices N     Figure 10 with N devices only\n"
    "  --out DIR           folder of the files, created if missing (default figures)\n"
    "  --quick             small inputs and few plans; several minutes. Otherwise inputs\n"
    "                      have the paper's ratio of shared data to work, and need "
    "--sample\n"
    "  --replay            times of figures 7 to 10 and table2 by recorded costs of a few\n"
    "                      launches, without comparing answers\n"
    "  --sample N          the same from every N-th CTA and four iterations\n"
    "  --draw              pictures and tables from the JSON files, without a run\n"
    "  -h, --help          print this text\n"
    "\n"
    "Examples:\n"
    "  proact bench figures --only 2 --quick --out goodput\n"
    "  proact bench figures --only 2 --draw --out goodput\n";

struct figures_words {
    poptContext popt;
    struct poptOption table[11]; /* which popt borrows */
    char *only, *machine, *out, *sample, *application, *devices;
    uint64_t device_count; /* of Figure 10; 0: several counts */
    uint64_t executed;     /* one of `executed` CTAs is executed; 0: all */
    int quick, replay, draw, help;
};

static int figures_parse(struct figures_words *w, int argc, char **argv)
{
    const struct poptOption table[] = {
        {"only", 0, POPT_ARG_STRING, &w->only, 0, NULL, NULL},
        {"machine", 'm', POPT_ARG_STRING, &w->machine, 0, NULL, NULL},
        {"application", 0, POPT_ARG_STRING, &w->application, 0, NULL, NULL},
        {"devices", 'n', POPT_ARG_STRING, &w->devices, 0, NULL, NULL},
        {"out", 0, POPT_ARG_STRING, &w->out, 0, NULL, NULL},
        {"quick", 0, POPT_ARG_NONE, &w->quick, 0, NULL, NULL},
        {"replay", 0, POPT_ARG_NONE, &w->replay, 0, NULL, NULL},
        {"sample", 0, POPT_ARG_STRING, &w->sample, 0, NULL, NULL},
        {"draw", 0, POPT_ARG_NONE, &w->draw, 0, NULL, NULL},
        {"help", 'h', POPT_ARG_NONE, &w->help, 0, NULL, NULL},
        POPT_TABLEEND};

    memcpy(w->table, table, sizeof table);
    w->popt = poptGetContext("proact", argc, (const char **)argv, w->table, 0);
    const int code = poptGetNextOpt(w->popt);
    const char *more = poptGetArg(w->popt);

    if (code < -1)
        return usage_error("bench", "bench figures: %s: %s",
                           poptBadOption(w->popt, POPT_BADOPTION_NOALIAS),
                           poptStrerror(code));
    if (more)
        return usage_error("bench", "bench figures: unexpected argument '%s'", more);
    if (w->draw &&
        (w->quick || w->machine || w->application || w->devices || w->replay || w->sample))
        return usage_error("bench", "--draw runs nothing: it does not accept --%s",
                           w->quick         ? "quick"
                           : w->machine     ? "machine"
                           : w->application ? "application"
                           : w->devices     ? "devices"
                           : w->sample      ? "sample"
                                            : "replay");
    if (w->application && !figure_input_find(w->application))
        return usage_error("bench", "--application: '%s' has no figures", w->application);
    const int wrong =
        option_integer(&(struct option_range){"bench", "devices", 2, PROACT_DEVICES_MAX},
                       w->devices, &w->device_count);

    return wrong ? wrong
                 : option_integer(&(struct option_range){"bench", "sample", RUN_SAMPLE_MIN,
                                                         RUN_SAMPLE_MAX},
                                  w->sample, &w->executed);
}

static int figures_check_names(const char *only)
{
    for (const char *at = only; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        struct text names = {0};

        if (figure_find(at, length))
            continue;
        for (size_t i = 0; figures[i]; i++)
            text_print(&names, "%s%s", i ? ", " : "", figures[i]->name);
        const int code = usage_error("bench", "--only: no figure '%.*s': there are %s",
                                     (int)length, at, names.data);

        text_clear(&names);
        return code;
    }
    return EXIT_FINE;
}

static bool figures_contain(const char *only, const struct figure *figure)
{
    for (const char *at = only; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (figure_find(at, strcspn(at, ",")) == figure)
            return true;
    return !only;
}

static enum proact_status figures_measure(const struct figure *figure,
                                          struct figure_session *s, const char *command,
                                          struct proact_error *err)
{
    const uint64_t begin_ns = clock_host_ns();
    struct figure_rows rows = {0};
    enum proact_status status = figure->run(s, &rows, err);
    const double seconds = (double)(clock_host_ns() - begin_ns) / 1e9;

    if (!status && rows.count == 0)
        status = fail(err, PROACT_EREFUSED, "figure %s: the machine supports no row of it",
                      figure->name);
    if (!status)
        status = figure_file_write(figure, s, &rows, seconds, command, err);
    if (!status)
        status = figure_file_draw(figure, s->folder, &rows, err);
    figure_rows_clear(&rows);
    return status;
}

static enum proact_status figures_redraw(const struct figure *figure, const char *folder,
                                         struct proact_error *err)
{
    struct figure_rows rows = {0};
    enum proact_status status = figure_file_read(figure, folder, &rows, err);

    if (!status)
        status = figure_file_draw(figure, folder, &rows, err);
    figure_rows_clear(&rows);
    return status;
}

/* Creates the folder, and checks that it can take the files of the selected figures. */
static enum proact_status figures_check_folder(const struct figures_words *w,
                                               const char *folder, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;
    struct stat is;

    if (!w->draw && mkdir(folder, 0777) && errno != EEXIST)
        return fail(err, PROACT_EINVAL, "%s: cannot be created: %s", folder,
                    strerror(errno));
    if (stat(folder, &is) == 0 && !S_ISDIR(is.st_mode))
        return fail(err, PROACT_EINVAL, "%s: cannot be written: it is not a folder",
                    folder);
    for (size_t i = 0; figures[i] && !w->draw && !status; i++)
        if (figures_contain(w->only, figures[i]))
            status = figure_file_check(figures[i], folder, err);
    return status;
}

static int figures_make(const struct figures_words *w, const char *command)
{
    struct figure_session s = {.machine = w->machine,
                               .folder = w->out ? w->out : "figures",
                               .only = w->application,
                               .devices = (unsigned)w->device_count,
                               .quick = w->quick,
                               .replay = w->replay || w->sample,
                               .sample = (unsigned)w->executed};
    struct proact_error err = {""};
    enum proact_status status = figures_check_folder(w, s.folder, &err);

    for (size_t i = 0; figures[i] && !status; i++) {
        if (!figures_contain(w->only, figures[i]))
            continue;
        status = w->draw ? figures_redraw(figures[i], s.folder, &err)
                         : figures_measure(figures[i], &s, command, &err);
    }
    figure_session_clear(&s);
    if (!status)
        return EXIT_FINE;
    const int code = failure_exit(&err);

    return s.differs ? EXIT_DIFFERS : code;
}

int figures_command(int argc, char **argv)
{
    struct figures_words w = {.help = 0};
    struct topology *topology = NULL;
    struct text command = {0};
    int code = figures_parse(&w, argc, argv);

    text_print(&command, "proact bench");
    for (int i = 0; i < argc; i++)
        text_print(&command, " %s", argv[i]);
    if (!code && w.help) {
        fputs(figures_help, stdout);
    } else if (!code && !(code = figures_check_names(w.only))) {
        topology = must_calloc(1, sizeof *topology);
        if (w.machine)
            code = check_machine("bench", w.machine, 0, topology);
        if (!code)
            code = figures_make(&w, command.data);
    }
    free(topology);
    free(w.only);
    free(w.machine);
    free(w.sample);
    free(w.application);
    free(w.devices);
    free(w.out);
    poptFreeContext(w.popt);
    text_clear(&command);
    return code;
}
