/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The valid handles of the program. Every other handle is refused without access to its
   memory. */

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

/* Starts zeroed. */
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
