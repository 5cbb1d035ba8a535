/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* NumPy's file format .npy, versions 1 to 3: arrays of up to 3 dimensions in C order. */

#include <proact/status.h>
#include <stddef.h>

enum { CT_NPY_DIMENSIONS_MAX = 3 };

struct ct_npy {
    unsigned dimensions;
    size_t shape[CT_NPY_DIMENSIONS_MAX];
    double *value;
};

/* Reads little-endian float32, float64, int16, int32 and 8-bit values, plain or gzip. */
enum proact_status ct_npy_read(const char *path, struct ct_npy *out,
                               struct proact_error *err);
/* The content of a file of float32 values, *bytes of them. The caller frees it. */
unsigned char *ct_npy_format(const struct ct_npy *npy, size_t *bytes);
void ct_npy_clear(struct ct_npy *npy);
