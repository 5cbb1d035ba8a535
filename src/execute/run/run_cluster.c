/* SPDX-License-Identifier: Apache-2.0 */
#include "execute/run/run_cluster.h"

#include <stdlib.h>

static void init(struct cluster *all, const struct execute_grid *g, const uint32_t id[3])
{
    *all = (struct cluster){.id = {id[0], id[1], id[2]},
                            .count = g->cluster_size,
                            .live = g->cluster_size * g->threads};
}

static struct cluster *find(struct execute_grid *g, const uint32_t id[3])
{
    struct cluster *all = g->clusters;

    while (all && memcmp(all->id, id, sizeof all->id) != 0)
        all = all->next;
    if (all)
        return all;
    all = must_calloc(1, sizeof *all);
    init(all, g, id);
    all->next = g->clusters;
    g->clusters = all;
    return all;
}

void cluster_join(struct cta *c)
{
    struct execute_grid *g = c->face.grid;
    uint32_t id[3], in[3];

    for (int n = 0; n < 3; n++) {
        id[n] = c->face.id[n] / g->cluster[n];
        in[n] = c->face.id[n] % g->cluster[n];
    }
    c->rank = in[0] + g->cluster[0] * (in[1] + g->cluster[1] * in[2]);
    c->cluster = &c->alone;
    if (g->cluster_size > 1)
        c->cluster = find(g, id);
    else
        init(c->cluster, g, id);
    c->cluster->member[c->rank] = c;
}

void cluster_leave(struct cta *c)
{
    struct cluster *all = c->cluster, **link = &c->face.grid->clusters;

    all->member[c->rank] = NULL;
    all->ended |= 1u << c->rank;
    if (all == &c->alone || (uint32_t)__builtin_popcount(all->ended) < all->count)
        return;
    while (*link != all)
        link = &(*link)->next;
    *link = all->next;
    free(all);
}

void clusters_clear(struct execute_grid *g)
{
    while (g->clusters) {
        struct cluster *next = g->clusters->next;

        free(g->clusters);
        g->clusters = next;
    }
}

static void wake_warp(struct execute_warp *w)
{
    for (uint32_t n = 0; n < w->group_count; n++)
        if (w->groups[n].state == GROUP_CLUSTER) {
            w->came &= ~w->groups[n].mask;
            groups_wake(w, n);
        }
}

static void complete(struct cluster *all, struct execute_warp *by)
{
    const struct execute_host *host = by->grid->launch.host;
    struct execute_cta *ctas[EXECUTE_CLUSTER_MAX];
    uint32_t count = 0;

    all->arrived = 0;
    all->phase++;
    for (uint32_t rank = 0; rank < all->count; rank++) {
        struct cta *c = all->member[rank];

        if (!c)
            continue;
        c->is_stuck = false;
        c->face.barriers++;
        for (uint32_t n = 0; n < c->face.warp_count; n++)
            wake_warp(&c->warps[n]);
        bulk_meet(c);
        ctas[count++] = &c->face;
    }
    if (host->cluster)
        host->cluster(host->context, by, ctas, count);
}

static void complete_if_all(struct cluster *all, struct execute_warp *by)
{
    if (all->arrived && all->arrived == all->live)
        complete(all, by);
}

/* Lanes whose phase is not complete. */
static uint32_t of_this_phase(const struct execute_warp *w)
{
    return w->came & (w->cta->cluster->phase & 1 ? w->came_odd : ~w->came_odd);
}

bool cluster_arrive(struct execute_warp *w, const struct execute_op *op, uint32_t lanes)
{
    struct cluster *all = w->cta->cluster;

    if (w->came & lanes) {
        warp_fault(w, op->line, (unsigned)__builtin_ctz(w->came & lanes),
                   "arrives at its cluster's barrier and has not waited since it last did");
        return false;
    }
    w->came |= lanes;
    w->came_odd = all->phase & 1 ? w->came_odd | lanes : w->came_odd & ~lanes;
    all->arrived += (uint32_t)__builtin_popcount(lanes);
    complete_if_all(all, w);
    return true;
}

bool cluster_wait(struct execute_warp *w, const struct execute_op *op, uint32_t lanes,
                  uint32_t *waiting)
{
    uint32_t never = lanes & ~w->came;

    if (never) {
        warp_fault(w, op->line, (unsigned)__builtin_ctz(never),
                   "waits at its cluster's barrier and has not arrived at it");
        return false;
    }
    *waiting = lanes & of_this_phase(w);
    w->came &= ~(lanes & ~*waiting);
    return true;
}

void cluster_exit(struct execute_warp *w, uint32_t lanes)
{
    struct cluster *all = w->cta->cluster;

    all->live -= (uint32_t)__builtin_popcount(lanes);
    all->arrived -= (uint32_t)__builtin_popcount(lanes & of_this_phase(w));
    w->came &= ~lanes;
    complete_if_all(all, w);
}

struct cta *cluster_stuck(struct cta *c)
{
    const struct cluster *all = c->cluster;
    struct cta *one = NULL;

    c->is_stuck = c->face.live_warps != 0;
    for (uint32_t rank = 0; rank < all->count; rank++) {
        struct cta *other = all->member[rank];

        if (!other ? !(all->ended >> rank & 1) : other->face.live_warps && !other->is_stuck)
            return NULL;
        if (other && other->is_stuck)
            one = other;
    }
    return one;
}

bool cluster_region(struct execute_warp *w, const struct site *s, unsigned lane,
                    uint64_t address, uint64_t window, struct region *out)
{
    const struct cta *own = w->cta;
    const struct cluster *all = own->cluster;
    uint64_t above = (address - window) >> CLUSTER_SHIFT;
    uint32_t rank = above ? (uint32_t)above - 1 : own->rank;

    if (rank >= all->count) {
        warp_fault(w, s->access.line, lane,
                   "access to shared memory of CTA %u of its cluster, which has %u", rank,
                   all->count);
        return false;
    }
    if (!all->member[rank]) {
        warp_fault(w, s->access.line, lane,
                   "CTA %u of the cluster accesses shared memory of CTA %u of it, which "
                   "has %s",
                   own->rank, rank, all->ended >> rank & 1 ? "ended" : "not begun");
        return false;
    }
    *out = cta_region(all->member[rank], window + (above << CLUSTER_SHIFT));
    if (all->member[rank] == own)
        out->mark = bulk_mark(w);
    return true;
}
