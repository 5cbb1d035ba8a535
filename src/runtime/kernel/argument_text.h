/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "runtime/session/session.h"

struct argument_text {
    char text[128];
};

/* What a byte of a kernel's parameters is to whoever wrote it: "argument 1", "byte 8 of
   argument 0" of a struct, "variable 'x'" or "a pointer table". */
struct argument_text argument_text(const struct proact_kernel *k, uint32_t offset);
