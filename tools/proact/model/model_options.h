/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The command lines of `proact model predict` and `proact model advise`. */

#include <stdbool.h>

#include "analyze/analyze_options.h"
#include "topology/topology.h"

struct model_request {
    const char *machine, *json, *command_line;
    unsigned devices;    /* 0: all */
    uint64_t bytes, run; /* 0: not given */
    double ratio;        /* of the kernel to the copies after it; 0: not given */
    double kernel_us;    /* 0: not given */
    bool is_one_to_all;
    bool has_kernel; /* `kernel` is set */
    struct analyze_request kernel;
};

/* The request, which borrows from the words. `part` is argv[0]. Returns an exit status.
 *help: print the help instead. */
struct model_words;
int model_options_parse(int argc, char **argv, struct model_words **words,
                        struct model_request *q, bool *help);
void model_options_destroy(struct model_words *w); /* NULL is allowed */

/* The machine of the request, of which all keys are known. Returns an exit status. */
int model_machine(const struct model_request *q, struct topology *out);
