/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of boxes. The driver interface counts in bytes and gives the kind of each end. The
   runtime counts in elements if an end is an array. */
#include "rt/driver/rt_driver.h"

enum { UNIFIED = 4 };

/* One end of a copy, of either kind. */
struct end {
    const struct driver_place *place;
    size_t x, y, z, pitch, height;
};

static size_t element_of(const struct cuda_array *array)
{
    struct cuda_channel c;

    if (cudaGetChannelDesc(&c, array))
        return 0;
    return (size_t)(c.x + c.y + c.z + c.w) / 8;
}

static bool is_host(const struct end *e)
{
    return e->place->type == DRIVER_MEMORY_HOST;
}

static bool is_array(const struct end *e)
{
    return e->place->type == DRIVER_MEMORY_ARRAY;
}

/* A pitch or height of 0 means one row or one plane. */
static enum cuda_error check(const struct end *e, const struct cuda_extent *extent)
{
    if (e->place->type < DRIVER_MEMORY_HOST || e->place->type > UNIFIED)
        return cudaErrorInvalidValue;
    if (is_array(e))
        return element_of(e->place->array) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    const bool is_narrow = e->pitch ? e->pitch < e->x + extent->width : extent->height > 1;
    const bool is_low = !e->height && extent->depth > 1;

    return is_narrow || is_low ? cudaErrorInvalidValue : cudaSuccess;
}

static enum cuda_error take(const struct end *e, const struct cuda_extent *extent,
                            void **array, struct cuda_position *at,
                            struct cuda_pitched *out)
{
    enum cuda_error error = check(e, extent);

    *at = (struct cuda_position){e->x, e->y, e->z};
    if (error || is_array(e)) {
        *array = e->place->array;
        return error;
    }
    void *pointer = is_host(e) ? (void *)(uintptr_t)e->place->host
                               : (void *)(uintptr_t)e->place->device;

    *out =
        (struct cuda_pitched){pointer, e->pitch ? e->pitch : e->x + extent->width,
                              extent->width, e->height ? e->height : e->y + extent->height};
    return cudaSuccess;
}

static enum cuda_copy_kind kind_of(const struct end *to, const struct end *from)
{
    if (to->place->type == UNIFIED || from->place->type == UNIFIED)
        return CUDA_COPY_DEFAULT;
    if (is_host(to))
        return is_host(from) ? CUDA_HOST_TO_HOST : CUDA_DEVICE_TO_HOST;
    return is_host(from) ? CUDA_HOST_TO_DEVICE : CUDA_DEVICE_TO_DEVICE;
}

/* The position and width must be multiples of the element size. */
static enum cuda_error in_elements(struct cuda_copy_3d *c)
{
    const size_t element = c->to_array     ? element_of(c->to_array)
                           : c->from_array ? element_of(c->from_array)
                                           : 1;
    size_t *const counts[] = {&c->extent.width, c->to_array ? &c->to_position.x : NULL,
                              c->from_array ? &c->from_position.x : NULL};

    for (unsigned n = 0; n < 3; n++) {
        if (!counts[n])
            continue;
        if (!element || *counts[n] % element)
            return cudaErrorInvalidValue;
        *counts[n] /= element;
    }
    return cudaSuccess;
}

static enum cuda_error put_together(const struct end *to, const struct end *from,
                                    const struct cuda_extent *extent,
                                    struct cuda_copy_3d *out)
{
    enum cuda_error error;

    *out = (struct cuda_copy_3d){.extent = *extent};
    if ((error = take(to, extent, &out->to_array, &out->to_position, &out->to)) ||
        (error = take(from, extent, &out->from_array, &out->from_position, &out->from)))
        return error;
    out->kind = kind_of(to, from);
    return in_elements(out);
}

