/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/analyze_binary.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze_lz4.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"

enum {
    KIND_PTX = 1,
    KIND_ELF = 2,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    CAPABILITY_TO_PREFER = 90,
    PLAIN_BYTES_MAX = 1 << 30,
    ELF_MACHINE = 18, /* offset of the field in the header of a file */
    MACHINE_CUDA = 190,
};
#define CONTAINER_MAGIC "\x50\xed\x55\xba"
#define ZSTD_LIBRARY "libzstd.so.1"

/* A fat binary: this header, then one entry per architecture and kind of code. */
struct binary_container {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* of the entries */
};

struct binary_entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes;
    uint32_t packed_bytes, unknown; /* packed_bytes: 0 if it is not packed */
    uint32_t code_version, capability;
    uint32_t name_offset, name_bytes;
    uint64_t flags;
    uint64_t unknown_2, plain_bytes;
};
_Static_assert(sizeof(struct binary_entry) == 64, "as the file has it");

/* Code that a program has. */
struct binary_contents {
    bool has_container;
    struct text machine_code; /* "sm_80, sm_90" */
};

bool analyze_is_binary(const char *data, size_t bytes)
{
    static const struct {
        const char *start;
        size_t length;
    } starts[] = {{"\x7f"
                   "ELF",
                   4},
                  {CONTAINER_MAGIC, 4},
                  {"!<arch>\n", 8},
                  {"!<thin>\n", 8},
                  {"MZ", 2}};

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (bytes >= starts[i].length &&
            memcmp(data, starts[i].start, starts[i].length) == 0)
            return true;
    return false;
}

