/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The command line of `proact run`. */

#include "run/run_application.h"

struct run_words; /* the words of the command line, which a request borrows */

/* argv[0] is "run". Returns EXIT_FINE, or what to exit with after having said why. *help:
   the user asks for help and nothing else is set. Destroy *words in any case. */
int run_options_parse(int argc, char **argv, struct run_words **words,
                      const struct run_application **application,
                      struct run_request *request, bool *help);
void run_options_destroy(struct run_words *words);

void run_options_help(FILE *to);
