/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/launch/launch_axis.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "instrument/instrument.h"
#include "runtime/kernel/runtime_kernel.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/request/interchanged_shape.h"
#include "runtime/request/launching.h"

static struct proact_kernel *axis_original_kernel(const struct launching *l)
{
    return l->original ? l->original : l->kernel;
}

static void swap(uint32_t grid[3], const unsigned interchanged[2])
{
    const uint32_t one = grid[interchanged[0]];

    grid[interchanged[0]] = grid[interchanged[1]];
    grid[interchanged[1]] = one;
}

void launch_grid(const struct launching *l, uint32_t grid[3])
{
    memcpy(grid, l->grid, sizeof l->grid);
    if (l->original)
        swap(grid, l->interchanged);
}

/* The axis can change only with two or more dimensions, and for kernels that the rewriting
   passes accept (launch_tables.h). */
static bool axis_may_change(const struct launching *l, const uint32_t grid[3])
{
    const struct proact_kernel *k = axis_original_kernel(l);
    const int wide = (grid[0] > 1) + (grid[1] > 1) + (grid[2] > 1);

    return wide > 1 && k->session->devices.count > 1 && l->over > 1 && l->is_program &&
           !l->is_cooperative && !l->cluster[0] && !k->direct && !k->has_maps &&
           !k->is_annotated && !k->texels && !k->uses_clusters;
}

struct interchanged_shape *launch_shape(const struct launching *l)
{
    uint32_t grid[3];

    launch_grid(l, grid);
    return axis_may_change(l, grid)
               ? interchanged_shape_find(axis_original_kernel(l), grid, l->threads)
               : NULL;
}

static struct proact_kernel *make(struct proact_kernel *k, const unsigned interchanged[2])
{
    struct proact_kernel *variant;
    size_t bytes;
    char *text = instrument_interchange(k->image->ptx, k->ptx, interchanged[0],
                                        interchanged[1], &bytes);

    if (!text || kernel_rewritten_create(k, text, bytes, &variant))
        return NULL;
    variant->tabled = k->tabled;
    variant->whole_bytes = k->whole_bytes;
    variant->split_axis = "xyz"[interchanged[0]];
    return variant;
}

static struct proact_kernel *variant_of(struct proact_kernel *k,
                                        const unsigned interchanged[2])
{
    struct interchanged_kernel *of =
        &k->interchanges->of[interchanged[0] + interchanged[1] - 1];

    if (!of->is_checked)
        of->variant = make(k, interchanged);
    of->is_checked = true;
    return of->variant;
}

void launch_is_last(const struct launching *l)
{
    struct proact_kernel *root = l->kernel;

    while (root->variant_of)
        root = root->variant_of;
    root->used = l->kernel;
}

/* Earlier results belong to the other kernel. */
static void axis_restart(struct launching *l, struct proact_kernel *k)
{
    l->kernel = k;
    l->found = (struct derived){0};
    l->binding = NULL;
    l->needs = NULL;
    l->is_ready = l->is_staged = l->is_divided = false;
    launch_is_last(l);
}

static void axis_restore(struct launching *l)
{
    swap(l->grid, l->interchanged);
    axis_restart(l, l->original);
    l->original = NULL;
}

bool launch_axis_set(struct launching *l, unsigned dimension)
{
    struct proact_kernel *k = axis_original_kernel(l), *variant;
    uint32_t grid[3];

    launch_grid(l, grid);
    const unsigned interchanged[2] = {dimension, shape_slowest(grid)};

    if (dimension == interchanged[1]) {
        if (l->original)
            axis_restore(l);
        return true;
    }
    variant = variant_of(k, interchanged);
    if (!variant)
        return false;
    if (l->original)
        axis_restore(l);
    memcpy(l->interchanged, interchanged, sizeof interchanged);
    l->original = k;
    swap(l->grid, interchanged);
    axis_restart(l, variant);
    return true;
}

/* Applies an axis forced by a test. */
static void axis_force(struct interchanged_shape *s, unsigned wishes)
{
    for (unsigned d = 2; d-- > 0 && s->slowest == shape_slowest(s->grid);)
        if (wishes >> d & 1 && shape_may_be_slowest(s, d))
            s->slowest = d;
}

void launch_axis_select(struct launching *l)
{
    const struct proact *p = l->kernel->session;
    struct interchanged_shape *s =
        p->forced_axes || l->kernel->interchanges ? launch_shape(l) : NULL;

    if (s && p->forced_axes)
        axis_force(s, p->forced_axes);
    if (s && s->slowest != shape_slowest(s->grid) && !launch_axis_set(l, s->slowest)) {
        s->is_no_good[s->slowest] = true;
        s->slowest = shape_slowest(s->grid);
    }
}

bool launch_axis_reset(struct launching *l)
{
    if (!l->original)
        return false;
    struct interchanged_shape *s = launch_shape(l);

    axis_restore(l);
    if (s) {
        s->is_no_good[s->slowest] = true;
        s->slowest = shape_slowest(s->grid);
    }
    return true;
}

char proact_kernel_split_axis(const struct proact_kernel *k)
{
    return k->used ? k->used->split_axis : '\0';
}
