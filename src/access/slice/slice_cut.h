/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "access/write_set.h"
#include "base/memory.h"

/* Result of slicing. `text` is owned by the caller; the sites lie in the arena. */
struct slice_result {
    char *text;
    size_t bytes;
    struct write_set_site *sites;
    uint32_t site_count, kept;
    bool reads_constants;
};

/* Slices a kernel of `m`. All further memory comes from `arena`. */
enum proact_status slice_cut(const struct ptx_module *m, const struct ptx_function *f,
                             const struct write_set_options *options, struct arena *arena,
                             struct slice_result *out, struct proact_error *err);
