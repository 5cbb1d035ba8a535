/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Random launches of random kernels under random plans, compared with a reference on the
   host. A seed determines one session completely, so a session can be repeated alone. */

#include <proact/proact.h>

#include "base/text.h"
#include "stress/stress_work.h"

struct stress_options {
    const char *machine; /* NULL: the default of proact_open() */
    const char *method;  /* a single method; NULL: all that the machine supports */
    unsigned devices;    /* maximum; 0: all */
    uint64_t launches, seed, bytes_most;
    uint64_t acts;   /* maximum per session, minus ten */
    double seconds;  /* 0: limited by `launches` only */
    bool only_one;   /* run only this seed */
    bool is_verbose; /* print every act */
    /* Most launches write back to the array read before, and read neighbours. */
    bool stencils;
    bool holds;      /* another session, and thus the devices' contexts, stay open */
    const char *ptx; /* PTX text of the kernels */
};

struct stress_array {
    struct proact_array *on;
    unsigned char *truth;
    size_t bytes;
    bool is_distributed;
};

/* Ranges by CTA, for maps that are tables or callbacks. */
struct stress_table {
    uint32_t *first;
    struct proact_range *range;
    uint32_t cta_count;
    struct proact_array *first_on, *range_on;
};

/* A kernel with its map: the elements that its CTAs write. */
struct stress_shape {
    const char *kernel; /* in stress_kernels.cu */
    struct proact_kernel *on;
    struct stress_table table; /* for the shape `ranges` */
    struct stress_work work;   /* the shape's part of the work; the launch adds the rest */
    uint32_t ctas[3], threads, element_bytes, slots;
    void (*apply)(const struct stress_shape *s, const struct stress_work *w,
                  const struct stress_array *from, struct stress_array *const to[2]);
};

/* Creates a shape of writers for about `bytes` bytes. The caller clears it, also after a
   failure. */
enum proact_status stress_shape_make(struct proact *p, const char *ptx, uint64_t bytes,
                                     uint64_t *chance, struct stress_shape *out,
                                     struct proact_error *err);
/* Call before the session is closed. A zeroed shape is allowed. */
void stress_shape_clear(struct stress_shape *s);

/* A number in least .. most with a uniform logarithm. */
uint64_t stress_pick_log(uint64_t *chance, uint64_t least, uint64_t most);

/* Complete description of a launch; it can be printed. */
struct stress_launch {
    const struct stress_shape *shape;
    struct stress_array *from, *to[2];
    struct stress_work work;
    unsigned over;
    struct proact_plan plan;
};
enum proact_status stress_launch(struct proact *p, const struct stress_launch *l,
                                 struct proact_error *err);
/* Applies the launch to the arrays' reference. */
void stress_launch_expect(const struct stress_launch *l);

/* Runs one session and counts its launches in *launches. Returns the first failure. */
struct stress_machine {
    unsigned devices;
    bool is_emulated;
};
enum proact_status stress_session(const struct stress_options *o,
                                  const struct stress_machine *machine, uint64_t seed,
                                  uint64_t *launches, struct proact_error *err);

/* Memory in use by the process and the devices. */
struct stress_memory {
    double host_bytes, resident_bytes, mapped_bytes, device_bytes;
};
/* Call first. Makes the allocator return freed memory of all threads; restarts the
   program. */
void stress_memory_settle(char **argv);
struct stress_memory stress_memory_now(bool has_gpus);
/* Only the host bytes, without delay. */
double stress_host_bytes(void);
/* Objects of the fake driver that are not freed. Returns false with a real driver. */
bool stress_driver_left(unsigned *out);
