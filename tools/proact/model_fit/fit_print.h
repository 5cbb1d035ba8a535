/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Output of `proact model fit`. */

#include "model_fit/fit_senders.h"

/* A parameter of the output: for sizes from from_bytes on. Values in ns, or in ns per byte
   for O and G. */
struct fit_parameter {
    const char *name;
    bool is_per_byte;
    int mode;
    double from_bytes, measured, derived;
};

enum { FIT_PARAMETERS_MAX = 3 + 2 * FIT_PIECES_MAX };

/* The parameters of an initiator in the order of the output; returns their number. O and G
   are the larger of both in the mode, as the times do not show the other one. */
unsigned fit_parameters_list(const struct fit_senders *all, const struct fit_sender *f,
                             struct fit_parameter out[FIT_PARAMETERS_MAX]);

void fit_print_tables(const struct sweep *s, const struct fit_senders *all);
void fit_print_json(const struct sweep *s, const struct fit_senders *all,
                    const char *command_line);
