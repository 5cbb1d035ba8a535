/* SPDX-License-Identifier: Apache-2.0 */
#include "base/gzip.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"

enum { PART_BYTES = 65536 };

/* Limit of the compression ratio. Text compresses to a tenth, zeros to a thousandth. Small
   results are always allowed. */
enum { UNPACKED_A_BYTE = 64, UNPACKED_ANYWAY = 64 << 20 };

static size_t unpacked_most(size_t packed_bytes)
{
    return packed_bytes * UNPACKED_A_BYTE + UNPACKED_ANYWAY;
}

static bool is_gzip(const char *data, size_t size)
{
    return size >= 2 && (unsigned char)data[0] == 0x1f && (unsigned char)data[1] == 0x8b;
}

/* Message for zlib's error. */
static enum proact_status refuse(const char *name, const z_stream *z, size_t member,
                                 size_t at, int answer, struct proact_error *err)
{
    if (answer == Z_BUF_ERROR)
        return fail(
            err, PROACT_EINVAL,
            "%s: the gzip data is truncated: it ends at byte %zu, inside the member that "
            "begins at byte %zu",
            name, at, member);
    if (z->msg && strstr(z->msg, "incorrect data check"))
        return fail(
            err, PROACT_EINVAL,
            "%s: wrong checksum (CRC) at byte %zu, of the gzip member that begins at "
            "byte %zu",
            name, at, member);
    return fail(err, PROACT_EINVAL, "%s: not valid gzip data at byte %zu: %s", name, at,
                z->msg ? z->msg : "zlib cannot read it");
}

/* Decompresses one member at data[*at] and moves *at past it. Stops if `out` exceeds the
   limit. */
static enum proact_status inflate_member(const char *name, const char *data, size_t size,
                                         size_t *at, struct text *out,
                                         struct proact_error *err)
{
    size_t member = *at;
    z_stream z = {0};
    unsigned char part[PART_BYTES];
    int answer = inflateInit2(&z, 15 + 16); /* 16: gzip format only, with checksum */

    if (answer != Z_OK)
        abort(); /* out of memory, or an incompatible zlib */
    do {
        size_t given = size - *at < PART_BYTES ? size - *at : PART_BYTES;

        memcpy(part, data + *at, given); /* zlib's pointer is not const */
        z.next_in = part;
        z.avail_in = (uInt)given;
        out->data = must_grow(out->data, out->length + PART_BYTES, &out->capacity, 1);
        z.next_out = (unsigned char *)out->data + out->length;
        z.avail_out = PART_BYTES;
        answer = inflate(&z, Z_NO_FLUSH);
        out->length += PART_BYTES - z.avail_out;
        *at += given - z.avail_in;
    } while (answer == Z_OK && out->length <= unpacked_most(size));
    out->data[out->length] = '\0';
    enum proact_status status = PROACT_OK;

    if (out->length > unpacked_most(size))
        status = fail(err, PROACT_EINVAL,
                      "%s: %zu bytes of gzip data expand to more than %zu bytes, the "
                      "limit for that size",
                      name, size, unpacked_most(size));
    else if (answer != Z_STREAM_END)
        status = refuse(name, &z, member, *at, answer, err);
    inflateEnd(&z);
    return status;
}

enum proact_status gzip_inflate(const char *name, const char *data, size_t size, char **out,
                                size_t *bytes, struct proact_error *err)
{
    struct text all = {0};
    enum proact_status status = PROACT_OK;
    size_t at = 0;

    while (at < size && !status) {
        if (at == 0 || is_gzip(data + at, size - at))
            status = inflate_member(name, data, size, &at, &all, err);
        else
            status = fail(err, PROACT_EINVAL,
                          "%s: the gzip data ends at byte %zu, but %zu more bytes follow",
                          name, at, size - at);
    }
    if (status) {
        text_clear(&all);
        return status;
    }
    text_add(&all, "", 0);
    *out = all.data;
    *bytes = all.length;
    return PROACT_OK;
}

enum proact_status gzip_read(const char *path, char **out, size_t *bytes,
                             struct proact_error *err)
{
    char *data = NULL;
    size_t size = 0;
    enum proact_status status = file_read(path, &data, &size, err);

    if (status)
        return status;
    if (!is_gzip(data, size)) {
        *out = data;
        *bytes = size;
        return PROACT_OK;
    }
    status = gzip_inflate(path, data, size, out, bytes, err);
    free(data);
    return status;
}
