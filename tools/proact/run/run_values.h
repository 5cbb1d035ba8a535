/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The options of the applications on the command line of `proact run`. */

#include <popt.h>

#include "run/run_application.h"

enum { RUN_WORDS_MAX = 96 }; /* distinct names of the options of all applications */

/* One name, with the word that popt found. */
struct run_word {
    const char *name;
    char *text; /* allocated by popt; NULL: not given */
    int flag;
};

/* Starts zeroed. */
struct run_app_words {
    struct run_word word[RUN_WORDS_MAX];
    unsigned count;
};

/* Adds an entry to `table` for each distinct name. Returns the number of entries. `words`
   must stay where it is. */
unsigned run_values_add(struct run_app_words *words, struct poptOption *table);

/* The names of the applications with an option (NULL: of all), with commas, and with " and
   " or " or " before the last one. The caller clears the text. */
struct text run_values_list(const char *option, const char *before_last);

/* Checks the words by the options of the application and stores their values in the
   request. Returns EXIT_FINE, or prints what is wrong and returns EXIT_USAGE; an option of
   another application is wrong. */
int run_values_take(const struct run_app_words *words,
                    const struct run_application *application, struct run_request *request);
void run_values_clear(struct run_app_words *words);
