/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The insides of the CUDA keeper. Every call of the driver stands between cuda_enter() and
   cuda_leave(), which make the device's primary context current and put back what a program
   had made current for its own runtime. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "device/cuda/driver/driver.h"
#include "device/device.h"

/* A piece of a device's memory: alone in its own mapped range if it is large. */
struct cuda_memory {
    cu_address address;
    size_t bytes;
    size_t mapped_bytes; /* 0: the driver's own allocation */
    /* Of a mapped range, each piece_bytes of it; owners behind each other from `owner` on.
     */
    cu_physical physical[TOPOLOGY_DEVICES_MAX];
    unsigned owner, piece_count;
    size_t piece_bytes;
    size_t reserved_bytes;
    bool is_host;   /* which stays with the host */
    bool is_locked; /* the host's own: only locked by us */
};

/* Locked host memory that copies are taken from; empty again when all has come to rest. */
struct cuda_staging {
    unsigned char *block; /* of CUDA_STAGE_BYTES */
    size_t used;
    struct cuda_staging *next;
};

/* A stream's wait for a word, since all was last at rest. */
struct cuda_wait {
    struct device_stream *stream;
    cu_address word;
    uint32_t value;
    struct device_reason reason;
    bool is_past, is_of_graph; /* a graph's may open again */
    cu_event before; /* done: the stream stands at the wait; NULL: there before long */
};

/* Something that an observer is told of, between two events. */
struct cuda_span {
    struct device_span span;
    unsigned peer; /* of a copy; set->count: none */
    cu_event from, to;
};

enum { CUDA_LABELS = 4, CUDA_UNITS = 3, CUDA_FILLS = 2 };

struct cuda_device {
    cu_device device;
    cu_context context;
    char name[64];
    bool reaches[TOPOLOGY_DEVICES_MAX]; /* as a peer */
    bool joins[TOPOLOGY_DEVICES_MAX];   /* by atomics in its memory */
    unsigned capability;                /* 90: 9.0 */
    int pitch_max;                      /* of rows that are copied at once */
    int lowest, highest;                /* priority of streams */
    cu_stream rescue;                   /* satisfies what nobody does */
    struct cuda_memory *memory;
    size_t memory_count, memory_capacity;
    const char *labels[CUDA_LABELS]; /* of the last kernels queued, for sentences */
    unsigned label_count;
    cu_module resident, letting, carrying,
        filling;         /* cuda_graph_resident.c; NULL: not loaded */
    bool resident_waits; /* cuda_overlap.c */
    cu_function wait, meet, meet_letting, carry[CUDA_UNITS], fill[CUDA_FILLS];
    struct device_stream *lone; /* in the capture: no other stream works on the device */
    cu_address late;            /* a word, not 0 where a meeting has reached its limit */
    struct device_stream *graph_stream; /* its graphs run there */
    cu_event graph_begin, graph_end;    /* of a launch of graphs */
    bool has_calls;  /* what device code calls of the driver is made: cuda_early.c */
    cu_event origin; /* when origin_ns was, for spans */
    uint64_t origin_ns;
};

/* NVIDIA's words for ranges; NULL: no profiler listens. */
struct cuda_nvtx {
    int (*push)(const char *name);
    int (*pop)(void);
};

struct device_set {
    struct driver driver;
    struct cuda_nvtx nvtx;
    unsigned count, here; /* here: the first so many are open (cuda_lazy_devices.h) */
    struct cuda_lazy_devices *lazy_devices;
    unsigned threads; /* that launch, as the options have it */
    unsigned queues;  /* of a device, in hardware */
    size_t limits[2]; /* that were set; 0: as they were */
    struct cuda_device *devices;
    double wait_limit_ns;
    enum proact_status broken; /* and stays so; `sentence` says why */
    bool is_lost;              /* the contexts are of no use any more */
    bool is_stuck;             /* a stream never ended: what it uses is left behind */
    char sentence[400];
    uint64_t opened_ns, now_ns;
    atomic_bool is_let_go; /* cuda_hold.c */
    uint64_t hold_limit_ns;
    uint64_t captures; /* recordings of graphs so far */
    bool is_taping;    /* what streams are given goes to the tape: cuda_tape.h */
    bool is_capturing; /* and from there to the driver */
    bool has_replayed; /* since all was last at rest */
    bool is_batching;  /* what streams are given is kept back: cuda_batch.h */
    struct cuda_batch *batch;
    struct device_repeat *repeat; /* whose operations are kept back now: cuda_repeat.h */
    uint64_t unloads;             /* of modules, so far */
    struct workers *workers;      /* cuda_workers.h; NULL: the caller does all */
    struct cuda_taped_op *tape;
    size_t tape_count, tape_capacity;
    size_t captured_waits; /* set->waits from here on are the capture's */
    struct device_stream *streams;
    struct device_event *events;
    struct device_module *modules;
    struct cuda_staging *staging;
    void *read_stage;
    size_t read_stage_bytes;
    struct cuda_wait *waits;
    size_t wait_count, wait_capacity;
    cu_event *spare[TOPOLOGY_DEVICES_MAX][2]; /* without time, with */
    size_t spare_count[TOPOLOGY_DEVICES_MAX][2], spare_capacity[TOPOLOGY_DEVICES_MAX][2];
    bool spans_are_lost; /* some of their events may not have been recorded */
    device_observer *observer;
    void *observer_context;
    struct cuda_span *spans;
    size_t span_count, span_capacity;
};

