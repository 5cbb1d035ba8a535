/* SPDX-License-Identifier: Apache-2.0 */
#include "topology_commands.h"

#include <popt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "base/memory.h"
#include "command.h"
#include "model/model.h"
#include "topology/topology.h"

enum { LONG_COPY_BYTES = 1 << 28, CELL_WIDTH = 7 };

static const char machines_help[] =
    "Usage: proact machines [--json]\n"
    "\n"
    "Lists the machines that proact knows by name: emulated where the GPUs are not there.\n"
    "GB/S OUT is what copies carry out of one GPU to all its peers together, in useful "
    "bytes.\n"
    "\n"
    "  --json      print a list for programs\n"
    "  -h, --help  print this\n"
    "\n"
    "Examples:\n"
    "  proact machines\n"
    "  proact topo h200x8                # one of them in full\n"
    "  proact topo ./my-box.json         # your own: docs/machines.md says what goes in\n";

static const char topo_help[] =
    "Usage: proact topo [MACHINE] [--json]\n"
    "\n"
    "Prints the GPUs of a machine and the links between them. MACHINE is a name that\n"
    "`proact machines` lists, or the path of a machine file (.json) or of hwloc's XML\n"
    "(lstopo box.xml). Without one: v100x4.\n"
    "\n"
    "  --json      print it as a machine file, to change and to give to --machine\n"
    "  -h, --help  print this\n"
    "\n"
    "Examples:\n"
    "  proact topo v100x16\n"
    "  proact topo h200x4 --json > my-box.json\n";

struct arguments {
    bool json, help;
    const char *machine; /* borrowed from argv */
};

/* EXIT_FINE, or the exit code after a sentence on stderr. */
static int read_arguments(int argc, char **argv, bool takes_machine, struct arguments *out)
{
    const struct poptOption options[] = {
        {"json", '\0', POPT_ARG_NONE, NULL, 'j', NULL, NULL},
        {"help", 'h', POPT_ARG_NONE, NULL, 'h', NULL, NULL},
        POPT_TABLEEND,
    };
    poptContext context = poptGetContext(argv[0], argc, (const char **)argv, options, 0);
    int option, code = 0;

    while ((option = poptGetNextOpt(context)) > 0) {
        out->json |= option == 'j';
        out->help |= option == 'h';
    }
    const char *machine = poptGetArg(context), *more = NULL;

    if (option < -1) {
        code =
            say_usage(argv[0], "%s: %s: %s", argv[0],
                      poptBadOption(context, POPT_BADOPTION_NOALIAS), poptStrerror(option));
    } else if (machine && (!takes_machine || (more = poptGetArg(context)))) {
        code = say_usage(argv[0], "%s: '%s' is one argument too many", argv[0],
                         more ? more : machine);
    }
    for (int i = 1; i < argc && machine && !code;
         i++) { /* the context dies with its copy */
        if (strcmp(argv[i], machine) == 0)
            out->machine = argv[i];
    }
    poptFreeContext(context);
    return code;
}

static double copies_gbps(const struct topology *t)
{
    return model_goodput_gbps(&t->fabric, MODEL_COPY_ENGINE, LONG_COPY_BYTES);
}

static void put_machine(const struct topology *t, struct json_writer *w)
{
    json_begin(w, NULL, JSON_OBJECT);
    json_put_text(w, "name", t->name);
    json_put_whole(w, "device_count", t->device_count);
    json_put_text(w, "gpu", t->device.name);
    json_put_text(w, "fabric", t->fabric.name);
    json_put_real(w, "egress_gbps", t->fabric.egress_gbps);
    json_put_real(w, "copies_gbps", copies_gbps(t));
    json_put_text(w, "description", t->description);
    json_put_text(w, "source", t->source);
    json_end(w);
}

static void print_machine(const struct topology *t)
{
    printf("%-9s %7u  %-22s %-9s %8.1f  %s\n", t->name, t->device_count, t->device.name,
           t->fabric.name, copies_gbps(t), t->source);
}

int command_machines(int argc, char **argv)
{
    struct arguments a = {0};
    int code = read_arguments(argc, argv, false, &a);

    if (code || a.help) {
        fputs(a.help && !code ? machines_help : "", stdout);
        return code;
    }
    struct topology *t = must_calloc(1, sizeof *t);
    struct json_writer w = {.lines = 1};
    char **names = topology_names();

    json_begin(&w, NULL, JSON_ARRAY);
    if (!a.json)
        printf("%-9s %7s  %-22s %-9s %8s  %s\n", "NAME", "DEVICES", "GPU", "FABRIC",
               "GB/S OUT", "SOURCE");
    for (size_t i = 0; names[i]; i++) {
        struct proact_error err = {""};

        if (topology_load(names[i], t, &err)) {
            code = say_failure(&err);
        } else if (a.json) {
            put_machine(t, &w);
        } else {
            print_machine(t);
        }
        free(names[i]);
    }
    json_end(&w);
    if (a.json)
        fputs(w.text.data, stdout);
    text_clear(&w.text);
    free(names);
    free(t);
    return code;
}

