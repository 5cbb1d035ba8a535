/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "ptx/ptx.h"

/* Reads a PTX file, or compiles a .cu file by nvcc and reads what it makes. */
bool analyze_is_cuda(const char *path);
enum proact_status analyze_source(const char *path, struct ptx_module **out,
                                  struct proact_error *err);