struct device_module {
    struct device_set *set;
    unsigned device;
    char *name;
    cu_module module;
    bool waits;    /* its kernels, for the one ahead of them: cuda_overlap.c */
    bool launches; /* its kernels launch kernels */
    struct device_function *functions;
    struct device_module *next;
};

struct device_function {
    cu_function function;
    char *name;
    size_t parameter_bytes; /* SIZE_MAX: the driver does not tell */
    int static_shared_bytes, shared_limit;
    int thread_limit; /* by what it was built for, and by its registers */
    bool waits;       /* first of all, for the kernel ahead of it: cuda_overlap.c */
    bool launches;    /* kernels, by CUDA's device runtime */
    struct device_module *module;
    struct device_function *next;
};

/* What a stream tells other devices and waits for, within a graph: words' addresses. */
enum { CUDA_MEETING_MAX = 16 };
struct cuda_meeting {
    uint64_t limit_ns;
    cu_address late;
    uint32_t tells, waits;
    cu_address tell[CUDA_MEETING_MAX], wait[CUDA_MEETING_MAX];
    unsigned char whom[CUDA_MEETING_MAX]; /* the device that each stands for, and 1 */
};

/* Copies that one kernel makes. */
enum { CUDA_CARRIES_MAX = 16 };
struct cuda_carries {
    struct cuda_carried {
        cu_address to, from;
        uint32_t units, rows;
        uint64_t to_pitch, from_pitch;
    } carried[CUDA_CARRIES_MAX];
    unsigned count;
    int unit;
};

struct device_stream {
    struct device_set *set;
    unsigned device, lane;
    cu_stream stream;
    cu_event join;
    bool is_captured;      /* takes part in the capture */
    bool is_behind_kernel; /* in the capture: what comes next waits for a kernel alone */
    bool is_busy;          /* given something since it was last seen to be done */
    bool is_done;          /* seen by another thread */
    bool is_ahead;         /* of the next graph: was used since the last one */
    bool is_behind;        /* the last graph: has not waited for it yet */
    bool is_under_way;     /* does something in a graph: while one is looked through */
    size_t last;           /* of a graph's operations that it does; and */
    struct device_stream *with; /* which stream does them: cuda_branches.c */
    bool is_far;        /* from the waits that are still open: while they are looked at */
    bool is_open_ended; /* kernels or events may hold it up longer than a copy does */
    struct cuda_meeting meeting; /* not emitted yet */
    struct cuda_carries carries; /* nor these */
    struct device_stream *next;
};

struct device_event {
    struct device_set *set;
    unsigned device;
    cu_event event;
    bool is_recorded, has_time;
    uint64_t capture;                 /* that it was last recorded in; 0: none */
    uint64_t recorded_in, awaited_in; /* batches; awaited by another device */
    struct device_event *next;
};

/* cuda_context.c */
/* Makes it the thread's context, where it is not: a launch takes a twentieth longer then.
   To be popped after a failure, too. */
cu_result cuda_context_push(const struct driver *v, cu_context context);
void cuda_context_pop(const struct driver *v);

/* cuda_call.c */
enum proact_status cuda_enter(struct device_set *set, unsigned device,
                              struct proact_error *err);
/* The same, for an operation on a stream. */
enum proact_status cuda_use(struct device_stream *s, struct proact_error *err);
/* `result` is of the call named `call`. Faults break the set. */
enum proact_status cuda_leave(struct device_set *set, unsigned device, cu_result result,
                              const char *call, struct proact_error *err);
/* The same outside of the two. */
enum proact_status cuda_result(struct device_set *set, unsigned device, cu_result result,
                               const char *call, struct proact_error *err);
/* The first sentence is kept, and said by every later call. */
enum proact_status cuda_break(struct device_set *set, enum proact_status status,
                              struct proact_error *err);

