/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "analyze/analyze_kernel.h"

/* What is known without a launch, on stdout. */
void analyze_print_kernel(const struct analyze_kernel *k);
/* The sentence, and below it what to change. */
void analyze_print_refusal(const struct analyze_kernel *k, const char *head,
                           const char *why);
