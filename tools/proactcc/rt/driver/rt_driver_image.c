/* SPDX-License-Identifier: Apache-2.0 */
/* Images that a program loads as a module: PTX, or a fat binary in the form that nvcc
   embeds in a program or writes to a file. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "rt/driver/rt_driver_module.h"

enum {
    WRAPPER_MAGIC = 0x466243b1,
    CONTAINER_MAGIC = (int)0xba55ed50,
    ELF_MAGIC = 0x464c457f,
};

char *driver_file_read(const char *path, size_t *bytes)
{
    FILE *file = path ? fopen(path, "rb") : NULL;
    char *data = NULL;
    size_t capacity = 0, got;

    *bytes = 0;
    if (!file)
        return NULL;
    do {
        data = must_grow(data, *bytes + (64 << 10) + 1, &capacity, 1);
        got = fread(data + *bytes, 1, 64 << 10, file);
        *bytes += got;
    } while (got);
    data[*bytes] = '\0';
    if (ferror(file)) {
        free(data);
        data = NULL;
    }
    fclose(file);
    return data;
}

static enum proact_status take_text(const char *data, size_t bytes, struct rt_image *out,
                                    struct proact_error *err)
{
    const size_t length = bytes ? strnlen(data, bytes) : strlen(data);

    if (!length || (!isprint((unsigned char)*data) && !isspace((unsigned char)*data)))
        return fail(err, PROACT_EINVAL,
                    "a module is neither PTX nor a fat binary: it begins with 0x%02x",
                    (unsigned char)*data);
    char *given = must_strndup(data, length);

    out->ptx.text = given;
    out->ptx.bytes = length;
    rt_put_in(&out->ptx);
    if (out->ptx.text != given)
        free(given);
    return PROACT_OK;
}

struct head {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
};

static uint64_t container_bytes(const void *container)
{
    struct head head;

    memcpy(&head, container, sizeof head);
    return head.bytes + head.header_bytes;
}

/* The length is in the header. NULL: not a container, or truncated. */
static void *copy_container(const void *data, size_t bytes, struct proact_error *err)
{
    uint64_t all = 0;

    if (data && (!bytes || bytes >= sizeof(struct head)))
        all = container_bytes(data);
    if (all < sizeof(struct head) || (bytes && all > bytes)) {
        fail(err, PROACT_EINVAL, "a fat binary of %llu bytes ends after %zu",
             (unsigned long long)all, bytes);
        return NULL;
    }
    void *copy = must_calloc(1, all);

    memcpy(copy, data, all);
    return copy;
}

/* The image takes a copy of the text; it no longer refers to the container. */
static void take_out(struct rt_image *image, const void *container)
{
    const struct proact_image *ptx = &image->ptx;
    const uintptr_t ahead = (uintptr_t)ptx->text - (uintptr_t)container;

    if (ahead < container_bytes(container))
        image->ptx.text = must_strndup(ptx->text, ptx->bytes);
}

/* The copy of the container stays if it has code for exactly this device. */
static enum proact_status take_container(const void *data, size_t bytes,
                                         unsigned capability, struct rt_image *out,
                                         struct proact_error *err)
{
    void *copy = copy_container(data, bytes, err);
    const struct cuda_fat_binary binary = {(uint32_t)WRAPPER_MAGIC, 1, copy, NULL};
    enum proact_status status = PROACT_EINVAL;

    if (!copy)
        return status;
    out->binary = &binary;
    if (!(status = rt_image_find(out, capability, err)))
        take_out(out, copy);
    out->binary = NULL;
    if (!out->ptx.binary)
        free(copy);
    return status;
}

static enum proact_status take_wrapper(const void *data, unsigned capability,
                                       struct rt_image *out, struct proact_error *err)
{
    const struct cuda_fat_binary *binary = data;

    if (!binary->objects || binary->version < 2)
        return take_container(binary->container, 0, capability, out, err);
    out->binary = binary;
    enum proact_status status =
        rt_image_find(out, capability, err); /* linked, so the text is allocated */

    out->binary = NULL;
    return status;
}

void driver_image_drop(struct rt_image *image)
{
    free((void *)(uintptr_t)image->ptx.text);
    image->ptx.text = NULL;
}

enum proact_status driver_image_take(const void *data, size_t bytes, unsigned capability,
                                     struct rt_image *out, struct proact_error *err)
{
    uint32_t magic = 0;
    enum proact_status status;

    memcpy(&magic, data, strnlen(data, sizeof magic) == sizeof magic ? sizeof magic : 1);
    out->is_searched = true;
    if (magic == (uint32_t)WRAPPER_MAGIC)
        status = take_wrapper(data, capability, out, err);
    else if (magic == (uint32_t)CONTAINER_MAGIC)
        status = take_container(data, bytes, capability, out, err);
    else if (magic == ELF_MAGIC)
        return fail(err, PROACT_EREFUSED,
                    "a module is a cubin, which has no PTX: pass PTX (nvcc -ptx, "
                    "nvrtcGetPTX()) or a fat binary that contains PTX (proactcc -fatbin)");
    else
        return take_text(data, bytes, out, err);
    /* A malformed fat binary is PROACT_EINVAL, not an image without PTX. */
    return status && strstr(err->text, "PTX") ? PROACT_EREFUSED : status;
}