static enum cuda_error of_two(const struct driver_copy_2d *c, struct cuda_copy_3d *out)
{
    const struct end to = {&c->to, c->to_x, c->to_y, 0, c->to_pitch, 0};
    const struct end from = {&c->from, c->from_x, c->from_y, 0, c->from_pitch, 0};

    return put_together(&to, &from, &(struct cuda_extent){c->width, c->height, 1}, out);
}

static enum cuda_error of_three(const struct driver_copy_3d *c, struct cuda_copy_3d *out)
{
    const struct end to = {&c->to, c->to_x, c->to_y, c->to_z, c->to_pitch, c->to_height};
    const struct end from = {&c->from,  c->from_x,     c->from_y,
                             c->from_z, c->from_pitch, c->from_height};

    if (c->from_level || c->to_level)
        return cudaErrorInvalidValue;
    return put_together(&to, &from, &(struct cuda_extent){c->width, c->height, c->depth},
                        out);
}

enum cuda_error cuMemcpy2D_v2(const struct driver_copy_2d *c)
{
    struct cuda_copy_3d made;
    enum cuda_error error = driver_enter(DRIVER_CONTEXT);

    if (!error)
        error = of_two(c, &made);
    return driver_leave(error ? error : cudaMemcpy3D(&made));
}

enum cuda_error cuMemcpy2DUnaligned_v2(const struct driver_copy_2d *c)
{
    return cuMemcpy2D_v2(c);
}

enum cuda_error cuMemcpy2DAsync_v2(const struct driver_copy_2d *c,
                                   struct cuda_stream *stream)
{
    struct cuda_copy_3d made;
    enum cuda_error error = driver_enter(DRIVER_CONTEXT);

    if (!error)
        error = of_two(c, &made);
    return driver_leave(error ? error : cudaMemcpy3DAsync(&made, stream));
}

enum cuda_error cuMemcpy3D_v2(const struct driver_copy_3d *c)
{
    struct cuda_copy_3d made;
    enum cuda_error error = driver_enter(DRIVER_CONTEXT);

    if (!error)
        error = of_three(c, &made);
    return driver_leave(error ? error : cudaMemcpy3D(&made));
}

enum cuda_error cuMemcpy3DAsync_v2(const struct driver_copy_3d *c,
                                   struct cuda_stream *stream)
{
    struct cuda_copy_3d made;
    enum cuda_error error = driver_enter(DRIVER_CONTEXT);

    if (!error)
        error = of_three(c, &made);
    return driver_leave(error ? error : cudaMemcpy3DAsync(&made, stream));
}

enum cuda_error cuGraphAddMemcpyNode(struct graph_op **out, struct cuda_graph *g,
                                     struct graph_op *const *after, size_t count,
                                     const struct driver_copy_3d *node,
                                     struct cuda_context *here)
{
    struct cuda_copy_3d made;
    enum cuda_error error = driver_enter(DRIVER_ANY);

    (void)here;
    if (!error)
        error = of_three(node, &made);
    return driver_leave(error ? error
                              : cudaGraphAddMemcpyNode(out, g, after, count, &made));
}

enum cuda_error cuGraphMemcpyNodeSetParams(struct graph_op *op,
                                           const struct driver_copy_3d *node)
{
    struct cuda_copy_3d made;
    enum cuda_error error = driver_enter(DRIVER_ANY);

    if (!error)
        error = of_three(node, &made);
    return driver_leave(error ? error : cudaGraphMemcpyNodeSetParams(op, &made));
}

enum cuda_error cuGraphExecMemcpyNodeSetParams(struct cuda_graph_exec *exec,
                                               struct graph_op *op,
                                               const struct driver_copy_3d *node,
                                               struct cuda_context *here)
{
    struct cuda_copy_3d made;
    enum cuda_error error = driver_enter(DRIVER_ANY);

    (void)here;
    if (!error)
        error = of_three(node, &made);
    return driver_leave(error ? error : cudaGraphExecMemcpyNodeSetParams(exec, op, &made));
}
