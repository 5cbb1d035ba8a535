/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The command line of a generator: its own options, and -o FILE and --help, which all
   generators have. */

#include <popt.h>
#include <proact/status.h>

struct make_options {
    const char *command; /* of messages, such as "make wiki" */
    const char *help;
    /* Strings and flags in the request; POPT_TABLEEND ends the table. */
    const struct poptOption *table;
    void *request;
    /* Reads the strings. Returns EXIT_FINE, or prints what is wrong and returns
       EXIT_USAGE. */
    int (*take)(void *request);
    enum proact_status (*create)(void *request, const char *path, struct proact_error *err);
};

/* Prints the help text, or creates the file. Frees the strings of the table. Returns what
   the program exits with. */
int make_options_run(const struct make_options *options, int argc, char **argv);
