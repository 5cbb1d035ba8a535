/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* CUDA backend, internal. Every driver call is made between cuda_enter() and cuda_leave(),
   which make the device's primary context current and restore the context of the program's
   own runtime. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "device/cuda/driver/driver.h"
#include "device/device.h"

/* Allocation in a device's memory. A large one has a mapped range of its own. */
struct cuda_memory {
    cu_address address;
    size_t bytes;
    size_t mapped_bytes; /* 0: allocated by the driver's allocator */
    /* Mapped range: physical memory in parts of piece_bytes, owned by consecutive devices
       from `owner` on. */
    cu_physical physical[TOPOLOGY_DEVICES_MAX];
    unsigned owner, piece_count;
    size_t piece_bytes;
    size_t reserved_bytes;
    bool is_host;   /* managed or pinned memory */
    bool is_locked; /* the host's own memory, locked by this backend */
};

/* Locked host memory that copies read; empty again when all devices are idle. */
struct cuda_staging {
    unsigned char *block; /* CUDA_STAGE_BYTES, and in one block those of small reads */
    size_t used;
    struct cuda_staging *next;
};

/* Wait of a stream for a word, since the last time all devices were idle. */
struct cuda_wait {
    struct device_stream *stream;
    cu_address word;
    uint32_t value;
    struct device_reason reason;
    bool is_past, is_of_graph; /* is_of_graph: a later launch of the graph may block
                                  again */
    cu_event before; /* complete: the stream has reached the wait; NULL: it reaches the
                        wait soon */
};

/* Interval between two events, reported to the observer. */
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
    bool reaches[TOPOLOGY_DEVICES_MAX]; /* by peer access */
    bool joins[TOPOLOGY_DEVICES_MAX];   /* its atomics work in that device's memory */
    unsigned capability;                /* compute capability; 90: 9.0 */
    int pitch_max;                      /* limit of 2D copies */
    int lowest, highest;                /* priorities of streams */
    cu_stream rescue;                   /* stream that satisfies expired waits */
    struct cuda_memory *memory;
    size_t memory_count, memory_capacity;
    const char *labels[CUDA_LABELS]; /* labels of the last kernels queued, for messages */
    unsigned label_count;
    cu_module resident, letting, carrying,
        filling;         /* cuda_graph_resident.c; NULL: not loaded */
    bool resident_waits; /* cuda_overlap.c */
    cu_function wait, meet, meet_letting, carry[CUDA_UNITS], fill[CUDA_FILLS];
    struct device_stream *lone; /* during a capture: the only stream that uses the device */
    cu_address late;            /* address of a word; nonzero after a wait in a graph
                                   timed out */
    struct device_stream *graph_stream; /* the device's graphs run here */
    cu_event graph_begin, graph_end;    /* start and end of a launch of graphs */
    bool has_calls;  /* the driver has prepared the calls of device code: cuda_early.c */
    cu_event origin; /* recorded at origin_ns, for trace intervals */
    uint64_t origin_ns;
};

/* Range functions of NVTX; NULL: no profiler is attached. */
struct cuda_nvtx {
    int (*push)(const char *name);
    int (*pop)(void);
};

enum { CUDA_HOLDS = 32 };
struct cuda_hold { /* cuda_hold.c */
    struct device_set *set;
    atomic_uint_least64_t number, limit_ns;
};

