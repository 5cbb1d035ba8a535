/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Fixture: a program's session with the kernels of interchange_kernels.cu and three arrays
   of cells. */

#include "runtime/runtime_testing.h"

#include <proact/program.h>

#include "base/memory.h"
#include "base/text.h"

enum { INTERCHANGE_ARRAYS = 3 };

struct cells {
    int32_t w, h, d;
};

struct rig {
    struct proact *p;
    struct cells cells;
    size_t count;
    struct proact_array *array[INTERCHANGE_ARRAYS];
    struct proact_image image;
    struct proact_error err;
};

#define MUST(call)                                                                         \
    do {                                                                                   \
        if (call)                                                                          \
            fail_msg("%s", r->err.text);                                                   \
    } while (0)

static inline void rig_open(struct rig *r, const struct proact_options *o,
                            struct cells cells)
{
    char *text;

    *r = (struct rig){.cells = cells};
    r->count = (size_t)cells.w * (size_t)cells.h * (size_t)cells.d;
    MUST(proact_open(o, &r->p, &r->err));
    MUST(file_read(INTERCHANGE_PTX, &text, &r->image.bytes, &r->err));
    r->image.text = text;
    r->image.name = "turned.ptx";
    uint32_t *host = must_calloc(r->count, sizeof *host);

    for (int n = 0; n < INTERCHANGE_ARRAYS; n++) {
        const struct proact_shape shape = {(const char *const[]){"a", "b", "c"}[n],
                                           r->count, 4};

        for (size_t i = 0; i < r->count; i++)
            host[i] = (uint32_t)(i * 2654435761u) >> 7;
        MUST(proact_array_create(r->p, &shape, &r->array[n], &r->err));
        MUST(proact_device0_write(r->p, proact_array_address(r->array[n], 0), host,
                                  4 * r->count, &r->err));
    }
    free(host);
}

static inline void rig_close(struct rig *r)
{
    proact_close(r->p);
    free((char *)r->image.text);
}

static inline struct proact_kernel *rig_kernel(struct rig *r, const char *name)
{
    struct proact_kernel *k;

    MUST(proact_kernel_load(r->p, &r->image, name, &k, &r->err));
    return k;
}

/* Launches `k` from one array to another, or in place. `devices` 0: the session decides. */
static inline void rig_launch(struct rig *r, struct proact_kernel *k, const unsigned way[2],
                              const uint32_t ctas[3], uint32_t threads, unsigned devices)
{
    const struct {
        uint64_t in, out;
        struct cells cells;
    } block = {1, 2, r->cells};
    const struct proact_relocation relocations[] = {{0, r->array[way[0]], 0},
                                                    {8, r->array[way[1]], 0}};

    MUST(proact_launch_buffer(k,
                              &(struct proact_grid){.ctas = {ctas[0], ctas[1], ctas[2]},
                                                    .threads = {threads},
                                                    .device_count = devices},
                              &(struct proact_parameter_buffer){&block, 28, relocations, 2},
                              &r->err));
}

/* Content of all arrays on device 0. The caller frees it. */
static inline uint32_t *rig_content(struct rig *r)
{
    uint32_t *all = must_calloc(INTERCHANGE_ARRAYS * r->count, sizeof *all);

    for (unsigned n = 0; n < INTERCHANGE_ARRAYS; n++)
        MUST(proact_device0_read(r->p, all + n * r->count,
                                 proact_array_address(r->array[n], 0), 4 * r->count,
                                 &r->err));
    return all;
}
