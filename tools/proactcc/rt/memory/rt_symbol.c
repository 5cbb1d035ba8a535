/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of the program's modules, named by their shadows on the host. */
#include "rt/abi/cuda_calls.h"
#include "rt/graph/rt_graph.h"
#include "rt/stream/rt_capture_rules.h"

static enum cuda_error find(struct rt *rt, const void *symbol, size_t first, size_t bytes,
                            struct rt_variable **out)
{
    struct rt_variable *v = rt_variable_find(rt, symbol);
    enum cuda_error error = rt_open(rt);

    if (error)
        return error;
    if (!v)
        return cudaErrorInvalidSymbol;
    if ((error = rt_variable_load(rt, v)))
        return error;
    if (first > v->place.bytes || bytes > v->place.bytes - first)
        return cudaErrorInvalidValue;
    *out = v;
    return cudaSuccess;
}

static bool is_to_host(enum cuda_copy_kind kind)
{
    return kind == CUDA_DEVICE_TO_HOST || kind == CUDA_HOST_TO_HOST ||
           kind > CUDA_COPY_DEFAULT;
}

static bool is_from_host(enum cuda_copy_kind kind)
{
    return kind == CUDA_HOST_TO_DEVICE || kind == CUDA_HOST_TO_HOST ||
           kind > CUDA_COPY_DEFAULT;
}

/* A copy from the host goes to all devices, so that their variables agree. A copy from the
   device or to a managed variable, which the host reads without a call, is an ordinary
   copy. */
static enum cuda_error write(struct rt *rt, const void *symbol, const void *from,
                             size_t bytes, size_t first, enum cuda_copy_kind kind,
                             bool is_async)
{
    struct proact_error err = {""};
    struct rt_variable *v = NULL;
    enum cuda_error error = find(rt, symbol, first, bytes, &v);

    if (error)
        return error;
    if (is_to_host(kind))
        return cudaErrorInvalidMemcpyDirection;
    if (v->managed || rt_range_of(rt, from))
        return rt_copy(rt, (void *)(uintptr_t)(v->place.address[0] + first), from, bytes,
                       kind, is_async);
    if (!is_async && (error = rt_capture_check_work(rt, NULL)))
        return error;
    rt->moved.to_device += bytes;
    return rt_error(
        rt, proact_variable_write(rt->session, &v->place, first, from, bytes, &err), &err);
}

static enum cuda_error read(struct rt *rt, void *to, const void *symbol, size_t bytes,
                            size_t first, enum cuda_copy_kind kind, bool is_async)
{
    struct rt_variable *v = NULL;
    enum cuda_error error = find(rt, symbol, first, bytes, &v);

    if (!error && is_from_host(kind))
        error = cudaErrorInvalidMemcpyDirection;
    return error ? error
                 : rt_copy(rt, to, (const void *)(uintptr_t)(v->place.address[0] + first),
                           bytes, kind, is_async);
}

enum cuda_error rt_symbol_check(const struct rt_kept_symbol_copy *c)
{
    return (c->to ? is_from_host(c->kind) : is_to_host(c->kind))
               ? cudaErrorInvalidMemcpyDirection
               : cudaSuccess;
}

/* Operations of a stream, which a capture may store. */
enum cuda_error rt_run_symbol_write(struct rt *rt, const void *data)
{
    const struct rt_kept_symbol_copy *c = data;

    return write(rt, c->symbol, c->from, c->bytes, c->first, c->kind, true);
}

enum cuda_error rt_run_symbol_read(struct rt *rt, const void *data)
{
    const struct rt_kept_symbol_copy *c = data;

    return read(rt, c->to, c->symbol, c->bytes, c->first, c->kind, true);
}

static enum cuda_error symbol_in_stream(struct rt *rt, const struct cuda_stream *stream,
                                        graph_run *run, const struct rt_kept_symbol_copy *c)
{
    const enum cuda_error error =
        rt_capture_of(rt, stream) ? rt_symbol_check(c) : cudaSuccess;

    return error ? error : rt_in_stream(rt, stream, run, c, sizeof *c);
}

enum cuda_error cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                                   size_t first, enum cuda_copy_kind kind)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, write(rt, symbol, from, bytes, first, kind, false));
}

enum cuda_error cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                        size_t first, enum cuda_copy_kind kind,
                                        struct cuda_stream *stream)
{
    struct rt *rt = rt_enter();
    const struct rt_kept_symbol_copy c = {symbol, NULL, from, bytes, first, kind};

    return rt_leave(rt, symbol_in_stream(rt, stream, rt_run_symbol_write, &c));
}

enum cuda_error cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                     size_t first, enum cuda_copy_kind kind)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, read(rt, to, symbol, bytes, first, kind, false));
}

enum cuda_error cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes,
                                          size_t first, enum cuda_copy_kind kind,
                                          struct cuda_stream *stream)
{
    struct rt *rt = rt_enter();
    const struct rt_kept_symbol_copy c = {symbol, to, NULL, bytes, first, kind};

    return rt_leave(rt, symbol_in_stream(rt, stream, rt_run_symbol_read, &c));
}

enum cuda_error cudaGetSymbolAddress(void **out, const void *symbol)
{
    struct rt *rt = rt_enter();
    struct rt_variable *v = NULL;
    enum cuda_error error = find(rt, symbol, 0, 0, &v);

    if (!error && !(error = rt_variable_give(rt, v)))
        *out = (void *)(uintptr_t)v->place.address[0];
    return rt_leave(rt, error);
}

enum cuda_error cudaGetSymbolSize(size_t *out, const void *symbol)
{
    struct rt *rt = rt_enter();
    struct rt_variable *v = NULL;
    enum cuda_error error = find(rt, symbol, 0, 0, &v);

    if (!error)
        *out = v->place.bytes;
    return rt_leave(rt, error);
}
