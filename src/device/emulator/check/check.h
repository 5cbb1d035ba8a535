/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Race and initialization checker for errors that hardware tolerates. A shadow of each byte
   records its last accesses. Two accesses to one byte, at least one of them a store, must
   be ordered by happens-before: fences, barriers, atomics, stream order or events, at a
   scope that includes both actors. A missing fence, barrier, counter or wait is therefore
   detected under every schedule.

   Actors are warps, streams and the host; each has a vector clock. The checker is exact and
   slow, and runs only with device_options.check. One thread at a time may use it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/device.h"
#include "execute/execute.h"

struct check;

/* Creates a checker of `bytes` of memory from `base` on. Shadow pages are created on
   access. */
struct check *check_create(uint64_t base, uint64_t bytes, unsigned device_count);
void check_destroy(struct check *c);
/* Visited nodes of clocks, releases of flags and address ranges so far, for tests. */
uint64_t check_visits(const struct check *c);

/* Creates an actor; its number is valid until check_ended() or check_quiesce(). `name` is
   for messages and is copied, as "kernel twice, CTA (3,0,0), warp 2" or "stream 1 of
   device 0". The actor starts with the clock of `parent` (CHECK_HOST: the host). The warps
   of a CTA share a parent that is created for the CTA: synchronization at cta scope joins
   actors of one parent. Stream actors must be created again after check_quiesce(). */
enum { CHECK_HOST = 0 };
uint32_t check_actor(struct check *c, const char *name, unsigned device, uint32_t parent);

/* The same for an actor without accesses, as a CTA or the state that all CTAs of a kernel
   start from. Its number does not lie between those of actors with accesses, so that clocks
   have ranges of actors with similar times. */
uint32_t check_group(struct check *c, const char *name, unsigned device, uint32_t parent);

/* Sets the host's operation number of a stream's actor, and of actors created for it later.
   Numbers increase with the order of operations and never decrease. */
void check_issued(struct check *c, uint32_t actor, uint32_t number);

/* Joins the clock of `from` into `into`: barriers, ends of kernels, stream order. */
void check_join(struct check *c, uint32_t into, uint32_t from);
/* check_collect(): the same, which is faster for many actors that end before the clock of
   `into` is used. */
void check_collect(struct check *c, uint32_t into, uint32_t from);
/* check_gather(): the same for several actors. check_meet(): a barrier, after which all
   members have the joined clock. */
void check_gather(struct check *c, uint32_t into, const uint32_t *from, uint32_t count);
void check_meet(struct check *c, uint32_t group, const uint32_t *members, uint32_t count);

/* An actor has ended and was joined. Its number may be given to an actor that knows all its
   accesses, so that the cost of a launch does not grow with the launches before it. */
void check_ended(struct check *c, uint32_t actor);

/* All work has ended and the host has waited for it: all accesses so far are ordered. */
void check_quiesce(struct check *c);

struct check_where { /* location of an access, for messages */
    const char *kernel;
    const struct execute_kernel *code; /* kernel of the line; NULL: unknown */
    uint32_t line, cta[3], thread[3];
    bool sends;    /* the access reads a replica in order to send it, like a copy */
    bool compares; /* the access is a compare-and-swap */
};

/* Checks an access. Returns false and writes the message to `fault` if it is an error.
   Strong accesses (atomic, volatile, relaxed or stronger) do not race with each other.
   Nor does a kernel's plain load race with the atomics of its launch on a word that the
   launch changes by compare-and-swap: loops around one start with a plain load. A load of
   at most CHECK_LANE_BYTES may include bytes that were never written, as padding is, but
   not consist of them.

   `where` is NULL for streams and the host. Bytes before the failing one are recorded, the
   others are not: a failed access of a warp can be repeated lane by lane to find the
   thread. */
enum { CHECK_LANE_BYTES = 32 };
bool check_read(struct check *c, uint32_t actor, uint64_t address, uint64_t bytes,
                bool strong, const struct check_where *where, char *fault,
                size_t fault_bytes);
bool check_write(struct check *c, uint32_t actor, uint64_t address, uint64_t bytes,
                 bool strong, const struct check_where *where, char *fault,
                 size_t fault_bytes);

/* Plain store of a kernel: `bytes` from `value`. Stores of equal values in the same launch,
   on any device, do not race (idempotent stores). */
bool check_store(struct check *c, uint32_t actor, uint64_t address, uint64_t bytes,
                 const unsigned char *value, const struct check_where *where, char *fault,
                 size_t fault_bytes);
/* Store into another device's memory of bytes that are current there. It changes nothing
   and races only with stores. */
bool check_store_again(struct check *c, uint32_t actor, uint64_t address, uint64_t bytes,
                       const unsigned char *value, const struct check_where *where,
                       char *fault, size_t fault_bytes);

/* Synchronization. A strong access acquires and releases according to its order and scope;
   `loads` and `stores` distinguish loads, stores and read-modify-writes. A volatile access
   is relaxed at sys scope. Fences: PTX memory model, 8.8. */
void check_strong(struct check *c, uint32_t actor, uint64_t address,
                  enum execute_order order, enum execute_scope scope, bool loads,
                  bool stores);
void check_fence(struct check *c, uint32_t actor, enum execute_order order,
                 enum execute_scope scope);

/* Memory was allocated (content undefined) or freed. */
void check_allocated(struct check *c, uint64_t address, uint64_t bytes);
void check_freed(struct check *c, uint64_t address, uint64_t bytes);

/* Declares replicas. A kernel's store (with `where`) into its own device's replica makes
   the byte stale on the other devices until content that is as new arrives there. Content
   is ordered by the host's operation numbers, not by time, since devices that do not wait
   for each other may be far apart.

   A read fails if an earlier operation made the byte stale and the reader's clock includes
   that store; without that, the reader races with the transfer, which the race check
   reports. Message: "byte 4096 of array 'ranks' on device 2 before it was sent by device 0
   (kernel ...)". */
void check_replicas(struct check *c, const struct device_replicas *replicas);
/* Number of stores that made bytes of the other replicas of the array at this address
   stale. If it has not changed, no more bytes are stale than before. */
uint64_t check_stores(const struct check *c, uint64_t address);
/* Whether no byte of the range is stale; else writes the message to `fault`. */
bool check_current(const struct check *c, uint64_t address, uint64_t bytes, char *fault,
                   size_t fault_bytes);
/* Copy. Uninitialized bytes, as padding and unused tails are, are not an error and stay
   uninitialized. Between replicas content keeps its age. */
bool check_copy_replica(struct check *c, uint32_t actor, uint64_t to, uint64_t from,
                        uint64_t bytes, char *fault, size_t fault_bytes);
/* Copy to the host, which may include uninitialized bytes. */
bool check_copy_out(struct check *c, uint32_t actor, uint64_t from, uint64_t bytes,
                    char *fault, size_t fault_bytes);
