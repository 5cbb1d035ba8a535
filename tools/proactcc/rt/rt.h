/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* State of the CUDA runtime that proactcc links into a program. The program sees one GPU,
   whose memory is that of the session's device 0. All calls are serialized by one lock. A
   single-device launch runs in the program's stream. A split launch follows all earlier
   work of all streams and precedes all later work, which is one of the orders that CUDA
   allows. */

#include <proact/program.h>

#include "rt/abi/cuda_abi.h"
#include "rt/memory/rt_range.h"
#include "rt/rt_handle.h"

/* A fat binary of the program, and its PTX that suits the device best. */
struct rt_image {
    struct rt_image *next;
    const struct cuda_fat_binary *binary;
    bool is_searched, is_managed_placed;
    struct proact_image ptx; /* text NULL: no PTX, for the reason in `why` */
    unsigned capability;     /* compute capability that the PTX targets */
    char *name;
    struct proact_error why;
};

/* A kernel of the program, identified by the address of its host stub. */
struct cuda_kernel {
    struct cuda_kernel *next;
    const void *stub;
    const char *name; /* in the PTX; the program owns it */
    struct rt_image *image;
    struct proact_kernel *kernel; /* NULL until the first use */
    struct proact_kernel_info info;
    bool has_dynamic_most;
    uint64_t dynamic_most;        /* dynamic shared memory limit set by the program */
    uint32_t required_cluster[3]; /* set by the program; 0: not set */
    bool must_cluster, has_large_clusters;
    bool is_gone;    /* its module is unloaded */
    char *why_whole; /* reason of a single-device launch; NULL: none, or no report */
    uint64_t launches, split_launches;
    char split_axis; /* axis of the last split launch; 0: the slowest */
    double ns;
};

/* A device variable of the program, identified by the address of its host shadow. */
struct rt_variable {
    struct rt_variable *next;
    const void *shadow;
    void **managed; /* where the program stores its address; NULL: not managed */
    const char *name;
    size_t bytes;
    struct rt_image *image;
    struct proact_variable place;
};

struct rt {
    struct proact *session;
    enum cuda_error broken; /* the status that every later call returns */
    struct rt_image *images;
    struct cuda_kernel *kernels;
    struct rt_variable *variables;
    struct cuda_module *modules; /* loaded through the driver interface */
    struct cuda_context *primary;
    unsigned primary_users;
    struct rt_stream *streams; /* created by the program */
    unsigned streams_made;
    struct rt_handles handles; /* of all other objects */
    struct rt_object *objects; /* textures and surfaces (rt_texture.c) */
    struct rt_stream_hint default_hints[RT_STREAM_HINTS];
    struct rt_spare_events { /* events of destroyed handles; [1]: with timing */
        struct proact_event **handle;
        size_t count, capacity;
    } spare_events[2];
    struct cuda_pool *default_pool, *pool; /* created at the first query; set by the
                                              program */
    uint64_t captures;                     /* streams captured so far (rt_capture.c) */
    unsigned open_captures;
    struct rt_ranges ranges;
    struct rt_spare *spare; /* freed memory without a range */
    size_t spare_count, spare_capacity;
    uint64_t waits;  /* waits for all work */
    uint64_t queued; /* since the last wait: operations, plus one per 4 KiB of host data */
    uint64_t allocations, bytes_allocated;
    uint64_t graph_bytes_most[2]; /* maximum memory of graphs: used, reserved */
    size_t limits[3]; /* set by the program, by CUDA's numbers; 0: CUDA's defaults */
    char method[64];  /* of all launches */
    bool is_emulated;
    uint32_t split_over; /* devices of a launch; 0: the planner decides; 1: never split */
    uint64_t distribute; /* minimum bytes of a distributed allocation; 0: none */
    bool reports;
    struct rt_flight { /* launches whose trace span has not arrived */
        struct rt_flying {
            struct cuda_kernel *kernel;
            unsigned device; /* the first device that runs its CTAs; the report uses its
                                time */
        } * launch;
        size_t first, count, capacity;
    } flight;
    struct rt_interop { /* writes of libraries since the last rt_interop_end() */
        bool is_pending, any, hide;
        struct proact_array **written;
        size_t count, capacity;
        uint64_t calls;        /* since the program started */
        uint32_t handles;      /* of libraries, given out on an emulated machine */
        const char *untracked; /* a library called without a trampoline, or NULL */
        const void **linked;   /* one address in each object that proactcc linked */
        size_t linked_count, linked_capacity;
    } interop;
    struct rt_graphs {
        uint64_t launches, replayed;
        bool any; /* the program created a graph; any kernel may be in it */
    } graphs;
    struct graph_stretch *recording; /* the recording that receives calls
                                        (rt_graph_replay.c), or NULL */
    struct rt_moved {
        uint64_t to_device, to_host, on_device;
    } moved;
};

