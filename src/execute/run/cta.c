/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "execute/run/run_cluster.h"
#include "execute/run/run_grid.h"

enum { SLICE = 8192 }; /* instructions until a warp yields to others */

static size_t lines(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static void warp_init(struct cta *c, uint32_t n)
{
    const struct execute_grid *g = c->face.grid;
    struct execute_warp *w = &c->warps[n];
    uint32_t threads = g->threads - n * LANES;

    memset(w, 0, offsetof(struct execute_warp, groups));
    w->cta = c;
    w->grid = c->face.grid;
    w->ops = g->kernel->stream.ops;
    w->sites = g->kernel->sites;
    w->shared = c->shared;
    /* With checks enabled, every access takes the slow path. */
    if (!g->launch.check && g->shared_bytes >= 64)
        w->word_limits[WORDS_UNIT] = g->shared_bytes - 64 + 1;
    if (!g->launch.check && g->shared_bytes >= 4)
        w->word_limits[WORDS_EQUAL] = g->shared_bytes - 4 + 1;
    w->index = n;
    w->live = threads >= LANES ? ~0u : (1u << threads) - 1;
    w->groups[0] = (struct group){.pc = g->kernel->entry, .mask = w->live};
    w->group_count = 1;
}

struct execute_cta *execute_cta_create(struct execute_grid *g, struct execute_pool *pool,
                                       const uint32_t id[3], uint32_t sm)
{
    const struct execute_kernel *k = g->kernel;
    size_t head = lines(sizeof(struct cta) + g->warps * sizeof(struct execute_warp));
    size_t file = lines(k->file_bytes[FILE_CTA]), shared = lines(g->shared_bytes);
    unsigned char *memory =
        pool_take(pool, head + file + shared * (g->launch.check ? 2 : 1));
    struct cta *c = (struct cta *)(void *)memory;

    memset(c, 0, sizeof *c);
    memset(memory + head + file, 0, shared * (g->launch.check ? 2 : 1));
    c->face.grid = g;
    memcpy(c->face.id, id, sizeof c->face.id);
    c->face.sm = sm;
    c->face.number = id[0] + g->launch.grid[0] * (id[1] + g->launch.grid[1] * id[2]);
    execute_cta_name(&g->launch, c->face.number, c->face.named);
    c->face.warp_count = c->face.live_warps = g->warps;
    c->pool = pool;
    c->shared = memory + head + file;
    c->shared_written = g->launch.check ? c->shared + shared : NULL;
    c->live_threads = g->threads;
    cluster_join(c);
    for (uint32_t n = 0; n < 3; n++) {
        fill_word(memory + head, CTA_CTAID + n * 128, id[n]);
        fill_word(memory + head, CTA_CLUSTERID + n * 128, id[n] / g->cluster[n]);
        fill_word(memory + head, CTA_CLUSTER_CTAID + n * 128, id[n] % g->cluster[n]);
    }
    fill_word(memory + head, CTA_SMID, sm);
    fill_word(memory + head, CTA_CLUSTER_RANK, c->rank);
    const struct op_registers registers = {
        .file = {[FILE_LAUNCH] = g->launch_file, [FILE_CTA] = memory + head}};

    hoisted_run(k, FILE_CTA, &registers);
    for (uint32_t n = 0; n < g->warps; n++) {
        warp_init(c, n);
        c->warps[n].registers = registers;
        c->warps[n].registers.file[FILE_SLOT] =
            g->slot_files + (size_t)n * k->file_bytes[FILE_SLOT];
    }
    return &c->face;
}

/* A warp allocates memory when it first runs and releases it when it ends, so that
   consecutive warps reuse the same cache lines. */
static void warp_start(struct execute_warp *w)
{
    const struct execute_kernel *k = w->grid->kernel;
    size_t file = lines(k->file_bytes[FILE_WARP]);
    size_t threads = (size_t)w->grid->thread_bytes * LANES;
    unsigned char *memory =
        pool_take(w->cta->pool, file + threads * (w->grid->launch.check ? 2 : 1));

    w->registers.file[FILE_WARP] = memory;
    w->thread_memory = memory + file;
    w->thread_written = w->grid->launch.check ? w->thread_memory + threads : NULL;
    /* The stack is cleared frame by frame. */
    for (size_t lane = 0; lane < (w->grid->launch.check ? 2 : 1) * LANES; lane++)
        memset(w->thread_memory + lane * w->grid->thread_bytes, 0,
               k->info.local_bytes_per_thread);
    for (unsigned lane = 0; k->stack != PLACE_NONE && lane < LANES; lane++)
        ((uint32_t *)op_register(&w->registers, k->stack))[lane] =
            k->info.local_bytes_per_thread;
    for (size_t n = 0; n < k->cleared_count; n++)
        memset(memory + k->cleared[n].offset, 0, k->cleared[n].bytes);
    w->is_started = true;
}

static void warp_end(struct execute_warp *w)
{
    if (w->is_started)
        pool_give(w->cta->pool, w->registers.file[FILE_WARP]);
    w->is_started = false;
}

void execute_cta_destroy(struct execute_cta *face)
{
    struct cta *c = (struct cta *)face;

    if (!face)
        return;
    for (uint32_t n = 0; n < face->warp_count; n++)
        warp_end(&c->warps[n]);
    cluster_leave(c);
    pool_give(c->pool, c);
}

/* True if a group that could run has waited since the turn began. */
static bool has_starved(const struct execute_warp *w)
{
    for (uint32_t n = 0; n < w->group_count; n++)
        if (w->groups[n].state == GROUP_READY && w->groups[n].ran < w->turn_began)
            return true;
    return false;
}

/* Groups that spin at a low position must let others run, every second turn. Without a
   starved group, the lowest group always runs first: lanes that diverge and reconverge
   regularly may rely on each other, as on GPUs. */
static void take_turns(struct execute_warp *w, uint64_t issued)
{
    w->unturned += issued;
    if (w->unturned >= SLICE) {
        w->is_fair = !w->is_fair && has_starved(w);
        w->unturned = 0;
        w->turn_began = w->added;
    }
    w->is_fair &= w->group_count > 1;
}

static enum warp_stop warp_run(struct execute_warp *w, uint64_t slice)
{
    struct execute_cta *c = &w->cta->face;
    uint64_t issued = w->issued, lanes = w->lanes;
    enum warp_stop stop;

    if (!w->is_started)
        warp_start(w);
    stop = w->grid->interpret(w, slice);
    take_turns(w, w->issued - issued);
    c->issued += w->issued - issued;
    c->lanes += w->lanes - lanes;
    if (w->issued > c->longest)
        c->longest = w->issued;
    if (w->stalls > c->stalls)
        c->stalls = w->stalls;
    if (stop == WARP_ENDED)
        warp_end(w);
    return stop;
}

/* Wakes sleepers and lets warps perform their strong accesses. Resets the warps' counters
   if the host has reset the CTA's. */
static void run_begins(struct cta *c)
{
    c->face.sleep_ns = 0;
    c->is_stuck = false;
    for (uint32_t n = 0; n < c->face.warp_count; n++) {
        struct execute_warp *w = &c->warps[n];

        w->is_stopped = false;
        if (c->face.issued == 0)
            w->issued = w->lanes = w->stalls = 0;
        for (uint32_t k = 0; k < w->group_count; k++)
            if (w->groups[k].state == GROUP_ASLEEP)
                groups_wake(w, k);
    }
}

static void find_sleepers(struct cta *c, uint32_t *shortest, bool *waits)
{
    for (uint32_t n = 0; n < c->face.warp_count; n++)
        for (uint32_t k = 0; k < c->warps[n].group_count; k++) {
            const struct group *g = &c->warps[n].groups[k];
            uint32_t ns = g->detail ? g->detail : 1;

            *waits |= g->state == GROUP_REMOTE || g->state == GROUP_ASLEEP;
            if (g->state == GROUP_ASLEEP && (*shortest == 0 || ns < *shortest))
                *shortest = ns;
        }
}

static bool waits_for_cluster(const struct cta *c)
{
    for (uint32_t n = 0; n < c->face.warp_count; n++)
        if (groups_any(&c->warps[n], GROUP_CLUSTER))
            return true;
    return false;
}

static void fault_deadlock(struct execute_warp *w, const struct group *g)
{
    const struct cluster *all = w->cta->cluster;
    const struct barrier *b = &w->cta->barriers[g->detail % BARRIERS];
    uint32_t line = w->grid->kernel->stream.ops[g->pc - 1].line;
    unsigned lane = (unsigned)__builtin_ctz(g->mask);

    if (g->state == GROUP_CLUSTER)
        warp_fault(w, line, lane,
                   "the barrier of its cluster waits for %u threads, %u arrived and no "
                   "other thread can",
                   all->live, all->arrived);
    else
        warp_fault(w, line, lane,
                   "barrier %u waits for %u threads, %u arrived and no other thread can",
                   g->detail, b->expected ? b->expected : w->cta->live_threads, b->arrived);
}

/* Deadlock: all live warps wait at barriers that cannot complete. */
static enum execute_stop deadlock(struct cta *c)
{
    for (uint32_t n = 0; n < c->face.warp_count; n++)
        if (c->warps[n].group_count) {
            fault_deadlock(&c->warps[n], &c->warps[n].groups[0]);
            return EXECUTE_TRAPPED;
        }
    return EXECUTE_TRAPPED;
}

/* A CTA blocked at its cluster's barrier continues when the cluster does. If no CTA of the
   cluster can continue, the result is a deadlock. */
static enum execute_stop rest(struct cta *c, enum execute_stop stop)
{
    struct cta *stuck = cluster_stuck(c);

    if (!stuck)
        return stop;
    deadlock(stuck);
    if (stuck != c)
        memcpy(c->face.fault, stuck->face.fault, sizeof c->face.fault);
    return EXECUTE_TRAPPED;
}

static enum execute_stop conclude(struct cta *c, bool is_strong)
{
    bool waits = false;

    if (c->face.live_warps == 0)
        return rest(c, EXECUTE_EXITED);
    if (is_strong)
        return EXECUTE_STRONG;
    find_sleepers(c, &c->face.sleep_ns, &waits);
    if (waits)
        return EXECUTE_BLOCKED;
    return waits_for_cluster(c) ? rest(c, EXECUTE_BLOCKED) : deadlock(c);
}

enum execute_stop execute_cta_run(struct execute_cta *face, uint64_t budget, uint64_t seed)
{
    struct cta *c = (struct cta *)face;
    uint32_t count = face->warp_count,
             mixed = (uint32_t)((seed * 0x9e3779b97f4a7c15u) >> 33);
    uint32_t start = mixed % count, stride = mixed >> 30 & 1 ? count - 1 : 1;
    bool is_strong = false, ran = true;
    uint64_t spent = 0, slice = budget / count + 1;

    if (slice > SLICE)
        slice = SLICE;
    if (stride == 0)
        stride = 1;
    run_begins(c);
    if (face->fault[0])
        return EXECUTE_TRAPPED;
    while (ran) {
        ran = c->ends_pass = false;
        for (uint32_t n = 0, k = start; n < count && !c->ends_pass;
             n++, k = (k + stride) % count) {
            struct execute_warp *w = &c->warps[k];

            if (w->is_stopped || !groups_can_run(w))
                continue;
            /* The budget is checked between passes over all warps, which therefore advance
               evenly, as on hardware. */
            if (!ran && spent >= budget)
                return EXECUTE_BUDGET;
            uint64_t before = face->issued;
            enum warp_stop stop = warp_run(w, slice);

            ran = true;
            if (stop == WARP_FAULT)
                return EXECUTE_TRAPPED;
            if (stop == WARP_STRONG)
                is_strong = w->is_stopped = true;
            spent += face->issued - before;
        }
    }
    return conclude(c, is_strong);
}
