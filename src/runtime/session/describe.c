/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of a kernel and of a device. */
#include "base/fail.h"
#include "ptx/ptx.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"

static bool uses(const struct ptx_function *f, int32_t symbol)
{
    for (uint32_t i = 0; i < f->instruction_count; i++)
        for (uint32_t o = 0; o < f->instructions[i].operand_count; o++) {
            const struct ptx_operand *at = &f->instructions[i].operands[o];

            if ((at->kind == PTX_SYMBOL || at->kind == PTX_MEMORY) && at->symbol == symbol)
                return true;
        }
    return false;
}

/* Shared memory of the kernel and of the module variables that it uses. */
static uint32_t shared_bytes(const struct ptx_module *m, const struct ptx_function *f)
{
    uint32_t bytes = 0;

    for (uint32_t i = f->parameter_count; i < f->symbol_count; i++)
        if (f->symbols[i].space == PTX_SPACE_SHARED)
            bytes += ptx_symbol_bytes(&f->symbols[i]);
    for (uint32_t i = 0; i < m->symbol_count; i++)
        if (m->symbols[i].space == PTX_SPACE_SHARED && m->symbols[i].bytes &&
            uses(f, (int32_t)i + PTX_SYMBOL_MODULE))
            bytes += ptx_symbol_bytes(&m->symbols[i]);
    return bytes;
}

struct proact_kernel_info proact_kernel_describe(const struct proact_kernel *k)
{
    return (struct proact_kernel_info){
        .name = k->name,
        .parameter_bytes = k->given_bytes,
        .parameters = k->parameter,
        .parameter_count = k->parameter_count,
        .may_hold_pointer = k->given_addresses,
        .max_threads = k->ptx->max_threads,
        .cluster_ctas = {k->ptx->cluster[0], k->ptx->cluster[1], k->ptx->cluster[2]},
        .max_cluster_ctas = k->ptx->max_cluster,
        .requires_cluster = k->ptx->must_cluster,
        .static_shared_bytes = shared_bytes(k->image->ptx, k->ptx),
        .is_annotated = k->is_annotated};
}

enum proact_status proact_kernel_resources_get(const struct proact_kernel *k,
                                               struct proact_kernel_resources *out,
                                               struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_kernel_resources_get(k, out)", (const void *[]){k, out}, err);

    if (status)
        return status;
    struct device_function_info info;
    status = k->session->backend->function_info(k->function[0], &info, err);

    if (!status)
        *out = (struct proact_kernel_resources){.registers = info.registers,
                                                .max_threads = info.threads,
                                                .local_bytes = info.local_bytes,
                                                .const_bytes = info.const_bytes};
    return status;
}

enum proact_status proact_kernel_occupancy(const struct proact_kernel *k, uint32_t threads,
                                           uint64_t shared_bytes, uint32_t *out,
                                           struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_kernel_occupancy(k, out)", (const void *[]){k, out}, err);

    if (status)
        return status;
    return k->session->backend->residency(k->function[0], threads, shared_bytes, out, err);
}

struct proact_device_info proact_device_describe(const struct proact *p)
{
    const struct topology_device *d = &p->topology.device;

    return (struct proact_device_info){
        .machine = p->topology.name,
        .name = d->name,
        .compute_capability = d->capability,
        .sm_count = d->sm_count,
        .threads_per_sm = d->threads_per_sm,
        .ctas_per_sm = d->ctas_per_sm,
        .threads_per_cta = d->threads_per_cta,
        .shared_bytes_per_sm = d->shared_bytes_per_sm,
        .shared_bytes_per_cta = d->shared_bytes_per_cta,
        .memory_bytes = d->memory_bytes,
        .l2_bytes = d->l2_bytes,
        .clock_ghz = d->clock_ghz,
        .memory_gbps = d->memory_gbps,
    };
}
