/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Write sets: the bytes that each CTA of a launch writes, computed before the launch.

   The write-set slice is the kernel reduced to the instructions that decide where it
   stores, without the stored values. The slice reads no memory, so the host can execute it
   with the parameters of a launch. It gives the stored bytes of every CTA: a map. If closed
   forms of the stores give the same map (access.h), the slice is not executed.

   If memory decides whether a store executes, the slice stores in any case: the map is a
   superset of the kernel's writes. If memory decides the address of a store, the kernel is
   refused. An object is not thread-safe; different objects may be used by different
   threads. */

#include <proact/proact.h>
#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/spans/cta_runs.h"
#include "ptx/ptx.h"

struct write_set_slice;

struct write_set_options {
    /* Every launch passes the contents of .const variables that differ from their initial
       value. Otherwise a load of one counts as a load of memory. */
    bool constants_known;
    /* By instruction: stores that the slice ignores. NULL: none. */
    const bool *left_out;
};

/* Creates the slice of `kernel`. `options` may be NULL. The module may be destroyed after
   the call. Returns PROACT_EINVAL if the kernel does not exist, and PROACT_EREFUSED if no
   slice exists. The refusal names the line of the store and the line that decides its
   address. */
enum proact_status write_set_slice_create(const struct ptx_module *m, const char *kernel,
                                          const struct write_set_options *options,
                                          struct write_set_slice **out,
                                          struct proact_error *err);
void write_set_slice_destroy(struct write_set_slice *s); /* NULL is allowed */

/* Store, reduction or atomic of the kernel in the slice. */
struct write_set_site {
    uint32_t line;       /* in the kernel's PTX */
    uint32_t slice_line; /* in the slice's PTX */
    uint32_t bytes;      /* stored by a thread */
    bool is_atomic;      /* atom or red */
    bool is_may;         /* memory decides whether it executes */
};

struct write_set_slice_info {
    const char *kernel, *name; /* `name`: KERNEL__proact_slice */
    const char *text;          /* PTX module with this kernel only; NUL-terminated */
    size_t text_bytes;
    bool is_exact;        /* no site is_may */
    bool reads_constants; /* see constants_known */
    const struct write_set_site *sites;
    uint32_t site_count;
    uint32_t kept, instructions; /* instructions of the slice, of the kernel */
};
/* Description of a slice. Its pointers are valid as long as the slice. */
struct write_set_slice_info write_set_slice_info(const struct write_set_slice *s);

/* Memory that the kernel may write. */
struct write_set_array {
    const char *name; /* for messages; borrowed for the call */
    uint64_t address; /* on the device; 0: any address, and `pointers` gives the parameters
                         that hold it. Device addresses are at least 4 GiB. */
    uint64_t bytes;
};

/* Eight bytes of the parameter buffer that hold the address of an array plus `byte`
   bytes. */
struct write_set_pointer {
    uint32_t parameter_offset, array;
    uint64_t byte;
};

struct write_set_constant {
    const char *name; /* of a .const variable of the module; other names are ignored */
    const void *content;
    size_t bytes;
};

/* Launch of the complete grid. All pointers are borrowed. */
struct write_set_launch {
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    const void *parameters; /* as the kernel receives them, with the addresses that
                               `pointers` does not give */
    size_t parameter_bytes;
    const struct write_set_array *arrays; /* disjoint */
    uint32_t array_count;
    const struct write_set_pointer *pointers;
    uint32_t pointer_count;
    const struct write_set_constant *constants;
    uint32_t constant_count;
    uint64_t limit;   /* warp instructions of one CTA before the execution fails; 0: 2^26 */
    unsigned threads; /* host threads for the slice, 0: one per core; the result does not
                         depend on it */
    bool is_sliced;   /* the slice is executed even if closed forms exist */
    uint64_t work_most; /* bound of the set's `work` for an executed slice; 0: none. Not
                           part of the cache key */
};

/* Written ranges of one array. The ranges of a CTA are sorted, disjoint, not adjacent, and
   inside the array. */
