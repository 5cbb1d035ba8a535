/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What travels from one device to another. */

#include "device/emulator/machine.h"

enum message_kind {
    MESSAGE_STORE,   /* pieces with data; acknowledged */
    MESSAGE_LOAD,    /* lanes' addresses; answered by MESSAGE_ANSWER */
    MESSAGE_ATOMIC,  /* lanes' addresses and operands; answered or acknowledged */
    MESSAGE_ANSWER,  /* lanes' data for a waiting warp */
    MESSAGE_SIGNAL,  /* an event was recorded */
    MESSAGE_FETCH,   /* a copy engine asks for bytes that lie on the receiver */
    MESSAGE_FETCHED, /* ... and has them all */
    MESSAGE_ACK,     /* `detail` stores were performed */
};

struct piece {
    uint64_t address;
    uint32_t bytes, offset; /* offset in the message's data */
};

struct message {
    enum message_kind kind;
    unsigned from, to;
    uint64_t arrive_ps;
    double wire_bytes;
    uint64_t bytes; /* useful */
    struct message *next;

    struct execute_warp *warp; /* LOAD, ATOMIC, ANSWER */
    struct resident *resident;
    const struct execute_op *op;
    enum execute_kind access;
    uint32_t mask, lane_bytes;
    uint64_t address[32];

    void *subject; /* SIGNAL: the event; FETCH: the operation */
    uint64_t detail;

    uint32_t piece_count;
    struct piece *pieces;
    unsigned char *data;
    unsigned char room[]; /* pieces, then data */
};

/* With room for pieces and data; freed by whoever it reaches. */
struct message *message_create(struct emulated *from, unsigned to, enum message_kind kind,
                               uint32_t piece_count, uint64_t data_bytes);

/* Puts it on the way: `wire_bytes` pass the sender's way out, beginning at `ready_ps`.
   Counts traffic where `bytes` is not 0. */
void message_send(struct emulated *from, struct message *m, uint64_t ready_ps,
                  uint64_t packets);

/* Hands over what is in the outboxes; all devices stand still. */
void messages_deliver(struct device_set *set);

/* Calls `done(d, subject)` when everything that was sent up to now has been acknowledged;
   at once if it has. */
void when_acknowledged(struct emulated *d,
                       void (*done)(struct emulated *, void *, uint64_t), void *subject,
                       uint64_t detail);
bool all_acknowledged(const struct emulated *d);
bool credit_spent(const struct emulated *d); /* too much on the way */
void waiters_clear(struct emulated *d);      /* and all messages that never arrived */
