/* SPDX-License-Identifier: Apache-2.0 */
#include "../graph/cta_sum.h"
#include "../graph/entry_limit.h"
#include "pagerank_size.h"

/* One PageRank iteration by pulling. The devices exchange one number per vertex, its
   *gift*: the amount that it gives along each outgoing edge, rank / out-degree, or its rank
   if it has none. The rank is gift * out-degree and needs no array.

   Each CTA first adds the sums of the previous iteration: the change, by which all devices
   stop at the same iteration, and the mass of vertices without outgoing edges. After the
   stop no gift is written.

   The plain kernels are split by the compiler. Gifts are f64 or f32; sums over several
   batches of edges, ranks and changes are f64. */

enum { BATCH = 8 }; /* loads in flight together */
static_assert(BATCH * CTA_THREADS <= ENTRY_STEP_MAX, "steps over edges may wrap around");

template <class T> struct pagerank_edges {
    const proact_u32 *first, *source, *out_degree;
    const T *gift;
};

/* Eight loads in flight together. Assembly keeps them adjacent; compilers place each load
   next to its use, which may prevent the overlap. */
PROACT_DEVICE_INLINE void load_batch(proact_u32 to[BATCH],
                                     const proact_u32 *const at[BATCH])
{
    asm volatile("ld.u32 %0, [%8]; ld.u32 %1, [%9]; ld.u32 %2, [%10]; ld.u32 %3, [%11];"
                 "ld.u32 %4, [%12]; ld.u32 %5, [%13]; ld.u32 %6, [%14]; ld.u32 %7, [%15];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]), "=r"(to[4]),
                   "=r"(to[5]), "=r"(to[6]), "=r"(to[7])
                 : "l"(at[0]), "l"(at[1]), "l"(at[2]), "l"(at[3]), "l"(at[4]), "l"(at[5]),
                   "l"(at[6]), "l"(at[7]));
}

PROACT_DEVICE_INLINE void load_batch(double to[BATCH], const double *const at[BATCH])
{
    asm volatile("ld.f64 %0, [%8]; ld.f64 %1, [%9]; ld.f64 %2, [%10]; ld.f64 %3, [%11];"
                 "ld.f64 %4, [%12]; ld.f64 %5, [%13]; ld.f64 %6, [%14]; ld.f64 %7, [%15];"
                 : "=d"(to[0]), "=d"(to[1]), "=d"(to[2]), "=d"(to[3]), "=d"(to[4]),
                   "=d"(to[5]), "=d"(to[6]), "=d"(to[7])
                 : "l"(at[0]), "l"(at[1]), "l"(at[2]), "l"(at[3]), "l"(at[4]), "l"(at[5]),
                   "l"(at[6]), "l"(at[7]));
}

PROACT_DEVICE_INLINE void load_batch(float to[BATCH], const float *const at[BATCH])
{
    asm volatile("ld.f32 %0, [%8]; ld.f32 %1, [%9]; ld.f32 %2, [%10]; ld.f32 %3, [%11];"
                 "ld.f32 %4, [%12]; ld.f32 %5, [%13]; ld.f32 %6, [%14]; ld.f32 %7, [%15];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3]), "=f"(to[4]),
                   "=f"(to[5]), "=f"(to[6]), "=f"(to[7])
                 : "l"(at[0]), "l"(at[1]), "l"(at[2]), "l"(at[3]), "l"(at[4]), "l"(at[5]),
                   "l"(at[6]), "l"(at[7]));
}

/* The part of lane `lane` of `lanes` in the sum of vertex v. Loads past the end repeat the
   last edge and are not added. */
template <class T>
PROACT_DEVICE_INLINE double pull(const pagerank_edges<T> &e, proact_u32 v, proact_u32 lane,
                                 proact_u32 lanes)
{
    proact_u32 end = e.first[v + 1];
    double sum = 0;

    for (proact_u32 i = e.first[v] + lane; i < end; i += BATCH * lanes) {
        const proact_u32 *edge[BATCH];
        const T *giver[BATCH];
        proact_u32 from[BATCH];
        T gift[BATCH], batch = 0;

        for (proact_u32 k = 0; k < BATCH; k++)
            edge[k] = &e.source[i + k * lanes < end ? i + k * lanes : end - 1];
        load_batch(from, edge);
        for (proact_u32 k = 0; k < BATCH; k++)
            giver[k] = &e.gift[from[k]];
        load_batch(gift, giver);
        for (proact_u32 k = 0; k < BATCH; k++)
            batch += i + k * lanes < end ? gift[k] : 0;
        sum += batch;
    }
    return sum;
}

struct vertex_range {
    proact_u32 begin, end;
};

