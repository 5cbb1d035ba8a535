/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Stores of a launch, for the planner: their width and number, from the analysis of the
   kernel and the parameters of the launch. */

#include <stdint.h>

struct launching;

/* The narrowest store to the array of a slot: bytes of a thread, and the mean length of the
   consecutive bytes that the lanes of a warp store with it. 0: unknown. */
struct launch_store {
    uint32_t thread_bytes, warp_bytes;
};
struct launch_store launch_store_find(const struct launching *l, unsigned slot);
/* Stores of a thread to the array, at most; 0: unknown. */
double launch_stores_count(const struct launching *l, unsigned slot);
