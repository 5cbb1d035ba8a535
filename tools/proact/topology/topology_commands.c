/* SPDX-License-Identifier: Apache-2.0 */
#include "topology/topology_commands.h"

#include <popt.h>
#include <proact/proact.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json_write.h"
#include "base/memory.h"
#include "command.h"
#include "runtime/session/runtime_machine.h"
#include "topology/topology.h"
#include "topology/topology_local.h"
#include "topology/topology_tables.h"

static const char machines_help[] =
    "Usage: proact machines [--json]\n"
    "\n"
    "List the machines that have a name. A machine without its GPUs is emulated. GB/S OUT "
    "is\n"
    "the goodput of copies from one GPU to all its peers together.\n"
    "\n"
    "Examples:\n"
    "  proact machines\n"
    "  proact topo h200x8                # one machine in full\n"
    "  proact topo ./my-box.json         # your own machine file: docs/machines.md\n"
    "\n"
    "  --json      print a list for programs\n"
    "  -h, --help  print this text\n";

static const char topo_help[] =
    "Usage: proact topo [MACHINE] [--probe] [--fresh] [--json]\n"
    "\n"
    "Print the GPUs of a machine and the links between them. MACHINE is `local` for the "
    "GPUs\n"
    "of this computer, a name from `proact machines`, or the path of a machine file "
    "(.json) or\n"
    "of an hwloc XML file (lstopo box.xml). Default: local, or v100x4 without GPUs.\n"
    "\n"
    "Examples:\n"
    "  proact topo v100x16\n"
    "  proact topo v100x4 --probe\n"
    "  proact topo h200x4 --json > my-box.json\n"
    "\n"
    "Copies measure the links of this computer, in at most two seconds. The result is "
    "kept in\n"
    "~/.cache/proact until the devices or the driver change.\n"
    "\n"
    "  --probe     measure the links of an emulated machine, too, in its own time\n"
    "  --fresh     measure the links of this computer again\n"
    "  --json      print a machine file, to edit and pass to --machine; for local, print "
    "the\n"
    "              measurements\n"
    "  -h, --help  print this text\n";

struct arguments {
    bool json, help, probe, fresh;
    const char *machine; /* borrowed from argv */
};

/* EXIT_FINE, or an exit status after a message on stderr. */
static int read_arguments(int argc, char **argv, bool takes_machine, struct arguments *out)
{
    struct poptOption options[] = {
        {"json", '\0', POPT_ARG_NONE, NULL, 'j', NULL, NULL},
        {"help", 'h', POPT_ARG_NONE, NULL, 'h', NULL, NULL},
        {"probe", '\0', POPT_ARG_NONE, NULL, 'p', NULL, NULL},
        {"fresh", '\0', POPT_ARG_NONE, NULL, 'f', NULL, NULL},
        POPT_TABLEEND,
    };
    const struct poptOption end = POPT_TABLEEND;

    if (!takes_machine)
        options[2] = end;
    poptContext context = poptGetContext(argv[0], argc, (const char **)argv, options, 0);
    int option, code = 0;

    while ((option = poptGetNextOpt(context)) > 0) {
        out->json |= option == 'j';
        out->help |= option == 'h';
        out->probe |= option == 'p';
        out->fresh |= option == 'f';
    }
    const char *machine = poptGetArg(context), *more = NULL;

    if (option < -1) {
        code = usage_error(argv[0], "%s: %s: %s", argv[0],
                           poptBadOption(context, POPT_BADOPTION_NOALIAS),
                           poptStrerror(option));
    } else if (machine && (!takes_machine || (more = poptGetArg(context)))) {
        code = usage_error(argv[0], "%s: unexpected argument '%s'", argv[0],
                           more ? more : machine);
    }
    for (int i = 1; i < argc && machine && !code;
         i++) { /* popt's copy is freed with its context */
        if (strcmp(argv[i], machine) == 0)
            out->machine = argv[i];
    }
    poptFreeContext(context);
    return code;
}

static void put_machine(const struct topology *t, struct json_writer *w)
{
    json_begin(w, NULL, JSON_OBJECT);
    json_put_text(w, "name", t->name);
    json_put_whole(w, "device_count", t->device_count);
    json_put_text(w, "gpu", t->device.name);
    json_put_text(w, "fabric", t->fabric.name);
    json_put_real(w, "egress_gbps", t->fabric.egress_gbps);
    json_put_real(w, "copies_gbps", topology_copies_gbps(t));
    json_put_text(w, "description", t->description);
    json_put_text(w, "source", t->source);
    json_end(w);
}

static void print_machine(const struct topology *t)
{
    printf("%-9s %7u  %-22s %-9s %8.1f  %s\n", t->name, t->device_count, t->device.name,
           t->fabric.name, topology_copies_gbps(t), t->source);
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
            code = failure_exit(&err);
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

static enum proact_status print_probe(const struct topology *t, struct proact_error *err)
{
    struct topology_probe *p = must_calloc(1, sizeof *p);
    enum proact_status status = topology_probe(&device_emulator, t, p, err);

    if (!status) {
        printf("\n");
        topology_probe_print(p);
    }
    free(p);
    return status;
}

static enum proact_status print_topology(const struct topology *t, bool probe,
                                         struct proact_error *err)
{
    printf("%s: %u devices; %s\nsource: %s\n\n", t->name, t->device_count, t->description,
           t->source);
    topology_tables_print(t);
    return probe ? print_probe(t, err) : PROACT_OK;
}

static enum proact_status print_machine_in_full(const struct topology *t,
                                                const struct device_backend *backend,
                                                const struct arguments *a,
                                                struct proact_error *err)
{
    if (!backend->is_virtual)
        return topology_local(
            t, &(struct topology_local_options){.json = a->json, .fresh = a->fresh}, err);
    if (!a->json)
        return print_topology(t, a->probe, err);
    char *text = topology_print(t);

    fputs(text, stdout);
    free(text);
    return PROACT_OK;
}

/* An option that does not apply to the machine; NULL: none. */
static const char *misplaced(const struct arguments *a,
                             const struct device_backend *backend)
{
    if (backend->is_virtual && a->fresh)
        return "--fresh: it applies only to the GPUs of this computer";
    if (backend->is_virtual && a->probe && a->json)
        return "--probe: it cannot be combined with --json";
    return NULL;
}

int command_topo(int argc, char **argv)
{
    struct arguments a = {.machine = NULL};
    int code = read_arguments(argc, argv, true, &a);

    if (code || a.help) {
        fputs(a.help && !code ? topo_help : "", stdout);
        return code;
    }
    struct topology *t = must_calloc(1, sizeof *t);
    const struct device_backend *backend;
    struct proact_error err = {""};

    if (runtime_machine(a.machine, t, &backend, &err))
        code = !a.machine || strcmp(a.machine, PROACT_MACHINE_LOCAL) == 0 ||
                       topology_is_known(a.machine)
                   ? failure_exit(&err)
                   : usage_error("topo", "%s", err.text);
    else if (misplaced(&a, backend))
        code = usage_error("topo", "%s", misplaced(&a, backend));
    else if (print_machine_in_full(t, backend, &a, &err))
        code = failure_exit(&err);
    free(t);
    return code;
}