static void print_device(const struct topology *t)
{
    const struct topology_device *d = &t->device;
    double mib = 1 << 20;

    printf("Each GPU\n");
    printf("  name            %s, compute capability %u.%u\n", d->name, d->capability / 10,
           d->capability % 10);
    printf("  SMs             %u at %.4g GHz, %.3g warp instructions a cycle\n",
           d->sm_count, d->clock_ghz, d->issue_width);
    printf("  an SM holds     %u threads, %u CTAs, %.4g KiB shared memory (%.4g a CTA)\n",
           d->threads_per_sm, d->ctas_per_sm, (double)d->shared_bytes_per_sm / 1024,
           (double)d->shared_bytes_per_cta / 1024);
    printf("  memory          %.4g GiB, %.4g GB/s by a copy, %.4g ns\n",
           (double)d->memory_bytes / mib / 1024, d->memory_gbps, d->memory_latency_ns);
    printf("  L2              %.4g MiB, %.4g GB/s, %.4g ns\n", (double)d->l2_bytes / mib,
           d->l2_gbps, d->l2_latency_ns);
    printf("  launch          %.3g us, and %.3g us of the host\n", d->launch_us,
           d->launch_host_us);
}

static void print_fabric(const struct topology *t)
{
    static const unsigned runs[] = {4, 16, 32, 64, 128, 1024};
    const struct topology_fabric *f = &t->fabric;

    printf("\n%s%s\n", f->name, f->shared_bus ? ", one bus for all" : "");
    printf("  raw             %.4g GB/s out of a GPU, %.4g into it, %.4g ns\n",
           f->egress_gbps, f->ingress_gbps, f->latency_ns);
    printf("  by copies       %.4g GB/s useful, %.3g us a copy behind another\n",
           copies_gbps(t), f->copy_start_us);
    printf("  by stores       %.4g GB/s useful a CTA; at most, in runs of\n",
           f->sm_gbps_per_cta);
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
        printf("%*u B", CELL_WIDTH, runs[i]);
    printf("\n");
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
        printf("%*.1f", CELL_WIDTH + 2, model_goodput_gbps(f, MODEL_SM, runs[i]));
    printf("\n");
}

static void print_links(const struct topology *t)
{
    bool staged = false;

    printf("\n     ");
    for (unsigned j = 0; j < t->device_count; j++) {
        char label[16];

        snprintf(label, sizeof label, "GPU%u", j);
        printf(" %*s", CELL_WIDTH, label);
    }
    for (unsigned i = 0; i < t->device_count; i++) {
        printf("\nGPU%-2u", i);
        for (unsigned j = 0; j < t->device_count; j++) {
            if (i == j)
                printf(" %*s", CELL_WIDTH, "X");
            else if (t->link_gbps[i][j] > 0)
                printf(" %*.4g", CELL_WIDTH, t->link_gbps[i][j]);
            else
                printf(" %*s", CELL_WIDTH, "HOST");
            staged |= i != j && t->link_gbps[i][j] <= 0;
        }
    }
    printf("\n\nRaw GB/s from one GPU to another. X: itself.%s\n",
           staged ? " HOST: no direct path, through the host." : "");
    printf("Between the host and a GPU: %.4g GB/s.\n", t->host_gbps);
}

int command_topo(int argc, char **argv)
{
    struct arguments a = {.machine = "v100x4"};
    int code = read_arguments(argc, argv, true, &a);

    if (code || a.help) {
        fputs(a.help && !code ? topo_help : "", stdout);
        return code;
    }
    struct topology *t = must_calloc(1, sizeof *t);
    struct proact_error err = {""};

    if (topology_load(a.machine, t, &err)) {
        code = topology_is_known(a.machine) ? say_failure(&err)
                                            : say_usage("topo", "%s", err.text);
    } else if (a.json) {
        char *text = topology_print(t);

        fputs(text, stdout);
        free(text);
    } else {
        printf("%s: %u devices; %s\nsource: %s\n\n", t->name, t->device_count,
               t->description, t->source);
        print_device(t);
        print_fabric(t);
        print_links(t);
    }
    free(t);
    return code;
}
