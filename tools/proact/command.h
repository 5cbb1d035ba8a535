/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The commands. Each receives its own arguments, with its name in argv[0], and returns the
   exit status of the program. Results go to stdout, messages to stderr. */

#include <proact/status.h>

enum {
    EXIT_FINE = 0,
    EXIT_FAILED = 1,  /* a file is wrong, or an operation failed */
    EXIT_USAGE = 2,   /* the command line has a wrong option, name or number */
    EXIT_DIFFERS = 3, /* a method's result differs from that of one device */
};

int command_run(int argc, char **argv);
int command_analyze(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_make(int argc, char **argv);
int command_methods(int argc, char **argv);
int command_model(int argc, char **argv);
int command_tune(int argc, char **argv);

/* Prints "proact: " and the sentence on stderr; returns EXIT_FAILED. */
int failure_exit(const struct proact_error *err);

/* The same for a wrong command line. The message refers to `proact NAME --help`, or `proact
   --help` for an empty name. Returns EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int usage_error(const char *name, const char *format,
                                                      ...);
