/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/launch/launch_turn.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "instrument/instrument.h"

static struct proact_kernel *straight_of(const struct launching *l)
{
    return l->straight ? l->straight : l->kernel;
}

static void swap(uint32_t grid[3], const unsigned turned[2])
{
    const uint32_t one = grid[turned[0]];

    grid[turned[0]] = grid[turned[1]];
    grid[turned[1]] = one;
}

void launch_grid(const struct launching *l, uint32_t grid[3])
{
    memcpy(grid, l->grid, sizeof l->grid);
    if (l->straight)
        swap(grid, l->turned);
}

/* Of two dimensions at least, and such as the compiler's passes take (launch_tables.h). */
static bool may_turn(const struct launching *l, const uint32_t grid[3])
{
    const struct proact_kernel *k = straight_of(l);
    const int wide = (grid[0] > 1) + (grid[1] > 1) + (grid[2] > 1);

    return wide > 1 && k->session->devices.count > 1 && l->over > 1 && l->is_program &&
           !l->is_cooperative && !l->cluster[0] && !k->direct && !k->has_maps &&
           !k->is_marked && !k->texels && !k->uses_clusters;
}

struct turned_shape *launch_shape(const struct launching *l)
{
    uint32_t grid[3];

    launch_grid(l, grid);
    return may_turn(l, grid) ? turned_shape_find(straight_of(l), grid, l->threads) : NULL;
}

static struct proact_kernel *make(struct proact_kernel *k, const unsigned turned[2])
{
    struct proact_kernel *variant;
    size_t bytes;
    char *text = instrument_turned(k->image->ptx, k->ptx, turned[0], turned[1], &bytes);

    if (!text || kernel_rewritten_create(k, text, bytes, &variant))
        return NULL;
    variant->tabled = k->tabled;
    variant->whole_bytes = k->whole_bytes;
    variant->along = "xyz"[turned[0]];
    return variant;
}

static struct proact_kernel *variant_of(struct proact_kernel *k, const unsigned turned[2])
{
    struct turned_kernel *of = &k->turns->of[turned[0] + turned[1] - 1];

    if (!of->is_asked)
        of->variant = make(k, turned);
    of->is_asked = true;
    return of->variant;
}

void launch_is_last(const struct launching *l)
{
    struct proact_kernel *root = l->kernel;

    while (root->variant_of)
        root = root->variant_of;
    root->used = l->kernel;
}

/* All that was found out is of the other kernel. */
static void begin_anew(struct launching *l, struct proact_kernel *k)
{
    l->kernel = k;
    l->found = (struct derived){0};
    l->binding = NULL;
    l->needs = NULL;
    l->is_ready = l->is_staged = l->is_divided = false;
    launch_is_last(l);
}

static void straighten(struct launching *l)
{
    swap(l->grid, l->turned);
    begin_anew(l, l->straight);
    l->straight = NULL;
}

bool launch_turn_to(struct launching *l, unsigned dimension)
{
    struct proact_kernel *k = straight_of(l), *variant;
    uint32_t grid[3];

    launch_grid(l, grid);
    const unsigned turned[2] = {dimension, shape_slowest(grid)};

    if (dimension == turned[1]) {
        if (l->straight)
            straighten(l);
        return true;
    }
    variant = variant_of(k, turned);
    if (!variant)
        return false;
    if (l->straight)
        straighten(l);
    memcpy(l->turned, turned, sizeof turned);
    l->straight = k;
    swap(l->grid, turned);
    begin_anew(l, variant);
    return true;
}

/* A test's wish. */
static void turn_anyhow(struct turned_shape *s, unsigned wishes)
{
    for (unsigned d = 2; d-- > 0 && s->slowest == shape_slowest(s->grid);)
        if (wishes >> d & 1 && shape_may_be_slowest(s, d))
            s->slowest = d;
}

void launch_turn(struct launching *l)
{
    const struct proact *p = l->kernel->session;
    struct turned_shape *s = p->turns || l->kernel->turns ? launch_shape(l) : NULL;

    if (s && p->turns)
        turn_anyhow(s, p->turns);
    if (s && s->slowest != shape_slowest(s->grid) && !launch_turn_to(l, s->slowest)) {
        s->is_no_good[s->slowest] = true;
        s->slowest = shape_slowest(s->grid);
    }
}

bool launch_turn_back(struct launching *l)
{
    if (!l->straight)
        return false;
    struct turned_shape *s = launch_shape(l);

    straighten(l);
    if (s) {
        s->is_no_good[s->slowest] = true;
        s->slowest = shape_slowest(s->grid);
    }
    return true;
}

char proact_kernel_split_axis(const struct proact_kernel *k)
{
    return k->used ? k->used->along : '\0';
}
