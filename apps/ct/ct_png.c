/* SPDX-License-Identifier: Apache-2.0 */
#include "ct/ct_png.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "graph/complain.h"

enum { SIGNATURE_BYTES = 8, HEADER_BYTES = 13, CHUNK_BYTES = 12 }; /* of an empty chunk */

static void png_put_word(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* Returns the end of the chunk. */
static unsigned char *png_put_chunk(unsigned char *at, const char *type,
                                    const unsigned char *data, size_t bytes)
{
    png_put_word(at, (uint32_t)bytes);
    memcpy(at + 4, type, 4);
    if (bytes)
        memcpy(at + 8, data, bytes);
    png_put_word(at + 8 + bytes, (uint32_t)crc32(0, at + 4, (uInt)bytes + 4));
    return at + bytes + CHUNK_BYTES;
}

static unsigned char png_grey(double hu, const struct ct_window *window)
{
    double part = (hu - window->low) / (window->high - window->low);

    return (unsigned char)(part <= 0 ? 0 : part >= 1 ? 255 : part * 255 + 0.5);
}

/* Rows of the grid, each after its filter type 0. */
static unsigned char *png_rows(const float *hu, unsigned slices, unsigned side,
                               const struct ct_window *window, unsigned across,
                               size_t stride)
{
    unsigned down = (slices + across - 1) / across;
    unsigned char *rows = app_calloc(stride * down * side, 1);

    for (unsigned slice = 0; slice < slices; slice++)
        for (unsigned row = 0; row < side; row++) {
            const float *from = hu + ((size_t)slice * side + row) * side;
            unsigned char *to = rows + stride * (slice / across * side + row) + 1 +
                                slice % across * (size_t)side;

            for (unsigned i = 0; i < side; i++)
                to[i] = png_grey((double)from[i], window);
        }
    return rows;
}

unsigned char *ct_png_format(const float *hu, unsigned slices, unsigned side,
                             const struct ct_window *window, size_t *bytes)
{
    static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    unsigned across = 1;

    while (across * across < slices)
        across++;
    unsigned down = (slices + across - 1) / across;
    size_t stride = (size_t)across * side + 1;
    unsigned char *rows = png_rows(hu, slices, side, window, across, stride);
    uLongf packed_bytes = compressBound((uLong)(stride * down * side));
    unsigned char *packed = app_calloc(packed_bytes, 1), header[HEADER_BYTES] = {0};

    if (compress(packed, &packed_bytes, rows, (uLong)(stride * down * side)) != Z_OK)
        abort(); /* out of memory */
    png_put_word(header, across * side);
    png_put_word(header + 4, down * side);
    header[8] = 8; /* bits, of grey */
    *bytes = SIGNATURE_BYTES + 3 * CHUNK_BYTES + HEADER_BYTES + packed_bytes;
    unsigned char *file = app_calloc(*bytes, 1), *at = file + SIGNATURE_BYTES;

    memcpy(file, signature, SIGNATURE_BYTES);
    at = png_put_chunk(at, "IHDR", header, HEADER_BYTES);
    at = png_put_chunk(at, "IDAT", packed, packed_bytes);
    png_put_chunk(at, "IEND", NULL, 0);
    free(packed);
    free(rows);
    return file;
}
