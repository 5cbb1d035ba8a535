/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Unified memory, the baseline of PROACT V-B: which device has which page, and the time in
   which a launch waits for pages. A page starts on the host. The caller announces every
   launch with the bytes that each device reads and writes. A launch reads before it
   writes. */

#include "topology/topology.h"

/* Advice of the program (cudaMemAdvise, cudaMemPrefetchAsync). */
enum pages_hint {
    PAGES_NO_HINT,     /* a page is where it was accessed last */
    PAGES_PREFERRED,   /* a page stays with the device that writes it, or first reads it;
                          others access it over the links (preferred location and
                          accessed-by) */
    PAGES_READ_MOSTLY, /* readers have copies until the next write */
    PAGES_PREFETCH,    /* the same, and pages of 2 MB are sent to every reader before the
                          launch */
    PAGES_HINTS
};
extern const char *const pages_hint_names[PAGES_HINTS];

enum { PAGES_SMALL_BYTES = 64 << 10, PAGES_LARGE_BYTES = 2 << 20 };

/* Since creation or pages_counts_reset(). */
struct pages_counts {
    uint64_t faults;         /* pages that a launch waited for */
    uint64_t fault_groups;   /* faults that a device serves together */
    uint64_t migrated_pages; /* moved or copied */
    uint64_t migrated_bytes;
    uint64_t remote_bytes; /* accessed over a link, without a migration */
};

struct pages;

/* True if the model covers the machine: devices before sm_60 have no faults, others need
   `fault_us` in the machine file. */
bool pages_has_machine(const struct topology *t);
/* Devices before sm_60 ignore hints. */
bool pages_has_hints(const struct topology *t);
/* The topology is borrowed. */
struct pages *pages_create(const struct topology *t, enum pages_hint hint);
void pages_destroy(struct pages *p); /* NULL is allowed */

/* Adds an array of unified memory and returns its number. */
uint32_t pages_array_add(struct pages *p, uint64_t bytes);
/* Accesses of the host: the pages move there. */
void pages_host_access(struct pages *p, uint32_t array, uint64_t first, uint64_t end);

/* A launch: pages_use() for each of its arrays, then all reads, then all writes, each with
   the bytes first to end - 1. */
void pages_use(struct pages *p, uint32_t array);
void pages_read(struct pages *p, unsigned device, uint32_t array, uint64_t first,
                uint64_t end);
void pages_write(struct pages *p, unsigned device, uint32_t array, uint64_t first,
                 uint64_t end);
/* Ends the launch. `wait_ns`: the time that each device waits for pages. Transfers of one
   launch share the links. */
void pages_launch_end(struct pages *p, double wait_ns[TOPOLOGY_DEVICES_MAX]);

struct pages_counts pages_counts(const struct pages *p);
void pages_counts_reset(struct pages *p);
