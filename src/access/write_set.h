/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which bytes each thread block (CTA) of a launch writes, found before the launch.

   A kernel is cut down to its *write-set slice*: what decides where it stores, and nothing
   of what. The slice reads no memory, so it runs anywhere, with the real parameters, and
   tells for every CTA the bytes that it stores to: a map. Where closed forms of its stores
   tell as much (access.h), it is not run at all. Where a store is guarded by
   something that is read from memory, the slice stores in any case: it then says a
   superset of what the kernel writes. Where an address depends on memory the kernel is
   refused. Not thread-safe per object; different objects may be used by different threads.
 */

#include <proact/proact.h>
#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/spans/cta_runs.h"
#include "ptx/ptx.h"

struct write_set_slice;

struct write_set_options {
    /* The caller says at every run what the module's .const variables hold where that is
       no longer their initial value. Otherwise reading one is reading memory. */
    bool constants_known;
    /* By instruction: stores of which nothing is to be said, NULL for none. */
    const bool *left_out;
};

/* Cuts `kernel`. `options` may be NULL. The module need not outlive the call. Fails with
   PROACT_EINVAL where there is no such kernel, and with PROACT_EREFUSED, naming the line of
   the store and that of what decides it, where no slice can tell. */
enum proact_status write_set_slice_create(const struct ptx_module *m, const char *kernel,
                                          const struct write_set_options *options,
                                          struct write_set_slice **out,
                                          struct proact_error *err);
void write_set_slice_destroy(struct write_set_slice *s); /* NULL is fine */

/* A store, reduction or atomic of the kernel that the slice holds. */
struct write_set_site {
    uint32_t line;       /* in the kernel's PTX */
    uint32_t slice_line; /* in the slice's */
    uint32_t bytes;      /* a thread stores */
    bool is_atomic;      /* atom or red */
    bool is_may;         /* memory decides whether it happens */
};

struct write_set_slice_info {
    const char *kernel, *name; /* `name`: KERNEL__proact_slice */
    const char *text;          /* a module of PTX with the one kernel; NUL-terminated */
    size_t text_bytes;
    bool is_exact;        /* no site is_may */
    bool reads_constants; /* see constants_known */
    const struct write_set_site *sites;
    uint32_t site_count;
    uint32_t kept, instructions; /* of the slice, of the kernel */
};
/* Borrowed from the slice. */
struct write_set_slice_info write_set_slice_info(const struct write_set_slice *s);

/* Memory that the kernel may write. */
struct write_set_array {
    const char *name; /* for sentences; borrowed for the call */
    uint64_t address; /* where the device has it, or 0: anywhere, then `pointers` says
                         where the kernel gets it from. Device addresses are never below
                         4 GiB. */
    uint64_t bytes;
};

/* Eight bytes of the parameter block, for which an address is put in: `byte` bytes behind
   the array's. */
struct write_set_pointer {
    uint32_t parameter_offset, array;
    uint64_t byte;
};

struct write_set_constant {
    const char *name; /* of a .const variable of the module; others are ignored */
    const void *content;
    size_t bytes;
};

/* A launch of the whole grid. Borrows everything. */
struct write_set_launch {
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    const void *parameters; /* as the kernel gets them: addresses too, where not given by
                               `pointers` */
    size_t parameter_bytes;
    const struct write_set_array *arrays; /* that do not overlap */
    uint32_t array_count;
    const struct write_set_pointer *pointers;
    uint32_t pointer_count;
    const struct write_set_constant *constants;
    uint32_t constant_count;
    uint64_t limit;   /* warp instructions of one CTA after which it is given up; 0: 2^26 */
    unsigned threads; /* of the host that run the slice, 0: as many as cores; the result is
                         the same */
    bool is_sliced;   /* the slice is run even where closed forms tell */
    uint64_t work_most; /* after which a slice that has to be run is given up: as the set's
                           `work`; 0: never. Is no part of what a cache knows it by */
};

/* What is written of one array: of each CTA sorted, none touches another, within it. */
struct write_set_ranges {
    const char *name;     /* as given, copied; or of a module variable */
    struct cta_runs runs; /* none: nothing of it is written */
    uint64_t count;       /* ranges, which are the single rows of all CTAs, */
    uint64_t bytes;       /* and all of them together */
    bool is_atomic;       /* some of it by atom or red */
    uint32_t line;        /* of the first of these, else of the first store; of PTX */
    bool is_variable;     /* a .global variable of the module */
};

/* CTAs are numbered x first, then y, then z. */
struct write_set {
    uint32_t cta_count;
    uint32_t array_count; /* those given, in order, then the module variables that the
                             slice names */
    struct write_set_ranges *arrays;
    bool is_exact;     /* false: the kernel may write less */
    uint32_t ctas_run; /* of which the slice was run: 0 where closed forms tell of all */
    const char *why_sliced; /* why it was: a phrase about the store at why_line (0: all
                               of them), or NULL where that was asked for */
    uint32_t why_line;
    bool is_cut_short; /* some store that memory decides was left out: see below */
    bool stays;        /* each store goes to the array to which its address leads */
    uint64_t places;   /* CTAs, and iterations in them, where closed forms were looked at;
                          others do alike */
    uint64_t lanes;    /* thread instructions that it took */
    uint64_t work;     /* the same, and what noting and sorting the ranges took */
    uint64_t digest;   /* of the ranges: alike where launches write alike */
    struct write_set_parted *parted; /* what write_set_overlap() last found */
};

/* From closed forms where there are such and they stay in the arrays, else, of the boxes of
   CTAs that have none, by running the slice. Fails with PROACT_EFAULT where the kernel
   stores outside of every array, naming line, CTA, thread, the nearest array and the place
   in it (where memory decides whether it stores at all, such a store is left out instead:
   the kernel cannot mean it), or reaches the limit; with PROACT_EREFUSED after work_most;
   with PROACT_EINVAL for parameters of another size, or an empty grid. */
enum proact_status write_set_run(const struct write_set_slice *s,
                                 const struct write_set_launch *launch,
                                 struct write_set **out, struct proact_error *err);
void write_set_destroy(struct write_set *w); /* NULL is fine */

/* Part i of the grid are the CTAs part_first[i] .. part_first[i + 1] - 1. PROACT_EREFUSED
   if two CTAs of different parts may write the same byte, naming array, byte and both. The
   answer is kept, for launches ask again and again: counted is how often it was found. */
struct write_set_parted {
    uint32_t *first, count, counted;
    enum proact_status status;
    struct proact_error err;
};
enum proact_status write_set_overlap(const struct write_set *w, const uint32_t *part_first,
                                     uint32_t part_count, struct proact_error *err);

/* Results by slice and launch, the oldest of which go when there are too many. Start from
   zero; a result is the cache's, and good until the next call with the same cache. */
struct write_set_cache {
    struct write_set_cache_entry *entries;
    uint32_t count;
    uint32_t capacity; /* entries kept at most; 0: 64, of which those after the 16 newest
                          go where their rows are very many */
    uint64_t clock, hits, misses;
};
/* The launch's arrays count by address, size and name; of its parameters counts what the
   slice reads: another factor or input gives the same result at once. Where all pointers to
   arrays are said, and nothing shows of their addresses but where stores begin, other
   arrays of that size do, too, wherever they lie. A slice is known by its text, so that it
   may be destroyed before the cache. What is refused stays so. */
enum proact_status write_set_cached(struct write_set_cache *cache,
                                    const struct write_set_slice *s,
                                    const struct write_set_launch *launch,
                                    const struct write_set **out, struct proact_error *err);
void write_set_cache_clear(struct write_set_cache *cache);
