/* SPDX-License-Identifier: Apache-2.0 */
/* Launch with one argument per parameter. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/arrays/launch_textures.h"
#include "runtime/arrays/variable_array.h"
#include "runtime/launch/launch.h"
#include "runtime/launch/launch_measure.h"
#include "runtime/launch/launch_variant.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/request/launch_cluster.h"
#include "runtime/request/launch_texture.h"
#include "runtime/request/launching.h"
#include "runtime/session/lazy_devices.h"

static enum proact_status check_args(const struct proact_kernel *k,
                                     const struct proact_arg *args, size_t count,
                                     struct proact_error *err)
{
    if (count != k->parameter_count)
        return fail(err, PROACT_EINVAL, "kernel '%s': %zu arguments given, it takes %u%s",
                    k->name, count, k->parameter_count,
                    k->is_annotated ? " before its partition" : "");
    for (size_t i = 0; i < count; i++) {
        const struct proact_arg *a = &args[i];
        size_t bytes = a->value ? a->bytes : sizeof(uint64_t);

        if (!a->array && !a->value)
            return fail(err, PROACT_EINVAL, "kernel '%s': argument %zu is empty", k->name,
                        i);
        if (a->array && a->array->session != k->session)
            return fail(err, PROACT_EINVAL,
                        "kernel '%s': argument %zu is an array of another session", k->name,
                        i);
        if (bytes != k->parameter[i].bytes)
            return fail(err, PROACT_EINVAL,
                        "kernel '%s': argument %zu has %zu bytes, its parameter %u",
                        k->name, i, bytes, k->parameter[i].bytes);
        if (a->array && bytes < sizeof(uint64_t))
            return fail(err, PROACT_EINVAL,
                        "kernel '%s': argument %zu is an array and a value of %zu bytes, "
                        "too few for its address",
                        k->name, i, bytes);
    }
    return PROACT_OK;
}

/* Writes the arguments to a parameter buffer. For an argument with an array and a value,
   the address of the array replaces the first eight bytes of the value. */
static size_t lay_out(const struct proact_kernel *k, const struct proact_arg *args,
                      unsigned char *block, struct proact_relocation *relocations)
{
    size_t count = 0;

    for (unsigned i = 0; i < k->parameter_count; i++) {
        if (args[i].value)
            memcpy(block + k->parameter[i].offset, args[i].value, args[i].bytes);
        if (args[i].array)
            relocations[count++] =
                (struct proact_relocation){k->parameter[i].offset, args[i].array, 0};
    }
    variable_relocations(k, relocations, &count);
    return count;
}

enum proact_status proact_launch(struct proact_kernel *k, const struct proact_grid *grid,
                                 const struct proact_arg *args, size_t arg_count,
                                 struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_launch(k, grid, args)",
                     (const void *[]){k, grid, arg_count ? (const void *)args : ""}, err);

    if (status)
        return status;
    struct launching l = {.kernel = k};
    if (grid->is_cooperative)
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s': a cooperative launch runs on one device: it needs a "
                    "parameter buffer and a plain kernel",
                    k->name);
    if ((status = lazy_devices_require(k->session, err)) ||
        (status = launch_check_grid(&l, grid, err)) ||
        (status = launch_check_clusters(&l, err)) ||
        (status = check_args(k, args, arg_count, err)))
        return status;
    unsigned char *block = must_calloc(k->parameter_bytes + 1, 1);
    const size_t most = launch_textures_most(k);
    struct proact_relocation *relocations =
        must_calloc(arg_count + k->variable_count + most + 1, sizeof *relocations);
    struct launch_texture *textures = must_calloc(most + 1, sizeof *textures);

    l.block = block;
    l.relocations = relocations;
    l.relocation_count = lay_out(k, args, block, relocations);
    launch_textures_take(&l, textures, relocations);
    if (!(status = launch_variant(&l, err)) && !(status = launch_bind(&l, err)))
        status = l.measured ? launch_measure(&l, err) : launch_queue(&l, err);
    free(textures);
    free(relocations);
    free(block);
    return status;
}
