/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Other libraries with the same work. The programs of bench/peers run one after the other,
   and each prints one row per variant. peers_look() reports programs that are not built;
   peers_run() skips them. */

#include "kit.h"

struct peers_request {
    unsigned devices;
    uint64_t bytes;
    uint32_t multiply_adds;
    bool all_to_all;
    unsigned launches;  /* before the host waits */
    const char *method; /* comma-separated list of their methods; NULL: all */
};

typedef void peers_row(void *context, const char *method, uint64_t chunk_bytes,
                       struct bench_sample ns);

void peers_look(const char *method, bool is_virtual);
void peers_run(const struct peers_request *q, peers_row *row, void *context);