struct device_set {
    struct driver driver;
    struct cuda_nvtx nvtx;
    unsigned count, here; /* devices 0 .. here - 1 are open (cuda_lazy_devices.h) */
    struct cuda_lazy_devices *lazy_devices;
    struct cuda_compiler *compiler; /* cuda_compile.h; NULL: nothing was compiled */
    unsigned threads;               /* host threads for launches, as in the options */
    unsigned queues;                /* hardware queues per device */
    size_t limits[2];               /* set by the user; 0: default */
    struct cuda_device *devices;
    double wait_limit_ns;
    enum proact_status broken; /* status of all further calls; `sentence` is the message */
    bool is_lost;              /* the contexts are unusable */
    bool is_stuck;             /* a stream never ended; its resources are leaked */
    char sentence[400];
    uint64_t opened_ns, now_ns;
    struct cuda_hold hold[CUDA_HOLDS]; /* the last ones, by number */
    uint64_t holds;                    /* queued so far */
    atomic_uint_least64_t holds_let_go;
    uint64_t captures; /* number of graph captures so far */
    bool is_taping;    /* operations are appended to the tape: cuda_tape.h */
    bool is_capturing; /* operations are passed on to the driver's capture */
    bool has_replayed; /* since the last time all devices were idle */
    bool is_batching;  /* operations are deferred: cuda_batch.h */
    struct cuda_batch *batch;
    struct device_repeat *repeat; /* sequence that defers operations: cuda_repeat.h */
    uint64_t unloads;             /* number of unloaded modules so far */
    struct workers *workers;      /* cuda_workers.h; NULL: the caller does all work */
    struct cuda_taped_op *tape;
    size_t tape_count, tape_capacity;
    size_t captured_waits; /* waits of the capture start here in `waits` */
    struct device_stream *streams;
    struct device_event *events;
    struct device_module *modules;
    struct cuda_staging *staging;
    void *read_stage;
    size_t read_stage_bytes;
    bool shares_read_stage; /* read_stage is the end of a block of writes */
    struct cuda_wait *waits;
    size_t wait_count, wait_capacity;
    cu_event *spare[TOPOLOGY_DEVICES_MAX][2]; /* without time, with time */
    size_t spare_count[TOPOLOGY_DEVICES_MAX][2], spare_capacity[TOPOLOGY_DEVICES_MAX][2];
    bool spans_are_lost; /* some of their events may have no record */
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
    bool waits;    /* its kernels wait for the previous kernel themselves: cuda_overlap.c */
    bool launches; /* its kernels launch kernels */
    struct device_function *functions;
    struct device_module *next;
};

struct device_function {
    cu_function function;
    char *name;
    size_t parameter_bytes; /* SIZE_MAX: unknown to the driver */
    int static_shared_bytes, shared_limit;
    int thread_limit; /* largest CTA, by its PTX and its registers */
    bool waits;       /* first waits for the previous kernel: cuda_overlap.c */
    bool launches;    /* launches kernels with CUDA's device runtime */
    struct device_module *module;
    struct device_function *next;
};

/* Notifications of a stream to and from other devices within a graph; addresses of
   words. */
enum { CUDA_MEETING_MAX = 16 };
struct cuda_meeting {
    uint64_t limit_ns;
    cu_address late;
    uint32_t tells, waits;
    cu_address tell[CUDA_MEETING_MAX], wait[CUDA_MEETING_MAX];
    unsigned char whom[CUDA_MEETING_MAX]; /* device of each wait, plus 1 */
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
    bool is_behind_kernel; /* during a capture: the next operation depends only on a
                              kernel */
    bool is_busy;          /* has work since it was last known to be complete */
    bool is_done;          /* completion seen by another thread */
    bool is_ahead;         /* used since the last graph, so the next graph waits for it */
    bool is_behind;        /* has not waited for the last graph */
    bool is_under_way;     /* has work in the graph; valid while branches are assigned */
    size_t last;           /* index of its last operation in the graph */
    struct device_stream *with; /* stream whose branch executes it: cuda_branches.c */
    bool is_far;        /* has not reached its open waits; valid while these are checked */
    bool is_open_ended; /* kernels or events may delay it for longer than a copy */
    struct cuda_meeting meeting; /* not emitted yet */
    struct cuda_carries carries; /* not emitted yet */
    struct device_stream *next;
};

struct device_event {
    struct device_set *set;
    unsigned device;
    cu_event event;
    bool is_recorded, has_time;
    uint64_t capture;                 /* capture of its last record; 0: none */
    uint64_t recorded_in, awaited_in; /* batches; awaited_in: by another device */
    struct device_event *next;
};

