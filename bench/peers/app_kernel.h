/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The kernels of the applications for the programs of this folder. One CTA range of a grid
   runs on each GPU, as proact partitions a grid. A table states what a CTA writes, because
   nothing derives it here. */

#include <proact/proact.h>

#include <cstdint>
#include <cstring>

enum { APP_ARGS_MAX = 16, APP_WRITES_MAX = 3 };

/* CTA i writes the bytes from i * cta_bytes on, of the array of argument `arg`. Other
   devices read `halo_bytes` on both sides of what a device writes; 0: everything. */
struct app_write {
    unsigned arg;
    uint64_t cta_bytes, halo_bytes;
};

/* What the CTAs of a launch on one GPU need. The bytes that it writes are sent to every
   peer, or with a halo only near the ends of its part (NVSHMEM). */
struct app_ctas {
    uint32_t first; /* its first CTA */
    uint32_t sends;
    struct {
        char *base;
        uint64_t cta_bytes, bytes, halo_bytes, begin, end; /* begin, end: of the part */
    } sent[APP_WRITES_MAX];
};

/* Parameters without the part. */
using app_rule = unsigned (*)(const struct proact_arg *args, app_write *out);

struct app_kernel {
    const char *image, *name; /* image: of struct proact_image, or NULL: any */
    const void *function;     /* its first parameter is the part */
    unsigned arg_count;
    uint32_t arg_bytes[APP_ARGS_MAX];
    app_rule writes;
};

template <class T> inline T app_value(const struct proact_arg *args, unsigned arg)
{
    T value;

    std::memcpy(&value, args[arg].value, sizeof value);
    return value;
}

/* By the names of an image and a kernel; NULL: none. */
const app_kernel *app_kernel_find(const char *image, const char *name);

/* One table for each source of kernels, which ends with a kernel without a name. */
extern const app_kernel app_pagerank[], app_jacobi[], app_band[], app_sssp[], app_repeat[],
    app_als_gradient[], app_als_solve[], app_als_errors[], app_ct_f32[], app_ct_f64[];