struct write_set_ranges {
    const char *name;     /* copy of the given name, or name of a module variable */
    struct cta_runs runs; /* none: the array is not written */
    uint64_t count;       /* number of ranges over all CTAs; each row counts */
    uint64_t bytes;       /* their total length */
    bool is_atomic;       /* some bytes by atom or red */
    uint32_t line;        /* first of these, else first store; in the PTX */
    bool is_variable;     /* a .global variable of the module */
};

/* Write set of a launch. CTAs are numbered x first, then y, then z. */
struct write_set {
    uint32_t cta_count;
    uint32_t array_count; /* the given arrays in order, then the module variables that the
                             slice names */
    struct write_set_ranges *arrays;
    bool is_exact;          /* false: the kernel may write less */
    uint32_t ctas_run;      /* CTAs for which the slice was executed */
    const char *why_sliced; /* reason for the execution: a phrase about the store at
                               why_line (0: all stores); NULL if the caller requested it */
    uint32_t why_line;
    bool is_cut_short; /* a store that memory decides was omitted, see write_set_run() */
    bool stays;        /* each store goes to the array from which its address derives */
    uint64_t places; /* CTAs and iterations at which closed forms were evaluated; the others
                        follow from them */
    uint64_t lanes;  /* executed thread instructions */
    uint64_t work;   /* `lanes` plus the cost of recording and sorting the ranges */
    uint64_t digest; /* of the ranges: equal for launches that write equal ranges */
    struct write_set_parted *parted; /* last result of write_set_overlap() */
};

/* Computes the write set of a launch. Closed forms are used if they exist and stay inside
   the arrays; the slice is executed for boxes of CTAs without a closed form.

   Fails with PROACT_EFAULT if the kernel stores outside every array. The message names
   line, CTA, thread, the nearest array and the position in it. If memory decides whether
   such a store executes, the store is omitted instead. PROACT_EFAULT also reports that
   `limit` is reached. Other failures: PROACT_EREFUSED after work_most; PROACT_EINVAL for
   parameters of another size or an empty grid. */
enum proact_status write_set_run(const struct write_set_slice *s,
                                 const struct write_set_launch *launch,
                                 struct write_set **out, struct proact_error *err);
void write_set_destroy(struct write_set *w); /* NULL is allowed */

/* Cached result of write_set_overlap(). Partition i of the grid holds the CTAs
   part_first[i] .. part_first[i + 1] - 1. The result is PROACT_EREFUSED if CTAs of two
   partitions may write the same byte; the message names the array, the byte and both CTAs.
   Launches repeat the query, so it is stored; `counted` is the number of uses. */
struct write_set_parted {
    uint32_t *first, count, counted;
    enum proact_status status;
    struct proact_error err;
};
enum proact_status write_set_overlap(const struct write_set *w, const uint32_t *part_first,
                                     uint32_t part_count, struct proact_error *err);

/* Cache of results, keyed by slice and launch. Starts zeroed. The cache evicts its oldest
   entries when it is full. A result belongs to the cache and is valid until the next call
   with the same cache. */
struct write_set_cache {
    struct write_set_cache_entry *entries;
    uint32_t count;
    uint32_t capacity; /* entries at most; 0: 64, except that entries older than the 16
                          newest are evicted early if they have very many rows */
    uint64_t clock, hits, misses;
};
/* Like write_set_run(), from the cache if possible.

   The key contains address, size and name of each array, and the parameters that the slice
   reads. Launches with other factors or inputs therefore share a result. If `pointers`
   gives all pointers to arrays, and addresses only shift the stores, arrays of equal size
   at other addresses share it as well. The key contains the text of the slice: a slice may
   be destroyed before the cache. Refusals are cached. */
enum proact_status write_set_cached(struct write_set_cache *cache,
                                    const struct write_set_slice *s,
                                    const struct write_set_launch *launch,
                                    const struct write_set **out, struct proact_error *err);
void write_set_cache_clear(struct write_set_cache *cache);
