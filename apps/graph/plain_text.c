/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/plain_text.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "graph/complain.h"

/* Limits against decompression bombs. Graphs and names shrink to a tenth; gzip can shrink
   zeros to a thousandth. Small results have no limit. */
enum { UNPACKED_A_BYTE = 64, UNPACKED_ANYWAY = 64 << 20 };

struct buffer {
    char *data;
    size_t used, room;
};

static void make_room(struct buffer *b, size_t more)
{
    if (b->room - b->used > more) /* one byte stays for the NUL */
        return;
    while (b->room - b->used <= more)
        b->room = b->room ? b->room * 2 : 1 << 16;
    b->data = realloc(b->data, b->room);
    if (!b->data)
        abort();
}

static enum proact_status read_bytes(const char *path, struct buffer *b,
                                     struct proact_error *err)
{
    FILE *file = fopen(path, "rb");

    if (!file)
        return complain(err, PROACT_EINVAL, "%s: %s", path, strerror(errno));
    errno = 0;
    for (;;) {
        make_room(b, 1 << 15);
        size_t got = fread(b->data + b->used, 1, b->room - b->used - 1, file);

        if (got == 0)
            break;
        b->used += got;
    }
    int failed = ferror(file);

    fclose(file);
    if (failed)
        return complain(err, PROACT_EINVAL, "%s: cannot be read: %s", path,
                        strerror(errno));
    b->data[b->used] = '\0';
    return PROACT_OK;
}

static bool are_zeros(const unsigned char *at, size_t bytes)
{
    return bytes == 0 || (at[0] == 0 && memcmp(at, at + 1, bytes - 1) == 0);
}

/* Unpacks consecutive gzip members. Zeros after the last one pad it, as for gzip. */
static enum proact_status unpack(const char *path, const struct buffer *packed,
                                 struct buffer *plain, struct proact_error *err)
{
    z_stream z = {.next_in = (unsigned char *)packed->data};
    size_t left = packed->used;
    size_t most = packed->used * UNPACKED_A_BYTE + UNPACKED_ANYWAY;
    int result = inflateInit2(&z, 16 + MAX_WBITS);

    if (result != Z_OK)
        abort(); /* out of memory, or an incompatible zlib */
    while (result == Z_OK && plain->used <= most) {
        if (z.avail_in == 0) {
            z.avail_in = left < UINT_MAX ? (uInt)left : UINT_MAX;
            left -= z.avail_in;
        }
        make_room(plain, packed->used < 1 << 16 ? 1 << 16 : packed->used);
        size_t room = plain->room - plain->used - 1;
        uInt requested = room < UINT_MAX ? (uInt)room : UINT_MAX;

        z.next_out = (unsigned char *)plain->data + plain->used;
        z.avail_out = requested;
        result = inflate(&z, Z_NO_FLUSH);
        plain->used += requested - z.avail_out;
        if (result == Z_STREAM_END && !are_zeros(z.next_in, z.avail_in + left))
            result = inflateReset(&z);
    }
    size_t at = packed->used - left - z.avail_in;

    inflateEnd(&z);
    if (plain->used > most)
        return complain(err, PROACT_EINVAL,
                        "%s: %zu bytes of gzip data expand to more than %zu bytes, the "
                        "limit for that size",
                        path, packed->used, most);
    if (result == Z_BUF_ERROR)
        return complain(
            err, PROACT_EINVAL,
            "%s: the gzip file is truncated: it ends after %zu bytes in the middle of "
            "its data",
            path, packed->used);
    if (result != Z_STREAM_END)
        return complain(err, PROACT_EINVAL,
                        "%s: the gzip file is damaged near byte %zu of %zu", path, at,
                        packed->used);
    plain->data[plain->used] = '\0';
    return PROACT_OK;
}

/* Refuses a file of a format that holds files or packs them otherwise than gzip. */
static enum proact_status refuse_archive(const char *path, const struct buffer *b,
                                         struct proact_error *err)
{
    static const struct {
        size_t at, length;
        const char *bytes, *what, *command;
    } formats[] = {
        {257, 5, "ustar", "a tar archive", "tar -xf"},
        {0, 4, "PK\3\4", "a zip archive", "unzip"},
        {0, 4, "PK\5\6", "an empty zip archive", "unzip"},
        {0, 6, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "7z x"},
        {0, 4, "Rar!", "a RAR archive", "unrar x"},
        {0, 3, "BZh", "packed with bzip2", "bunzip2"},
        {0, 6,
         "\xfd"
         "7zXZ\0",
         "packed with xz", "unxz"},
        {0, 4, "\x28\xb5\x2f\xfd", "packed with Zstandard", "unzstd"},
        {0, 4, "\x04\x22\x4d\x18", "packed with lz4", "unlz4"},
        {0, 4, "LZIP", "packed with lzip", "lzip -d"},
        {0, 2, "\x1f\x9d", "packed with compress", "gunzip"},
        {0, 2, "\x1f\x8b", "packed twice with gzip", "gunzip"},
    };

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (b->used >= formats[i].at + formats[i].length &&
            memcmp(b->data + formats[i].at, formats[i].bytes, formats[i].length) == 0)
            return complain(err, PROACT_EINVAL,
                            "%s: the file is %s: expected plain text or text packed once "
                            "with gzip; unpack it with '%s'",
                            path, formats[i].what, formats[i].command);
    return PROACT_OK;
}

enum proact_status plain_text_read(const char *path, char **out, size_t *bytes,
                                   struct proact_error *err)
{
    struct buffer file = {0}, plain = {0};
    enum proact_status status = read_bytes(path, &file, err);

    if (!status && file.used >= 2 && memcmp(file.data, "\x1f\x8b", 2) == 0) {
        status = unpack(path, &file, &plain, err);
        free(file.data);
        file = plain;
    }
    if (!status)
        status = refuse_archive(path, &file, err);
    if (status) {
        free(file.data);
        return status;
    }
    *out = file.data;
    *bytes = file.used;
    return PROACT_OK;
}

char **plain_text_lines(char *text, size_t bytes, size_t *count)
{
    size_t lines = bytes && text[bytes - 1] != '\n';

    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    char **line = app_calloc(lines, sizeof *line), *at = text;

    for (size_t i = 0; i < lines; i++) {
        char *end = memchr(at, '\n', (size_t)(text + bytes - at));

        line[i] = at;
        if (!end)
            break;
        *end = '\0';
        if (end > at && end[-1] == '\r')
            end[-1] = '\0';
        at = end + 1;
    }
    *count = lines;
    return line;
}
