/* SPDX-License-Identifier: Apache-2.0 */

/* The polling agent (PROACT III-C): a few CTAs beside the kernel wait for its chunks, in
   the order in which they are expected, and send to all peers: each a slice of a chunk, or
   a whole one. */

#include "agent.h"

/* A wait sleeps this long between two looks, or the 1024th of what it has waited. */
enum { SLEEP_NS = 256, SLEEP_MAX_NS = 500000 };

/* Vectors on their way from a thread: as many as let a few CTAs fill a link. */
enum { UNROLL = 4 };

PROACT_DEVICE_INLINE proact_u64 agent_now_ns(void)
{
    proact_u64 v;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(v)::"memory");
    return v;
}

PROACT_DEVICE_INLINE void agent_sleep(proact_u64 waited_ns)
{
    proact_u64 ns = waited_ns >> 10;

    ns = ns < SLEEP_NS ? SLEEP_NS : ns > SLEEP_MAX_NS ? SLEEP_MAX_NS : ns;
    asm volatile("nanosleep.u32 %0;" ::"r"((proact_u32)ns) : "memory");
}

PROACT_DEVICE_INLINE proact_u32 agent_load_acquire(const proact_u32 *where)
{
    proact_u32 v;

    /* protocol: agent-acquire (else: v = *(const volatile proact_u32 *)where;) */
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(where) : "memory");
    return v;
}

/* The first to give up says for what; gives what was said before. */
PROACT_DEVICE_INLINE proact_u64 agent_report(const struct agent_work *work,
                                    const struct agent_slice *s)
{
    proact_u64 old, late = AGENT_LATE_OF(s->slot, work->partition.epoch, s->chunk);

    asm volatile("atom.relaxed.gpu.cas.b64 %0, [%1], %2, %3;"
                 : "=l"(old)
                 : "l"(work->status), "l"(0ull), "l"(late)
                 : "memory");
    return old;
}

/* Whether the slice's chunk is complete in this launch. Pairs with the fence or count of
   each of its writers (done-fence, notify-release). */
PROACT_DEVICE_INLINE bool agent_is_ready(const struct agent_work *work, const struct agent_slice *s)
{
    const struct proact_slot *slot = &work->partition.slot[s->slot];
    const proact_u32 all = slot->table_epoch * s->writers;

    /* protocol: agent-wait (else: int ahead = 0;) */
    int ahead = (int)(agent_load_acquire(&slot->counter[s->chunk]) - all);

    return ahead >= 0;
}

/* Until it is; false at the limit. */
PROACT_DEVICE_INLINE bool agent_wait(const struct agent_work *work, const struct agent_slice *s,
                            proact_u64 start_ns)
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

/* Slices that a CTA sends one after the other, without a barrier between them: a chunk's
   start is then a look at shared memory, and no way to the counters and the tables. */
struct agent_turn {
    proact_u32 ready; /* from the first one on */
    struct agent_slice slice[32];
};

/* The first warp looks at the CTA's next slices, from `first` on: a lane at each. */
PROACT_DEVICE_INLINE void agent_look(const struct agent_work *work, proact_u64 first,
                            proact_u32 agents, struct agent_turn *turn)
{
    const proact_u32 lane = proact_thread_index();
    const proact_u64 i = first + (proact_u64)lane * agents;
    bool is_ready = false;
    proact_u32 waits;

    if (i < work->slice_count) {
        turn->slice[lane] = work->slice[i];
        is_ready = agent_is_ready(work, &turn->slice[lane]);
    }
    asm volatile("{\n\t.reg .pred waits;\n\tsetp.eq.u32 waits, %1, 0;\n\t"
                 "vote.sync.ballot.b32 %0, waits, 0xffffffff;\n\t}"
                 : "=r"(waits)
                 : "r"((proact_u32)is_ready)
                 : "memory");
    if (lane == 0)
        turn->ready = waits ? proact_lowest_bit(waits) : 32;
}