/* cuda_context.c */
/* Makes a context current, unless it is: a redundant push makes a launch 5 % slower. Pop it
   also after a failure. */
cu_result cuda_context_push(const struct driver *v, cu_context context);
void cuda_context_pop(const struct driver *v);

/* cuda_call.c */
enum proact_status cuda_enter(struct device_set *set, unsigned device,
                              struct proact_error *err);
/* The same for an operation on a stream. */
enum proact_status cuda_use(struct device_stream *s, struct proact_error *err);
/* Leaves with the result of the driver call named `call`. Faults break the set. */
enum proact_status cuda_leave(struct device_set *set, unsigned device, cu_result result,
                              const char *call, struct proact_error *err);
/* The same without leaving. */
enum proact_status cuda_result(struct device_set *set, unsigned device, cu_result result,
                               const char *call, struct proact_error *err);
/* Breaks the set: the first message is stored and returned by every later call. */
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
/* Gives the devices that were opened later access to the memory of device 0. */
enum proact_status cuda_memory_let_in(struct device_set *set, struct proact_error *err);
void cuda_memory_clear(struct device_set *set, unsigned device);

/* cuda_copy_now.c: device whose memory contains the byte; set->count: none. */
unsigned cuda_memory_device(const struct device_set *set, device_addr address);
bool cuda_reach_each_other(const struct device_set *set, unsigned a, unsigned b);
/* Copies within the device's context, on any thread. */
cu_result cuda_copy_now(struct device_stream *s, const struct device_rows *rows);

/* cuda_staging.c: `bytes` of host memory that the driver may read later, at most
   CUDA_STAGE_BYTES. */
enum { CUDA_STAGE_BYTES = 8 << 20 };
enum proact_status cuda_stage(struct device_set *set, size_t bytes, unsigned char **out,
                              struct proact_error *err);
void cuda_staging_reset(struct device_set *set); /* nothing is in flight */
/* Host memory for data that is read, valid until the next read. At most
   CUDA_READ_STAGE_BYTES: for more, the driver's own staging is faster. */
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
/* cuda_mark.c: takes an event from the cache and records it; within cuda_enter(). */
cu_result cuda_mark(struct device_stream *s, bool has_time, cu_event *out);
/* The same without a record; within the device's context. NULL after a failure. */
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

/* cuda_waits.c: records a wait that its stream has received. */
void cuda_wait_add(const struct cuda_wait *wait);
/* Discards the waits of one stream, or of all (NULL). */
void cuda_waits_forget(struct device_set *set, const struct device_stream *only);

/* cuda_idle.c */
enum proact_status cuda_synchronize(struct device_set *set, struct proact_error *err);
void cuda_observe(struct device_set *set, device_observer *observer, void *context);

/* cuda_await.c: waits until a stream (NULL: all) is complete or a wait times out. */
enum proact_status cuda_await(struct device_set *set, struct device_stream *only,
                              struct proact_error *err);

/* cuda_limit.c. cuda_limits_follow() applies the limits of device 0 to the devices that
   were opened later. */
enum proact_status cuda_limits_follow(struct device_set *set, struct proact_error *err);
enum proact_status cuda_limit(struct device_set *set, enum device_limit what, size_t bytes,
                              struct proact_error *err);
/* cuda_early.c: preparations before a kernel that needs them is launched. `ptx` ends with a
   NUL. */
enum proact_status cuda_early_calls(struct device_set *set, unsigned device,
                                    const char *ptx, struct proact_error *err);
cu_result cuda_early_local(const struct driver *v, cu_function f);

/* cuda_overlap.c: copy of `ptx` whose kernels wait for the previous kernel themselves.
   `lets`: they also let the next kernel start while they run, which suits small kernels on
   an otherwise idle device. NULL: the device, the driver or the text is too old. */
char *cuda_overlap_text(const struct driver *v, unsigned capability, const char *ptx,
                        bool lets);
/* Writes the launch attribute and returns 1 if the kernel may start before its predecessor
   ends; else returns 0. */
