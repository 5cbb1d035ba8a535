/* SPDX-License-Identifier: Apache-2.0 */
/* Small copies in graphs by kernels: a copy by the driver takes some 8 us there (on H200s;
   bench/results/step-2xH200.json uses the kernels). Consecutive independent copies of a
   stream become one kernel. */
#include "base/fail.h"
#include "device/cuda/cuda_set.h"

enum {
    MOST_BYTES = TOPOLOGY_CARRY_BYTES, /* longer copies use the copy engines */
    THREADS = 256,
    CTAS = 16, /* enough to saturate an NVLink */
    TURNS = 4  /* units per thread before a further CTA is used */
};

/* Copies in units of `bytes`, one unit per thread and iteration. Threads of a CTA lie along
   x in a row and along y over rows; z selects the copy, the last one first, so that
   emulated CTAs, which run in order, reveal a dependence between copies. struct
   cuda_carried: 0 to, 8 from, 16 units, 20 rows, 24 to_pitch, 32 from_pitch. */
#define CARRY(bytes, type, registers)                                                      \
    ".visible .entry carry_" bytes "(.param .align 8 .b8 c[640])\n"                        \
    "{\n"                                                                                  \
    " .reg .pred %p<3>;\n"                                                                 \
    " .reg .b16 %h<2>;\n"                                                                  \
    " .reg .b32 %r<14>;\n"                                                                 \
    " .reg .b64 %rd<11>;\n"                                                                \
    " mov.u32 %r1, %ctaid.z;\n"                                                            \
    " mov.u32 %r2, %nctaid.z;\n"                                                           \
    " sub.u32 %r1, %r2, %r1;\n"                                                            \
    " sub.u32 %r1, %r1, 1;\n"                                                              \
    " mul.wide.u32 %rd8, %r1, 40;\n"                                                       \
    " mov.b64 %rd9, c;\n"                                                                  \
    " add.s64 %rd10, %rd9, %rd8;\n"                                                        \
    " ld.param.u64 %rd1, [%rd10];\n"                                                       \
    " ld.param.u64 %rd2, [%rd10+8];\n"                                                     \
    " ld.param.u32 %r1, [%rd10+16];\n"                                                     \
    " ld.param.u32 %r2, [%rd10+20];\n"                                                     \
    " ld.param.u64 %rd3, [%rd10+24];\n"                                                    \
    " ld.param.u64 %rd4, [%rd10+32];\n"                                                    \
    " mov.u32 %r3, %ntid.x;\n"                                                             \
    " mov.u32 %r4, %ctaid.x;\n"                                                            \
    " mov.u32 %r5, %tid.x;\n"                                                              \
    " mad.lo.u32 %r5, %r4, %r3, %r5;\n"                                                    \
    " mov.u32 %r4, %nctaid.x;\n"                                                           \
    " mul.lo.u32 %r3, %r3, %r4;\n"                                                         \
    " mov.u32 %r6, %ntid.y;\n"                                                             \
    " mov.u32 %r7, %ctaid.y;\n"                                                            \
    " mov.u32 %r8, %tid.y;\n"                                                              \
    " mad.lo.u32 %r8, %r7, %r6, %r8;\n"                                                    \
    " mov.u32 %r7, %nctaid.y;\n"                                                           \
    " mul.lo.u32 %r6, %r6, %r7;\n"                                                         \
    "ROW:\n"                                                                               \
    " setp.ge.u32 %p1, %r8, %r2;\n"                                                        \
    " @%p1 bra END;\n"                                                                     \
    " cvt.u64.u32 %rd5, %r8;\n"                                                            \
    " mad.lo.u64 %rd6, %rd5, %rd3, %rd1;\n"                                                \
    " mad.lo.u64 %rd7, %rd5, %rd4, %rd2;\n"                                                \
    " mov.u32 %r9, %r5;\n"                                                                 \
    "UNIT:\n"                                                                              \
    " setp.ge.u32 %p2, %r9, %r1;\n"                                                        \
    " @%p2 bra NEXT;\n"                                                                    \
    " mul.wide.u32 %rd8, %r9, " bytes ";\n"                                                \
    " add.s64 %rd9, %rd7, %rd8;\n"                                                         \
    " ld.global." type " " registers ", [%rd9];\n"                                         \
    " add.s64 %rd9, %rd6, %rd8;\n"                                                         \
    " st.global." type " [%rd9], " registers ";\n"                                         \
    " add.u32 %r9, %r9, %r3;\n"                                                            \
    " bra UNIT;\n"                                                                         \
    "NEXT:\n"                                                                              \
    " add.u32 %r8, %r8, %r6;\n"                                                            \
    " bra ROW;\n"                                                                          \
    "END:\n"                                                                               \
    " ret;\n"                                                                              \
    "}\n"

const char cuda_carry_ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n" CARRY(
    "16", "v4.u32", "{%r10, %r11, %r12, %r13}") CARRY("4", "u32", "%r10")
    CARRY("1", "u8", "%h1");