static bool binary_unzstd(const char *from, size_t from_bytes, char *to, size_t to_bytes)
{
    void *library = dlopen(ZSTD_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    size_t (*decompress)(void *, size_t, const void *, size_t) = NULL;
    void *symbol = library ? dlsym(library, "ZSTD_decompress") : NULL;

    memcpy(&decompress, &symbol, sizeof symbol);
    const bool good = symbol && decompress(to, to_bytes, from, from_bytes) == to_bytes;

    if (library)
        dlclose(library);
    return good;
}

/* The text of an entry, whose code starts at `code`. */
static enum proact_status binary_text(const char *path, const struct binary_entry *e,
                                      const char *code, struct analyze_text *out,
                                      struct proact_error *err)
{
    const bool is_packed = e->flags & (FLAG_LZ4 | FLAG_ZSTD);
    const size_t from = is_packed ? e->packed_bytes : e->bytes;
    const size_t to = is_packed ? e->plain_bytes : e->bytes;

    if (from > e->bytes || to > PLAIN_BYTES_MAX)
        return fail(err, PROACT_EINVAL,
                    "%s: its PTX for sm_%u is damaged: %zu bytes, unpacked %zu, in an "
                    "entry of %llu",
                    path, e->capability, from, to, (unsigned long long)e->bytes);
    char *text = must_calloc(to + 1, 1);
    bool good = true;

    if (e->flags & FLAG_LZ4)
        good = analyze_lz4((const unsigned char *)code, from, (unsigned char *)text, to);
    else if (e->flags & FLAG_ZSTD)
        good = binary_unzstd(code, from, text, to);
    else
        memcpy(text, code, to);
    if (!good) {
        free(text);
        return fail(err, PROACT_EINVAL,
                    "%s: its PTX for sm_%u cannot be unpacked%s; compile it with "
                    "--no-compress",
                    path, e->capability,
                    e->flags & FLAG_ZSTD ? ", which takes " ZSTD_LIBRARY
                                           " (Debian: apt install libzstd1)"
                                         : "");
    }
    *out = (struct analyze_text){text, strnlen(text, to)};
    return PROACT_OK;
}

static bool binary_is_better(unsigned is, unsigned was)
{
    const bool fits = is <= CAPABILITY_TO_PREFER, fitted = was <= CAPABILITY_TO_PREFER;

    return !was || (fits && (!fitted || is > was)) || (!fits && !fitted && is < was);
}

/* Adds the best PTX of the container at `at`, which is complete. */
static enum proact_status binary_search(const char *path, const char *at, const char *end,
                                        struct binary_contents *has,
                                        struct analyze_texts *out, struct proact_error *err)
{
    struct binary_entry e, best = {.capability = 0};
    const char *code = NULL;

    while ((size_t)(end - at) >= sizeof e) {
        memcpy(&e, at, sizeof e);
        if (e.header_bytes < sizeof e || e.header_bytes > (size_t)(end - at) ||
            e.bytes > (size_t)(end - at) - e.header_bytes)
            break;
        if (e.kind == KIND_ELF)
            text_print(&has->machine_code, "%ssm_%u", has->machine_code.length ? ", " : "",
                       e.capability);
        if (e.kind == KIND_PTX && binary_is_better(e.capability, best.capability)) {
            best = e;
            code = at + e.header_bytes;
        }
        at += e.header_bytes + e.bytes;
    }
    has->has_container = true;
    if (!code)
        return PROACT_OK;
    out->items = realloc(out->items, (out->count + 1) * sizeof *out->items);
    if (!out->items)
        abort();
    return binary_text(path, &best, code, &out->items[out->count], err)
               ? PROACT_EINVAL
               : (out->count++, PROACT_OK);
}

static enum proact_status binary_refuse(const char *path, const char *data, size_t bytes,
                                        const struct binary_contents *has,
                                        struct proact_error *err)
{
    static const char how[] = "compile it with -gencode arch=compute_90,code=compute_90, "
                              "or give its source";
    uint16_t machine = 0;

    if (bytes >= ELF_MACHINE + sizeof machine)
        memcpy(&machine, data + ELF_MACHINE, sizeof machine);
    if (data[0] == '\x7f' && machine == MACHINE_CUDA)
        return fail(err, PROACT_EINVAL,
                    "%s: it is a cubin, which has machine code and no PTX: %s", path, how);
    if (has->machine_code.length)
        return fail(err, PROACT_EINVAL,
                    "%s: it has no PTX, only machine code for %.40s: %s", path,
                    has->machine_code.data, how);
    return fail(err, PROACT_EINVAL,
                "%s: it has no device code%s: expected PTX, a .cu file, or a program "
                "compiled from CUDA",
                path, has->has_container ? " that is PTX" : "");
}

enum proact_status analyze_binary(const char *path, const char *data, size_t bytes,
                                  struct analyze_texts *out, struct proact_error *err)
{
    struct analyze_texts found = {0};
    struct binary_contents has = {0};
    enum proact_status status = PROACT_OK;
    const char *at = data, *end = data + bytes;
    struct binary_container c;

    /* The magic number may occur elsewhere by chance, so the header must fit as well. */
    while (!status && (at = memchr(at, CONTAINER_MAGIC[0], (size_t)(end - at))) &&
           (size_t)(end - at) >= sizeof c) {
        memcpy(&c, at, sizeof c);
        if (memcmp(at, CONTAINER_MAGIC, 4) != 0 || c.version != 1 ||
            c.header_bytes < sizeof c || c.header_bytes > (size_t)(end - at) ||
            c.bytes > (size_t)(end - at) - c.header_bytes) {
            at++;
            continue;
        }
        at += c.header_bytes;
        status = binary_search(path, at, at + c.bytes, &has, &found, err);
        at += c.bytes;
    }
    if (!status && !found.count)
        status = binary_refuse(path, data, bytes, &has, err);
    text_clear(&has.machine_code);
    if (status)
        analyze_texts_clear(&found);
    else
        *out = found;
    return status;
}

void analyze_texts_clear(struct analyze_texts *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->items[i].text);
    free(t->items);
    *t = (struct analyze_texts){0};
}
