/* SPDX-License-Identifier: Apache-2.0 */

/* Agent of the polling mechanism (PROACT III-C): a few CTAs that are resident next to the
   user's kernel wait for its chunks in the expected order and send them. Each CTA sends a
   slice of a chunk or a whole chunk. */

#include "agent.h"

/* Sleep between two polls of a wait: 1/1024 of the time waited, within these limits. */
enum { SLEEP_NS = 256, SLEEP_MAX_NS = 500000 };

/* Vectors in flight per thread: enough for a few CTAs to saturate a link. */
enum { UNROLL = 4 };

/* Clock of the device, in ns. */
PROACT_DEVICE_INLINE proact_u64 agent_now_ns(void)
{
    proact_u64 v;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(v)::"memory");
    return v;
}

/* Sleeps before the next poll. */
PROACT_DEVICE_INLINE void agent_sleep(proact_u64 waited_ns)
{
    proact_u64 ns = waited_ns >> 10;

    ns = ns < SLEEP_NS ? SLEEP_NS : ns > SLEEP_MAX_NS ? SLEEP_MAX_NS : ns;
    asm volatile("nanosleep.u32 %0;" ::"r"((proact_u32)ns) : "memory");
}

/* Load of a counter with acquire semantics. It pairs with done-fence or notify-release of
   each writer, so that the sends read what the writers stored. */
PROACT_DEVICE_INLINE proact_u32 agent_load_acquire(const proact_u32 *where)
{
    proact_u32 v;

    /* protocol: agent-acquire (else: v = *(const volatile proact_u32 *)where;) */
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(where) : "memory");
    return v;
}

/* Reports a timeout. The first report of all agents stays in `status`; returns the previous
   content. */
PROACT_DEVICE_INLINE proact_u64 agent_report(const struct agent_work *work,
                                             const struct agent_slice *s)
{
    proact_u64 old, report = AGENT_LATE_OF(s->slot, work->partition.epoch, s->chunk);

    asm volatile("atom.relaxed.gpu.cas.b64 %0, [%1], %2, %3;"
                 : "=l"(old)
                 : "l"(work->status), "l"(0ull), "l"(report)
                 : "memory");
    return old;
}

/* Whether the chunk of a slice is complete in this launch. Counters are compared as a
   signed distance, so they may overflow. */
PROACT_DEVICE_INLINE bool agent_is_ready(const struct agent_work *work,
                                         const struct agent_slice *s)
{
    const struct proact_slot *slot = &work->partition.slot[s->slot];
    const proact_u32 all = slot->table_epoch * s->writers;

    /* Wait for the sum. It pairs with notify or notify-release of each writer. */
    /* protocol: agent-wait (else: int ahead = 0;) */
    int ahead = (int)(agent_load_acquire(&slot->counter[s->chunk]) - all);

    return ahead >= 0;
}

/* Waits until the chunk of a slice is complete. False: the time limit is reached. */
PROACT_DEVICE_INLINE bool agent_wait(const struct agent_work *work,
                                     const struct agent_slice *s, proact_u64 start_ns)
{
    while (!agent_is_ready(work, s)) {
        proact_u64 waited_ns = agent_now_ns() - start_ns;

        if (waited_ns > work->limit_ns) {
            agent_report(work, s);
            return false;
        }
        agent_sleep(waited_ns);
    }
    return true;
}

enum { AGENT_BATCH = AGENT_SPIN_CHECKS }; /* slices */

/* Batch of slices that a CTA sends without a barrier between them. Their descriptions are
   in shared memory, so a send starts without accesses to the counters and tables. */
struct agent_batch {
    proact_u32 ready; /* number of complete slices at the start */
    struct agent_slice slice[AGENT_BATCH];
};

/* Waits until the chunk of the first slice of a batch is complete: the thread checks the
   `count` slices in turn, without a pause. False: the time limit is reached. */
PROACT_DEVICE_INLINE bool agent_spin(const struct agent_work *work,
                                     const struct agent_batch *batch, proact_u32 count,
                                     proact_u64 start_ns)
{
    proact_u32 k = 0;

#pragma unroll 1
    for (;;) {
        if (agent_is_ready(work, &batch->slice[k]) && k == 0)
            return true;
        k = k + 1 < count ? k + 1 : 0;
        if (k == 0 && agent_now_ns() - start_ns > work->limit_ns)
            return false;
    }
}

/* Polls the next slices of the CTA, from `first` on, one per lane of the first warp, and
   stores the number of complete slices before the first incomplete one. */
PROACT_DEVICE_INLINE void agent_poll(const struct agent_work *work, proact_u64 first,
                                     proact_u32 agents, struct agent_batch *batch)
{
    const proact_u32 lane = proact_thread_index();
    const proact_u64 i = first + (proact_u64)lane * agents;
    bool is_ready = false;
    proact_u32 waits;

    if (i < work->slice_count) {
        batch->slice[lane] = work->slice[i];
        is_ready = agent_is_ready(work, &batch->slice[lane]);
    }
    asm volatile("{\n\t.reg .pred waits;\n\tsetp.eq.u32 waits, %1, 0;\n\t"
                 "vote.sync.ballot.b32 %0, waits, 0xffffffff;\n\t}"
                 : "=r"(waits)
                 : "r"((proact_u32)is_ready)
                 : "memory");
    if (lane == 0)
        batch->ready = waits ? proact_lowest_bit(waits) : 32;
}

/* Sends the leading part of a range at an aligned address: UNROLL vectors per thread, as
   long as all threads have that many. Loads under a condition, as in proact_send_vectors(),
   would be waited for one after the other. Returns the bytes sent. */