/* The state of one thread. */
enum { RT_CONTEXTS_MAX = 64 };
struct rt_thread {
    unsigned driver_calls; /* nested driver calls, whose errors do not become the runtime's
                              last error */
    bool is_bound;         /* to the primary context, since the thread called the runtime */
    int capture_mode;      /* forbids calls while a stream is under capture */
    unsigned context_count;
    struct cuda_context *contexts[RT_CONTEXTS_MAX]; /* the last one is current */
};
struct rt_thread *rt_thread(void);

/* Entry and exit of every runtime call. rt_enter() takes the lock; rt_leave() releases it
   and keeps the error for cudaGetLastError(). */
struct rt *rt_enter(void);
enum cuda_error rt_leave(struct rt *rt, enum cuda_error error);
struct rt *rt_enter_interop(void); /* for a library's call; skips rt_interop_end() */
enum cuda_error rt_leave_interop(enum cuda_error error); /* skips rt_interop_begin() */

/* The session, opened by the first call that needs it. Its options come from
   PROACT_MACHINE, PROACT_DEVICES, PROACT_METHOD and the other variables of
   docs/proactcc.md. */
enum cuda_error rt_open(struct rt *rt);
void rt_end(void); /* at exit: waits, reports, closes */

/* Conversion of a proact status to a CUDA error. An error that breaks the program for good
   is printed on stderr once, and every later call returns it. */
enum cuda_error rt_error(struct rt *rt, enum proact_status status,
                         const struct proact_error *err);
enum cuda_error rt_break(struct rt *rt, enum cuda_error error, const char *sentence);
void rt_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Source names (rt_names.c). rt_plain_name() demangles a kernel or function name; it
   returns NULL if the name does not change or if the program has no C++ library.
   rt_plain_names() replaces the quoted names in a sentence. The caller frees the
   results. */
char *rt_plain_name(const char *name);
char *rt_plain_names(const char *sentence);
enum cuda_error rt_refuse(const char *call); /* a call that the runtime does not
                                                implement */
enum cuda_error rt_last_error(bool forget);

/* A wait for all queued work. The host bytes of shadows are current afterwards. */
enum cuda_error rt_wait(struct rt *rt);

/* Accounting of one queued operation with its host bytes. Emulated devices execute only at
   a wait, so a long queue is waited for here. */
enum cuda_error rt_queued(struct rt *rt, size_t bytes);

/* The PTX of an image, or the reason in `why`. */
enum cuda_error rt_image_search(struct rt *rt, struct rt_image *image);
/* The same for a fat binary and a compute capability. */
enum proact_status rt_image_find(struct rt_image *image, unsigned capability,
                                 struct proact_error *err);
/* Inlining of short functions into their callers. The new text lives as long as the
   program. */
void rt_put_in(struct proact_image *ptx);
/* One PTX linked from those of several objects. Its text lives as long as the program. */
enum proact_status rt_link(const struct proact_image *objects, size_t count,
                           struct proact_image *out, struct proact_error *err);

struct cuda_kernel *rt_kernel_find(struct rt *rt, const void *stub_or_handle);
enum cuda_error rt_kernel_load(struct rt *rt, struct cuda_kernel *k);
/* Dynamic shared memory that a launch of a loaded kernel may request. Static and dynamic
   memory together have 48 KiB unless the program sets another limit. */
