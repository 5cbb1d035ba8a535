/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Options of `proact model fit`. */

#include <stdbool.h>
#include <stdint.h>

struct fit_options {
    char *machine, *keys, *from, *like, *initiators, *time, *bytes, *host_threads, *within;
    unsigned senders;   /* bit mask of the initiators */
    double seconds;     /* time limit; 0: none */
    double percent;     /* limit of the fit's errors; 0: none */
    uint64_t bytes_max; /* 0: the default */
    uint64_t threads;   /* of the host; 0: the default */
    bool json, help;
};

/* EXIT_FINE, or an exit status after a message. Release with fit_options_clear(). */
int fit_options_read(int argc, char **argv, struct fit_options *out);
void fit_options_clear(struct fit_options *o);
