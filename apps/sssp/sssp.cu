/* SPDX-License-Identifier: Apache-2.0 */
#include "../graph/cta_sum.h"
#include "../graph/entry_limit.h"
#include "sssp_lengths.h"

/* One round of Bellman-Ford by pulling. Plain kernels: the compiler finds what each CTA
   writes. A CTA has `cta_size` consecutive vertices, a multiple of 32.

   Each CTA first adds the sums of all CTAs of the previous round, the number of changed
   vertices. All devices therefore stop at the same round. After the stop nothing is
   written. */

enum { WARP_DEGREE = 16, HUB_DEGREE = 1024 }; /* from here on for a warp, for the CTA */
enum { BATCH = 6 };                           /* loads in flight together */
static_assert(BATCH * CTA_THREADS <= ENTRY_STEP_MAX, "steps over edges may wrap around");

PROACT_DEVICE_INLINE proact_u32 smaller(proact_u32 a, proact_u32 b)
{
    return a < b ? a : b;
}

PROACT_DEVICE_INLINE proact_u32 larger(proact_u32 a, proact_u32 b)
{
    return a > b ? a : b;
}

PROACT_DEVICE_INLINE proact_u32 lanes_where(bool condition)
{
    proact_u32 lanes, value = condition;

    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, -1; }"
                 : "=r"(lanes)
                 : "r"(value));
    return lanes;
}

PROACT_DEVICE_INLINE proact_u32 bits_set(proact_u32 bits)
{
    proact_u32 count;

    asm("popc.b32 %0, %1;" : "=r"(count) : "r"(bits));
    return count;
}

/* The value of the lane whose number differs in one bit. Every lane takes part. */
PROACT_DEVICE_INLINE proact_u32 lane_across(proact_u32 x, proact_u32 distance)
{
    asm volatile("shfl.sync.bfly.b32 %0, %0, %1, 31, -1;" : "+r"(x) : "r"(distance));
    return x;
}

PROACT_DEVICE_INLINE float lane_across(float x, proact_u32 distance)
{
    asm volatile("shfl.sync.bfly.b32 %0, %0, %1, 31, -1;" : "+f"(x) : "r"(distance));
    return x;
}

/* Arithmetic of distances: keys of int32, or f32. */
struct int32_lengths {
    typedef proact_u32 distance;
    typedef int weight;

    PROACT_DEVICE_INLINE distance far()
    {
        return SSSP_FAR_KEY;
    }

    PROACT_DEVICE_INLINE distance through(distance d, weight w)
    {
        distance sum = d + (distance)w;
        bool is_wrapped = (sum < d) != (w < 0);
        distance bounded =
            is_wrapped ? (w < 0 ? 0 : SSSP_LAST_KEY) : smaller(sum, SSSP_LAST_KEY);

        return d >= SSSP_LAST_KEY ? d : bounded;
    }
};

struct f32_lengths {
    typedef float distance;
    typedef float weight;

    PROACT_DEVICE_INLINE distance far()
    {
        return __builtin_huge_valf();
    }

    PROACT_DEVICE_INLINE distance through(distance d, weight w)
    {
        float sum = d + w;
        float bounded = sum < -SSSP_F32_LAST  ? -SSSP_F32_LAST
                        : sum > SSSP_F32_LAST ? SSSP_F32_LAST
                                              : sum;

        return d >= SSSP_F32_LAST ? d : bounded;
    }
};

template <class L> struct sssp_edges {
    const proact_u32 *first, *source;
    const typename L::weight *weight;
    const typename L::distance *old;
    const proact_u32 *changed; /* a bit for each vertex; NULL without a frontier */
    proact_u32 low, high;      /* the CTA's sources lie in between */
};

/* The source of an edge. The bounds change nothing, but show which distances a CTA reads.
 */
template <class L>
PROACT_DEVICE_INLINE proact_u32 source_of(const sssp_edges<L> *e, proact_u32 at)
{
    return larger(smaller(e->source[at], e->high), e->low);
}

/* Smallest distance of lane `lane` of `lanes` through the edges begin to end - 1. Loads
   past the end repeat the last edge, which changes no minimum. */
template <class L>
PROACT_DEVICE_INLINE typename L::distance pull_rounds(const sssp_edges<L> *e,
                                                      proact_u32 begin, proact_u32 end,
                                                      proact_u32 lane, proact_u32 lanes)
{
    typename L::distance best = L::far();

    for (proact_u32 i = begin + lane; i < end; i += BATCH * lanes) {
        proact_u32 from[BATCH];
        typename L::weight weight[BATCH];
        typename L::distance distance[BATCH];

#pragma unroll
        for (proact_u32 k = 0; k < BATCH; k++) {
            proact_u32 at = smaller(i + k * lanes, end - 1);

            from[k] = source_of(e, at);
            weight[k] = e->weight[at];
        }
#pragma unroll
        for (proact_u32 k = 0; k < BATCH; k++)
            distance[k] = e->old[from[k]];
#pragma unroll
        for (proact_u32 k = 0; k < BATCH; k++) {
            typename L::distance through = L::through(distance[k], weight[k]);

            best = through < best ? through : best;
        }
    }
    return best;
}