unsigned cuda_overlap_attribute(const struct device_stream *s, bool waits,
                                struct cu_launch_attribute *out);
/* Launches one of our kernels in a graph, ahead of CTAs that have not started. */
cu_result cuda_launch_own(struct device_stream *s, struct cu_launch_config *config,
                          cu_function f, void *parameters, size_t bytes);

/* cuda_graph_resident.c, within cuda_enter(): waits for words in a graph. */
cu_result cuda_resident_load(struct device_set *set, unsigned device);
void cuda_resident_unload(struct device_set *set, unsigned device);
cu_result cuda_resident_wait(struct device_stream *s, cu_address word, uint32_t value);
/* Leaves `m` empty. */
cu_result cuda_meet(struct device_stream *s, struct cuda_meeting *m);
/* Outside of cuda_enter(), while idle: PROACT_ETIMEOUT if a wait in a graph timed out. */
enum proact_status cuda_resident_timeout(struct device_set *set, struct proact_error *err);

/* cuda_carry.c: small copies in graphs by kernels. cuda_is_carried(): whether a copy is
   one. cuda_carry(): captures it; it may be deferred and joined with the stream's next
   copies until cuda_carry_now(). */
extern const char cuda_carry_ptx[];
extern const char *const cuda_carry_names[CUDA_UNITS];
bool cuda_is_carried(const struct device_stream *s, const struct device_rows *rows);
enum proact_status cuda_carry(struct device_stream *s, const struct device_rows *rows,
                              struct proact_error *err);
enum proact_status cuda_carry_now(struct device_stream *s, struct proact_error *err);
/* cuda_fill_small.c: small fills in graphs by kernels. */
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
/* cuda_launch_now.c: driver call of a launch, and the message for its result. */
cu_result cuda_launch_now(struct device_stream *s, const struct device_function *f,
                          const struct device_launch *launch);
enum proact_status cuda_launch_result(struct device_stream *s,
                                      const struct device_function *f,
                                      const struct device_launch *launch, cu_result result,
                                      struct proact_error *err);

/* cuda_link.c: modules that call CUDA's device runtime. Within cuda_enter(). */
enum proact_status cuda_launches(struct device_set *set, struct proact_error *err);
bool cuda_must_link(const char *ptx);
cu_result cuda_link(const struct driver *v, const char *ptx, unsigned count,
                    cu_jit_option *options, void **values, cu_module *out);

/* cuda_span.c: begin returns the index for end; SIZE_MAX without an observer. */
size_t cuda_span_begin(struct device_stream *s, const struct cuda_span *what);
void cuda_span_end(struct device_stream *s, size_t span);
void cuda_spans_forget(struct device_set *set);
/* Reports all intervals; nothing is in flight. */
void cuda_spans_report(struct device_set *set);
/* Sets the time origins of device `first` and later ones. */
void cuda_origins_set(struct device_set *set, unsigned first);

/* cuda_graph.c */
enum proact_status cuda_capture_begin(struct device_set *set, struct proact_error *err);
enum proact_status cuda_capture_end(struct device_set *set, struct device_graph **out,
                                    struct proact_error *err);
void cuda_capture_pause(struct device_set *set);
void cuda_capture_resume(struct device_set *set);
enum proact_status cuda_graph_launch(struct device_graph *g, struct proact_error *err);
void cuda_graph_destroy(struct device_graph *g);
/* Frees the resources of captures; ends an open capture. */
void cuda_graphs_clear(struct device_set *set);

/* cuda_interop.c */
void cuda_interop_attach_thread(struct device_set *set, unsigned device);
enum proact_status cuda_interop_begin(struct device_stream *s, struct proact_error *err);
enum proact_status cuda_interop_end(struct device_stream *s, struct proact_error *err);
enum proact_status cuda_interop_stream_create(struct device_set *set, unsigned device,
                                              void **out, struct proact_error *err);
void cuda_interop_stream_destroy(struct device_set *set, unsigned device, void *stream);

/* cuda_nvtx.c: profiler range of the operations that are queued between begin and end. */
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
