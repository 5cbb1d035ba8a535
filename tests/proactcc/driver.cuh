/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Checks for programs that call the driver, and a module as text. */
#include <cuda.h>

#include "check.cuh"

static const char *driver_name(CUresult result)
{
    const char *name = "?";

    cuGetErrorName(result, &name);
    return name;
}

#define DO(call)                                                                           \
    do {                                                                                   \
        CUresult result_ = (call);                                                         \
        if (result_ != CUDA_SUCCESS) {                                                     \
            printf("line %d: %s: %s\n", __LINE__, #call, driver_name(result_));            \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

/* out[i] = factor * in[i] + shift for n elements, and a count of executed threads. */
static const char scale_text[] = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .const .align 4 .f32 shift = 0f40400000;
.visible .global .align 4 .u32 done;
.visible .entry scale(.param .u64 out, .param .u64 in, .param .f32 factor, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .f32 %f<5>;
    .reg .b32 %r<7>;
    .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    ld.param.f32 %f1, [factor];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.s32 %p1, %r5, %r1;
    @%p1 bra END;
    cvta.to.global.u64 %rd3, %rd1;
    cvta.to.global.u64 %rd4, %rd2;
    mul.wide.s32 %rd5, %r5, 4;
    add.s64 %rd6, %rd4, %rd5;
    ld.global.f32 %f2, [%rd6];
    ld.const.f32 %f3, [shift];
    fma.rn.f32 %f4, %f1, %f2, %f3;
    add.s64 %rd7, %rd3, %rd5;
    st.global.f32 [%rd7], %f4;
    mov.u64 %rd8, done;
    red.global.add.u32 [%rd8], 1;
END:
    ret;
}
)";
