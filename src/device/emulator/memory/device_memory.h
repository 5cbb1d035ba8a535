/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The memory of all emulated devices: one reservation of address space, a stretch of it for
   each device, and one more, as long as all of them, for what lies on several. A device
   address is the address in this process. Pages are the process's own only under what is
   allocated, and where that was asked for beside it; elsewhere an access ends it. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct allocation {
    uint64_t first, end; /* end: one past the last byte asked for */
    uint64_t part; /* the next device has what lies so far behind; 0: one has it all */
    bool is_hosts; /* the device reaches it by the host's link */
};

enum {
    MEMORY_PART_UNIT = 4096, /* a part is a multiple of that */
    MEMORY_SLACK = 2 << 20   /* what hardware maps at once: so far beside what is allocated
                                an access may do no harm */
};

struct device_memory {
    unsigned char *reserved;
    uint64_t stride, limit; /* address space and memory of one device */
    unsigned device_count;
    /* By device, and behind them what lies on several; each by rising address. */
    struct allocation *list[64];
    size_t count[64], capacity[64];
    uint64_t used[64];
};

enum proact_status memory_reserve(struct device_memory *m, unsigned device_count,
                                  uint64_t bytes_each, struct proact_error *err);
void memory_release(struct device_memory *m);

enum proact_status memory_allocate(struct device_memory *m, unsigned device, uint64_t bytes,
                                   uint64_t *out, struct proact_error *err);
/* On all devices: device d has the bytes from d * *part on. */
enum proact_status memory_allocate_parts(struct device_memory *m, uint64_t bytes,
                                         uint64_t *out, uint64_t *part,
                                         struct proact_error *err);
/* False if no allocation begins at `address`; gives what it was. Parts are of device 0. */
bool memory_free(struct device_memory *m, unsigned device, uint64_t address,
                 struct allocation *was);

/* Nothing of the device's lies below. */
uint64_t memory_base(const struct device_memory *m, unsigned device);
/* Whether the bytes lie at most MEMORY_SLACK beside what is allocated on that device: they
   may then be touched, though they are nobody's. */
bool memory_forgive(const struct device_memory *m, unsigned device, uint64_t address,
                    uint32_t bytes);

/* Device whose memory an address is; device_count if nobody's. */
unsigned memory_device(const struct device_memory *m, uint64_t address);
/* The part of the allocation that the address, which lies in it, is in. */
struct allocation memory_part(const struct allocation *in, uint64_t address);
/* All of the address space. */
uint64_t memory_span(const struct device_memory *m);

/* What begins at `address` is the host's. */
void memory_give_host(struct device_memory *m, uint64_t address);
bool memory_is_hosts(const struct device_memory *m, uint64_t address);

/* The allocation that holds the address, or NULL. `nearest` (may be NULL): the one before.
 */
const struct allocation *memory_find(const struct device_memory *m, uint64_t address,
                                     const struct allocation **nearest);
