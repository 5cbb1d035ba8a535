/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/request/launch_cluster.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "ptx/ptx.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session_image.h"
#include "runtime/request/launching.h"

static bool is_special(const struct ptx_instruction *i)
{
    for (uint32_t o = 0; o < i->operand_count; o++)
        if (i->operands[o].kind == PTX_SPECIAL &&
            i->operands[o].special >= PTX_CLUSTERID_X &&
            i->operands[o].special <= PTX_IS_EXPLICIT_CLUSTER)
            return true;
    return false;
}

/* The `.shared::cluster` window includes the CTA's own memory, so only an operation that
   names another CTA counts. */
static bool is_of_clusters(const struct ptx_instruction *i)
{
    switch (i->opcode) {
    case PTX_MAPA:
    case PTX_GETCTARANK:
    case PTX_CLUSTERLAUNCHCONTROL:
        return true;
    case PTX_BARRIER:
        return ptx_has(i, PTX_PART_CLUSTER);
    case PTX_CP:
        return ptx_has(i, PTX_PART_MULTICAST_CLUSTER);
    default:
        return is_special(i);
    }
}

static const struct ptx_instruction *find_in(const struct ptx_function *f)
{
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (is_of_clusters(&f->instructions[n]))
            return &f->instructions[n];
    return NULL;
}

static const struct ptx_instruction *find(const struct proact_kernel *k)
{
    const struct ptx_module *m = k->image->ptx;
    bool *reached = must_calloc(m->function_count, sizeof *reached);
    const struct ptx_instruction *found = NULL;

    ptx_reach(m, k->ptx, reached);
    for (uint32_t n = 0; n < m->function_count && !found; n++)
        if (reached[n])
            found = find_in(&m->functions[n]);
    free(reached);
    return found;
}

char *cluster_use(const struct proact_kernel *k)
{
    const struct ptx_function *f = k->ptx;
    const struct ptx_instruction *i = find(k);
    struct proact_error why = {""};
    char text[80];

    if ((uint64_t)f->cluster[0] * f->cluster[1] * f->cluster[2] > 1) {
        fail(&why, PROACT_EREFUSED,
             "kernel '%s': it is built for clusters of %" PRIu32 " x %" PRIu32 " x %" PRIu32
             " CTAs, which are not split",
             k->name, f->cluster[0], f->cluster[1], f->cluster[2]);
        return must_strdup(why.text);
    }
    if (!i)
        return NULL;
    ptx_instruction_text(k->image->ptx, i, text, sizeof text);
    fail(&why, PROACT_EREFUSED,
         "kernel '%s', %s:%" PRIu32 ": '%s': clusters of CTAs are not split", k->name,
         k->image->ptx->name, i->line, text);
    return must_strdup(why.text);
}

void launch_take_clusters(struct launching *l, const struct proact_grid *g)
{
    const uint32_t *c = g->cluster_ctas;
    bool is_any = c[0] > 1 || c[1] > 1 || c[2] > 1 ||
                  (l->kernel->uses_clusters && (c[0] || c[1] || c[2]));

    for (int i = 0; is_any && i < 3; i++)
        l->cluster[i] = c[i] ? c[i] : 1;
}

bool launch_is_in_clusters(const struct launching *l)
{
    struct proact_kernel *k = l->kernel;
    const uint32_t *c = l->cluster;

    k->in_clusters.text[0] = '\0';
    if (c[0])
        fail(&k->in_clusters, PROACT_EREFUSED,
             "kernel '%s': it is launched in clusters of %" PRIu32 " x %" PRIu32
             " x %" PRIu32 " CTAs, which are not split",
             k->name, c[0], c[1], c[2]);
    else if (k->uses_clusters)
        fail(&k->in_clusters, PROACT_EREFUSED, "%s", k->uses_clusters);
    return c[0] || k->uses_clusters;
}

enum proact_status launch_check_clusters(const struct launching *l,
                                         struct proact_error *err)
{
    if (!l->kernel->is_annotated || !launch_is_in_clusters(l))
        return PROACT_OK;
    return fail(err, PROACT_EREFUSED, "%s, but an annotated kernel must be split",
                l->kernel->in_clusters.text);
}

const char *cluster_refusal(const struct proact_kernel *k)
{
    return k->in_clusters.text[0] ? k->in_clusters.text : NULL;
}