uint64_t rt_kernel_dynamic_most(const struct cuda_kernel *k);
/* The memory of the program that contains the address. A variable's address may come from
   a kernel, so that the program never named the variable. NULL: none. */
struct rt_range *rt_range_of(struct rt *rt, const void *pointer);
/* The error of a call whose function is no kernel. */
enum cuda_error rt_kernel_unknown(const void *stub);
/* A managed variable is also found by its address, which the compiler passes for it. */
struct rt_variable *rt_variable_find(struct rt *rt, const void *shadow);
enum cuda_error rt_variable_load(struct rt *rt, struct rt_variable *v);
/* Release of a variable's address to the program. The address may change here. */
enum cuda_error rt_variable_give(struct rt *rt, struct rt_variable *v);
/* Addresses of the managed variables of all images, stored before the program reads
   them. */
enum cuda_error rt_managed_place(struct rt *rt);

/* cudaErrorInvalidResourceHandle if the program has no such stream. No handle is refused if
   a library may have created a driver stream. */
enum cuda_error rt_stream_check(struct rt *rt, const struct cuda_stream *handle);

/* An allocation with the properties of `range`; NULL for 0 bytes. `call` names the caller
   in messages. */
enum cuda_error rt_allocate(struct rt *rt, const char *call, struct rt_range range,
                            void **out);
/* Cached memory of freed stream allocations (rt_spare.c). rt_spare_keep() returns false,
   without effect, if the memory cannot be cached. rt_spare_take() returns an array of
   exactly that size for the stream, or NULL. rt_spare_waited() states that no work is
   queued. rt_spare_clear() frees the cache; no work may be queued. */
bool rt_spare_keep(struct rt *rt, struct rt_range *range, const struct cuda_stream *stream);
struct proact_array *rt_spare_take(struct rt *rt, size_t bytes,
                                   const struct cuda_stream *stream);
void rt_spare_waited(struct rt *rt);
void rt_spare_clear(struct rt *rt);
void rt_spare_forget_pool(struct rt *rt, const struct cuda_pool *pool);

/* Pools (rt_pool.c): the current one, and changes of the bytes that a pool has in use, and
   that it has reserved. NULL: no pool. */
struct cuda_pool *rt_pool_current(struct rt *rt);
void rt_pool_use(struct cuda_pool *pool, int64_t bytes);
void rt_pool_reserve(struct cuda_pool *pool, int64_t bytes);
/* A free after a wait for all work. NULL is allowed. */
enum cuda_error rt_give_back(struct rt *rt, struct rt_range *range);

/* A copy between two addresses, each on the host or on the device. With `is_async` the call
   may return before the copy ends, but it has then read the host source. */
enum cuda_error rt_copy(struct rt *rt, void *to, const void *from, size_t bytes,
                        enum cuda_copy_kind kind, bool is_async);
/* A fill of `rows` rows of `bytes` bytes at the given pitch. */
enum cuda_error rt_fill(struct rt *rt, void *to, size_t pitch, int value, size_t bytes,
                        size_t rows);
/* True if copies access that address in the device's order. */
bool rt_is_on_device(struct rt *rt, const void *place);
struct rt_rows {
    void *to;
    const void *from;
    size_t to_pitch, from_pitch, width, height;
};
enum cuda_error rt_copy_rows(struct rt *rt, const struct rt_rows *rows,
                             enum cuda_copy_kind kind, bool is_async);

/* Shadows: host memory that is registered and has a copy on the device. */
enum cuda_error rt_shadow_in(struct rt *rt, struct rt_range *range);
enum cuda_error rt_shadows_out(struct rt *rt);

/* The ordering of later work after the work of libraries (rt_interop.c). */
void rt_interop_end(struct rt *rt);
/* A search for libraries that are called without trampolines (rt_untracked.c) and may
   therefore run at any time. */
void rt_interop_scan(struct rt *rt);
void rt_interop_begin(struct rt *rt);

void rt_report(struct rt *rt);
/* The lines about stored plans: warnings, and with PROACT_REPORT all. */
void rt_report_profile(const struct rt *rt);
void rt_report_watch(struct rt *rt);
void rt_report_launched(struct rt *rt, struct cuda_kernel *k, unsigned device);
