/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "device/cuda/cuda_set.h"

/* As in device.h. */
bool cuda_module_compile(struct device_set *set, const char *ptx, size_t bytes);
bool cuda_is_compiling(const struct device_set *set);
/* Waits for the text that is being compiled, if any. */
void cuda_compile_close(struct device_set *set);

/* Binary of a text that was compiled; NULL: none. *waits: it has the calls of
   cuda_overlap_text(). */
const void *cuda_compiled_binary(const struct device_set *set, const char *text,
                                 size_t bytes, bool *waits);
/* After a load on one device; the last one frees the binary. */
void cuda_compiled_loaded(struct device_set *set, const char *text, size_t bytes);
