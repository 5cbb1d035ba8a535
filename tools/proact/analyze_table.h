/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "analyze_kernel.h"

/* What is known without a launch, on stdout. */
void analyze_print_kernel(const struct analyze_kernel *k);
/* On stdout, with the lines of the source behind those of the module. */
__attribute__((format(printf, 2, 3))) void analyze_say(const struct ptx_module *m,
                                                       const char *format, ...);
/* The sentence, and below it what to change. */
void analyze_print_refusal(const struct analyze_kernel *k, const char *head,
                           const char *why);