/* The same through edges from changed vertices only. */
template <class L>
PROACT_DEVICE_INLINE typename L::distance pull_frontier(const sssp_edges<L> *e,
                                                        proact_u32 begin, proact_u32 end,
                                                        proact_u32 lane, proact_u32 lanes)
{
    typename L::distance best = L::far();

    for (proact_u32 i = begin + lane; i < end; i += BATCH * lanes) {
        proact_u32 from[BATCH], word[BATCH];

#pragma unroll
        for (proact_u32 k = 0; k < BATCH; k++)
            from[k] = source_of(e, smaller(i + k * lanes, end - 1));
#pragma unroll
        for (proact_u32 k = 0; k < BATCH; k++)
            word[k] = e->changed[from[k] / SSSP_WORD_VERTICES];
#pragma unroll
        for (proact_u32 k = 0; k < BATCH; k++)
            if (word[k] >> from[k] % SSSP_WORD_VERTICES & 1) {
                proact_u32 at = smaller(i + k * lanes, end - 1);
                typename L::distance through = L::through(e->old[from[k]], e->weight[at]);

                best = through < best ? through : best;
            }
    }
    return best;
}

template <class L, bool BY_FRONTIER>
PROACT_DEVICE_INLINE typename L::distance pull(const sssp_edges<L> *e, proact_u32 begin,
                                               proact_u32 end, proact_u32 lane,
                                               proact_u32 lanes)
{
    return BY_FRONTIER ? pull_frontier(e, begin, end, lane, lanes)
                       : pull_rounds(e, begin, end, lane, lanes);
}

/* The smallest value of the warp, in all lanes. */
template <class D> PROACT_DEVICE_INLINE D warp_smallest(D x)
{
    for (proact_u32 distance = WARP_THREADS / 2; distance; distance /= 2) {
        D other = lane_across(x, distance);

        x = other < x ? other : x;
    }
    return x;
}

/* Shared memory of a CTA. */
template <class L> struct sssp_shared {
    struct cta_pair sums[CTA_WARPS];
    typename L::distance smallest[CTA_WARPS], best[CTA_THREADS];
    proact_u32 warps[CTA_WARPS], hubs[CTA_WARPS], changed[CTA_WARPS]; /* bits of threads */
    proact_u32 owner[CTA_THREADS], begin[CTA_THREADS], end[CTA_THREADS]; /* for warps */
};

/* Lists the vertices whose edges a warp reads, in the order of their threads: the owner and
   the edges of each. Returns their number. */
template <class L>
PROACT_DEVICE_INLINE proact_u32 list_for_warps(sssp_shared<L> *shared, bool is_for_warp,
                                               proact_u32 begin, proact_u32 end)
{
    proact_u32 thread = proact_thread_x(), before = 0, count = 0;

    for (proact_u32 warp = 0; warp < CTA_WARPS; warp++) {
        proact_u32 more = bits_set(shared->warps[warp]);

        before += warp < thread / WARP_THREADS ? more : 0;
        count += more;
    }
    if (is_for_warp) {
        proact_u32 lanes_below = (1u << thread % WARP_THREADS) - 1;
        proact_u32 at =
            before + bits_set(shared->warps[thread / WARP_THREADS] & lanes_below);

        shared->owner[at] = thread;
        shared->begin[at] = begin;
        shared->end[at] = end;
    }
    proact_cta_sync(); /* the list is complete */
    return count;
}

/* Edges of the listed vertices, by the warps in turn; shared->best gets the results. */
template <class L, bool BY_FRONTIER>
PROACT_DEVICE_INLINE void pull_by_turns(const sssp_edges<L> *e, sssp_shared<L> *shared,
                                        proact_u32 count)
{
    proact_u32 thread = proact_thread_x(), lane = thread % WARP_THREADS;

    for (proact_u32 i = thread / WARP_THREADS; i < count; i += CTA_WARPS) {
        typename L::distance through = warp_smallest(
            pull<L, BY_FRONTIER>(e, shared->begin[i], shared->end[i], lane, WARP_THREADS));

        if (lane == 0)
            shared->best[shared->owner[i]] = through;
    }
}

