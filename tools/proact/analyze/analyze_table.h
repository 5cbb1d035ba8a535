/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "analyze/analyze_kernel.h"

/* Prints to stdout the properties that need no launch. */
void analyze_print_kernel(const struct analyze_kernel *k);
/* Prints the reason, and below it the advice. */
void analyze_print_refusal(const struct analyze_kernel *k, const char *head,
                           const char *why);
