/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/launch/launch_narrow.h"

#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "base/memory.h"
#include "instrument/instrument.h"
#include "runtime/derive/needs.h"

/* As many ways through a kernel as a library has modes. */
enum { BRANCHES_MAX = 64, VARIANTS_MAX = 8 };

struct kernel_narrowing {
    uint32_t branch_count;
    struct narrow_branch {
        uint32_t instruction;
        const struct access_condition *condition; /* of its predicate */
    } branch[BRANCHES_MAX];
    uint32_t count;
    struct narrowed {
        struct known_ways {
            uint64_t known, held; /* by branch: the condition */
        } ways;
        struct proact_kernel *variant; /* NULL: nothing is left out */
    } of[VARIANTS_MAX];
    bool is_used;
};

/* Whether the launch's numbers alone tell the form. */
static bool is_given(const struct access_analysis *a, const struct access_form *f)
{
    for (uint32_t i = 0; f && i < f->count; i++)
        for (uint32_t n = 0; n < f->terms[i].degree; n++) {
            const struct access_symbol *y = &a->symbols[f->terms[i].symbols[n]];
            const bool is_size =
                y->kind == ACCESS_SPECIAL &&
                ((y->special >= PTX_NTID_X && y->special <= PTX_NTID_Z) ||
                 (y->special >= PTX_NCTAID_X && y->special <= PTX_NCTAID_Z));

            if (y->kind == ACCESS_FUNCTION ? !is_given(a, y->left) || !is_given(a, y->right)
                                           : y->kind != ACCESS_PARAMETER && !is_size)
                return false;
        }
    return f != NULL;
}

/* Whether they tell something of it. */
static bool is_told(const struct access_analysis *a, const struct access_condition *c)
{
    if (c->kind == ACCESS_COMPARE)
        return is_given(a, c->left) && is_given(a, c->right);
    return (c->first && is_told(a, c->first)) || (c->second && is_told(a, c->second));
}

/* The one conditional branch at the line; -1 for none, or several. */
static int64_t branch_at(const struct ptx_function *f, uint32_t line)
{
    int64_t found = -1;

    for (uint32_t n = 0; n < f->instruction_count; n++) {
        if (f->instructions[n].line != line || f->instructions[n].guard < 0)
            continue;
        if (found >= 0 || f->instructions[n].opcode != PTX_BRA)
            return -1;
        found = n;
    }
    return found;
}

/* Narrow numbers that are assumed not to wrap may. */
static void add(struct kernel_narrowing *k, const struct access_analysis *a,
                const struct access_guard *guards, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct access_guard *g = &guards[i];
        bool is_new = k->branch_count < BRANCHES_MAX && !g->is_part && !g->range_count &&
                      is_told(a, g->condition);
        const int64_t at = is_new ? branch_at(a->function, g->line) : -1;

        for (uint32_t n = 0; n < k->branch_count; n++)
            is_new &= k->branch[n].instruction != at;
        if (is_new && at >= 0)
            k->branch[k->branch_count++] =
                (struct narrow_branch){(uint32_t)at, g->condition};
    }
}

static struct kernel_narrowing *narrowing_of(struct proact_kernel *k)
{
    const struct access_analysis *a = needs_analysis(k);

    if (k->narrowing)
        return k->narrowing;
    k->narrowing = must_calloc(1, sizeof *k->narrowing);
    for (uint32_t n = 0; n < a->record_count; n++)
        add(k->narrowing, a, a->records[n].guards, a->records[n].guard_count);
    for (uint32_t n = 0; n < a->loop_count; n++)
        add(k->narrowing, a, a->loops[n].guards, a->loops[n].guard_count);
    for (uint32_t n = 0; n < a->print_count; n++)
        add(k->narrowing, a, a->prints[n].guards, a->prints[n].count);
    return k->narrowing;
}

static struct known_ways find_ways(const struct launching *l,
                                   const struct kernel_narrowing *k)
{
    const struct access_analysis *a = needs_analysis(l->kernel);
    struct known_ways ways = {0, 0};
    unsigned char *block = needs_block(l);
    struct access_point at = {
        .parameters = block, .parameter_bytes = l->kernel->parameter_bytes, .is_any = true};

    memcpy(at.ntid, l->threads, sizeof at.ntid);
    memcpy(at.nctaid, l->grid, sizeof at.nctaid);
    for (uint32_t n = 0; n < k->branch_count; n++) {
        const int held = access_holds(a, k->branch[n].condition, &at);

        ways.known |= (uint64_t)(held >= 0) << n;
        ways.held |= (uint64_t)(held > 0) << n;
    }
    free(block);
    return ways;
}

static struct proact_kernel *make(struct proact_kernel *k,
                                  const struct kernel_narrowing *of, struct known_ways ways)
{
    const struct ptx_function *f = k->ptx;
    enum instrument_way *way = must_calloc(f->instruction_count + 1u, sizeof *way);
    struct proact_kernel *variant = NULL;
    size_t bytes;

    for (uint32_t n = 0; n < of->branch_count; n++) {
        const uint32_t i = of->branch[n].instruction;
        const bool held = ways.held >> n & 1;

        if (ways.known >> n & 1)
            way[i] = held != f->instructions[i].guard_negated ? INSTRUMENT_GOES
                                                              : INSTRUMENT_STAYS;
    }
    char *text = instrument_decided(k->image->ptx, f, way, &bytes);

    if (text && kernel_narrowed_create(k, text, bytes, &variant))
        variant = NULL; /* it stays as it is */
    free(way);
    return variant;
}

static struct proact_kernel *find(struct launching *l, bool first)
{
    struct kernel_narrowing *k = narrowing_of(l->kernel);
    struct known_ways ways;

    if (!k->branch_count)
        return NULL;
    ways = find_ways(l, k);
    for (uint32_t n = 0; n < k->count; n++)
        if (k->of[n].ways.known == ways.known && k->of[n].ways.held == ways.held)
            return k->of[n].variant;
    if (!ways.known || !first || k->count == VARIANTS_MAX)
        return NULL;
    k->of[k->count] = (struct narrowed){ways, make(l->kernel, k, ways)};
    k->is_used |= k->of[k->count].variant != NULL;
    return k->of[k->count++].variant;
}

bool launch_narrow(struct launching *l, bool first)
{
    struct proact_kernel *k = l->kernel, *variant;
    const bool is_used = k->narrowing && k->narrowing->is_used;

    const uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];

    if (k->session->devices.count == 1 || !l->is_program || k->variant_of || k->has_maps ||
        k->is_marked || k->texels || ctas == 1 ||
        (first ? k->session->recording != NULL : !is_used))
        return false;
    variant = find(l, first);
    if (!variant)
        return false;
    k->used = variant;
    l->kernel = variant;
    return true;
}