PROACT_DEVICE_INLINE proact_u32 agent_send_vectors(const long long *peer_offset,
                                                   const unsigned char *from,
                                                   proact_u32 bytes, proact_u32 peer_count,
                                                   proact_u32 rotation)
{
    const proact_u32 step = 16 * proact_thread_count(), batch_bytes = UNROLL * step;
    const proact_u32 at = 16 * proact_thread_index();
    struct proact_u32x4 v[UNROLL];
    proact_u32 peer = rotation % peer_count, sent = 0;

#pragma unroll 1
    for (; sent + batch_bytes <= bytes; sent += batch_bytes) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            v[k] = proact_load_vector(from + sent + at + k * step);
#pragma unroll 1
        for (proact_u32 i = 0; i < peer_count; i++) {
            unsigned char *to = (unsigned char *)from + peer_offset[peer] + sent + at;

#pragma unroll
            for (int k = 0; k < UNROLL; k++)
                proact_store_vector(to + k * step, &v[k]);
            peer = peer + 1 == peer_count ? 0 : peer + 1;
        }
    }
    return sent;
}

/* Sends a piece, or a part of one, to its peers. */
PROACT_DEVICE_INLINE void agent_send_range(const struct proact_slot *slot,
                                           struct proact_piece range, proact_u32 rotation)
{
    const long long *peer_offset = slot->peer_offset + range.first_peer;
    const unsigned char *from = slot->base + range.first_byte;
    proact_u32 sent = 0;

    if (!((proact_u64)from & 15))
        sent =
            agent_send_vectors(peer_offset, from, range.bytes, range.peer_count, rotation);
    if (sent < range.bytes)
        proact_send_piece<UNROLL>(peer_offset, from + sent, range.bytes - sent,
                                  range.peer_count, rotation);
}

/* Sends a slice: its first range, then the following pieces, of which the last may be cut
   to the bytes left. */
PROACT_DEVICE_INLINE void agent_send(const struct proact_partition *partition,
                                     const struct agent_slice *s, proact_u32 rotation)
{
    const struct proact_slot *slot = &partition->slot[s->slot];
    struct proact_piece range = s->run;
    proact_u32 next = s->next, left = s->left;

#pragma unroll 1
    for (;;) {
        const proact_u32 count = s->end - next + 1;

        if (proact_piece_batch(range.bytes, count) > 1) {
            proact_send_small_pieces(slot, next - 1, count);
            return;
        }
        agent_send_range(slot, range, rotation);
        if (next == s->end)
            return;
        range = slot->piece[next++];
        if (range.bytes > left)
            range.bytes = left;
        left -= range.bytes;
    }
}

/* Lets all threads wait until the batch has a complete slice, and polls it again. False for
   all threads: the time limit is reached. */
PROACT_DEVICE_INLINE bool agent_spin_batch(const struct agent_work *work, proact_u64 first,
                                           proact_u32 agents, struct agent_batch *batch,
                                           proact_u64 start_ns)
{
    const proact_u64 left = (work->slice_count - first + agents - 1) / agents;

    /* All threads read the batch that the first warp polled. */
    /* protocol: agent-spin-barrier */
    proact_cta_sync();
    const bool waits = !batch->ready;

    /* A barrier: the batch is read before agent_poll() changes it. */
    if (proact_cta_any(waits &&
                       !agent_spin(work, batch,
                                   left < AGENT_BATCH ? (proact_u32)left : AGENT_BATCH,
                                   start_ns))) {
        if (proact_thread_index() == 0)
            agent_report(work, &batch->slice[0]);
        return false;
    }
    if (waits && proact_thread_index() < 32)
        agent_poll(work, first, agents, batch);
    return true;
}

/* The agent. After its part of the sends of a batch, the first warp polls the next
   batch: complete slices never wait for polls of incomplete ones. */
template <bool spins>
PROACT_DEVICE_INLINE void agent_run(const struct agent_work &work,
                                    struct agent_batch batches[2])
{
    const proact_u64 start_ns = agent_now_ns();
    const bool polls = proact_thread_index() < 32;
    proact_u64 i = proact_local_cta();
    proact_u32 agents, which = 0;

    asm("mov.u32 %0, %%nctaid.x;" : "=r"(agents));
    if (polls)
        agent_poll(&work, i, agents, &batches[0]);
#pragma unroll 1
    while (i < work.slice_count) {
        struct agent_batch *batch = &batches[which];

        if (spins && !agent_spin_batch(&work, i, agents, batch, start_ns))
            return;
        if (!spins && proact_thread_index() == 0 && !batch->ready)
            batch->ready = agent_wait(&work, &batch->slice[0], start_ns);
        /* All threads observe what the first warp acquired (agent-acquire), then send. */
        /* protocol: agent-barrier */
        proact_cta_sync();
        const proact_u32 ready = batch->ready;

        if (!ready)
            return;
#pragma unroll 1
        for (proact_u32 k = 0; k < ready && work.partition.peer_count; k++)
            agent_send(&work.partition, &batch->slice[k], (proact_u32)i + k);
        i += (proact_u64)ready * agents;
        which ^= 1;
        if (polls)
            agent_poll(&work, i, agents, &batches[which]);
    }
}

/* Two batches: one barrier per batch is enough. */

extern "C" __global__ void proact_agent(struct agent_work work)
{
    __shared__ struct agent_batch batches[2];

    agent_run<false>(work, batches);
}

/* Agent without sleeps, as in the paper: all threads check flags while they wait. Devices
   before sm_70 cannot sleep. */
extern "C" __global__ void proact_agent_spin(struct agent_work work)
{
    __shared__ struct agent_batch batches[2];

    agent_run<true>(work, batches);
}
