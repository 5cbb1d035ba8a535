/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The handles that the program was given and has not given back: whatever else it calls one
   is refused, and never looked into. */

#include <stdbool.h>
#include <stddef.h>

enum rt_handle_kind {
    RT_EVENT,
    RT_GRAPH,
    RT_GRAPH_EXEC,
    RT_GRAPH_NODE,
    RT_ARRAY,
    RT_CONTEXT,
    RT_MODULE,
    RT_LINKING
};

/* Start from zero. */
struct rt_handles {
    struct rt_handle {
        struct rt_handle *next;
        const void *handle;
        enum rt_handle_kind kind;
    } * *chain;
    size_t count, chains;
};

void handle_add(struct rt_handles *h, const void *handle, enum rt_handle_kind kind);
bool handle_is(const struct rt_handles *h, const void *handle, enum rt_handle_kind kind);
void handle_drop(struct rt_handles *h, const void *handle);
