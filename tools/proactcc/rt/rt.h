/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The CUDA runtime kept by proact: what a program compiled by proactcc is linked with. It
   sees one GPU, whose memory is that of the session's first device. All calls are made one
   after the other. What runs on the first device alone keeps to the program's streams; what
   is split comes after all of them, and ahead of what they are given later, which is among
   the orders that CUDA allows. */

#include <proact/program.h>

#include "rt/abi/cuda_abi.h"
#include "rt/memory/rt_range.h"
#include "rt/rt_handle.h"

/* A fat binary of the program, and the PTX in it that fits the device best. */
struct rt_image {
    struct rt_image *next;
    const struct cuda_fat_binary *binary;
    bool is_searched, is_managed_placed;
    struct proact_image ptx; /* text NULL: none, see why */
    unsigned capability;     /* that it was compiled for */
    char *name;
    struct proact_error why;
};

/* A kernel of the program, by the address of its stub. */
struct cuda_kernel {
    struct cuda_kernel *next;
    const void *stub;
    const char *name; /* in the PTX; the program's */
    struct rt_image *image;
    struct proact_kernel *kernel; /* loaded at the first use */
    struct proact_kernel_info info;
    bool has_dynamic_most;
    uint64_t dynamic_most; /* shared memory that a launch may ask for, where it was set */
    uint32_t required_cluster[3]; /* set by the program; 0: not */
    bool must_cluster, has_large_clusters;
    bool is_gone;    /* its module was unloaded */
    char *why_whole; /* why a launch ran on one device, NULL: none did, or nobody asks */
    uint64_t launches, split_launches;
    char split_axis; /* of the grid's dimensions, as the last split launch was; 0: the
                        slowest */
    double ns;
};

/* A variable of the program, by the address of its shadow on the host. */
struct rt_variable {
    struct rt_variable *next;
    const void *shadow;
    void **managed; /* where the program looks for its address; NULL: not managed */
    const char *name;
    size_t bytes;
    struct rt_image *image;
    struct proact_variable place;
};

struct rt {
    struct proact *session;
    enum cuda_error broken; /* said by every call from now on */
    struct rt_image *images;
    struct cuda_kernel *kernels;
    struct rt_variable *variables;
    struct cuda_module *modules; /* that the program loaded by hand */
    struct cuda_context *primary;
    unsigned primary_users;
    struct rt_stream *streams; /* that the program has made */
    unsigned streams_made;
    struct rt_handles handles; /* of all else */
    struct rt_object *objects; /* textures and surfaces (rt_texture.c) */
    struct rt_stream_hint default_hints[RT_STREAM_HINTS];
    struct rt_spare_events { /* of events that are gone; with time, too */
        struct proact_event **handle;
        size_t count, capacity;
    } spare_events[2];
    struct cuda_pool *default_pool, *pool; /* made, and set, as they are asked for */
    uint64_t captures;                     /* of streams, so far (rt_capture.c) */
    unsigned open_captures;
    int capture_mode;
    struct rt_ranges ranges;
    struct rt_spare *spare; /* memory without a range */
    size_t spare_count, spare_capacity;
    uint64_t waits;  /* for all */
    uint64_t queued; /* since the last wait: operations, and 4 KiB of their data as one */
    uint64_t allocations, bytes_allocated;
    uint64_t graph_bytes_most[2]; /* memory of graphs in use, and held */
    size_t limits[3]; /* that the program has set, by CUDA's numbers; 0: as they were */
    bool is_emulated;
    uint32_t split_over; /* 0: as is faster; 1: never; else always */
    uint64_t distribute; /* what is allocated of so many bytes is distributed; 0: nothing */
    bool reports;
    struct rt_flight { /* launches of which the report has not heard yet */
        struct rt_flying {
            struct cuda_kernel *kernel;
            unsigned device; /* the first that runs CTAs of it, whose time is told */
        } * launch;
        size_t first, count, capacity;
    } flight;
    struct rt_interop { /* what libraries did since we last followed them */
        bool is_pending, any, hide;
        struct proact_array **written;
        size_t count, capacity;
        uint64_t calls;        /* since the beginning */
        const char *untracked; /* one that is called past us, or NULL */
        const void **linked;   /* an address in each object that proactcc linked */
        size_t linked_count, linked_capacity;
    } interop;
    struct rt_graphs {
        uint64_t launches, replayed;
        bool any; /* the program has made one, which may have any kernel */
    } graphs;
    struct graph_stretch *recording; /* that calls go into (rt_graph_replay.c), or NULL */
    struct rt_moved {
        uint64_t to_device, to_host, on_device;
    } moved;
};

/* What each thread has. */
enum { RT_CONTEXTS_MAX = 64 };
struct rt_thread {
    unsigned driver_calls; /* under way: what they say is not the runtime's last error */
    bool is_bound;         /* to the primary context, as it has called the runtime */
    unsigned context_count;
    struct cuda_context *contexts[RT_CONTEXTS_MAX]; /* the last is current */
};
struct rt_thread *rt_thread(void);

/* Every call of the interface begins with the one and ends with the other, which keeps the
   error for cudaGetLastError(). */
struct rt *rt_enter(void);
enum cuda_error rt_leave(struct rt *rt, enum cuda_error error);
struct rt *rt_enter_interop(void); /* for a library's call, which is not followed yet */
enum cuda_error rt_leave_interop(enum cuda_error error); /* libraries are not let in */