PROACT_DEVICE_INLINE vertex_range vertices_of(const pagerank_size &size, proact_u32 cta)
{
    proact_u32 begin = cta * size.cta_size, end = begin + size.cta_size;

    return {begin, end < size.vertex_count ? end : size.vertex_count};
}

/* What a thread needs for its vertices, and its part of the sums. */
struct rank_state {
    double damping, everyone; /* everyone: the part of a rank that all vertices have */
    double change, dangling;
};

PROACT_DEVICE_INLINE rank_state start_ranks(const pagerank_size &size,
                                            const struct cta_pair &before)
{
    double shared = __builtin_fma(size.damping, before.b, 1 - size.damping);

    return {size.damping, shared / size.vertex_count, 0, 0};
}

/* The gift of vertex v by the sum over its edges. Steps that a driver may fuse are fused
   explicitly, because that changes the rounding. */
template <class T>
PROACT_DEVICE_INLINE T new_gift(const pagerank_edges<T> &e, proact_u32 v, double sum,
                                rank_state *state)
{
    proact_u32 degree = e.out_degree[v], links = degree ? degree : 1;
    double rank = __builtin_fma(state->damping, sum, state->everyone);
    T gift = (T)(rank / links);
    double moved = __builtin_fabs((double)gift - (double)e.gift[v]);

    state->change = __builtin_fma(moved, (double)links, state->change);
    state->dangling += degree ? 0 : rank;
    return gift;
}

/* Fills sum[0 .. CTA_THREADS - 1] for the vertices from `base` on. */
template <class T>
PROACT_DEVICE_INLINE void pull_batch(const pagerank_edges<T> &e, const pagerank_cta &at,
                                     proact_u32 base, proact_u32 range_end, double *sum,
                                     struct cta_pair *scratch)
{
    proact_u32 thread = proact_thread_x(), lane = thread % WARP_THREADS;
    proact_u32 end = base + CTA_THREADS < range_end ? base + CTA_THREADS : range_end;
    proact_u32 v = base;

    for (; v < end && v < at.warps; v++) {
        struct cta_pair total = cta_sum(pull(e, v, thread, CTA_THREADS), 0, scratch);

        if (thread == 0)
            sum[v - base] = total.a;
    }
    for (v += thread / WARP_THREADS; v < end && v < at.threads; v += CTA_WARPS) {
        double total = warp_sum(pull(e, v, lane, WARP_THREADS));

        if (lane == 0)
            sum[v - base] = total;
    }
    if (base + thread < end && base + thread >= at.threads)
        sum[thread] = pull(e, base + thread, 0, 1);
}

/* Plain stores, which the compiler annotates, or annotated ones. */
template <class T> struct plain_stores {
    T *gift;
    struct cta_pair *sums;

    PROACT_DEVICE_INLINE void store(const plain_stores &to, proact_u32 v, T x)
    {
        to.gift[v] = x;
    }
    PROACT_DEVICE_INLINE void finish(const plain_stores &to, proact_u32 cta,
                                     const struct cta_pair &total)
    {
        if (proact_thread_x() == 0)
            to.sums[cta] = total;
    }
};

template <class T> struct annotated_stores {
    T *gift;
    struct cta_pair *sums;
    const struct proact_partition *partition;

    PROACT_DEVICE_INLINE void store(const annotated_stores &to, proact_u32 v, T x)
    {
        proact_store(to.partition, 0, &to.gift[v], x);
    }
    PROACT_DEVICE_INLINE void finish(const annotated_stores &to, proact_u32 cta,
                                     const struct cta_pair &total)
    {
        if (proact_thread_x() == 0) {
            proact_store(to.partition, 1, &to.sums[cta].a, total.a);
            proact_store(to.partition, 1, &to.sums[cta].b, total.b);
        }
        proact_done(to.partition);
    }
};

/* The default kernel: the degree of a vertex decides how many threads sum for it. */
template <class T, class S>
PROACT_DEVICE_INLINE void rank_by_degree(const pagerank_edges<T> &edges,
                                         const pagerank_cta *ctas,
                                         const struct cta_pair *old_sums,
                                         const pagerank_size &size, proact_u32 cta,
                                         const S &to)
{
    __shared__ struct cta_pair scratch[CTA_WARPS];
    __shared__ double sum[CTA_THREADS];
    proact_u32 thread = proact_thread_x();
    const vertex_range range = vertices_of(size, cta);
    const pagerank_cta at = ctas[cta];
    const struct cta_pair before = cta_sum_pairs(old_sums, size.sum_count, scratch);
    rank_state state = start_ranks(size, before);

    if (!(before.a < size.tolerance))
        for (proact_u32 base = range.begin; base < range.end; base += CTA_THREADS) {
            proact_u32 v = base + thread;

            pull_batch(edges, at, base, range.end, sum, scratch);
            proact_cta_sync(); /* the sums are stored */
            if (v < range.end)
                S::store(to, v, new_gift(edges, v, sum[thread], &state));
            proact_cta_sync(); /* the sums have been read */
        }
    S::finish(to, cta, cta_sum(state.change, state.dangling, scratch));
}

