/* SPDX-License-Identifier: Apache-2.0 */
#include "../graph/cta_sum.h"

/* One Jacobi iteration on a square of size * size cells. A CTA has `rows` complete rows;
   edge cells stay unchanged. Each CTA first adds the sums of all CTAs of the previous
   iteration, the square of the change. All devices therefore stop at the same iteration.
   After the stop the cells keep their values. */

/* Rows that a thread loads together, so that the loads overlap. */
enum { STRIP = 4 };

struct strip {
    const float *old;
    float *cells;
    proact_u32 size, first, last; /* cells per row; rows first to last - 1 */
};

__device__ static inline proact_u32 smaller(proact_u32 a, proact_u32 b)
{
    return a < b ? a : b;
}

__device__ static inline float at(const struct strip *s, proact_u32 y, proact_u32 x)
{
    return s->old[(proact_u64)y * s->size + x];
}

/* The two forms of the kernel differ in their stores: plain ones, whose map the compiler
   derives, and annotated ones, for which the host gives a map. */
struct plain_stores {
    __device__ inline void cell(float *to, float value) const
    {
        *to = value;
    }

    __device__ inline void sums(struct cta_pair *to, const struct cta_pair &value) const
    {
        *to = value;
    }
};

struct annotated_stores {
    const struct proact_partition *partition;

    __device__ inline void cell(float *to, float value) const
    {
        proact_store(partition, 0, to, value);
    }

    __device__ inline void sums(struct cta_pair *to, const struct cta_pair &value) const
    {
        proact_store(partition, 1, &to->a, value.a);
        proact_store(partition, 1, &to->b, value.b);
    }
};

/* One column; returns the sum of the squared changes. In a short strip the last rows are
   loaded again; outside the square the cell itself is loaded. */
template <class S>
__device__ static inline double relax(const S &stores, const struct strip *s, proact_u32 x)
{
    float here[STRIP + 2], left[STRIP], right[STRIP]; /* here[0] is above the first row */
    proact_u32 end = s->size - 1, below = smaller(s->last, end);
    proact_u32 west = x ? x - 1 : 0, east = smaller(x + 1, end);
    double sum = 0;

    here[0] = at(s, s->first ? s->first - 1 : 0, x);
#pragma unroll
    for (proact_u32 i = 0; i < STRIP; i++) {
        proact_u32 y = smaller(s->first + i, s->last - 1);

        here[i + 1] = at(s, smaller(s->first + i, below), x);
        left[i] = at(s, y, west);
        right[i] = at(s, y, east);
    }
    here[STRIP + 1] = at(s, smaller(s->first + STRIP, below), x);
#pragma unroll
    for (proact_u32 i = 0; i < STRIP; i++) {
        proact_u32 y = s->first + i;
        bool fixed = y == 0 || y == end || x == 0 || x == end;
        float mean = 0.25f * ((left[i] + right[i]) + (here[i] + here[i + 2]));
        float was = here[i + 1], now = fixed ? was : mean;
        double change = (double)now - (double)was;

        if (y < s->last) {
            stores.cell(&s->cells[(proact_u64)y * s->size + x], now);
            sum += change * change;
        }
    }
    return sum;
}

/* Four cells next to each other, which are loaded and stored together. */
struct alignas(16) quad {
    float x, y, z, w;
};

__device__ static inline struct quad quad_at(const struct strip *s, proact_u32 y,
                                             proact_u32 column)
{
    return ((const struct quad *)s->old)[(proact_u64)y * (s->size / 4) + column];
}

__device__ static inline double squared_change(float now, float was)
{
    double change = (double)now - (double)was;

    return change * change;
}

/* The new cells of a row; `left` and `right` are next to `here`. */
__device__ static inline struct quad mean_quad(const struct quad &above,
                                               const struct quad &here,
                                               const struct quad &below, float left,
                                               float right)
{
    return {0.25f * ((left + here.y) + (above.x + below.x)),
            0.25f * ((here.x + here.z) + (above.y + below.y)),
            0.25f * ((here.y + here.w) + (above.z + below.z)),
            0.25f * ((here.z + right) + (above.w + below.w))};
}