/* The session is opened by the first call that needs it: PROACT_MACHINE, PROACT_DEVICES,
   PROACT_METHOD. */
enum cuda_error rt_open(struct rt *rt);
void rt_end(void); /* the program's: waits, reports, closes */

/* What proact said as CUDA would. What breaks a program for good is said on stderr, once,
   and again by every later call. */
enum cuda_error rt_error(struct rt *rt, enum proact_status status,
                         const struct proact_error *err);
enum cuda_error rt_break(struct rt *rt, enum cuda_error error, const char *sentence);
void rt_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* rt_names.c: a kernel's or function's name as the source has it, NULL where it is the same
   or the program has no C++ library, which knows; a sentence in which names in quotes are
   such. free() them. */
char *rt_plain_name(const char *name);
char *rt_plain_names(const char *sentence);
enum cuda_error rt_refuse(const char *call); /* one that we do not have */
enum cuda_error rt_last_error(bool forget);

/* Waits for all that was queued; what shadows hold is then on the host. */
enum cuda_error rt_wait(struct rt *rt);

/* Something was queued, with so many bytes of the host's. Emulated devices begin when they
   are waited for: where much has come together, that is now. */
enum cuda_error rt_queued(struct rt *rt, size_t bytes);

/* PTX of an image, or the sentence why there is none. */
enum cuda_error rt_image_search(struct rt *rt, struct rt_image *image);
/* The same of a fat binary, for a device. */
enum proact_status rt_image_find(struct rt_image *image, unsigned capability,
                                 struct proact_error *err);
/* Puts functions in the place of their calls, where that is no long work; the new text
   lives as long as the program. */
void rt_put_in(struct proact_image *ptx);
/* One PTX of those of several objects; its text lives as long as the program. */
enum proact_status rt_link(const struct proact_image *objects, size_t count,
                           struct proact_image *out, struct proact_error *err);

struct cuda_kernel *rt_kernel_find(struct rt *rt, const void *stub_or_handle);
enum cuda_error rt_kernel_load(struct rt *rt, struct cuda_kernel *k);
/* Dynamic shared memory that a launch of it may ask for: with its static one 48 KiB, unless
   the program has set another limit. It is loaded. */
uint64_t rt_kernel_dynamic_most(const struct cuda_kernel *k);
struct rt_variable *rt_variable_find(struct rt *rt, const void *shadow);
enum cuda_error rt_variable_load(struct rt *rt, struct rt_variable *v);
/* The program is about to get its address, which may become another one. */
enum cuda_error rt_variable_give(struct rt *rt, struct rt_variable *v);
/* Managed variables of all images: their addresses, before anybody looks. */
enum cuda_error rt_managed_place(struct rt *rt);

/* cudaErrorInvalidResourceHandle if the program has no such stream; where libraries may
   have made some of the driver's, none is refused. */
enum cuda_error rt_stream_check(struct rt *rt, const struct cuda_stream *handle);

/* An allocation, as the range says it; NULL for no bytes. `call` names it. */
enum cuda_error rt_allocate(struct rt *rt, const char *call, struct rt_range range,
                            void **out);
/* Memory that a stream was given back (rt_spare.c). keep: false, it cannot be kept, and is
   as it was. take: an array of so many bytes for that stream, or NULL. waited, clear:
   nothing is queued; clear gives all of it back. */
bool rt_spare_keep(struct rt *rt, struct rt_range *range, const struct cuda_stream *stream);
struct proact_array *rt_spare_take(struct rt *rt, size_t bytes,
                                   const struct cuda_stream *stream);
void rt_spare_waited(struct rt *rt);
void rt_spare_clear(struct rt *rt);
/* All is waited for; NULL is fine. */
enum cuda_error rt_give_back(struct rt *rt, struct rt_range *range);

/* Bytes between two places, each on the host or on the device. `is_async` may be back
   before all is done, and has then taken what it was given. */
enum cuda_error rt_copy(struct rt *rt, void *to, const void *from, size_t bytes,
                        enum cuda_copy_kind kind, bool is_async);
/* Rows of `bytes`, so many, each a pitch behind the one before. */
enum cuda_error rt_fill(struct rt *rt, void *to, size_t pitch, int value, size_t bytes,
                        size_t rows);
/* Whether copies touch that place in the device's order. */
bool rt_is_on_device(const struct rt *rt, const void *place);
struct rt_rows {
    void *to;
    const void *from;
    size_t to_pitch, from_pitch, width, height;
};
enum cuda_error rt_copy_rows(struct rt *rt, const struct rt_rows *rows,
                             enum cuda_copy_kind kind, bool is_async);

/* Shadows: memory that is registered, of which the device has a copy. */
enum cuda_error rt_shadow_in(struct rt *rt, struct rt_range *range);
enum cuda_error rt_shadows_out(struct rt *rt);

/* What is queued from now on comes after what libraries have queued (rt_interop.c). */
void rt_interop_end(struct rt *rt);
/* Whether some are called past us (rt_untracked.c), so that they may come in at any time.
 */
void rt_interop_scan(struct rt *rt);
void rt_interop_begin(struct rt *rt);

void rt_report(struct rt *rt);
void rt_report_watch(struct rt *rt);
void rt_report_launched(struct rt *rt, struct cuda_kernel *k, unsigned device);
