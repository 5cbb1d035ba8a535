/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

struct proact_kernel;

struct argument_text {
    char text[128];
};

/* Description of a byte of a kernel's parameters for messages: "argument 1", "byte 8 of
   argument 0" (a struct), "variable 'x'" or "a pointer table". */
struct argument_text argument_text(const struct proact_kernel *k, uint32_t offset);
