/* SPDX-License-Identifier: Apache-2.0 */
/* Search for the PTX in the container that nvcc embeds in a program: a header, then one
   entry per architecture and kind of code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "rt/rt.h"

enum {
    WRAPPER_MAGIC = 0x466243b1,
    CONTAINER_MAGIC = (int)0xba55ed50,
    VERSION_LINKED = 2,
    KIND_PTX = 1,
    KIND_ELF = 2,
    FLAGS_COMPRESSED = 0x2000 | 0x8000, /* LZ4, Zstandard */
    CAPABILITY_TO_PREFER = 90,          /* the newest PTX target that the analysis models
                                           completely */
};

struct container {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* of the entries */
};

struct entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes;
    uint32_t compressed_bytes, unknown;
    uint32_t code_version, capability;
    uint32_t name_offset, name_bytes;
    uint64_t flags;
    uint64_t unknown_2, plain_bytes;
};
_Static_assert(sizeof(struct entry) == 64, "as the file has it");

static const char how[] = "; compile it by proactcc, which keeps PTX in the program";

static bool is_better(unsigned is, unsigned was, unsigned limit)
{
    bool fits = is <= limit, fitted = was <= limit;

    return !was || (fits && (!fitted || is > was)) || (!fits && !fitted && is < was);
}

static bool is_packed(const struct entry *e)
{
    return e->flags & FLAGS_COMPRESSED || e->compressed_bytes;
}

/* The cubin that nvcc's assembler made from that PTX for exactly this architecture. Without
   it the driver compiles all kernels of the file before the first one runs. */
static const void *find_binary(const struct container *c, unsigned capability)
{
    const char *at = (const char *)c + c->header_bytes, *end = at + c->bytes;
    struct entry e;

    for (; (size_t)(end - at) >= sizeof e; at += e.header_bytes + e.bytes) {
        memcpy(&e, at, sizeof e);
        if (e.kind == KIND_ELF && e.capability == capability && !is_packed(&e))
            return at + e.header_bytes;
    }
    return NULL;
}

/* The best PTX of one container. */
static enum proact_status search(const struct container *c, unsigned limit,
                                 struct proact_image *ptx, unsigned *capability,
                                 struct proact_error *err)
{
    const char *at = (const char *)c + c->header_bytes, *end = at + c->bytes;
    bool is_compressed = false;
    unsigned best = 0;

    while ((size_t)(end - at) >= sizeof(struct entry)) {
        struct entry e;

        memcpy(&e, at, sizeof e);
        if (e.header_bytes < sizeof e || e.header_bytes > (size_t)(end - at) ||
            e.bytes > (size_t)(end - at) - e.header_bytes)
            return fail(err, PROACT_EINVAL,
                        "a fat binary has an entry of %u and %llu bytes where %zu are left",
                        e.header_bytes, (unsigned long long)e.bytes, (size_t)(end - at));
        if (e.kind == KIND_PTX && is_packed(&e)) {
            is_compressed = true;
        } else if (e.kind == KIND_PTX && is_better(e.capability, best, limit)) {
            *capability = best = e.capability;
            ptx->text = at + e.header_bytes;
            ptx->bytes = strnlen(ptx->text, e.bytes);
        }
        at += e.header_bytes + e.bytes;
    }
    if (!best)
        return fail(err, PROACT_EINVAL, "the program's PTX is %s%s",
                    is_compressed ? "compressed" : "missing", how);
    return PROACT_OK;
}

static enum proact_status check_container(const struct cuda_fat_binary *binary,
                                          const struct container *c,
                                          struct proact_error *err)
{
    if (binary->magic == WRAPPER_MAGIC && c && c->magic == (uint32_t)CONTAINER_MAGIC)
        return PROACT_OK;
    return fail(err, PROACT_EINVAL,
                "a fat binary begins with 0x%08x and 0x%08x, not 0x%08x and 0x%08x",
                binary->magic, c ? c->magic : 0, WRAPPER_MAGIC, (unsigned)CONTAINER_MAGIC);
}

/* Linked code has the containers of all its objects (nvcc -dlink). */
static enum proact_status link_objects(struct rt_image *image, unsigned limit,
                                       struct proact_error *err)
{
    const void *const *containers = image->binary->objects;
    struct proact_image *objects;
    enum proact_status status = PROACT_OK;
    size_t count = 0;

    while (containers[count])
        count++;
    objects = must_calloc(count + 1, sizeof *objects);
    for (size_t i = 0; i < count && !status; i++) {
        unsigned capability = 0;

        if (!(status = check_container(image->binary, containers[i], err)))
            status = search(containers[i], limit, &objects[i], &capability, err);
        if (capability > image->capability)
            image->capability = capability;
    }
    if (!status)
        status = rt_link(objects, count, &image->ptx, err);
    free(objects);
    return status;
}

enum proact_status rt_image_find(struct rt_image *image, unsigned capability,
                                 struct proact_error *err)
{
    const unsigned limit =
        capability < CAPABILITY_TO_PREFER ? capability : CAPABILITY_TO_PREFER;
    const struct cuda_fat_binary *binary = image->binary;
    enum proact_status status = check_container(binary, binary->container, err);

    if (status)
        return status;
    if (binary->version >= VERSION_LINKED && binary->objects)
        return link_objects(image, limit, err);
    status = search(binary->container, limit, &image->ptx, &image->capability, err);
    if (status)
        return status;
    if (image->capability == capability)
        image->ptx.binary = find_binary(binary->container, capability);
    rt_put_in(&image->ptx);
    return PROACT_OK;
}

enum cuda_error rt_image_search(struct rt *rt, struct rt_image *image)
{
    struct text name = {0};
    unsigned number = 0;

    if (!image->is_searched) {
        image->is_searched = true;
        rt_image_find(image, proact_device_describe(rt->session).compute_capability,
                      &image->why);
        for (const struct rt_image *i = image; i; i = i->next)
            number++;
        text_print(&name, "program%u.ptx", number);
        image->name = name.data;
        image->ptx.name = image->name;
    }
    return image->ptx.text ? cudaSuccess
                           : rt_break(rt, cudaErrorNoKernelImageForDevice, image->why.text);
}
