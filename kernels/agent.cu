/* SPDX-License-Identifier: Apache-2.0 */

/* The polling agent (PROACT III-C): a few CTAs beside the kernel wait for its chunks, in
   the order in which they are expected, and send each to all peers. */

#include "agent.h"

/* A wait sleeps this long between two looks, or the 1024th of what it has waited. */
enum { SLEEP_NS = 256, SLEEP_MAX_NS = 500000 };

/* Vectors on their way from a thread: as many as let a few CTAs fill a link. */
enum { AT_ONCE = 4 };

PROACT_WORD proact_u64 agent_now_ns(void)
{
    proact_u64 v;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(v)::"memory");
    return v;
}

PROACT_WORD void agent_sleep(proact_u64 waited_ns)
{
    proact_u64 ns = waited_ns >> 10;

    ns = ns < SLEEP_NS ? SLEEP_NS : ns > SLEEP_MAX_NS ? SLEEP_MAX_NS : ns;
    asm volatile("nanosleep.u32 %0;" ::"r"((proact_u32)ns) : "memory");
}

PROACT_WORD proact_u32 agent_load_acquire(const proact_u32 *where)
{
    proact_u32 v;

    /* protocol: agent-acquire (else: v = *(const volatile proact_u32 *)where;) */
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(where) : "memory");
    return v;
}

/* The first to give up says for what; gives what was said before. */
PROACT_WORD proact_u64 agent_report(proact_u64 *status, struct agent_item item,
                                    proact_u32 epoch)
{
    proact_u64 old, late = AGENT_LATE_OF(item.slot, epoch, item.chunk);

    asm volatile("atom.relaxed.gpu.cas.b64 %0, [%1], %2, %3;"
                 : "=l"(old)
                 : "l"(status), "l"(0ull), "l"(late)
                 : "memory");
    return old;
}

/* Until the item's chunk is complete in this launch; false at the limit. */
PROACT_WORD bool agent_wait(const struct agent_work *work, struct agent_item item,
                            proact_u64 start_ns)
{
    const struct proact_slot *slot = &work->share.slot[item.slot];
    const proact_u32 all = slot->round * slot->writers[item.chunk];

    /* Pairs with the fence or count of each of the chunk's writers (done-fence,
       tell-release). */
    for (;;) {
        /* protocol: agent-wait (else: int ahead = 0;) */
        int ahead = (int)(agent_load_acquire(&slot->counter[item.chunk]) - all);

        if (ahead >= 0)
            return true;
        proact_u64 waited_ns = agent_now_ns() - start_ns;

        if (waited_ns > work->limit_ns) {
            agent_report(work->status, item, work->share.epoch);
            return false;
        }
        agent_sleep(waited_ns);
    }
}

/* What this device owns of a chunk. */
PROACT_WORD void agent_send(const struct proact_share *share, struct agent_item item,
                            proact_u32 turn)
{
    const struct proact_slot *slot = &share->slot[item.slot];
    proact_u32 first = slot->piece_first[item.chunk];
    proact_u32 end = share->peer_count ? slot->piece_first[item.chunk + 1] : first;

#pragma unroll 1
    for (proact_u32 p = first; p < end; p++) {
        const struct proact_piece *piece = &slot->piece[p];

        if (proact_pieces_at_once(piece->bytes, end - p) > 1) {
            proact_send_small(slot, p, end - p);
            return;
        }
        proact_send_piece<AT_ONCE>(slot->delta + piece->first_peer,
                                   slot->base + piece->first_byte, piece->bytes,
                                   piece->peer_count, turn);
    }
}

extern "C" __global__ void proact_agent(struct agent_work work)
{
    __shared__ proact_u32 came[2]; /* in turns, so that one barrier an item is enough */
    proact_u32 agents, turn = 0;
    proact_u64 start_ns = agent_now_ns();

    asm("mov.u32 %0, %%nctaid.x;" : "=r"(agents));
#pragma unroll 1
    for (proact_u64 i = proact_cta_here(); i < work.item_count; i += agents, turn ^= 1) {
        struct agent_item item = work.item[i];

        if (proact_thread() == 0)
            came[turn] = agent_wait(&work, item, start_ns);
        /* What the leader acquired, every thread sees now. */
        /* protocol: agent-barrier */
        proact_cta_sync();
        if (!came[turn])
            return;
        agent_send(&work.share, item, (proact_u32)i);
    }
}
