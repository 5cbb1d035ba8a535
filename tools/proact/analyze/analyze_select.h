/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The kernels of a file that the command line selects, and the analysis of one. */

#include "analyze/analyze_launch.h"
#include "analyze/analyze_source.h"

/* Kernels and the module of each. */
struct analyze_chosen {
    const struct ptx_function **kernels;
    const struct ptx_module **modules;
    uint32_t count;
};

/* The kernels that match `word` best; all kernels without a word. */
struct analyze_chosen analyze_choose(const struct analyze_modules *all, const char *word);
/* An exit status: an error if no kernel matches, or several where one is needed. */
int analyze_choice_check(const struct analyze_modules *all, const struct analyze_request *q,
                         const struct analyze_chosen *c);
void analyze_chosen_clear(struct analyze_chosen *c);

/* Whether the launch can be split over all devices. */
bool analyze_is_split(const struct analyze_kernel *k, const struct analyze_launch *l);

/* A kernel with its launch, if the request has one. A launch that cannot be split is
   analyzed again without the branches that it never takes. */
struct analyze_result {
    struct analyze_kernel kernel;
    struct analyze_launch launch;
    struct ptx_module *specialized; /* NULL: not specialized */
};

/* Returns an exit status. Clear the result in any case. */
int analyze_result_open(struct analyze_result *r, const struct analyze_request *q,
                        const struct ptx_module *m, const struct ptx_function *f);
void analyze_result_close(struct analyze_result *r);