const char *const cuda_carry_names[CUDA_UNITS] = {"carry_16", "carry_4", "carry_1"};
static const unsigned unit_bytes[CUDA_UNITS] = {16, 4, 1};
_Static_assert(sizeof(struct cuda_carried) == 40 && CUDA_CARRIES_MAX == 16,
               "the parameter above");

bool cuda_is_carried(const struct device_stream *s, const struct device_rows *r)
{
    const struct device_set *set = s->set;
    const struct cuda_device *d = &set->devices[s->device];
    const unsigned ends[] = {cuda_memory_device(set, r->to),
                             cuda_memory_device(set, r->from)};

    for (int i = 0; i < 2; i++)
        if (ends[i] >= set->count || (ends[i] != s->device && !d->reaches[ends[i]]))
            return false;
    return r->bytes <= MOST_BYTES && r->count <= MOST_BYTES / r->bytes;
}

/* Widest unit to which all rows are aligned. */
static int unit_of(const struct device_rows *r)
{
    const uint64_t all =
        r->to | r->from | r->bytes | (r->count > 1 ? r->to_pitch | r->from_pitch : 0);
    int unit = 0;

    while (all % unit_bytes[unit])
        unit++;
    return unit;
}

static unsigned ctas_for(unsigned turns, unsigned most)
{
    const unsigned ctas = (turns + TURNS - 1) / TURNS;

    return ctas < most ? ctas : most;
}

/* Threads along a row: a power of two that covers its units. */
static unsigned width_for(const struct cuda_carried *c)
{
    unsigned x = 1;

    while (x < THREADS && x < c->units)
        x *= 2;
    return x;
}

static bool meet(cu_address a, uint64_t a_pitch, cu_address b, uint64_t b_pitch,
                 const struct cuda_carried *of_a, const struct cuda_carried *of_b,
                 unsigned unit)
{
    const uint64_t a_bytes = (of_a->rows - 1) * a_pitch + (uint64_t)of_a->units * unit,
                   b_bytes = (of_b->rows - 1) * b_pitch + (uint64_t)of_b->units * unit;

    return a < b + b_bytes && b < a + a_bytes;
}

/* Whether the later copy depends on the earlier one. */
static bool follows(const struct cuda_carried *later, const struct cuda_carried *earlier,
                    unsigned unit)
{
    const struct cuda_carried *l = later, *e = earlier;

    return meet(l->from, l->from_pitch, e->to, e->to_pitch, l, e, unit) ||
           meet(l->to, l->to_pitch, e->to, e->to_pitch, l, e, unit) ||
           meet(l->to, l->to_pitch, e->from, e->from_pitch, l, e, unit);
}

static bool small_copy_joins(const struct cuda_carries *all, const struct cuda_carried *c,
                             int unit)
{
    if (all->count == CUDA_CARRIES_MAX || unit != all->unit ||
        width_for(c) != width_for(&all->carried[0]))
        return false;
    for (unsigned i = 0; i < all->count; i++)
        if (follows(c, &all->carried[i], unit_bytes[unit]))
            return false;
    return true;
}

enum proact_status cuda_carry(struct device_stream *s, const struct device_rows *r,
                              struct proact_error *err)
{
    const int unit = unit_of(r);
    struct cuda_carries *all = &s->carries;
    const struct cuda_carried c = {r->to,
                                   r->from,
                                   (uint32_t)(r->bytes / unit_bytes[unit]),
                                   (uint32_t)r->count,
                                   r->count > 1 ? r->to_pitch : 0,
                                   r->count > 1 ? r->from_pitch : 0};
    enum proact_status status = PROACT_OK;

    if (all->count && !small_copy_joins(all, &c, unit))
        status = cuda_carry_now(s, err);
    all->unit = unit;
    all->carried[all->count++] = c;
    return status;
}

enum proact_status cuda_carry_now(struct device_stream *s, struct proact_error *err)
{
    struct cuda_carries *all = &s->carries;
    const unsigned count = all->count, x = count ? width_for(&all->carried[0]) : 1,
                   y = THREADS / x;
    unsigned across = 1, down = 1;

    if (!count)
        return PROACT_OK;
    all->count = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct cuda_carried *c = &all->carried[i];
        const unsigned a = ctas_for((c->units + x - 1) / x, CTAS),
                       d = ctas_for((c->rows + y - 1) / y, CTAS / a);

        across = a > across ? a : across;
        down = d > down ? d : down;
    }
    enum proact_status status = cuda_use(s, err);

    if (status)
        return status;
    struct cu_launch_config config = {.grid = {across, down, count}, .block = {x, y, 1}};
    cu_result result =
        cuda_launch_own(s, &config, s->set->devices[s->device].carry[all->unit],
                        all->carried, sizeof all->carried);

    return cuda_leave(s->set, s->device, result, "cuLaunchKernelEx", err);
}
