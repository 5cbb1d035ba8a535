/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of streams. All are hints, which are stored for queries. */
#include <string.h>

#include "rt/abi/cuda_calls.h"
#include "rt/graph/rt_graph.h"
#include "rt/rt.h"

/* CUDA's numbers: access policy window, synchronization policy, priority, map of memory
   synchronization domains, memory synchronization domain. */
static const int numbers[RT_STREAM_HINTS] = {1, 3, 8, 9, 10};

/* The attributes of a stream, or of all default streams; NULL: unknown handle. */
static struct rt_stream_hint *hints_of(struct rt *rt, const struct cuda_stream *s)
{
    struct rt_stream *found = rt_stream_find(rt, s);

    if (found)
        return found->hints;
    return (uintptr_t)s <= 2 ? rt->default_hints : NULL;
}

static enum cuda_error find(struct rt *rt, const struct cuda_stream *s, int number,
                            struct rt_stream_hint **out)
{
    struct rt_stream_hint *hints = hints_of(rt, s);

    if (!hints)
        return cudaErrorInvalidResourceHandle;
    for (int n = 0; n < RT_STREAM_HINTS; n++)
        if (numbers[n] == number) {
            *out = &hints[n];
            return cudaSuccess;
        }
    return cudaErrorInvalidValue;
}

enum cuda_error cudaStreamSetAttribute(struct cuda_stream *s, int number,
                                       const struct rt_stream_hint *value)
{
    struct rt *rt = rt_enter();
    struct rt_stream_hint *hint = NULL;
    enum cuda_error error = find(rt, s, number, &hint);

    if (!error)
        *hint = *value;
    return rt_leave(rt, error);
}

enum cuda_error cudaStreamGetAttribute(struct cuda_stream *s, int number,
                                       struct rt_stream_hint *out)
{
    struct rt *rt = rt_enter();
    struct rt_stream_hint *hint = NULL;
    enum cuda_error error = find(rt, s, number, &hint);

    if (!error)
        *out = *hint;
    return rt_leave(rt, error);
}

enum cuda_error cudaStreamCopyAttributes(struct cuda_stream *to, struct cuda_stream *from)
{
    struct rt *rt = rt_enter();
    struct rt_stream_hint *into = hints_of(rt, to), *of = hints_of(rt, from);

    if (!into || !of)
        return rt_leave(rt, cudaErrorInvalidResourceHandle);
    memmove(into, of, sizeof rt->default_hints);
    return rt_leave(rt, cudaSuccess);
}