/* The paper's kernel: one warp for each vertex in the order of the file, whose first lane
   stores (PROACT IV-C). */
template <class T, class S>
PROACT_DEVICE_INLINE void rank_by_warps(const pagerank_edges<T> &edges,
                                        const struct cta_pair *old_sums,
                                        const pagerank_size &size, proact_u32 cta,
                                        const S &to)
{
    __shared__ struct cta_pair scratch[CTA_WARPS];
    proact_u32 thread = proact_thread_x(), lane = thread % WARP_THREADS;
    const vertex_range range = vertices_of(size, cta);
    const struct cta_pair before = cta_sum_pairs(old_sums, size.sum_count, scratch);
    rank_state state = start_ranks(size, before);

    if (!(before.a < size.tolerance))
        for (proact_u32 v = range.begin + thread / WARP_THREADS; v < range.end;
             v += CTA_WARPS) {
            double sum = warp_sum(pull(edges, v, lane, WARP_THREADS));

            if (lane == 0)
                S::store(to, v, new_gift(edges, v, sum, &state));
        }
    S::finish(to, cta, cta_sum(state.change, state.dangling, scratch));
}

extern "C" __global__ void pagerank_default_f64(
    const pagerank_cta *ctas, const proact_u32 *first, const proact_u32 *source,
    const proact_u32 *out_degree, const double *old_gift, const struct cta_pair *old_sums,
    double *gift, struct cta_pair *sums, pagerank_size size)
{
    const pagerank_edges<double> edges = {first, source, out_degree, old_gift};

    rank_by_degree(edges, ctas, old_sums, size, proact_local_cta(),
                   plain_stores<double>{gift, sums});
}

extern "C" __global__ void pagerank_default_f32(
    const pagerank_cta *ctas, const proact_u32 *first, const proact_u32 *source,
    const proact_u32 *out_degree, const float *old_gift, const struct cta_pair *old_sums,
    float *gift, struct cta_pair *sums, pagerank_size size)
{
    const pagerank_edges<float> edges = {first, source, out_degree, old_gift};

    rank_by_degree(edges, ctas, old_sums, size, proact_local_cta(),
                   plain_stores<float>{gift, sums});
}

extern "C" __global__ void pagerank_paper_f64(const pagerank_cta *, const proact_u32 *first,
                                              const proact_u32 *source,
                                              const proact_u32 *out_degree,
                                              const double *old_gift,
                                              const struct cta_pair *old_sums, double *gift,
                                              struct cta_pair *sums, pagerank_size size)
{
    const pagerank_edges<double> edges = {first, source, out_degree, old_gift};

    rank_by_warps(edges, old_sums, size, proact_local_cta(),
                  plain_stores<double>{gift, sums});
}

extern "C" __global__ void pagerank_paper_f32(const pagerank_cta *, const proact_u32 *first,
                                              const proact_u32 *source,
                                              const proact_u32 *out_degree,
                                              const float *old_gift,
                                              const struct cta_pair *old_sums, float *gift,
                                              struct cta_pair *sums, pagerank_size size)
{
    const pagerank_edges<float> edges = {first, source, out_degree, old_gift};

    rank_by_warps(edges, old_sums, size, proact_local_cta(),
                  plain_stores<float>{gift, sums});
}

extern "C" __global__ void pagerank_annotated_f64(
    const pagerank_cta *ctas, const proact_u32 *first, const proact_u32 *source,
    const proact_u32 *out_degree, const double *old_gift, const struct cta_pair *old_sums,
    double *gift, struct cta_pair *sums, pagerank_size size,
    struct proact_partition partition)
{
    const pagerank_edges<double> edges = {first, source, out_degree, old_gift};

    rank_by_degree(edges, ctas, old_sums, size, proact_cta(&partition),
                   annotated_stores<double>{gift, sums, &partition});
}

extern "C" __global__ void pagerank_annotated_f32(
    const pagerank_cta *ctas, const proact_u32 *first, const proact_u32 *source,
    const proact_u32 *out_degree, const float *old_gift, const struct cta_pair *old_sums,
    float *gift, struct cta_pair *sums, pagerank_size size,
    struct proact_partition partition)
{
    const pagerank_edges<float> edges = {first, source, out_degree, old_gift};

    rank_by_degree(edges, ctas, old_sums, size, proact_cta(&partition),
                   annotated_stores<float>{gift, sums, &partition});
}
