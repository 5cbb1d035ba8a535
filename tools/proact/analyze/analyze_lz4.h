/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Unpacks a block of LZ4, which must give exactly `out_bytes`. False: it does not. */
bool analyze_lz4(const unsigned char *in, size_t in_bytes, unsigned char *out,
                 size_t out_bytes);
