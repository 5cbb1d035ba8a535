/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The memory that a program got from us, by address. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proact_array;

enum rt_kind {
    RT_DEVICE,     /* cudaMalloc(): only kernels and copies touch it */
    RT_MANAGED,    /* cudaMallocManaged(): host and kernels by one address */
    RT_PINNED,     /* cudaMallocHost(): the host's, which kernels may touch as well */
    RT_REGISTERED, /* cudaHostRegister(): the same, but the program's own */
    RT_VARIABLE,   /* of a module, whose address the program has asked for */
};

struct rt_range {
    uint64_t first; /* address that the program knows */
    size_t bytes;
    enum rt_kind kind;
    unsigned flags; /* as given by the program */
    /* On the first device, at `first` unless this is a shadow: then the bytes of the host
       lie at `first`, and the array, made when a kernel first needs it, is their copy. */
    struct proact_array *array;
    bool is_shadow;
    bool is_locked;      /* the driver's copies take it straight */
    bool is_newer_there; /* a kernel may have written to the copy since */
    bool is_shown;       /* kernels know the address */
    /* Of graphs (rt_graph_memory.c): its number, or 0; the nodes that allocate it; whether
       nobody has it. */
    uint64_t graph_memory;
    size_t graph_nodes;
    bool is_free;
};

struct rt_ranges {
    struct rt_range *list; /* by rising address */
    size_t count, capacity;
    uint64_t changes; /* so many were added and removed */
};

struct rt_range *range_add(struct rt_ranges *r, const struct rt_range *range);
/* The one that holds the address, or NULL. Borrowed until one is added or removed. */
struct rt_range *range_find(const struct rt_ranges *r, uint64_t address);
/* That one, or else the nearest within reach of which a kernel's parameter may be made:
   the end of an array, a window whose first index is not 0. */
struct rt_range *range_near(const struct rt_ranges *r, uint64_t address);
void range_remove(struct rt_ranges *r, struct rt_range *range);