/* Edges of the hubs, by all threads of the CTA; the thread of a hub gets the result. */
template <class L, bool BY_FRONTIER>
PROACT_DEVICE_INLINE void pull_hubs(const sssp_edges<L> *e, sssp_shared<L> *shared,
                                    proact_u32 base, typename L::distance *best)
{
    proact_u32 thread = proact_thread_x();

    for (proact_u32 warp = 0; warp < CTA_WARPS; warp++)
        for (proact_u32 hubs = shared->hubs[warp]; hubs; hubs &= hubs - 1) {
            proact_u32 owner = warp * WARP_THREADS + proact_lowest_bit(hubs);
            const proact_u32 *first = &e->first[base + owner];
            typename L::distance mine = warp_smallest(
                pull<L, BY_FRONTIER>(e, first[0], first[1], thread, CTA_THREADS));

            if (thread % WARP_THREADS == 0)
                shared->smallest[thread / WARP_THREADS] = mine;
            proact_cta_sync(); /* the values of all warps are stored */
            for (proact_u32 i = 0; i < CTA_WARPS && thread == owner; i++)
                *best = shared->smallest[i] < *best ? shared->smallest[i] : *best;
            proact_cta_sync(); /* the values have been read */
        }
}

/* The new distance of vertex base + thread, if it is below `end`. Few edges are read by a
   thread, more by a warp, and those of a hub by the CTA. */
template <class L, bool BY_FRONTIER>
PROACT_DEVICE_INLINE typename L::distance pull_vertex(const sssp_edges<L> *e,
                                                      sssp_shared<L> *shared,
                                                      proact_u32 base, proact_u32 end)
{
    proact_u32 thread = proact_thread_x(), lane = thread % WARP_THREADS;
    proact_u32 v = base + thread;
    proact_u32 begin = v < end ? e->first[v] : 0, after = v < end ? e->first[v + 1] : 0;
    proact_u32 degree = after - begin;
    typename L::distance best = v < end ? e->old[v] : L::far();
    bool is_for_warp = degree >= WARP_DEGREE && degree < HUB_DEGREE;
    proact_u32 warps = lanes_where(is_for_warp), hubs = lanes_where(degree >= HUB_DEGREE);

    if (lane == 0) {
        shared->warps[thread / WARP_THREADS] = warps;
        shared->hubs[thread / WARP_THREADS] = hubs;
    }
    if (degree < WARP_DEGREE) {
        typename L::distance through = pull<L, BY_FRONTIER>(e, begin, after, 0, 1);

        best = through < best ? through : best;
    }
    proact_cta_sync(); /* the bits of all warps are stored */
    pull_by_turns<L, BY_FRONTIER>(e, shared,
                                  list_for_warps(shared, is_for_warp, begin, after));
    pull_hubs<L, BY_FRONTIER>(e, shared, base, &best);
    proact_cta_sync(); /* the results of all warps are stored */
    if (is_for_warp && shared->best[thread] < best)
        best = shared->best[thread];
    return best;
}

/* A bit for each changed vertex from `base` on, below `end`. */
template <class L>
PROACT_DEVICE_INLINE void store_changed(sssp_shared<L> *shared, bool changed,
                                        proact_u32 *to, proact_u32 base, proact_u32 end)
{
    proact_u32 thread = proact_thread_x(), word = lanes_where(changed);

    if (thread % WARP_THREADS == 0)
        shared->changed[thread / WARP_THREADS] = word;
    proact_cta_sync(); /* the words of all warps are stored */
    if (thread < CTA_WARPS && base + thread * SSSP_WORD_VERTICES < end)
        to[base / SSSP_WORD_VERTICES + thread] = shared->changed[thread];
}

/* A round of the vertices of this CTA; returns the number that this thread changed. With a
   frontier only the distances are stored that differ from those of two rounds ago. */
template <class L, bool BY_FRONTIER>
PROACT_DEVICE_INLINE double relax_vertices(const sssp_edges<L> *e, sssp_shared<L> *shared,
                                           typename L::distance *distance,
                                           proact_u32 *changed, proact_u32 begin,
                                           proact_u32 end)
{
    double count = 0;

    for (proact_u32 base = begin; base < end; base += SSSP_CTA_VERTICES) {
        proact_u32 v = base + proact_thread_x();
        typename L::distance best = pull_vertex<L, BY_FRONTIER>(e, shared, base, end);
        bool is_changed = v < end && best < e->old[v];

        if (v < end && (!BY_FRONTIER || is_changed ||
                        e->changed[v / SSSP_WORD_VERTICES] >> v % SSSP_WORD_VERTICES & 1))
            distance[v] = best;
        count += is_changed;
        if (BY_FRONTIER)
            store_changed(shared, is_changed, changed, base, end);
        proact_cta_sync(); /* the shared words have been read */
    }
    return count;
}

