/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "check_words.h"
#include "command.h"
#include "model/import/import.h"
#include "model_fit/fit_options.h"
#include "model_fit/fit_print.h"
#include "model_fit/model_fit.h"
#include "progress_bar.h"
#include "topology/machine_nearest.h"

static const char help[] =
    "Usage: proact model fit [OPTION...]\n"
    "       proact model fit --from FILE [--like MACHINE]\n"
    "\n"
    "Measure messages from GPU 0 to GPU 1, by initiator, from 8 bytes to 256 MB, 1 to 64 "
    "at\n"
    "once, and fit LogGOP parameters. Print them next to those derived from the machine "
    "file,\n"
    "with the errors of both on the sizes that were not fitted. Ctrl-C ends the\n"
    "measurements and prints what was measured; a second one ends the program.\n"
    "\n"
    "With --from, print a machine file from the output of another tool, and list the keys\n"
    "that remain estimates on stderr.\n"
    "\n"
    "Examples:\n"
    "  proact model fit --machine h200x2 --initiator copy\n"
    "  proact model fit --machine v100x4 --initiator copy,relay --json > fit.json\n"
    "  nvbandwidth -j > box.json; proact model fit --from box.json > my-box.json\n"
    "  (nvidia-smi -L; nvidia-smi topo -m) > box.txt; proact model fit --from box.txt\n"
    "\n"
    "Options:\n"
    "  -m, --machine M     a name from `proact machines`, a machine file, or local: the "
    "GPUs\n"
    "                      of this computer (default local; v100x4 without GPUs)\n"
    "  --keys M            derive from the keys of this machine (default: M itself; for\n"
    "                      local the shipped machine with the same chip)\n"
    "  --initiator I,...   only these: store, bulk-store, fused, agent, child, copy,\n"
    "                      copy-wait, relay, unit\n"
    "  --bytes N           largest sum of the messages of a run (default 1G; emulated "
    "256M,\n"
    "                      and 32M where a kernel sends)\n"
    "  --time SECONDS      end the measurements after that time\n"
    "  --within PERCENT    fail if the 95th percentile of the errors of the fit is larger\n"
    "  --host-threads N    host threads of the emulator (default: one per core)\n"
    "  --from FILE         JSON of nvbandwidth, text of osu_bw and osu_latency between "
    "two\n"
    "                      GPUs, text of nvidia-smi topo -m, or XML of lstopo\n"
    "  --like M            with --from: the machine that gives the other keys (default:\n"
    "                      the most similar one)\n"
    "  --json              print all times and parameters as JSON\n"
    "  -h, --help          print this text\n";

static volatile sig_atomic_t is_interrupted;

/* A second signal ends the program. */
static void fit_interrupted(int number)
{
    is_interrupted = 1;
    signal(number, SIG_DFL);
}

static void fit_catch(void)
{
    struct sigaction action = {.sa_handler = fit_interrupted};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

struct fit_progress {
    struct progress_bar bar;
    uint64_t end_ns; /* by the host's clock; 0: none */
};

static bool fit_goes_on(void *context, double part, const char *what)
{
    struct fit_progress *p = context;

    if (progress_bar_is_due(&p->bar))
        progress_bar_draw(&p->bar, part, what);
    return !is_interrupted && (!p->end_ns || clock_host_ns() < p->end_ns);
}

/* The machine whose keys are compared. */
static enum proact_status fit_keys(const struct fit_options *o, const struct sweep *s,
                                   struct topology *out, struct proact_error *err)
{
    const struct machine_traits traits = {.model = s->topology.device.name, .devices = 2};

    if (o->keys)
        return topology_load(o->keys, out, err);
    *out = s->topology;
    return s->is_virtual ? PROACT_OK : machine_nearest("local", &traits, out, err);
}

static int fit_print(const struct fit_options *o, const struct sweep *s,
                     const struct topology *keys, const char *line)
{
    struct fit_senders *all = must_calloc(1, sizeof *all);
    int code = EXIT_FINE;

    fit_senders_find(s, keys, all);
    if (o->json)
        fit_print_json(s, all, line);
    else
        fit_print_tables(s, all);
    if (o->percent > 0 && 100 * all->fit.p95 > o->percent)
        code = EXIT_FAILED;
    free(all);
    if (!s->is_complete)
        fprintf(stderr, "proact: the measurements ended early%s\n",
                is_interrupted ? ", by an interruption" : ", by --time");
    return code;
}

static int fit_measure(const struct fit_options *o, const char *line)
{
    struct fit_progress progress = {.end_ns = 0};
    const struct sweep_request q = {.machine = o->machine,
                                    .host_threads = (unsigned)o->threads,
                                    .senders = o->senders,
                                    .bytes_max = o->bytes_max,
                                    .goes_on = fit_goes_on,
                                    .context = &progress};
    struct topology *keys = must_calloc(1, sizeof *keys);
    struct sweep *s = must_calloc(1, sizeof *s);
    struct proact_error err = {""};
    int code = check_machine("model fit", o->machine, 2, keys);

    if (!code && o->keys && topology_load(o->keys, keys, &err))
        code = failure_exit(&err);
    if (!code) {
        progress_bar_init(&progress.bar);
        if (o->seconds > 0)
            progress.end_ns = clock_host_ns() + (uint64_t)(o->seconds * 1e9);
        fit_catch();
        sweep_run(&q, s);
        progress_bar_clear(&progress.bar);
        if (!s->count) {
            fprintf(stderr, "proact: %s: nothing was measured: %s\n", s->topology.name,
                    s->is_complete ? "it has none of these initiators"
                                   : "the time was too short");
            code = EXIT_FAILED;
        } else if (fit_keys(o, s, keys, &err)) {
            code = failure_exit(&err);
        } else {
            code = fit_print(o, s, keys, line);
        }
    }
    sweep_clear(s);
    free(s);
    free(keys);
    return code;
}

static int fit_import(const struct fit_options *o)
{
    struct machine_import *i = must_calloc(1, sizeof *i);
    struct proact_error err = {""};
    int code = EXIT_FINE;

    if (machine_import(o->from, o->like, i, &err)) {
        code = failure_exit(&err);
    } else {
        char *file = machine_import_print(i), *origins = machine_import_origins(i);

        fputs(file, stdout);
        fflush(stdout);
        fputs(origins, stderr);
        free(file);
        free(origins);
    }
    free(i);
    return code;
}

int model_fit_command(int argc, char **argv)
{
    struct fit_options o;
    struct text line = {0};
    int code;

    text_print(&line, "proact model");
    for (int i = 0; i < argc; i++)
        text_print(&line, " %s", argv[i]);
    code = fit_options_read(argc, argv, &o);
    if (!code && o.help)
        fputs(help, stdout);
    else if (!code)
        code = o.from ? fit_import(&o) : fit_measure(&o, line.data);
    text_clear(&line);
    fit_options_clear(&o);
    return code;
}
