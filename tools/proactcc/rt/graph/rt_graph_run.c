/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that only graph nodes have. */
#include <stdlib.h>
#include <string.h>

#include "rt/abi/graph_calls.h"
#include "rt/graph/rt_graph.h"

enum cuda_error rt_run_fill(struct rt *rt, const void *data)
{
    const struct cuda_fill_node *f = data;

    return rt_fill(rt, f->to, f->pitch, (int)(f->value & 255), f->width * f->element_bytes,
                   f->height);
}

bool rt_is_fill_of_bytes(const struct cuda_fill_node *f)
{
    unsigned byte = f->value & 255;

    return f->element_bytes == 1 || (f->element_bytes == 2 && f->value == byte * 0x101u) ||
           (f->element_bytes == 4 && f->value == byte * 0x1010101u);
}

/* The first bytes come from the host. The rest of the row is copied from its filled part,
   whose size doubles with each copy. */
static enum cuda_error fill_row(struct rt *rt, char *to, const char *head,
                                size_t head_bytes, size_t bytes)
{
    enum cuda_error error = rt_copy(rt, to, head, head_bytes, CUDA_HOST_TO_DEVICE, true);

    for (size_t done = head_bytes, more; done < bytes && !error; done += more) {
        more = done < bytes - done ? done : bytes - done;
        error = rt_copy(rt, to + done, to, more, CUDA_COPY_DEFAULT, true);
    }
    return error;
}

enum cuda_error rt_run_fill_wide(struct rt *rt, const void *data)
{
    enum { HEAD_BYTES = 1 << 20 };
    const struct cuda_fill_node *f = data;
    enum cuda_error error = cudaSuccess;
    const size_t bytes = f->width * f->element_bytes;
    const size_t head_bytes = bytes < HEAD_BYTES ? bytes : HEAD_BYTES;
    char *head = malloc(head_bytes + 1);

    if (!head)
        return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < head_bytes; i += f->element_bytes)
        memcpy(head + i, &f->value, f->element_bytes);
    for (size_t y = 0; y < f->height && bytes && !error; y++)
        error = fill_row(rt, (char *)f->to + y * f->pitch, head, head_bytes, bytes);
    free(head);
    return error;
}

enum cuda_error rt_run_host(struct rt *rt, const void *data)
{
    const struct cuda_host_node *h = data;
    enum cuda_error error = rt_wait(rt);

    if (!error)
        h->function(h->context);
    return error;
}

enum cuda_error rt_run_nothing(struct rt *rt, const void *data)
{
    (void)data;
    return rt->broken;
}

/* A copy of the child, which no call changes any more. It lives until the process ends. */
enum cuda_error rt_run_child(struct rt *rt, const void *data)
{
    struct cuda_graph *child;

    memcpy(&child, data, sizeof(struct cuda_graph *));
    return graph_run_all(rt, child);
}
