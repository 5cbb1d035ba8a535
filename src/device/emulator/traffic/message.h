/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What travels from one device to another. */

#include "device/emulator/check/checked.h"
#include "device/emulator/machine.h"

struct piece {
    uint64_t address;
    uint32_t bytes, offset; /* offset in the message's data */
};

struct message;
typedef void message_effect(struct emulated *d, struct message *m);

/* What happens where it arrives is told by whoever sends it. */
struct message {
    message_effect *effect;
    bool is_acknowledged; /* the sender counts it until it was performed */
    bool is_part;         /* of a copy */
    bool is_change;       /* of memory or progress: see stall.c */
    unsigned from, to;
    uint64_t arrive_ps;
    uint64_t number;   /* in its outbox */
    uint64_t sequence; /* among those of its way that are acknowledged */
    double wire_bytes;
    uint64_t bytes;  /* useful */
    uint64_t credit; /* of the sender's, returned by the acknowledgement */

    void *subject; /* the effect's */
    uint64_t detail;

    struct execute_warp *warp; /* of loads, atomics and their answers */
    const struct execute_op *op;
    struct checked_lanes checked;
    message_effect *answered;
    uint32_t mask, lane_bytes;
    uint64_t address[32];
    double answer_wire_bytes; /* of loads */
    uint64_t answer_packets;

    uint32_t piece_count;
    struct piece *pieces;
    unsigned char *data;
    unsigned char room[]; /* pieces, then data */
};

/* With room for pieces and data; freed when it was performed. */
struct message *message_create(struct emulated *from, unsigned to, message_effect *effect,
                               uint32_t piece_count, uint64_t data_bytes);
void message_destroy(struct message *m); /* one that was never sent */

/* Effects: stores the pieces (acknowledged); loads or changes the lanes' words, answering
   with `answered` where that is not NULL (else acknowledged). */
void store_pieces(struct emulated *d, struct message *m);
void load_lanes(struct emulated *d, struct message *m);
void change_lanes(struct emulated *d, struct message *m);

/* An atomic on that address of this device begins now: when it is through. */
uint64_t atomic_pass(struct emulated *d, uint64_t address);

/* Puts it on the way: `wire_bytes` pass the sender's way out; it leaves at `ready_ps` or
   later: the answer says when. Counts traffic where there are packets. */
uint64_t message_send(struct emulated *from, struct message *m, uint64_t ready_ps,
                      uint64_t packets);

/* Hands over what is in the outboxes; all devices stand still. */
void messages_deliver(struct device_set *set);

/* Calls `done(d, subject, detail)` when everything that was sent up to now has been
   acknowledged; at once if it has. */
void when_acknowledged(struct emulated *d,
                       void (*done)(struct emulated *, void *, uint64_t), void *subject,
                       uint64_t detail);
bool all_acknowledged(const struct emulated *d);
/* The same when a peer has acknowledged all messages up to that one. */
void when_reached(struct emulated *d, unsigned to, uint64_t sequence,
                  void (*done)(struct emulated *, void *, uint64_t), void *subject);
/* The same for a message that is to be sent then, or freed if that never comes. */
void send_when_acknowledged(struct emulated *d,
                            void (*send)(struct emulated *, void *, uint64_t),
                            struct message *m);
bool credit_spent(const struct emulated *d); /* too much on the way */
void waiters_clear(struct emulated *d);      /* and all messages that never arrived */
