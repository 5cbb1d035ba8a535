/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Command line of the subcommands of `proact tune`. */

#include <popt.h>
#include <stdbool.h>

struct tune_options {
    poptContext popt;
    struct poptOption table[6]; /* which popt borrows */
    char *profile, *svg, *machine;
    int all, help;
    char *path;   /* of the profile */
    char **words; /* operands, NULL-terminated; borrowed */
    int count;
};

/* Parses the options of a subcommand; `extra` is the one that it has besides --profile and
   --help: "svg", "all", "machine" or NULL. *is_done: there is nothing more to do. Returns
   an exit status. tune_options_clear() in any case. */
int tune_options_parse(int argc, char **argv, const char *extra, struct tune_options *o,
                       bool *is_done);
void tune_options_clear(struct tune_options *o);
