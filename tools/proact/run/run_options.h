/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The command line of `proact run`. */

#include "run/run_application.h"

/* Of --sample. */
enum { RUN_SAMPLE_MIN = 2, RUN_SAMPLE_MAX = 4096 };

struct run_words; /* the words of the command line; the request borrows from them */

/* argv[0] is "run". Returns EXIT_FINE, or an exit status after a message on stderr. With
 *help the user requests the help text, and no other output is set. The caller destroys
 *words in any case. */
int run_options_parse(int argc, char **argv, struct run_words **words,
                      const struct run_application **application,
                      struct run_request *request, bool *help);
void run_options_destroy(struct run_words *words);

/* The help text of the command, or of one application. */
void run_options_help(const struct run_application *application, FILE *to);
