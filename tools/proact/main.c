/* SPDX-License-Identifier: Apache-2.0 */
/* proact: several GPUs work as one. This file finds the command; each has a file. */
#include <proact/proact.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "topology/topology_commands.h"

static int command_help(int argc, char **argv);
static int command_version(int argc, char **argv);

static const struct {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", "run an application on a machine under every transfer method", command_run},
    {"analyze", "say what a kernel touches, and whether it can be split", command_analyze},
    {"machines", "list the machines that can be emulated", command_machines},
    {"topo", "show the devices and links of a machine", command_topo},
    {"doctor", "check what programs need here, and say what to do", command_doctor},
    {"methods", "list the ways in which data reaches the other devices", command_methods},
    {"bench", "measure links, mechanisms, flags, steps and counters", command_bench},
    {"help", "say this, or tell more about one command", command_help},
    {"version", "say which version this is", command_version},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_help(FILE *to)
{
    fprintf(to, "proact makes several GPUs work as one, and emulates them where there are "
                "none.\n\n"
                "Usage: proact COMMAND [ARGUMENT...]\n\n");
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].summary);
    fprintf(to, "\nExamples:\n"
                "  proact run pagerank data/debian12_pkgdeps.mtx.gz --machine v100x4\n"
                "  proact run jacobi --size 512 --machine v100x16 --method polling\n"
                "  proact topo v100x16\n\n"
                "proact COMMAND --help tells more about a command. Exit status: 0 all is "
                "well, 1 bad\n"
                "input or something broke, 2 the command line is wrong, 3 a method's "
                "answer is not\n"
                "the one of one device.\n");
}

static int find_command(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return i;
    return -1;
}

static int command_help(int argc, char **argv)
{
    int found = argc > 1 ? find_command(argv[1]) : -1;

    if (argc > 1 && argv[1][0] != '-' && found < 0)
        return say_usage("", "no command '%s'", argv[1]);
    if (found >= 0 && commands[found].run != command_help &&
        commands[found].run != command_version) {
        char help[] = "--help", *words[] = {argv[1], help, NULL};

        return commands[found].run(2, words);
    }
    print_help(stdout);
    return EXIT_FINE;
}

static int command_version(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--help") != 0)
        return say_usage("", "%s takes no argument, found '%s'", argv[0], argv[1]);
    printf("proact %s\n", PROACT_VERSION);
    return EXIT_FINE;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];

    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    else if (strcmp(name, "--version") == 0)
        name = "version";
    int found = find_command(name);

    if (found < 0)
        return say_usage("", "no %s '%s'", name[0] == '-' ? "option" : "command", name);
    int code = commands[found].run(argc - 1, argv + 1);

    /* A full disk or a closed pipe must not look like success. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_FINE) {
        perror("proact: standard output");
        code = EXIT_FAILED;
    }
    return code;
}