/* cuda_memory.c */
enum proact_status cuda_alloc(struct device_set *set, unsigned device, size_t bytes,
                              device_addr *out, struct proact_error *err);
enum proact_status cuda_alloc_parts(struct device_set *set, size_t bytes, device_addr *out,
                                    size_t *part, struct proact_error *err);
enum proact_status cuda_host_lock(struct device_set *set, void *memory, size_t bytes,
                                  struct proact_error *err);
void cuda_host_unlock(struct device_set *set, void *memory);
enum proact_status cuda_alloc_shared(struct device_set *set, unsigned device, size_t bytes,
                                     bool is_pinned, device_addr *out,
                                     struct proact_error *err);
void cuda_free(struct device_set *set, unsigned device, device_addr address);
/* The others, which are open now, into what the first device has. */
enum proact_status cuda_memory_let_in(struct device_set *set, struct proact_error *err);
void cuda_memory_clear(struct device_set *set, unsigned device);

/* cuda_copy_now.c: the device whose memory has this byte, or set->count. */
unsigned cuda_memory_device(const struct device_set *set, device_addr address);
bool cuda_reach_each_other(const struct device_set *set, unsigned a, unsigned b);
/* Within the device's context, on any thread. */
cu_result cuda_copy_now(struct device_stream *s, const struct device_rows *rows);

/* cuda_staging.c: `bytes` of host memory that the driver may read later, no more than
   CUDA_STAGE_BYTES. */
enum { CUDA_STAGE_BYTES = 8 << 20 };
enum proact_status cuda_stage(struct device_set *set, size_t bytes, unsigned char **out,
                              struct proact_error *err);
void cuda_staging_reset(struct device_set *set); /* nothing is in flight */
/* Host memory for what is read, until the next read; no more than CUDA_READ_STAGE_BYTES:
   from there on the driver's own way is faster. */
enum { CUDA_READ_STAGE_BYTES = 1 << 20 };
enum proact_status cuda_stage_for_read(struct device_set *set, size_t bytes,
                                       unsigned char **out, struct proact_error *err);
void cuda_staging_clear(struct device_set *set);

/* cuda_host_copy.c */
enum proact_status cuda_write(struct device_stream *s, device_addr to, const void *from,
                              size_t bytes, struct proact_error *err);
enum proact_status cuda_read(struct device_stream *s, void *into, device_addr from,
                             size_t bytes, struct proact_error *err);
enum proact_status cuda_write_rows(struct device_stream *s, const struct device_rows *rows,
                                   struct proact_error *err);
enum proact_status cuda_read_rows(struct device_stream *s, const struct device_rows *rows,
                                  struct proact_error *err);

/* cuda_stream.c */
enum proact_status cuda_stream_create(struct device_set *set, unsigned device,
                                      struct device_stream **out, struct proact_error *err);
void cuda_stream_destroy(struct device_stream *s);
enum proact_status cuda_copy(struct device_stream *s, device_addr to, device_addr from,
                             size_t bytes, struct proact_error *err);
enum proact_status cuda_copy_rows(struct device_stream *s, const struct device_rows *rows,
                                  struct proact_error *err);
enum proact_status cuda_fill_rows(struct device_stream *s, const struct device_rows *rows,
                                  unsigned char value, struct proact_error *err);
enum proact_status cuda_fill(struct device_stream *s, device_addr to, unsigned char value,
                             size_t bytes, struct proact_error *err);

/* cuda_event.c */
enum proact_status cuda_event_create(struct device_set *set, unsigned device, bool has_time,
                                     struct device_event **out, struct proact_error *err);
void cuda_event_destroy(struct device_event *e);
enum proact_status cuda_record(struct device_stream *s, struct device_event *e,
                               struct proact_error *err);
enum proact_status cuda_wait_event(struct device_stream *s, struct device_event *e,
                                   struct proact_error *err);
enum proact_status cuda_await_event(struct device_event *e, struct proact_error *err);
bool cuda_try_quiesce(struct device_set *set, uint64_t limit_ns);
enum proact_progress cuda_progress(struct device_set *set, struct device_stream *s,
                                   const struct device_event *e);
enum proact_status cuda_elapsed(struct device_event *from, struct device_event *to,
                                double *ns, struct proact_error *err);
/* cuda_mark.c: an event from the spare ones, recorded now; within cuda_enter(). */
cu_result cuda_mark(struct device_stream *s, bool has_time, cu_event *out);
/* The same, not recorded; within the device's context. NULL where it fails. */
cu_result cuda_mark_take(struct device_set *set, unsigned device, bool has_time,
                         cu_event *out);
