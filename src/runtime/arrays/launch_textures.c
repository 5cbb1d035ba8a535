/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/arrays/launch_textures.h"

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "runtime/access_sets/kernel_texels.h"
#include "runtime/arrays/first_device.h"
#include "runtime/arrays/texels.h"
#include "runtime/arrays/textures.h"
#include "runtime/footprint/derive.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/objects/session_texture.h"
#include "runtime/request/argument_text.h"
#include "runtime/request/launch_texture.h"
#include "runtime/request/launching.h"

size_t launch_textures_most(const struct proact_kernel *k)
{
    return k->texels && k->session->devices.count > 1 ? k->texels->textures.count : 0;
}

void launch_textures_take(struct launching *l, struct launch_texture *textures,
                          struct proact_relocation *relocations)
{
    const struct proact_kernel *k = l->kernel;

    l->textures = textures;
    l->texture_count = launch_textures_most(k);
    for (size_t n = 0; n < l->texture_count; n++) {
        struct launch_texture *t = &textures[n];

        t->offset = k->texels->textures.offsets[n];
        memcpy(&t->handle, l->block + t->offset, sizeof t->handle);
        t->texture = texture_find(k->session, t->handle);
        if (t->texture)
            t->array = texture_array(t->texture, k->session, &t->first);
        if (!t->array)
            continue;
        relocations[l->relocation_count++] =
            (struct proact_relocation){t->offset, t->array, t->first};
        l->texture_relocations++;
    }
}

/* A null handle, which no kernel may use, is null on all devices. */
static enum proact_status check_one(const struct launching *l,
                                    const struct launch_texture *t,
                                    struct proact_error *err)
{
    const char *name = l->kernel->name;

    if (!t->handle)
        return PROACT_OK;
    if (!t->texture)
        return fail(err, PROACT_EREFUSED, "kernel '%s': %s is not a valid texture handle",
                    name, argument_text(l->kernel, t->offset).text);
    if (t->texture->is_void)
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s': the array of the texture in %s was freed", name,
                    argument_text(l->kernel, t->offset).text);
    if (!t->texture->bytes)
        return PROACT_OK;
    if (!t->array)
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s': the memory of the texture in %s is in no array", name,
                    argument_text(l->kernel, t->offset).text);
    if (derivation_writes(l, t->array))
        return fail(
            err, PROACT_EREFUSED,
            "kernel '%s': it writes array '%s', which it reads through the texture in %s",
            name, t->array->name, argument_text(l->kernel, t->offset).text);
    return PROACT_OK;
}

static enum proact_status check(const struct launching *l, struct proact_error *err)
{
    const struct kernel_texels *k = l->kernel->texels;
    enum proact_status status = PROACT_OK;

    if (k->textures.why)
        return fail(err, PROACT_EREFUSED, "kernel '%s', %s:%" PRIu32 ": %s",
                    l->kernel->name, l->kernel->image->ptx->name, k->textures.line,
                    k->textures.why);
    for (size_t n = 0; n < l->texture_count && !status; n++)
        status = check_one(l, &l->textures[n], err);
    return status;
}

/* A failure is final: the device is not tried again. */
static enum proact_status make(const struct launching *l, struct session_texture *t,
                               uint32_t offset, struct proact_error *err)
{
    struct proact_error *why = &t->refused;

    for (unsigned d = 1; d < l->over && d < devices_here(l->kernel->session); d++)
        if (why->text[0] || texture_make(t, l->kernel->session, d, why))
            return fail(err, PROACT_EREFUSED,
                        "kernel '%s': not every device can create the texture in %s: %s",
                        l->kernel->name, argument_text(l->kernel, offset).text, why->text);
    return PROACT_OK;
}

enum proact_status launch_textures_check_recorded(const struct launching *l,
                                                  struct proact_error *err)
{
    const struct proact_kernel *k = l->kernel;

    if (!k->texels || !k->session->recording)
        return PROACT_OK;
    return fail(err, PROACT_EINVAL,
                "kernel '%s': it has textures or surfaces, which cannot be recorded",
                k->name);
}

bool launch_textures_ready(const struct launching *l)
{
    struct proact_error *why = &l->kernel->with_textures;
    enum proact_status status;

    why->text[0] = '\0';
    if (!l->kernel->texels)
        return true;
    status = check(l, why);
    for (size_t n = 0; n < l->texture_count && !status; n++)
        if (l->textures[n].texture)
            status = make(l, l->textures[n].texture, l->textures[n].offset, why);
    return !status;
}

void launch_textures_fill(const struct launching *l, unsigned device, unsigned char *block)
{
    for (size_t n = 0; n < l->texture_count; n++) {
        const struct launch_texture *t = &l->textures[n];
        const uint64_t handle =
            device && t->texture ? t->texture->on[device].handle : t->handle;

        memcpy(block + t->offset, &handle, sizeof handle);
    }
}

/* NULL: memory, or no texture. */
static struct proact_texture_array *texels_of(const struct launch_texture *t)
{
    return t->texture ? t->texture->is.array : NULL;
}

/* Whether the device has CTAs. */
static bool works(const struct launching *l, unsigned device)
{
    const uint32_t *first = &l->binding->cta_first[device];

    return first[0] != first[1];
}

enum proact_status launch_textures_fetch(const struct launching *l,
                                         struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    enum proact_status status = PROACT_OK;

    if (!l->kernel->texels)
        return PROACT_OK;
    if (!l->binding) /* a single-device launch may use unknown handles */
        return (status = textures_fetch(p, err)) ? status : first_await_all(p, err);
    for (size_t n = 0; n < l->texture_count; n++)
        for (unsigned d = 1; d < l->over && texels_of(&l->textures[n]) && !status; d++)
            if (works(l, d))
                status = texels_copy_renew(texels_of(&l->textures[n]), d, err);
    return status;
}

enum proact_status launch_textures_await(const struct launching *l, unsigned device,
                                         struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (size_t n = 0; n < l->texture_count && device && !status; n++)
        if (texels_of(&l->textures[n]))
            status = texels_copy_await(texels_of(&l->textures[n]), device, err);
    return status;
}

void launch_textures_used(const struct launching *l)
{
    struct proact *p = l->kernel->session;

    if (!l->binding && l->kernel->texels) {
        p->all_used = p->sequence;
        if (l->kernel->texels->writes)
            texels_written(p);
    }
    for (size_t n = 0; n < l->texture_count && l->binding; n++)
        if (texels_of(&l->textures[n]))
            /* protocol: texture-used */
            texels_of(&l->textures[n])->used = l->sequence;
}
