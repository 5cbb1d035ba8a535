/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bulk stores of CTAs: what each SM's copier does beside the threads. A store is issued,
   reads its source some time later, and lands later still, in no order with others. */

#include "device/emulator/kernel/kernel_run.h"

enum { BULK_LANES = 32 };

/* Of one lane. */
struct bulk_store {
    struct bulk_store *next; /* of the CTA */
    struct bulk_cta *cta;
    uint32_t thread, group; /* group: of its thread; later ones have higher numbers */
    uint64_t address;
    uint32_t bytes, line;
    const unsigned char *from; /* NULL: gone with the CTA */
    unsigned char *data;       /* read, on its way to this device's memory */
    bool is_read, is_landed;
    bool is_awaited, is_known; /* its thread has waited until it was read, had landed */
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

/* The bulk stores of a CTA; outlives it until all have landed. */
struct bulk_cta {
    struct bulk_cta *next, *previous; /* of the device */
    struct resident *resident;        /* NULL: it has left */
    uint32_t *groups;                 /* committed, by thread */
    struct bulk_store *stores;
    struct bulk_wait *waits;
    uint32_t open;    /* stores that have not landed */
    uint64_t here_ps; /* when the last of those that were read lands on this device */
};

struct bulk_cta *bulk_of(struct emulated *d, struct resident *r); /* made if need be */
void bulk_store_free(struct bulk_store *s);                       /* in no list any more */
void bulk_free(struct emulated *d, struct bulk_cta *c);

/* Its threads have exited: a fault if they have not waited until its stores were read. When
   it has ended, at `end_ps` or when what it stored here has landed. */
uint64_t bulk_exit(struct emulated *d, struct resident *r, uint64_t end_ps);
void bulk_end(struct emulated *d, struct resident *r);   /* for the checker */
void bulk_leave(struct emulated *d, struct resident *r); /* what is on its way goes on */
void bulk_clear(struct emulated *d);                     /* nothing goes on */
