/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/methods/transfer_methods.h"

#include <stdlib.h>

#include "base/memory.h"

/* Units of one device, one per slot, and the memory that they borrow. */
struct units {
    struct device_unit unit[PROACT_SLOTS_MAX];
    struct device_piece *pieces[PROACT_SLOTS_MAX];
    uint32_t *first[PROACT_SLOTS_MAX];
    int64_t deltas[PROACT_SLOTS_MAX][PROACT_PEERS_MAX];
    uint32_t peers[PROACT_PEERS_MAX];
};

/* Index of a peer among the peers of the part, which are the peers of a unit. */
static uint32_t unit_peer(uint32_t peers, uint32_t peer)
{
    return (uint32_t)__builtin_popcount(peers & ((1u << peer) - 1));
}

static struct device_piece *place_pieces(const struct transfer_binding *b, unsigned device,
                                         const struct transfer_table *t, device_addr base)
{
    struct device_piece *pieces = must_calloc(t->piece_count, sizeof *pieces);

    for (uint32_t p = 0; p < t->piece_count; p++)
        pieces[p] =
            (struct device_piece){base + t->piece[p].first_byte, t->piece[p].bytes,
                                  unit_peer(b->peers[device], t->piece[p].first_peer),
                                  b->plan.elide ? 0 : t->piece[p].peer_count};
    return pieces;
}

static enum proact_status make_units(struct transfer_binding *b, unsigned device,
                                     struct proact_error *err)
{
    struct units *units = must_calloc(1, sizeof *units);
    uint32_t peer_count = 0;

    (void)err;
    b->state[device] = units;
    for (uint32_t i = 0; i + 1 < b->devices->count; i++)
        if (b->peers[device] >> i & 1)
            units->peers[peer_count++] = transfer_peer(b->devices, device, i);
    for (uint32_t s = 0; s < b->slot_count; s++) {
        const struct transfer_table *t = &b->slot[s].tables->table[device];
        const device_addr *base = b->slot[s].base;

        units->pieces[s] = place_pieces(b, device, t, base[device]);
        units->first[s] = must_calloc(t->cta_count, sizeof *units->first[s]);
        transfer_table_first(t, units->first[s]);
        for (uint32_t i = 0; i < peer_count; i++)
            units->deltas[s][i] = (int64_t)(base[units->peers[i]] - base[device]);
        units->unit[s] = (struct device_unit){
            .chunk_count = t->chunk_count,
            .cta_count = t->cta_count,
            .first = units->first[s],
            .chunk = t->chunk,
            .writers = t->writers,
            .piece_first = t->piece_first,
            .pieces = units->pieces[s],
            .peer_count = peer_count,
            .peers = units->peers,
            .deltas = units->deltas[s],
            .next = s + 1 < b->slot_count ? &units->unit[s + 1] : NULL,
        };
    }
    return PROACT_OK;
}

static void drop_units(struct transfer_binding *b, unsigned device)
{
    struct units *units = b->state[device];

    for (uint32_t s = 0; s < PROACT_SLOTS_MAX; s++) {
        free(units->pieces[s]);
        free(units->first[s]);
    }
    free(units);
}

static enum proact_status give_units(const struct transfer_binding *b, unsigned device,
                                     const struct proact_partition *partition,
                                     struct device_launch *launch, struct proact_error *err)
{
    const struct units *units = b->state[device];

    (void)partition;
    (void)err;
    launch->unit = b->slot_count ? &units->unit[0] : NULL;
    return PROACT_OK;
}

/* PROACT III-D: the kernel is not annotated; the device counts its CTAs and sends. */
const struct transfer_method transfer_hardware = {
    .name = "hardware",
    .summary = "the paper's dedicated unit counts and sends (emulated devices only)",
    .lane = TRANSFER_MAIN,
    .takes_chunks = true,
    .needs_peers = true,
    .needs_unit = true,
    .bind = make_units,
    .unbind = drop_units,
    .before = give_units,
};
