/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "ptx/ptx.h"

struct analyze_modules {
    struct ptx_module **items;
    uint32_t count;
};

bool analyze_is_cuda(const char *path);
/* Parses a PTX file, the output of nvcc for a .cu file, or the PTX of each translation unit
   of a program (analyze_binary.h). "-" is stdin. */
enum proact_status analyze_source(const char *path, struct analyze_modules *out,
                                  struct proact_error *err);
void analyze_modules_clear(struct analyze_modules *m);
