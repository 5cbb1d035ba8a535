/* SPDX-License-Identifier: Apache-2.0 */
/* A launch as a program for one GPU makes it: a block of parameters with addresses in it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/first_device.h"

static enum proact_status check(const struct proact_kernel *k,
                                const struct proact_block *block, struct proact_error *err)
{
    uint32_t bytes = proact_kernel_describe(k).parameter_bytes;

    if (k->session->recording)
        return fail(err, PROACT_EINVAL, "kernel '%s': a block cannot be recorded", k->name);
    if (block->size != bytes)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': a block of %zu bytes, its parameters have %u", k->name,
                    block->size, bytes);
    for (size_t i = 0; i < block->place_count; i++) {
        const struct proact_place *at = &block->places[i];

        if (at->offset + sizeof(uint64_t) > bytes || at->array->session != k->session)
            return fail(err, PROACT_EINVAL,
                        "kernel '%s': the address at byte %u does not lie in the %u bytes "
                        "of its parameters, or its array is another session's",
                        k->name, at->offset, bytes);
    }
    return PROACT_OK;
}

static const struct proact_parameter *parameter_at(const struct proact_kernel_info *k,
                                                   uint32_t offset)
{
    for (unsigned i = 0; i < k->parameter_count; i++)
        if (k->parameters[i].offset == offset)
            return &k->parameters[i];
    return NULL;
}

static enum proact_status launch_marked(struct proact_kernel *k,
                                        const struct proact_grid *grid,
                                        const struct proact_block *block,
                                        struct proact_error *err)
{
    const struct proact_kernel_info info = proact_kernel_describe(k);
    struct proact_arg *args = must_calloc(info.parameter_count, sizeof *args);
    enum proact_status status = PROACT_OK;

    for (unsigned i = 0; i < info.parameter_count; i++)
        args[i] = (struct proact_arg){.value = (const char *)block->bytes +
                                               info.parameters[i].offset,
                                      .bytes = info.parameters[i].bytes};
    for (size_t i = 0; i < block->place_count && !status; i++) {
        const struct proact_place *at = &block->places[i];
        const struct proact_parameter *parameter = parameter_at(&info, at->offset);

        if (parameter && !at->byte)
            args[parameter - info.parameters].array = at->array;
        else
            status = fail(err, PROACT_EREFUSED,
                          "kernel '%s': the address at byte %u of its parameters is not "
                          "the first of a parameter and of array '%s'",
                          k->name, at->offset, at->array->name);
    }
    if (!status)
        status = proact_launch(k, grid, args, info.parameter_count, err);
    free(args);
    return status;
}

static uint64_t product(const uint32_t n[3])
{
    return (uint64_t)n[0] * n[1] * n[2];
}

static enum proact_status check_grid(const struct proact_kernel *k,
                                     const struct device_launch *l,
                                     struct proact_error *err)
{
    const struct topology_device *device = &k->session->topology.device;

    /* Each dimension first: their product could pass 64 bits. */
    if (l->grid[0] > INT32_MAX || l->grid[1] > UINT16_MAX || l->grid[2] > UINT16_MAX)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': a grid of %u x %u x %u CTAs, %d x %d x %d possible",
                    k->name, l->grid[0], l->grid[1], l->grid[2], INT32_MAX, UINT16_MAX,
                    UINT16_MAX);
    if (l->block[0] > 1024 || l->block[1] > 1024 || l->block[2] > 64 ||
        product(l->block) > device->threads_per_cta)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': %u x %u x %u threads a CTA, %u together possible",
                    k->name, l->block[0], l->block[1], l->block[2],
                    device->threads_per_cta);
    return PROACT_OK;
}

static enum proact_status launch_first(struct proact_kernel *k,
                                       const struct proact_grid *grid,
                                       const struct proact_block *block,
                                       unsigned char *bytes, struct proact_error *err)
{
    struct proact *p = k->session;
    struct device_launch launch = {.shared_bytes = grid->shared_bytes,
                                   .parameters = bytes,
                                   .parameter_bytes = block->size,
                                   .label = k->name};
    enum proact_status status;

    for (int i = 0; i < 3; i++) {
        launch.grid[i] = grid->ctas[i] ? grid->ctas[i] : 1;
        launch.block[i] = grid->threads[i] ? grid->threads[i] : 1;
    }
    for (size_t i = 0; i < block->place_count; i++) {
        uint64_t address = block->places[i].array->base[0] + block->places[i].byte;

        memcpy(bytes + block->places[i].offset, &address, sizeof address);
    }
    if ((status = check_grid(k, &launch, err)) || (status = first_await_all(p, err)) ||
        (status = p->backend->launch(p->devices.device[0].lane[TRANSFER_MAIN],
                                     k->function[0], &launch, err)))
        return status;
    span_book_launched(&p->book, 0, ++p->sequence);
    return first_done_all(p, err);
}

enum proact_status proact_launch_block(struct proact_kernel *k,
                                       const struct proact_grid *grid,
                                       const struct proact_block *block,
                                       struct proact_error *err)
{
    enum proact_status status = check(k, block, err);

    if (status)
        return status;
    if (k->is_marked)
        return launch_marked(k, grid, block, err);
    unsigned char *bytes = must_calloc(block->size, 1);

    memcpy(bytes, block->bytes, block->size);
    status = launch_first(k, grid, block, bytes, err);
    free(bytes);
    return status;
}
