/* SPDX-License-Identifier: Apache-2.0 */
#include "../graph/cta_sum.h"

/* One PageRank iteration by pulling. The devices exchange one number per vertex, its
   *gift*: the amount that it gives along each outgoing edge, rank / out-degree, or its rank
   if it has none. The rank is gift * out-degree and needs no array.

   Each CTA first adds the sums of all CTAs of the previous iteration: the change, by which
   all devices stop at the same iteration, and the mass of vertices without outgoing edges.
   After the stop the gifts keep their values. */

/* Boundaries of a CTA's vertices, which are sorted by descending in-degree. The CTA sums
   for a hub, a warp for each of the next vertices, and a thread for each of the others. */
struct cta_vertices {
    proact_u32 hubs, warps, threads, end;
};

enum { BATCH = 8 }; /* loads in flight together */

struct edges {
    const proact_u32 *first, *source;
    const double *gift;
};

/* Eight loads in flight together. Assembly keeps them adjacent; compilers place each load
   next to its use, which may prevent the overlap. */
__device__ static inline void load_sources(proact_u32 to[BATCH],
                                           const proact_u32 *const at[BATCH])
{
    asm volatile("ld.u32 %0, [%8]; ld.u32 %1, [%9]; ld.u32 %2, [%10]; ld.u32 %3, [%11];"
                 "ld.u32 %4, [%12]; ld.u32 %5, [%13]; ld.u32 %6, [%14]; ld.u32 %7, [%15];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]), "=r"(to[4]),
                   "=r"(to[5]), "=r"(to[6]), "=r"(to[7])
                 : "l"(at[0]), "l"(at[1]), "l"(at[2]), "l"(at[3]), "l"(at[4]), "l"(at[5]),
                   "l"(at[6]), "l"(at[7]));
}

__device__ static inline void load_gifts(double to[BATCH], const double *const at[BATCH])
{
    asm volatile("ld.f64 %0, [%8]; ld.f64 %1, [%9]; ld.f64 %2, [%10]; ld.f64 %3, [%11];"
                 "ld.f64 %4, [%12]; ld.f64 %5, [%13]; ld.f64 %6, [%14]; ld.f64 %7, [%15];"
                 : "=d"(to[0]), "=d"(to[1]), "=d"(to[2]), "=d"(to[3]), "=d"(to[4]),
                   "=d"(to[5]), "=d"(to[6]), "=d"(to[7])
                 : "l"(at[0]), "l"(at[1]), "l"(at[2]), "l"(at[3]), "l"(at[4]), "l"(at[5]),
                   "l"(at[6]), "l"(at[7]));
}

/* The part of lane `lane` of `lanes` in the sum of vertex v. Loads past the end repeat the
   last edge and are not added. */
__device__ static inline double pull(const struct edges *e, proact_u32 v, proact_u32 lane,
                                     proact_u32 lanes)
{
    proact_u32 end = e->first[v + 1];
    double sum = 0;

    for (proact_u32 i = e->first[v] + lane; i < end; i += BATCH * lanes) {
        const proact_u32 *edge[BATCH];
        const double *giver[BATCH];
        proact_u32 from[BATCH];
        double gift[BATCH];

        for (proact_u32 k = 0; k < BATCH; k++)
            edge[k] = &e->source[i + k * lanes < end ? i + k * lanes : end - 1];
        load_sources(from, edge);
        for (proact_u32 k = 0; k < BATCH; k++)
            giver[k] = &e->gift[from[k]];
        load_gifts(gift, giver);
        for (proact_u32 k = 0; k < BATCH; k++)
            sum += i + k * lanes < end ? gift[k] : 0;
    }
    return sum;
}

/* Fills sum[0 .. CTA_THREADS - 1] for the vertices from `base` on. */
__device__ static inline void pull_batch(const struct edges *e,
                                         const struct cta_vertices *at, proact_u32 base,
                                         double *sum, struct cta_pair *scratch)
{
    proact_u32 thread = proact_thread_x(), lane = thread % WARP_THREADS;
    proact_u32 end = base + CTA_THREADS < at->end ? base + CTA_THREADS : at->end;
    proact_u32 v = base;

    for (; v < end && v < at->warps; v++) {
        struct cta_pair total = cta_sum(pull(e, v, thread, CTA_THREADS), 0, scratch);

        if (thread == 0)
            sum[v - base] = total.a;
    }
    for (v += thread / WARP_THREADS; v < end && v < at->threads; v += CTA_WARPS) {
        double total = warp_sum(pull(e, v, lane, WARP_THREADS));

        if (lane == 0)
            sum[v - base] = total;
    }
    if (base + thread < end && base + thread >= at->threads)
        sum[thread] = pull(e, base + thread, 0, 1);
}

extern "C" __global__ void pagerank_step(
    const struct cta_vertices *vertices, const proact_u32 *first, const proact_u32 *source,
    const proact_u32 *out_degree, const double *old_gift, const struct cta_pair *old_sums,
    double *gift, struct cta_pair *sums, proact_u32 vertex_count, proact_u32 cta_count,
    double damping, double tolerance, struct proact_partition partition)
{
    __shared__ struct cta_pair scratch[CTA_WARPS];
    __shared__ double sum[CTA_THREADS];
    proact_u32 cta = proact_cta(&partition), thread = proact_thread_x();
    struct edges edges = {first, source, old_gift};
    struct cta_vertices at = vertices[cta];
    struct cta_pair before = cta_sum_pairs(old_sums, cta_count, scratch);
    bool stopped = before.a < tolerance;
    double everyone = ((1 - damping) + damping * before.b) / vertex_count;
    double change = 0, dangling = 0;

    for (proact_u32 base = stopped ? at.end : at.hubs; base < at.end; base += CTA_THREADS) {
        proact_u32 v = base + thread;

        pull_batch(&edges, &at, base, sum, scratch);
        proact_cta_sync(); /* the sums are stored */
        if (v < at.end) {
            proact_u32 degree = out_degree[v];
            double old = old_gift[v], links = degree ? degree : 1;
            double rank = everyone + damping * sum[thread];

            proact_store(&partition, 0, &gift[v], rank / links);
            /* An explicit fused operation: a driver may fuse the two steps, which changes
               the rounding. */
            change += __builtin_fabs(__builtin_fma(-old, links, rank));
            dangling += degree ? 0 : rank;
        }
        proact_cta_sync(); /* the sums have been read */
    }
    struct cta_pair total = cta_sum(change, dangling, scratch);

    if (thread == 0) {
        proact_store(&partition, 1, &sums[cta].a, total.a);
        proact_store(&partition, 1, &sums[cta].b, total.b);
    }
    proact_done(&partition);
}
