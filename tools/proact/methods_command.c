/* SPDX-License-Identifier: Apache-2.0 */
#include <popt.h>
#include <proact/proact.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "command.h"
#include "transfer/transfer.h"

static const char methods_help[] =
    "Usage: proact methods [--machine MACHINE]\n\n"
    "List the methods that transfer what a kernel writes to the other devices.\n\n"
    "Examples:\n"
    "  proact methods\n"
    "  proact methods --machine k40x4                    # as they work on one machine\n"
    "  proact run jacobi --size 256 --method polling     # use one of them\n\n"
    "  -m, --machine MACHINE  which of them the machine supports, and which pairs of "
    "devices\n"
    "                         receive copies instead: local, a name from proact machines, "
    "or\n"
    "                         the path of a machine file\n"
    "  -h, --help             print this text\n";

/* EXIT_FINE, or an exit status after a message. The caller frees *machine. */
static int methods_read_arguments(int argc, char **argv, int *helps, char **machine)
{
    struct poptOption options[] = {
        {"machine", 'm', POPT_ARG_STRING, machine, 0, NULL, NULL},
        {"help", 'h', POPT_ARG_NONE, helps, 0, NULL, NULL},
        POPT_TABLEEND,
    };
    poptContext context = poptGetContext(argv[0], argc, (const char **)argv, options, 0);
    const int option = poptGetNextOpt(context);
    const char *more = poptGetArg(context);
    int code = EXIT_FINE;

    if (option < -1)
        code = usage_error("methods", "%s: %s", poptBadOption(context, 0),
                           poptStrerror(option));
    else if (more)
        code = usage_error("methods", "methods takes no argument, found '%s'", more);
    poptFreeContext(context);
    return code;
}

static void methods_print_pairs(void)
{
    struct text names = {0};

    transfer_peer_methods_print(true, &names);
    printf("Between devices without peer access, %s send by copies.\n", names.data);
    text_clear(&names);
}

static void methods_list(void)
{
    for (const char *const *name = proact_method_names(); *name; name++)
        printf("%-11s %s\n", *name, proact_method_summary(*name));
    printf("A+B:BYTES   two of fused, polling, copy-engine and relay share the chunks: B "
           "sends "
           "the last BYTES\n");
    methods_print_pairs();
}

/* One line per method: its summary and the pairs of devices that receive copies, or the
   reason of a refusal. */
static void methods_list_on(struct proact *p)
{
    for (const char *const *name = proact_method_names(); *name; name++) {
        struct proact_error err = {""};

        if (proact_plan_set(p, &(struct proact_plan){.method = *name}, &err)) {
            printf("%-11s refused: %s\n", *name, err.text);
            continue;
        }
        const char *copies = proact_plan_copies(p);

        printf("%-11s %s%s%s\n", *name, proact_method_summary(*name), copies ? "; " : "",
               copies ? copies : "");
    }
}

static int methods_of_machine(const char *machine)
{
    const struct proact_options options = {.machine = machine, .plan = {.method = "bulk"}};
    struct proact_error err = {""};
    struct proact *p;

    const enum proact_status status = proact_open(&options, &p, &err);

    if (status)
        return status == PROACT_EINVAL ? usage_error("methods", "%s", err.text)
                                       : failure_exit(&err);
    methods_list_on(p);
    proact_close(p);
    return EXIT_FINE;
}

int command_methods(int argc, char **argv)
{
    char *machine = NULL;
    int helps = 0;
    int code = methods_read_arguments(argc, argv, &helps, &machine);

    if (!code && helps)
        fputs(methods_help, stdout);
    else if (!code && machine)
        code = methods_of_machine(machine);
    else if (!code)
        methods_list();
    free(machine);
    return code;
}
