/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The memory that the program allocated or registered, by address. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cuda_pool;
struct proact_array;

enum rt_kind {
    RT_DEVICE,     /* cudaMalloc(): kernels and copies access it */
    RT_MANAGED,    /* cudaMallocManaged(): host and kernels use one address */
    RT_PINNED,     /* cudaMallocHost(): host memory that kernels may access */
    RT_REGISTERED, /* cudaHostRegister(): the same for memory of the program */
    RT_VARIABLE,   /* a module variable that the program named or has an address of */
};

struct rt_range {
    uint64_t first; /* address in the program */
    size_t bytes;
    enum rt_kind kind;
    unsigned flags; /* as given by the program */
    /* On device 0, at `first` unless this is a shadow. A shadow has its host bytes at
       `first`; its array is their copy and is created when a kernel first uses it. */
    struct proact_array *array;
    bool is_shadow;
    bool is_locked;      /* registered with the driver, which copies without staging */
    bool is_newer_there; /* a kernel may have written the copy since the last copy back */
    bool is_shown;       /* a kernel may know the address */
    /* Memory of a graph (rt_graph_memory.c): id or 0, the allocating nodes, true if the
       program does not own it. */
    uint64_t graph_memory;
    size_t graph_nodes;
    bool is_free;
    struct cuda_pool *pool; /* of a stream allocation; NULL: none, or destroyed */
};

struct rt_ranges {
    struct rt_range *list; /* in ascending order of addresses */
    size_t count, capacity;
    uint64_t changes; /* additions and removals so far */
};

struct rt_range *range_add(struct rt_ranges *r, const struct rt_range *range);
/* The range that contains the address, or NULL. Borrowed until the next addition or
   removal. */
struct rt_range *range_find(const struct rt_ranges *r, uint64_t address);
/* The same, or the nearest range that a pointer argument may refer to from outside: its
   end, or a window whose first index is not 0. */
struct rt_range *range_near(const struct rt_ranges *r, uint64_t address);
void range_remove(struct rt_ranges *r, struct rt_range *range);
