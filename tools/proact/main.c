/* SPDX-License-Identifier: Apache-2.0 */
/* proact: several GPUs work as one. This file selects the command; each command has a
   file. */
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
    {"run", "run an application with every transfer method and compare", command_run},
    {"make", "generate an input from a seed", command_make},
    {"analyze", "print what a kernel touches and whether it can be split", command_analyze},
    {"machines", "list the machines that have a name", command_machines},
    {"topo", "show the devices and links of a machine", command_topo},
    {"doctor", "check this computer and print a remedy for each problem", command_doctor},
    {"methods", "list the methods that transfer data between devices", command_methods},
    {"tune", "measure the plans of a program, and keep the fastest", command_tune},
    {"bench", "measure links, methods, latencies, steps and counters", command_bench},
    {"model", "predict the time of launches from a machine's description", command_model},
    {"help", "print this text, or the help of a command", command_help},
    {"version", "print the version", command_version},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_help(FILE *to)
{
    fprintf(to, "proact runs programs on several GPUs as one, or on emulated GPUs.\n\n"
                "Usage: proact COMMAND [ARGUMENT...]\n\n"
                "Examples:\n"
                "  proact make wiki --vertices 1000 --seed 7 -o wiki.mtx\n"
                "  proact run pagerank wiki.mtx --machine v100x4\n"
                "  proact run jacobi --size 512 --machine v100x16 --method polling\n"
                "  proact topo v100x16\n\n"
                "Commands:\n");
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].summary);
    fprintf(to, "\nproact COMMAND --help prints the help of a command, and proact -V the "
                "version.\nproactcc compiles programs.\n"
                "Exit status: 0 success, 1 invalid input or a failed run, 2 invalid "
                "command line,\n"
                "3 a method's result differs from that of one device.\n");
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
        return usage_error("", "no command '%s'", argv[1]);
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
        return usage_error("", "%s takes no argument, found '%s'", argv[0], argv[1]);
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
    else if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    int found = find_command(name);

    if (found < 0)
        return usage_error("", "no %s '%s'", name[0] == '-' ? "option" : "command", name);
    int code = commands[found].run(argc - 1, argv + 1);

    /* A full disk or a closed pipe is an error. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_FINE) {
        perror("proact: standard output");
        code = EXIT_FAILED;
    }
    return code;
}
