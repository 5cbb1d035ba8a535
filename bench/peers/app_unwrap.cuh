/* SPDX-License-Identifier: Apache-2.0 */
/* The end of app_wrap.cuh. */
#pragma once

#undef __global__
#define __global__ __location__(global)

enum { APP_PAIR_BYTES = 16 }; /* struct cta_pair */
