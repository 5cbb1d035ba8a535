/* SPDX-License-Identifier: Apache-2.0 */
/* Dedicated hardware unit (PROACT III-D): counters next to the memory, and a DMA engine
   with prepared descriptors that needs no driver call. */
#include <string.h>

#include "base/memory.h"
#include "device/emulator/check/checked.h"
#include "device/emulator/span_log.h"
#include "device/emulator/traffic/message.h"

enum { DESCRIPTOR_NS = 100, PART_BYTES_MAX = 256 << 10 };

static void send_bytes(struct emulated *d, unsigned to, uint64_t from, int64_t delta,
                       uint64_t bytes)
{
    const struct topology_fabric *f = &d->set->topology->fabric;
    struct message *m = message_create(d, to, store_pieces, 1, bytes);

    m->pieces[0] =
        (struct piece){.address = from + (uint64_t)delta, .bytes = (uint32_t)bytes};
    memcpy(m->data, (const void *)(uintptr_t)from, bytes);
    m->bytes = bytes;
    m->wire_bytes = model_wire_bytes(f, MODEL_COPY_ENGINE, bytes, bytes);
    span_link(d, to, d->now_ps,
              message_send(d, m, d->now_ps + DESCRIPTOR_NS * (uint64_t)PS,
                           model_packets(f, MODEL_COPY_ENGINE, bytes, bytes)),
              bytes);
}

static void send_chunk(struct emulated *d, const struct kernel_run *run,
                       const struct device_unit *u, uint32_t chunk)
{
    for (uint32_t p = u->piece_first[chunk]; p < u->piece_first[chunk + 1]; p++)
        for (uint32_t i = 0; i < u->pieces[p].peer_count; i++) {
            /* The order of destinations rotates by chunk, so that no peer is always
               last. */
            uint32_t peer = u->pieces[p].first_peer + (i + chunk) % u->pieces[p].peer_count;

            checked_unit(d, run, u->pieces[p].from, u->deltas[peer], u->pieces[p].bytes);
            for (uint64_t at = 0; at < u->pieces[p].bytes; at += PART_BYTES_MAX) {
                uint64_t left = u->pieces[p].bytes - at;

                send_bytes(d, u->peers[peer], u->pieces[p].from + at, u->deltas[peer],
                           left < PART_BYTES_MAX ? left : PART_BYTES_MAX);
            }
        }
}

void unit_arm(struct kernel_run *run)
{
    uint32_t chunks = 0, at = 0;

    for (const struct device_unit *u = run->unit; u; u = u->next)
        chunks += u->chunk_count;
    run->unit_left = must_calloc(chunks, sizeof *run->unit_left);
    for (const struct device_unit *u = run->unit; u; u = u->next)
        for (uint32_t i = 0; i < u->chunk_count; i++)
            /* protocol: unit-start (else: at++;) */
            run->unit_left[at++] = u->writers[i];
}

void unit_count(struct emulated *d, struct kernel_run *run, uint32_t cta)
{
    uint32_t *left = run->unit_left;

    for (const struct device_unit *u = run->unit; u; left += u->chunk_count, u = u->next)
        for (const uint32_t *list = cta < u->cta_count ? u->chunk + u->first[cta] : NULL,
                            *chunk = list;
             list && chunk < list + list[0];) {
            const uint32_t of = *++chunk;

            /* protocol: unit-count */
            left[of]--;
            if (left[of] == 0)
                send_chunk(d, run, u, of);
        }
}
