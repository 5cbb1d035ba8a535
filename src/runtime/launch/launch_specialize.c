/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/launch/launch_specialize.h"

#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "base/memory.h"
#include "instrument/instrument.h"
#include "runtime/access_sets/needs.h"
#include "runtime/kernel/runtime_kernel.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/request/launching.h"

/* limits chosen for library kernels that select among modes */
enum { BRANCHES_MAX = 64, VARIANTS_MAX = 8 };

struct kernel_specialization {
    uint32_t branch_count;
    struct access_branch branch[BRANCHES_MAX];
    uint32_t count;
    struct specialized {
        struct known_ways {
            uint64_t known, satisfied; /* per branch: value of its condition */
        } ways;
        struct proact_kernel *variant; /* NULL: nothing is removed */
    } of[VARIANTS_MAX];
    bool is_used;
};

static struct kernel_specialization *specialization_of(struct proact_kernel *k)
{
    const struct access_analysis *a = needs_analysis(k);

    if (k->specialization)
        return k->specialization;
    k->specialization = must_calloc(1, sizeof *k->specialization);
    k->specialization->branch_count =
        access_branches(a, k->specialization->branch, BRANCHES_MAX);
    return k->specialization;
}

static struct known_ways find_ways(const struct launching *l,
                                   const struct kernel_specialization *k)
{
    const struct access_analysis *a = needs_analysis(l->kernel);
    struct known_ways ways = {0, 0};
    unsigned char *block = needs_block(l);
    struct access_point at = {
        .parameters = block, .parameter_bytes = l->kernel->parameter_bytes, .is_any = true};

    memcpy(at.ntid, l->threads, sizeof at.ntid);
    memcpy(at.nctaid, l->grid, sizeof at.nctaid);
    for (uint32_t n = 0; n < k->branch_count; n++) {
        const int satisfied = access_holds(a, k->branch[n].condition, &at);

        ways.known |= (uint64_t)(satisfied >= 0) << n;
        ways.satisfied |= (uint64_t)(satisfied > 0) << n;
    }
    free(block);
    return ways;
}

static struct proact_kernel *make(struct proact_kernel *k,
                                  const struct kernel_specialization *of,
                                  struct known_ways ways)
{
    const struct ptx_function *f = k->ptx;
    enum instrument_way *way = must_calloc(f->instruction_count + 1u, sizeof *way);
    struct proact_kernel *variant = NULL;
    size_t bytes;

    for (uint32_t n = 0; n < of->branch_count; n++) {
        const uint32_t i = of->branch[n].instruction;
        const bool satisfied = ways.satisfied >> n & 1;

        if (ways.known >> n & 1)
            way[i] = satisfied != f->instructions[i].guard_negated ? INSTRUMENT_GOES
                                                                   : INSTRUMENT_STAYS;
    }
    char *text = instrument_decided(k->image->ptx, f, way, &bytes);

    if (text && kernel_rewritten_create(k, text, bytes, &variant))
        variant = NULL; /* the launch keeps the original kernel */
    free(way);
    return variant;
}

static struct proact_kernel *find(struct launching *l, bool first)
{
    struct kernel_specialization *k = specialization_of(l->kernel);
    struct known_ways ways;

    if (!k->branch_count)
        return NULL;
    ways = find_ways(l, k);
    for (uint32_t n = 0; n < k->count; n++)
        if (k->of[n].ways.known == ways.known && k->of[n].ways.satisfied == ways.satisfied)
            return k->of[n].variant;
    if (!ways.known || !first || k->count == VARIANTS_MAX)
        return NULL;
    k->of[k->count] = (struct specialized){ways, make(l->kernel, k, ways)};
    k->is_used |= k->of[k->count].variant != NULL;
    return k->of[k->count++].variant;
}

bool launch_specialize(struct launching *l, bool first)
{
    struct proact_kernel *k = l->kernel, *variant;
    const bool is_used = k->specialization && k->specialization->is_used;

    const uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];

    if (k->session->devices.count == 1 || !l->is_program || k->variant_of || k->has_maps ||
        k->is_annotated || k->texels || ctas == 1 ||
        (first ? k->session->recording != NULL : !is_used))
        return false;
    variant = find(l, first);
    if (!variant)
        return false;
    k->used = variant;
    l->kernel = variant;
    return true;
}
