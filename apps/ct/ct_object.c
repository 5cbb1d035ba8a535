/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/ct.h"
#include "ct/ct_npy.h"
#include "graph/complain.h"
#include "graph/plain_text.h"

enum { VOLUME_SIDE = 256, VOLUME_SLICE = 60, HU_MAX = 1000000 };

static const double volume_pixel_mm = 0.957;

static bool object_ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), more = strlen(end);

    return length >= more && strcmp(path + length - more, end) == 0;
}

static enum proact_status object_take_npy(const char *path, unsigned slices,
                                          struct ct_object *out, struct proact_error *err)
{
    struct ct_npy npy;
    enum proact_status status = ct_npy_read(path, &npy, err);

    if (status)
        return status;
    size_t side = npy.shape[npy.dimensions - 1], found = 1;

    if (npy.dimensions == 3)
        found = npy.shape[0];
    if (npy.dimensions < 2 || npy.shape[npy.dimensions - 2] != side)
        status = complain(err, PROACT_EINVAL,
                          "%s: an image has the shape (side, side) or (slices, side, side)",
                          path);
    else if (slices && slices != found)
        status = complain(err, PROACT_EINVAL,
                          "%s: %u slices are requested, and the file has %zu", path, slices,
                          found);
    for (size_t i = 0; !status && i < found * side * side; i++)
        if (!(fabs(npy.value[i]) <= HU_MAX))
            status =
                complain(err, PROACT_EINVAL,
                         "%s: the value of slice %zu, row %zu, column %zu is %g HU", path,
                         i / side / side, i / side % side, i % side, npy.value[i]);
    if (!status) {
        *out = (struct ct_object){(unsigned)found, (unsigned)side, 0,
                                  app_calloc(found * side * side, sizeof *out->hu)};
        for (size_t i = 0; i < found * side * side; i++)
            out->hu[i] = (float)npy.value[i];
    }
    ct_npy_clear(&npy);
    return status;
}

static enum proact_status object_take_volume(const char *path, unsigned slices,
                                             struct ct_object *out,
                                             struct proact_error *err)
{
    const size_t pixels = (size_t)VOLUME_SIDE * VOLUME_SIDE;
    char *text;
    size_t bytes;
    enum proact_status status = plain_text_read(path, &text, &bytes, err);

    if (status)
        return status;
    size_t found = bytes / (pixels * 2), wanted = slices ? slices : 1;

    if (bytes % (pixels * 2) || found < wanted) {
        free(text);
        return complain(err, PROACT_EINVAL,
                        "%s: %zu bytes are not %zu or more slices of %d x %d int16", path,
                        bytes, wanted, VOLUME_SIDE, VOLUME_SIDE);
    }
    size_t first = wanted + VOLUME_SLICE <= found ? VOLUME_SLICE : found - wanted;
    const unsigned char *at = (const unsigned char *)text + first * pixels * 2;

    *out = (struct ct_object){(unsigned)wanted, VOLUME_SIDE, volume_pixel_mm * VOLUME_SIDE,
                              app_calloc(wanted * pixels, sizeof *out->hu)};
    for (size_t i = 0; i < wanted * pixels; i++)
        out->hu[i] = (float)(int16_t)(uint16_t)(at[2 * i] | at[2 * i + 1] << 8);
    free(text);
    return PROACT_OK;
}

enum proact_status ct_object_read(const char *path, unsigned slices, struct ct_object *out,
                                  struct proact_error *err)
{
    if (object_ends_with(path, ".npy"))
        return object_take_npy(path, slices, out, err);
    if (object_ends_with(path, ".raw") || object_ends_with(path, ".raw.gz"))
        return object_take_volume(path, slices, out, err);
    return complain(err, PROACT_EINVAL, "%s: an image is a file .npy, .raw or .raw.gz",
                    path);
}

void ct_object_clear(struct ct_object *object)
{
    free(object->hu);
    *object = (struct ct_object){0};
}
