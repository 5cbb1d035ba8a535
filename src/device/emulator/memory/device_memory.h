/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Memory of all emulated devices: one reservation of address space with a range for each
   device and another range, as long as all of these, for distributed memory. A device
   address is the host address. Pages are accessible only where memory is allocated and, on
   request, near it; other accesses are faults. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct allocation {
    uint64_t first, end; /* end: one past the last requested byte */
    uint64_t part; /* distance between the partitions of two devices; 0: not distributed */
    bool is_hosts; /* host memory, accessed over the host link */
};

enum {
    MEMORY_PART_UNIT = 4096, /* granularity of partitions */
    MEMORY_SLACK = 2 << 20   /* distance from an allocation at which hardware tolerates
                                accesses, since it maps that much at once */
};

struct device_memory {
    unsigned char *reserved;
    uint64_t stride, limit; /* address space and capacity of one device */
    unsigned device_count;
    /* Allocations by device, then those of distributed memory; sorted by address. */
    struct allocation *list[64];
    size_t count[64], capacity[64];
    uint64_t used[64];
    bool has_stale; /* pages could not be returned: fresh ones may have content */
};

enum proact_status memory_reserve(struct device_memory *m, unsigned device_count,
                                  uint64_t bytes_each, struct proact_error *err);
void memory_release(struct device_memory *m);

enum proact_status memory_allocate(struct device_memory *m, unsigned device, uint64_t bytes,
                                   uint64_t *out, struct proact_error *err);
/* Zeroes an allocation that was not written yet. Fresh pages are zero and stay untouched,
   so that the host provides memory only for pages in use. */
void memory_clear(struct device_memory *m, unsigned device, uint64_t address);
/* Allocates distributed memory: device d stores the bytes from d * *part on. */
enum proact_status memory_allocate_parts(struct device_memory *m, uint64_t bytes,
                                         uint64_t *out, uint64_t *part,
                                         struct proact_error *err);
/* Frees the allocation at `address` and returns it in `was`. False: there is none. Device 0
   frees distributed memory. */
bool memory_free(struct device_memory *m, unsigned device, uint64_t address,
                 struct allocation *was);

/* Lowest address of a device. */
uint64_t memory_base(const struct device_memory *m, unsigned device);
/* Whether the bytes are within MEMORY_SLACK of an allocation of the device. Such an access
   is tolerated. */
bool memory_forgive(const struct device_memory *m, unsigned device, uint64_t address,
                    uint32_t bytes);

/* Device that stores an address; device_count: none. */
unsigned memory_device(const struct device_memory *m, uint64_t address);
/* Partition of an allocation that contains the address. */
struct allocation memory_part(const struct allocation *in, uint64_t address);
/* Size of the address space. */
uint64_t memory_span(const struct device_memory *m);

/* Marks the allocation at `address` as host memory. */
void memory_give_host(struct device_memory *m, uint64_t address);
bool memory_is_hosts(const struct device_memory *m, uint64_t address);

/* Allocation that contains the address, or NULL. `nearest`, which may be NULL, is set to
   the previous allocation. */
const struct allocation *memory_find(const struct device_memory *m, uint64_t address,
                                     const struct allocation **nearest);
/* First allocation of the same device that begins after the address, or NULL. */
const struct allocation *memory_next(const struct device_memory *m, uint64_t address);