void cuda_mark_back(struct device_set *set, unsigned device, bool has_time, cu_event e);
void cuda_marks_clear(struct device_set *set, unsigned device);

/* cuda_hold.c */
enum proact_status cuda_hold(struct device_stream *s, uint64_t limit_ns,
                             struct proact_error *err);
void cuda_let_go(struct device_set *set);

/* cuda_word.c */
enum proact_status cuda_wait_value(struct device_stream *s, device_addr word,
                                   uint32_t value, const struct device_reason *reason,
                                   struct proact_error *err);
enum proact_status cuda_write_value(struct device_stream *s, device_addr word,
                                    uint32_t value, struct proact_error *err);

/* cuda_waits.c: one that its stream has been given. */
void cuda_wait_add(const struct cuda_wait *wait);
/* Of one stream, or (NULL) all: nothing that they wait for is of interest any more. */
void cuda_waits_forget(struct device_set *set, const struct device_stream *only);

/* cuda_idle.c */
enum proact_status cuda_synchronize(struct device_set *set, struct proact_error *err);
void cuda_observe(struct device_set *set, device_observer *observer, void *context);

/* cuda_await.c: until a stream is done (NULL: all of them), or a wait has reached its
 * limit. */
enum proact_status cuda_await(struct device_set *set, struct device_stream *only,
                              struct proact_error *err);

/* Of the others, which are open now, as the first one's. */
enum proact_status cuda_limits_follow(struct device_set *set, struct proact_error *err);
enum proact_status cuda_limit(struct device_set *set, enum device_limit what, size_t bytes,
                              struct proact_error *err);
/* cuda_early.c: before a kernel can be launched that needs it. `ptx` ends with a NUL. */
enum proact_status cuda_early_calls(struct device_set *set, unsigned device,
                                    const char *ptx, struct proact_error *err);
cu_result cuda_early_local(const struct driver *v, cu_function f);

/* cuda_overlap.c: a copy of `ptx` whose kernels wait themselves for what is ahead of them;
   `lets`: they let the next one onto the device while they run, too, which is for small
   ones beside which nothing else is to begin there. NULL: the device, the driver or the
   text is too old. */
char *cuda_overlap_text(const struct driver *v, unsigned capability, const char *ptx,
                        bool lets);
/* 1, where a kernel that `waits` so may be launched ahead of that end; else 0. */
unsigned cuda_overlap_attribute(const struct device_stream *s, bool waits,
                                struct cu_launch_attribute *out);
/* A kernel of ours in a graph: before what is still to begin on the device. */
cu_result cuda_launch_own(struct device_stream *s, struct cu_launch_config *config,
                          cu_function f, void *parameters, size_t bytes);

/* cuda_graph_resident.c, within cuda_enter(): waits for words in a graph. */
cu_result cuda_resident_load(struct device_set *set, unsigned device);
void cuda_resident_unload(struct device_set *set, unsigned device);
cu_result cuda_resident_wait(struct device_stream *s, cu_address word, uint32_t value);
/* Leaves `m` empty. */
cu_result cuda_meet(struct device_stream *s, struct cuda_meeting *m);
/* Outside of it, when all has come to rest: whether a meeting has reached its limit. */
enum proact_status cuda_resident_timeout(struct device_set *set, struct proact_error *err);

/* cuda_carry.c: copies in graphs that a kernel makes sooner. Their text and kernels;
   whether a copy is one; it, while a graph is captured: it may be kept for the stream's
   next ones, until cuda_carry_now(). */
extern const char cuda_carry_ptx[];
extern const char *const cuda_carry_names[CUDA_UNITS];
bool cuda_is_carried(const struct device_stream *s, const struct device_rows *rows);
enum proact_status cuda_carry(struct device_stream *s, const struct device_rows *rows,
                              struct proact_error *err);
enum proact_status cuda_carry_now(struct device_stream *s, struct proact_error *err);
/* cuda_fill_small.c: fills, alike. */
extern const char cuda_fill_ptx[];
extern const char *const cuda_fill_names[CUDA_FILLS];
bool cuda_is_small_fill(size_t bytes);
enum proact_status cuda_fill_small(struct device_stream *s, cu_address to,
                                   unsigned char value, size_t bytes,
                                   struct proact_error *err);

/* cuda_module.c */
enum proact_status cuda_module_load(struct device_set *set, unsigned device,
                                    const char *name, const char *ptx, size_t bytes,
                                    struct device_module **out, struct proact_error *err);
enum proact_status cuda_module_load_binary(struct device_set *set, unsigned device,
                                           const char *name, const char *ptx, size_t bytes,
                                           const void *binary, struct device_module **out,
                                           struct proact_error *err);
