/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Fixture: a session with the small kernels of sharing.cu, and a sequence of launches in
   which a missing transfer, count or wait changes the result. Failures are reported
   inside. */

#include <proact/proact.h>

struct sharing_run {
    const char *machine; /* NULL: v100x16 */
    const char *method;
    unsigned devices, threads;
    uint64_t chunk_bytes, seed;
    bool check, elide;
    double wait_limit_ms;
};

enum sharing_kernel {
    SHARING_STEP,
    SHARING_TWIST,
    SHARING_COMB,
    SHARING_BYTES,
    SHARING_PAIR,
    SHARING_TILES,
    SHARING_FORGET,
    SHARING_OUTSIDE,
    SHARING_ALONE,
    SHARING_WILD,
    SHARING_KERNELS
};

enum { SHARING_COUNT = 3000, SHARING_CTA = 64, SHARING_ARRAYS = 6 };
enum { SHARING_CTAS = (SHARING_COUNT + SHARING_CTA - 1) / SHARING_CTA };

struct sharing {
    struct sharing_run run;
    struct proact *session;
    struct proact_kernel *kernel[SHARING_KERNELS];
    struct proact_array *array[SHARING_ARRAYS]; /* SHARING_COUNT 32-bit words each */
    struct proact_error err;
    char title[128];
};

void sharing_open(struct sharing *s, const struct sharing_run *run);
void sharing_close(struct sharing *s);
void sharing_must(struct sharing *s, enum proact_status status);

/* One launch of a one-dimensional kernel whose arguments are arrays and then `n`. */
enum proact_status sharing_launch(struct sharing *s, enum sharing_kernel kernel,
                                  const unsigned *arrays, unsigned count, uint32_t n);

/* Queues two rounds of all kernels. The result is independent of the number of devices.
   Does not wait. */
void sharing_play(struct sharing *s);

/* Bytes of all arrays on one device, in order. The caller frees them. */
unsigned char *sharing_content(struct sharing *s, unsigned device);
enum { SHARING_BYTES_ALL = SHARING_ARRAYS * SHARING_COUNT * 4 };
