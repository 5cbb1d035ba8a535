/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "access/write_set.h"
#include "base/memory.h"

/* What a cut leaves; text is owned, the sites are the arena's. */
struct slice_result {
    char *text;
    size_t bytes;
    struct write_set_site *sites;
    uint32_t site_count, kept;
    bool reads_constants;
};

/* Cuts a kernel of `m`; whatever it needs lies in `arena`. */
enum proact_status slice_cut(const struct ptx_module *m, const struct ptx_function *f,
                             const struct write_set_options *options, struct arena *arena,
                             struct slice_result *out, struct proact_error *err);