void cuda_module_unload(struct device_module *m);
enum proact_status cuda_function_info(struct device_function *f,
                                      struct device_function_info *out,
                                      struct proact_error *err);
enum proact_status cuda_residency(struct device_function *f, uint32_t threads,
                                  uint64_t shared_bytes, uint32_t *out,
                                  struct proact_error *err);
enum proact_status cuda_function(struct device_module *m, const char *name,
                                 struct device_function **out, struct proact_error *err);
enum proact_status cuda_variable(struct device_module *m, const char *name,
                                 device_addr *out, size_t *bytes, struct proact_error *err);
enum proact_status cuda_launch(struct device_stream *s, struct device_function *f,
                               const struct device_launch *launch,
                               struct proact_error *err);
/* Its call of the driver, and what is to be said of the result. */
cu_result cuda_launch_now(struct device_stream *s, const struct device_function *f,
                          const struct device_launch *launch);
enum proact_status cuda_launch_result(struct device_stream *s,
                                      const struct device_function *f,
                                      const struct device_launch *launch, cu_result result,
                                      struct proact_error *err);

/* cuda_link.c: a module that calls CUDA's device runtime. Within cuda_enter(). */
enum proact_status cuda_launches(struct device_set *set, struct proact_error *err);
bool cuda_must_link(const char *ptx);
cu_result cuda_link(const struct driver *v, const char *ptx, unsigned count,
                    cu_jit_option *options, void **values, cu_module *out);

/* cuda_span.c: begin gives a place for end, or SIZE_MAX while nobody observes. */
size_t cuda_span_begin(struct device_stream *s, const struct cuda_span *what);
void cuda_span_end(struct device_stream *s, size_t span);
void cuda_spans_forget(struct device_set *set);
/* Nothing is in flight. */
void cuda_spans_report(struct device_set *set);
void cuda_origins_set(struct device_set *set, unsigned first); /* of these devices on */

/* cuda_graph.c */
enum proact_status cuda_capture_begin(struct device_set *set, struct proact_error *err);
enum proact_status cuda_capture_end(struct device_set *set, struct device_graph **out,
                                    struct proact_error *err);
enum proact_status cuda_graph_launch(struct device_graph *g, struct proact_error *err);
void cuda_graph_destroy(struct device_graph *g);
void cuda_graphs_clear(struct device_set *set); /* what captures need; a begun one ends */

/* cuda_interop.c */
void cuda_interop_attach_thread(struct device_set *set, unsigned device);
enum proact_status cuda_interop_begin(struct device_stream *s, struct proact_error *err);
enum proact_status cuda_interop_end(struct device_stream *s, struct proact_error *err);
enum proact_status cuda_interop_stream_create(struct device_set *set, unsigned device,
                                              void **out, struct proact_error *err);
void cuda_interop_stream_destroy(struct device_set *set, unsigned device, void *stream);

/* cuda_nvtx.c: what is queued between begin and end has this name to a profiler. */
struct cuda_nvtx cuda_nvtx_open(void);
void cuda_nvtx_begin(const struct device_set *set, const char *name);
void cuda_nvtx_end(const struct device_set *set);
void cuda_carry_begin(struct device_set *set, const struct device_reason *what,
                      unsigned to);
void cuda_carry_end(struct device_set *set);

/* cuda_find.c */
enum proact_status cuda_find(struct topology *out, struct proact_error *err);

/* cuda_texels.c */
enum proact_status cuda_texels_create(struct device_set *set, unsigned device,
                                      const struct proact_texture_array_shape *shape,
                                      struct device_texels **out, struct proact_error *err);
void cuda_texels_destroy(struct device_texels *t);
enum proact_status cuda_copy_box(struct device_stream *s, const struct proact_copy_3d *copy,
                                 struct device_texels *to, struct device_texels *from,
                                 struct proact_error *err);
/* cuda_texture.c */
int cuda_texel_format(const struct proact_texel_format *texel);
enum proact_status cuda_texture_create(struct device_set *set, unsigned device,
                                       const struct proact_texture *texture,
                                       struct device_texels *texels, uint64_t *handle,
                                       struct proact_error *err);
void cuda_texture_destroy(struct device_set *set, unsigned device, uint64_t handle);
enum proact_status cuda_surface_create(struct device_texels *texels, uint64_t *handle,
                                       struct proact_error *err);
void cuda_surface_destroy(struct device_set *set, unsigned device, uint64_t handle);
struct device_texels {
    struct device_set *set;
    unsigned device;
    cu_array array;
};
