/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "transfer/transfer.h"

/* Offsets of the parts of a table in its block on the device. */
struct layout {
    size_t first, chunk, counter, writers, piece_first, piece, peers, bytes;
};

static size_t place(size_t *end, size_t count, size_t size)
{
    size_t at = (*end + 15) / 16 * 16;

    *end = at + count * size;
    return at;
}

/* Lays out the block. A regular table needs no lists. One word after the lists may be read
   with the last list. */
static struct layout lay_out(const struct transfer_table *t, bool has_lists, bool has_peers)
{
    struct layout l = {0};

    l.first = place(&l.bytes, has_lists ? t->cta_count : 0, 4);
    l.chunk = place(&l.bytes, has_lists ? t->list_words + (size_t)1 : 0, 4);
    l.counter = place(&l.bytes, t->chunk_count, 4);
    l.writers = place(&l.bytes, t->chunk_count, 4);
    l.piece_first = place(&l.bytes, (size_t)t->chunk_count + 1, 4);
    l.piece = place(&l.bytes, t->piece_count, sizeof *t->piece);
    l.peers = place(&l.bytes, has_peers ? t->cta_count : 0, 4);
    return l;
}

static void put(unsigned char *block, size_t at, const void *from, size_t bytes)
{
    if (bytes)
        memcpy(block + at, from, bytes);
}

/* Removes the receivers from an image: no piece and no store has one. */
static void image_elide(unsigned char *image, const struct layout *l,
                        const struct transfer_table *t)
{
    struct proact_piece *piece = (struct proact_piece *)(void *)(image + l->piece);

    for (uint32_t p = 0; p < t->piece_count; p++)
        piece[p].peer_count = 0;
    memset(image + l->peers, 0, l->bytes - l->peers);
}

static enum proact_status fill_block(const struct transfer_devices *devices,
                                     unsigned device, device_addr block,
                                     const struct transfer_table *table, bool has_lists,
                                     bool elide, const struct layout *l,
                                     struct proact_error *err)
{
    struct device_stream *lane = devices->device[device].lane[TRANSFER_MAIN];

    if (!table->sent_chunks) /* the block is zero then */
        return devices->backend->fill(lane, block, 0, l->bytes, err);
    unsigned char *image = must_calloc(l->bytes, 1);

    if (has_lists) {
        transfer_table_first(table, (uint32_t *)(void *)(image + l->first));
        put(image, l->chunk, table->chunk, (size_t)table->list_words * 4);
    }
    put(image, l->writers, table->writers, (size_t)table->chunk_count * 4);
    put(image, l->piece_first, table->piece_first, ((size_t)table->chunk_count + 1) * 4);
    put(image, l->piece, table->piece, table->piece_count * sizeof *table->piece);
    if (table->store_peers)
        put(image, l->peers, table->store_peers, (size_t)table->cta_count * 4);
    if (elide)
        image_elide(image, l, table);
    const enum proact_status status =
        devices->backend->write(lane, block, image, l->bytes, err);

    free(image);
    return status;
}

static enum proact_status upload(const struct transfer_devices *devices, unsigned device,
                                 const struct transfer_table_request *request,
                                 struct transfer_tables *t, struct proact_error *err)
{
    const struct transfer_table *table = &t->table[device];
    uint32_t ahead = 0;
    const bool by_store = request->by_store, elide = request->elide;
    const uint32_t regular = by_store ? 0 : transfer_table_regular(table, &ahead);
    const bool has_lists = !by_store && !regular;
    /* Without a list of peers all stores would go to all of them. */
    const bool has_peers = table->store_peers || (by_store && elide);
    struct layout l = lay_out(table, has_lists, has_peers);
    enum proact_status status =
        devices->backend->alloc(devices->set, device, l.bytes, &t->block[device], err);

    if (status)
        return status;
    if (l.bytes > t->block_bytes)
        t->block_bytes = l.bytes;
    unsigned char *base = (unsigned char *)(uintptr_t)t->block[device];

    t->resident[device] = (struct proact_slot){
        .list_start = (const void *)(base + l.first),
        .chunk_lists = (const void *)(base + l.chunk),
        .chunk_shift = regular,
        .cta_bias = ahead,
        .counter = (void *)(base + l.counter),
        .writer_count = (const void *)(base + l.writers),
        .piece_first = (const void *)(base + l.piece_first),
        .piece = (const void *)(base + l.piece),
    };
    if (by_store) {
        t->resident[device] = (struct proact_slot){.stores = table->stores};
        if (has_peers)
            t->resident[device].stores.peers = (const void *)(base + l.peers);
        for (uint32_t i = 0; i < table->stores.region_count && elide; i++)
            t->resident[device].stores.region[i].peers = 0;
    }
    return fill_block(devices, device, t->block[device], table, has_lists, elide, &l, err);
}

enum proact_status transfer_tables_create(const struct transfer_devices *devices,
                                          const struct transfer_table_request *request,
                                          struct transfer_tables **out,
                                          struct proact_error *err)
{
    struct transfer_tables *t = must_calloc(1, sizeof *t);
    enum proact_status status = transfer_table_build(request, t->table, err);

    t->device_count = request->device_count;
    t->by_store = request->by_store;
    for (unsigned d = 0; d < t->device_count && !status; d++)
        status = upload(devices, d, request, t, err);
    if (status) {
        transfer_tables_destroy(devices, t);
        return status;
    }
    *out = t;
    return PROACT_OK;
}

void transfer_tables_destroy(const struct transfer_devices *devices,
                             struct transfer_tables *t)
{
    if (!t)
        return;
    for (unsigned d = 0; d < t->device_count; d++) {
        transfer_table_clear(&t->table[d]);
        if (t->block[d])
            devices->backend->free(devices->set, d, t->block[d]);
    }
    free(t);
}

enum proact_status transfer_tables_restart(const struct transfer_devices *devices,
                                           struct transfer_tables *t,
                                           enum transfer_lane lane,
                                           struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    t->table_epoch = 0;
    for (unsigned d = 0; d < t->device_count && !status; d++)
        if (t->table[d].chunk_count && !t->by_store)
            status = devices->backend->fill(devices->device[d].lane[lane],
                                            (device_addr)(uintptr_t)t->resident[d].counter,
                                            0, (size_t)t->table[d].chunk_count * 4, err);
    return status;
}
