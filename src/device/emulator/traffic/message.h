/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Messages from one device to another. */

#include "device/emulator/check/checked.h"
#include "device/emulator/machine.h"

struct piece {
    uint64_t address;
    uint32_t bytes, offset; /* offset in the data of the message */
};

struct message;
typedef void message_effect(struct emulated *d, struct message *m);

/* Message; the sender selects its effect at the receiver. */
struct message {
    message_effect *effect;
    bool is_acknowledged; /* the sender counts it until it is performed */
    bool is_part;         /* of a copy */
    bool is_change;       /* changes memory or progress, see stall.c */
    unsigned from, to;
    uint64_t arrive_ps;
    uint64_t number;   /* in its outbox */
    uint64_t sequence; /* among the acknowledged messages between the two devices */
    double wire_bytes;
    uint64_t bytes;  /* payload */
    uint64_t credit; /* bytes in flight that the acknowledgement returns to the sender */

    void *subject; /* argument of the effect */
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

/* Allocates a message with space for pieces and data. It is freed after its effect. */
struct message *message_create(struct emulated *from, unsigned to, message_effect *effect,
                               uint32_t piece_count, uint64_t data_bytes);
void message_destroy(struct message *m); /* for a message that was not sent */

/* Effects. store_pieces(): stores the pieces; acknowledged. load_lanes() and
   change_lanes(): load or change the words of the lanes and answer with `answered`; without
   it, change_lanes() is acknowledged. */
void store_pieces(struct emulated *d, struct message *m);
void load_lanes(struct emulated *d, struct message *m);
void change_lanes(struct emulated *d, struct message *m);

/* Completion time of an atomic on an address of this device that begins now. */
uint64_t atomic_pass(struct emulated *d, uint64_t address);

/* Sends a message: `wire_bytes` pass the egress, and the message departs at `ready_ps` or
   later. Returns its departure. Counts traffic if `packets` is not 0. */
uint64_t message_send(struct emulated *from, struct message *m, uint64_t ready_ps,
                      uint64_t packets);

/* Delivers all outboxes while no device runs. */
void messages_deliver(struct device_set *set);

/* Calls done(d, subject, detail) when all messages sent so far are acknowledged; at once if
   they are. */
void when_acknowledged(struct emulated *d,
                       void (*done)(struct emulated *, void *, uint64_t), void *subject,
                       uint64_t detail);
bool all_acknowledged(const struct emulated *d);
/* The same for all messages to one peer up to a sequence number. */
void when_reached(struct emulated *d, unsigned to, uint64_t sequence,
                  void (*done)(struct emulated *, void *, uint64_t), void *subject);
/* The same for a message that is to be sent then. It is freed if the machine stops
   before. */
void send_when_acknowledged(struct emulated *d,
                            void (*send)(struct emulated *, void *, uint64_t),
                            struct message *m);
bool credit_spent(const struct emulated *d); /* too many bytes are in flight */
void waiters_clear(struct emulated *d);      /* and frees the messages in flight */