/* Of a run that vectors make up from its first byte on: UNROLL vectors of each thread, as
   long as there are so many. Loads behind branches (proact_send_vectors) would be waited
   for one after the other. Gives the bytes sent. */
PROACT_DEVICE_INLINE proact_u32 agent_send_whole(const long long *delta, const unsigned char *from,
                                        proact_u32 bytes, proact_u32 peer_count,
                                        proact_u32 turn)
{
    const proact_u32 step = 16 * proact_thread_count(), round = UNROLL * step;
    const proact_u32 at = 16 * proact_thread_index();
    struct proact_u32x4 v[UNROLL];
    proact_u32 peer = turn % peer_count, sent = 0;

#pragma unroll 1
    for (; sent + round <= bytes; sent += round) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            v[k] = proact_load_vector(from + sent + at + k * step);
#pragma unroll 1
        for (proact_u32 i = 0; i < peer_count; i++) {
            unsigned char *to = (unsigned char *)from + delta[peer] + sent + at;

#pragma unroll
            for (int k = 0; k < UNROLL; k++)
                proact_store_vector(to + k * step, &v[k]);
            peer = peer + 1 == peer_count ? 0 : peer + 1;
        }
    }
    return sent;
}

PROACT_DEVICE_INLINE void agent_send_run(const struct proact_slot *slot, struct proact_piece run,
                                proact_u32 turn)
{
    const long long *delta = slot->peer_offset + run.first_peer;
    const unsigned char *from = slot->base + run.first_byte;
    proact_u32 sent = 0;

    if (!((proact_u64)from & 15))
        sent = agent_send_whole(delta, from, run.bytes, run.peer_count, turn);
    if (sent < run.bytes)
        proact_send_piece<UNROLL>(delta, from + sent, run.bytes - sent, run.peer_count,
                                   turn);
}

PROACT_DEVICE_INLINE void agent_send(const struct proact_partition *partition, const struct agent_slice *s,
                            proact_u32 turn)
{
    const struct proact_slot *slot = &partition->slot[s->slot];
    struct proact_piece run = s->run;
    proact_u32 next = s->next, left = s->left;

#pragma unroll 1
    for (;;) {
        const proact_u32 count = s->end - next + 1;

        if (proact_piece_batch(run.bytes, count) > 1) {
            proact_send_small_pieces(slot, next - 1, count);
            return;
        }
        agent_send_run(slot, run, turn);
        if (next == s->end)
            return;
        run = slot->piece[next++];
        if (run.bytes > left)
            run.bytes = left;
        left -= run.bytes;
    }
}

/* The first warp looks what will be next when it has sent its part of what is ready: what
   is complete is not held up by looks for what is not. */
extern "C" __global__ void proact_agent(struct agent_work work)
{
    __shared__ struct agent_turn turns[2]; /* so that one barrier a turn is enough */
    const proact_u64 start_ns = agent_now_ns();
    const bool looks = proact_thread_index() < 32;
    proact_u64 i = proact_local_cta();
    proact_u32 agents, which = 0;

    asm("mov.u32 %0, %%nctaid.x;" : "=r"(agents));
    if (looks)
        agent_look(&work, i, agents, &turns[0]);
#pragma unroll 1
    while (i < work.slice_count) {
        struct agent_turn *turn = &turns[which];

        if (proact_thread_index() == 0 && !turn->ready)
            turn->ready = agent_wait(&work, &turn->slice[0], start_ns);
        /* What the first warp acquired, every thread sees now. */
        /* protocol: agent-barrier */
        proact_cta_sync();
        const proact_u32 ready = turn->ready;

        if (!ready)
            return;
#pragma unroll 1
        for (proact_u32 k = 0; k < ready && work.partition.peer_count; k++)
            agent_send(&work.partition, &turn->slice[k], (proact_u32)i + k);
        i += (proact_u64)ready * agents;
        which ^= 1;
        if (looks)
            agent_look(&work, i, agents, &turns[which]);
    }
}
