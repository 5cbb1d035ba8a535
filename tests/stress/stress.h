/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Random launches of random kernels under random plans, against a reference on the host.
   One seed is one session; everything in it follows from the seed, so that it can be
   repeated alone. */

#include <proact/proact.h>

#include "base/text.h"
#include "stress/stress_work.h"

struct stress_options {
    const char *machine; /* NULL: as proact_open() likes */
    const char *method;  /* this one alone; NULL: all that the machine can do */
    unsigned devices;    /* at most; 0: all */
    uint64_t launches, seed, bytes_most;
    uint64_t acts;   /* of a session, and ten more, at most */
    double seconds;  /* 0: no end but `launches` */
    bool only_one;   /* this seed, and no other */
    bool is_verbose; /* tell every act */
    bool stencils;   /* most launches go back where the last came from, and read near by */
    bool holds;      /* another session stays open, and with it the devices' contexts */
    const char *ptx; /* the kernels' text */
};

struct stress_array {
    struct proact_array *on;
    unsigned char *truth;
    size_t bytes;
    bool is_distributed;
};

/* Ranges by CTA, for maps that are a table or a callback. */
struct stress_table {
    uint32_t *first;
    struct proact_range *range;
    uint32_t cta_count;
    struct proact_array *first_on, *range_on;
};

/* A kernel with its map: which elements its CTAs write. */
struct stress_shape {
    const char *kernel; /* in stress_kernels.cu */
    struct proact_kernel *on;
    struct stress_table table; /* of the shape `ranges` */
    struct stress_work work;   /* what the shape says; the rest is the launch's */
    uint32_t ctas[3], threads, element_bytes, slots;
    void (*apply)(const struct stress_shape *s, const struct stress_work *w,
                  const struct stress_array *from, struct stress_array *const to[2]);
};

/* A shape of writers that covers about `bytes`. Clear it also after a failure. */
enum proact_status stress_shape_make(struct proact *p, const char *ptx, uint64_t bytes,
                                     uint64_t *chance, struct stress_shape *out,
                                     struct proact_error *err);
/* Before the session is closed; zeroed is fine. */
void stress_shape_clear(struct stress_shape *s);

/* least .. most, each size as likely as its double. */
uint64_t stress_pick_log(uint64_t *chance, uint64_t least, uint64_t most);

/* A launch, complete: it can be said again. */
struct stress_launch {
    const struct stress_shape *shape;
    struct stress_array *from, *to[2];
    struct stress_work work;
    unsigned over;
    struct proact_plan plan;
};
enum proact_status stress_launch(struct proact *p, const struct stress_launch *l,
                                 struct proact_error *err);
/* The same to the arrays' truth. */
void stress_launch_expect(const struct stress_launch *l);

/* One session. Counts its launches in *launches; fails at the first difference. */
struct stress_machine {
    unsigned devices;
    bool is_emulated;
};
enum proact_status stress_session(const struct stress_options *o,
                                  const struct stress_machine *machine, uint64_t seed,
                                  uint64_t *launches, struct proact_error *err);

/* What the process and the devices hold. */
struct stress_memory {
    double host_bytes, resident_bytes, mapped_bytes, device_bytes;
};
/* First of all: what is free again goes back, from all threads. Begins the program anew. */
void stress_memory_settle(char **argv);
struct stress_memory stress_memory_now(bool has_gpus);
/* The first of them alone, in no time. */
double stress_host_bytes(void);
/* What of the driver without a GPU is not given back. False where there is none such. */
bool stress_driver_left(unsigned *out);
