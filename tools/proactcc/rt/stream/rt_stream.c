/* SPDX-License-Identifier: Apache-2.0 */
/* The streams of the program, by handle. */
#include "rt/graph/rt_graph.h"

bool rt_stream_is_default(const struct cuda_stream *s)
{
    return !s || s == CUDA_STREAM_LEGACY || s == CUDA_STREAM_PER_THREAD;
}

struct rt_stream **rt_stream_link(struct rt *rt, const struct cuda_stream *handle)
{
    struct rt_stream **link = &rt->streams;

    while (*link && (*link)->handle != handle)
        link = &(*link)->next;
    return link;
}

struct rt_stream *rt_stream_find(struct rt *rt, const struct cuda_stream *handle)
{
    return rt_stream_is_default(handle) ? NULL : *rt_stream_link(rt, handle);
}

bool rt_streams_may_be_drivers(const struct rt *rt)
{
    return !rt->is_emulated && (rt->interop.linked_count || rt->interop.untracked);
}

enum cuda_error rt_stream_enter(struct rt *rt, const struct cuda_stream *handle)
{
    const struct rt_stream *s =
        rt->session && !rt_streams_may_be_drivers(rt) ? rt_stream_find(rt, handle) : NULL;
    struct proact_error err;

    return s ? rt_error(rt, proact_stream_set_current(rt->session, s->number, &err), &err)
             : cudaSuccess;
}

void rt_stream_leave(struct rt *rt)
{
    if (rt->session)
        proact_stream_set_current(rt->session, 0, NULL);
}

enum cuda_error rt_stream_check(struct rt *rt, const struct cuda_stream *handle)
{
    return rt_stream_is_default(handle) || *rt_stream_link(rt, handle) ||
                   rt_streams_may_be_drivers(rt)
               ? cudaSuccess
               : cudaErrorInvalidResourceHandle;
}
