/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "ptx/ptx.h"

/* Parses a PTX file, or the output of nvcc for a .cu file. */
bool analyze_is_cuda(const char *path);
enum proact_status analyze_source(const char *path, struct ptx_module **out,
                                  struct proact_error *err);
