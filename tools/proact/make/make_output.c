/* SPDX-License-Identifier: Apache-2.0 */
#include "make/make_output.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"

enum { PACKED_BYTES = 1 << 16, GZIP_FORMAT = 16 + MAX_WBITS, GZIP_MEMORY = 8 };

struct make_output {
    struct file_output file;
    bool packs;
    z_stream z;
    char packed[PACKED_BYTES];
};

static bool output_is_gzip(const char *path)
{
    size_t length = strlen(path);

    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

enum proact_status make_output_open(const char *path, struct make_output **out,
                                    struct proact_error *err)
{
    struct make_output *o = must_calloc(1, sizeof *o);
    enum proact_status status = file_open(path, &o->file, err);

    if (status) {
        free(o);
        return status;
    }
    o->packs = output_is_gzip(path);
    /* The header has neither a time nor a name: equal data gives equal files. */
    if (o->packs && deflateInit2(&o->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_FORMAT,
                                 GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        abort(); /* out of memory, or a different zlib than at build time */
    *out = o;
    return PROACT_OK;
}

/* Writes what zlib has compressed; at Z_FINISH, all that is left. */
static void output_deflate(struct make_output *o, int flush)
{
    do {
        o->z.next_out = (unsigned char *)o->packed;
        o->z.avail_out = PACKED_BYTES;
        int code = deflate(&o->z, flush);

        assert(code != Z_STREAM_ERROR);
        (void)code;
        file_add(&o->file, o->packed, PACKED_BYTES - o->z.avail_out);
    } while (o->z.avail_out == 0);
}

void make_output_add(struct make_output *o, const char *data, size_t bytes)
{
    if (!o->packs) {
        file_add(&o->file, data, bytes);
        return;
    }
    assert(bytes <= UINT32_MAX);
    o->z.next_in = (unsigned char *)data;
    o->z.avail_in = (uInt)bytes;
    output_deflate(o, Z_NO_FLUSH);
}

static void output_free(struct make_output *o)
{
    if (o->packs)
        deflateEnd(&o->z);
    free(o);
}

enum proact_status make_output_finish(struct make_output *o, struct proact_error *err)
{
    if (o->packs)
        output_deflate(o, Z_FINISH);
    enum proact_status status = file_finish(&o->file, err);

    output_free(o);
    return status;
}

void make_output_discard(struct make_output *o)
{
    file_discard(&o->file);
    output_free(o);
}
