/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The commands: each gets its own arguments, argv[0] being its name, and returns what the
   program exits with. Results go to stdout, the rest to stderr. */

#include <proact/status.h>

enum {
    EXIT_FINE = 0,
    EXIT_FAILED = 1,  /* a file is wrong, or something broke */
    EXIT_USAGE = 2,   /* the command line is wrong: an option, a name, or a number */
    EXIT_DIFFERS = 3, /* a method's answer is not the one of one device */
};

int command_run(int argc, char **argv);
int command_analyze(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_make(int argc, char **argv);
int command_methods(int argc, char **argv);

/* "proact: " and the sentence, on stderr; returns EXIT_FAILED. */
int failure_exit(const struct proact_error *err);

/* The same for a wrong command line: points at `proact NAME --help` ("" for no name),
   returns EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int usage_error(const char *name, const char *format,
                                                      ...);