/* The same with one warp for each vertex, of which one lane stores. */
template <class L>
PROACT_DEVICE_INLINE double relax_by_warps(const sssp_edges<L> *e,
                                           typename L::distance *distance, proact_u32 begin,
                                           proact_u32 end)
{
    proact_u32 thread = proact_thread_x(), lane = thread % WARP_THREADS;
    double count = 0;

    for (proact_u32 v = begin + thread / WARP_THREADS; v < end; v += CTA_WARPS) {
        typename L::distance before = e->old[v];
        typename L::distance through =
            warp_smallest(pull_rounds(e, e->first[v], e->first[v + 1], lane, WARP_THREADS));

        if (lane == 0) {
            distance[v] = through < before ? through : before;
            count += through < before;
        }
    }
    return count;
}

enum sssp_form { ROUNDS, FRONTIER, BY_WARPS };

/* The CTA's part of a round, and its pair of sums: changed vertices. */
template <class L, sssp_form FORM>
PROACT_DEVICE_INLINE void sssp_round(sssp_edges<L> edges, sssp_shape shape,
                                     const struct cta_pair *old_sums, struct cta_pair *sums,
                                     typename L::distance *distance, proact_u32 *changed)
{
    __shared__ sssp_shared<L> shared;
    proact_u32 cta = proact_local_cta(), begin = cta * shape.cta_size;
    proact_u32 end = smaller(begin + shape.cta_size, shape.vertex_count);
    long long low = (long long)begin - shape.window;
    bool stopped =
        cta_sum_pairs(old_sums, shape.sum_count, shared.sums).a < shape.tolerance;
    double count = 0;

    edges.low = (proact_u32)(low > 0 ? low : 0);
    edges.high = end - 1 + shape.window;
    if (!stopped)
        count = FORM == BY_WARPS ? relax_by_warps(&edges, distance, begin, end)
                                 : relax_vertices<L, FORM == FRONTIER>(
                                       &edges, &shared, distance, changed, begin, end);
    struct cta_pair total = cta_sum(count, 0, shared.sums);

    if (proact_thread_x() == 0)
        sums[cta] = total;
}

extern "C" __global__ void sssp_rounds_int32(const proact_u32 *first,
                                             const proact_u32 *source, const int *weight,
                                             const proact_u32 *old,
                                             const struct cta_pair *old_sums,
                                             proact_u32 *distance, struct cta_pair *sums,
                                             sssp_shape shape)
{
    sssp_round<int32_lengths, ROUNDS>({first, source, weight, old, nullptr, 0, 0}, shape,
                                      old_sums, sums, distance, nullptr);
}

extern "C" __global__ void sssp_rounds_f32(const proact_u32 *first,
                                           const proact_u32 *source, const float *weight,
                                           const float *old,
                                           const struct cta_pair *old_sums, float *distance,
                                           struct cta_pair *sums, sssp_shape shape)
{
    sssp_round<f32_lengths, ROUNDS>({first, source, weight, old, nullptr, 0, 0}, shape,
                                    old_sums, sums, distance, nullptr);
}

extern "C" __global__ void sssp_paper_int32(const proact_u32 *first,
                                            const proact_u32 *source, const int *weight,
                                            const proact_u32 *old,
                                            const struct cta_pair *old_sums,
                                            proact_u32 *distance, struct cta_pair *sums,
                                            sssp_shape shape)
{
    sssp_round<int32_lengths, BY_WARPS>({first, source, weight, old, nullptr, 0, 0}, shape,
                                        old_sums, sums, distance, nullptr);
}

extern "C" __global__ void sssp_paper_f32(const proact_u32 *first, const proact_u32 *source,
                                          const float *weight, const float *old,
                                          const struct cta_pair *old_sums, float *distance,
                                          struct cta_pair *sums, sssp_shape shape)
{
    sssp_round<f32_lengths, BY_WARPS>({first, source, weight, old, nullptr, 0, 0}, shape,
                                      old_sums, sums, distance, nullptr);
}

extern "C" __global__ void sssp_frontier_int32(
    const proact_u32 *first, const proact_u32 *source, const int *weight,
    const proact_u32 *old, const struct cta_pair *old_sums, proact_u32 *distance,
    struct cta_pair *sums, sssp_shape shape, const proact_u32 *old_changed,
    proact_u32 *changed)
{
    sssp_round<int32_lengths, FRONTIER>({first, source, weight, old, old_changed, 0, 0},
                                        shape, old_sums, sums, distance, changed);
}

extern "C" __global__ void sssp_frontier_f32(
    const proact_u32 *first, const proact_u32 *source, const float *weight,
    const float *old, const struct cta_pair *old_sums, float *distance,
    struct cta_pair *sums, sssp_shape shape, const proact_u32 *old_changed,
    proact_u32 *changed)
{
    sssp_round<f32_lengths, FRONTIER>({first, source, weight, old, old_changed, 0, 0},
                                      shape, old_sums, sums, distance, changed);
}
