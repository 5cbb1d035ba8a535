/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bulk stores of CTAs, executed by the copy unit of each SM. A store is issued, reads its
   source later, and is performed after that, in no order with other stores. */

#include "device/emulator/kernel/kernel_run.h"

enum { BULK_LANES = 32 };

/* Bulk store of one lane. */
struct bulk_store {
    struct bulk_store *next; /* in the list of the CTA */
    struct bulk_cta *cta;
    uint32_t thread, group; /* group of its thread; numbers increase */
    uint64_t address;
    uint32_t bytes, line;
    const unsigned char *from; /* NULL: in shared memory of a CTA that has ended */
    unsigned char *data;       /* data read, on the way to this device's memory */
    bool is_read, is_landed;
    bool is_awaited, is_known; /* its thread has waited for the read of its source; for
                                  its completion */
    uint32_t actor;
};

/* Lanes that wait for their groups up to a number. */
struct bulk_wait {
    struct bulk_wait *next;
    struct execute_warp *warp;
    uint32_t mask;
    bool for_read;
    uint32_t through[BULK_LANES];
};

/* Bulk stores of a CTA. They outlive it until all are performed. */
struct bulk_cta {
    struct bulk_cta *next, *previous; /* in the list of the device */
    struct resident *resident;        /* NULL: the CTA has ended */
    uint32_t *groups;                 /* number of committed groups, by thread */
    struct bulk_store *stores;
    struct bulk_wait *waits;
    uint32_t open;    /* stores that are not performed */
    uint64_t here_ps; /* time at which the last read data is stored on this device */
};

/* Bulk stores of a resident CTA; created on first use. */
struct bulk_cta *bulk_of(struct emulated *d, struct resident *r);
void bulk_store_free(struct bulk_store *s); /* not in any list */
void bulk_free(struct emulated *d, struct bulk_cta *c);

/* Ends a CTA whose threads have exited. A fault if they have not waited for the reads of
   their stores. Returns the end time: `end_ps`, or the completion of its local stores. */
uint64_t bulk_exit(struct emulated *d, struct resident *r, uint64_t end_ps);
void bulk_end(struct emulated *d, struct resident *r);   /* for the checker */
void bulk_leave(struct emulated *d, struct resident *r); /* stores in flight continue */
void bulk_clear(struct emulated *d);                     /* discards stores in flight */