/* A column of quads, as relax() does one of cells. */
__device__ static inline double relax_quads(const struct strip *s, proact_u32 column)
{
    struct quad here[STRIP + 2]; /* here[0] is above the first row */
    float left[STRIP], right[STRIP];
    proact_u32 end = s->size - 1, below = smaller(s->last, end), x = 4 * column;
    proact_u32 west = x ? x - 1 : 0, east = smaller(x + 4, end);
    double sum = 0;

    here[0] = quad_at(s, s->first ? s->first - 1 : 0, column);
#pragma unroll
    for (proact_u32 i = 0; i < STRIP; i++) {
        proact_u32 y = smaller(s->first + i, s->last - 1);

        here[i + 1] = quad_at(s, smaller(s->first + i, below), column);
        left[i] = at(s, y, west);
        right[i] = at(s, y, east);
    }
    here[STRIP + 1] = quad_at(s, smaller(s->first + STRIP, below), column);
#pragma unroll
    for (proact_u32 i = 0; i < STRIP; i++) {
        proact_u32 y = s->first + i;
        bool fixed = y == 0 || y == end;
        struct quad was = here[i + 1],
                    now = mean_quad(here[i], was, here[i + 2], left[i], right[i]);

        now.x = fixed || x == 0 ? was.x : now.x;
        now.y = fixed ? was.y : now.y;
        now.z = fixed ? was.z : now.z;
        now.w = fixed || x + 3 == end ? was.w : now.w;
        if (y < s->last) {
            ((struct quad *)s->cells)[(proact_u64)y * (s->size / 4) + column] = now;
            sum += squared_change(now.x, was.x);
            sum += squared_change(now.y, was.y);
            sum += squared_change(now.z, was.z);
            sum += squared_change(now.w, was.w);
        }
    }
    return sum;
}

/* The scalar arguments of a step. */
struct jacobi_grid {
    proact_u32 size, rows, sum_count; /* cells per side; rows per CTA; pairs to add */
    double tolerance_squared;
};

template <bool IS_WIDE, class S>
__device__ static inline void step(const S &stores, const struct jacobi_grid &grid,
                                   proact_u32 cta, const float *old,
                                   const struct cta_pair *old_sums, float *cells,
                                   struct cta_pair *sums)
{
    constexpr proact_u32 CELLS = IS_WIDE ? 4 : 1;
    __shared__ struct cta_pair scratch[CTA_WARPS];
    bool stopped =
        cta_sum_pairs(old_sums, grid.sum_count, scratch).a < grid.tolerance_squared;
    proact_u32 last = smaller((cta + 1) * grid.rows, grid.size);
    struct strip strip = {old, cells, grid.size, cta * grid.rows, last};
    double sum = 0;

    for (; strip.first < last && !stopped; strip.first += STRIP)
        for (proact_u32 x = proact_thread_x(); x < grid.size / CELLS; x += CTA_THREADS)
            sum += IS_WIDE ? relax_quads(&strip, x) : relax(stores, &strip, x);
    struct cta_pair total = cta_sum(sum, 0, scratch);

    if (proact_thread_x() == 0)
        stores.sums(&sums[cta], total);
}

extern "C" __global__ void jacobi_step_narrow(const float *old,
                                              const struct cta_pair *old_sums, float *cells,
                                              struct cta_pair *sums,
                                              struct jacobi_grid grid)
{
    step<false>(plain_stores{}, grid, proact_local_cta(), old, old_sums, cells, sums);
}

/* The same for a size that is a multiple of 4. */
extern "C" __global__ void jacobi_step(const float *old, const struct cta_pair *old_sums,
                                       float *cells, struct cta_pair *sums,
                                       struct jacobi_grid grid)
{
    step<true>(plain_stores{}, grid, proact_local_cta(), old, old_sums, cells, sums);
}

extern "C" __global__ void jacobi_step_annotated(const float *old,
                                                 const struct cta_pair *old_sums,
                                                 float *cells, struct cta_pair *sums,
                                                 struct jacobi_grid grid,
                                                 struct proact_partition partition)
{
    step<false>(annotated_stores{&partition}, grid, proact_cta(&partition), old, old_sums,
                cells, sums);
    proact_done(&partition);
}
