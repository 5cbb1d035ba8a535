/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The same work by other libraries: programs of bench/peers, run one after the other, each
   of which prints a row a variant. One that was not built is passed over, which
   peers_look() says beforehand. */

#include "kit.h"

struct peers_request {
    unsigned devices;
    uint64_t bytes;
    uint32_t multiply_adds;
    bool all_to_all;
    unsigned launches;  /* in a row, before the host waits */
    const char *method; /* only these of theirs, with commas between; NULL: all */
};

typedef void peers_row(void *context, const char *method, uint64_t chunk_bytes,
                       struct bench_sample ns);

void peers_look(const char *method, bool is_virtual);
void peers_run(const struct peers_request *q, peers_row *row, void *context);
