/* SPDX-License-Identifier: Apache-2.0 */
/* Small fills in graphs by a kernel. A fill by the driver uses a hardware queue, where
   another branch may block it (cuda_branches.c). */
#include "device/cuda/cuda_set.h"

enum {
    MOST_BYTES = TOPOLOGY_CARRY_BYTES, /* as for small copies */
    THREADS = 256,
    TURNS = 16,
};

/* Fills in units of `bytes`, one unit per thread and iteration. */
#define FILL(bytes, type)                                                                  \
    ".visible .entry fill_" bytes                                                          \
    "(.param .u64 to, .param .u32 units, .param .u32 value)\n"                             \
    "{\n"                                                                                  \
    " .reg .pred %p;\n"                                                                    \
    " .reg .b32 %r<6>;\n"                                                                  \
    " .reg .b64 %rd<3>;\n"                                                                 \
    " ld.param.u64 %rd1, [to];\n"                                                          \
    " ld.param.u32 %r1, [units];\n"                                                        \
    " ld.param.u32 %r2, [value];\n"                                                        \
    " mov.u32 %r3, %ntid.x;\n"                                                             \
    " mov.u32 %r4, %ctaid.x;\n"                                                            \
    " mov.u32 %r5, %tid.x;\n"                                                              \
    " mad.lo.u32 %r5, %r4, %r3, %r5;\n"                                                    \
    " mov.u32 %r4, %nctaid.x;\n"                                                           \
    " mul.lo.u32 %r3, %r3, %r4;\n"                                                         \
    "UNIT:\n"                                                                              \
    " setp.ge.u32 %p, %r5, %r1;\n"                                                         \
    " @%p bra END;\n"                                                                      \
    " mul.wide.u32 %rd2, %r5, " bytes ";\n"                                                \
    " add.s64 %rd2, %rd1, %rd2;\n"                                                         \
    " st.global." type " [%rd2], %r2;\n"                                                   \
    " add.u32 %r5, %r5, %r3;\n"                                                            \
    " bra UNIT;\n"                                                                         \
    "END:\n"                                                                               \
    " ret;\n"                                                                              \
    "}\n"

const char cuda_fill_ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n" FILL("4", "u32") FILL("1", "u8");
const char *const cuda_fill_names[CUDA_FILLS] = {"fill_4", "fill_1"};

bool cuda_is_small_fill(size_t bytes)
{
    return bytes <= MOST_BYTES;
}

enum proact_status cuda_fill_small(struct device_stream *s, cu_address to,
                                   unsigned char value, size_t bytes,
                                   struct proact_error *err)
{
    const bool is_odd = (to | bytes) % sizeof(uint32_t) != 0;
    struct {
        cu_address to;
        uint32_t units, value;
    } parameters = {to, (uint32_t)(is_odd ? bytes : bytes / sizeof(uint32_t)),
                    value * 0x01010101u};
    const unsigned ctas = (parameters.units + THREADS * TURNS - 1) / (THREADS * TURNS);
    struct cu_launch_config config = {.grid = {ctas, 1, 1}, .block = {THREADS, 1, 1}};
    enum proact_status status = cuda_use(s, err);

    if (status)
        return status;
    cu_result result = cuda_launch_own(s, &config, s->set->devices[s->device].fill[is_odd],
                                       &parameters, sizeof parameters);

    return cuda_leave(s->set, s->device, result, "cuLaunchKernelEx", err);
}
