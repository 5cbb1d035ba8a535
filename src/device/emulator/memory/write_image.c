/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create(). NOLINT(bugprone-reserved-identifier) */
#include "device/emulator/memory/write_image.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"

/* The file begins with `phase` bytes of padding, the distance of the target from its page.
 */
struct write_image {
    atomic_uint references;
    int file;
    unsigned char *pages; /* of the file, read only */
    size_t phase, bytes;
};

static size_t image_page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static bool image_fill(int file, size_t phase, const unsigned char *from, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        const ssize_t written = pwrite(file, from + at, bytes - at, (off_t)(phase + at));

        if (written <= 0)
            return false;
        at += (size_t)written;
    }
    return true;
}

static struct write_image *image_create(size_t phase, const void *from, size_t bytes)
{
    const int file = memfd_create("proact-write", MFD_CLOEXEC);
    void *pages = MAP_FAILED;

    if (file >= 0 && image_fill(file, phase, from, bytes))
        pages = mmap(NULL, phase + bytes, PROT_READ, MAP_SHARED, file, 0);
    if (pages == MAP_FAILED) {
        if (file >= 0)
            close(file);
        return NULL;
    }
    struct write_image *i = must_calloc(1, sizeof *i);

    atomic_init(&i->references, 1);
    i->file = file;
    i->pages = pages;
    i->phase = phase;
    i->bytes = bytes;
    return i;
}

static struct write_image *image_share(struct write_image *i)
{
    atomic_fetch_add(&i->references, 1);
    return i;
}

struct write_image *write_image_take(struct write_images *kept, uint64_t to,
                                     const void *from, size_t bytes)
{
    const size_t phase = (size_t)(to % image_page_bytes());

    if (bytes < WRITE_IMAGE_BYTES_MIN)
        return NULL;
    for (unsigned n = 0; n < kept->count; n++) {
        struct write_image *i = kept->image[n];

        if (i && i->phase == phase && i->bytes == bytes &&
            memcmp(write_image_data(i), from, bytes) == 0)
            return image_share(i);
    }
    struct write_image *made = image_create(phase, from, bytes);

    if (made) {
        write_image_release(kept->image[kept->next]);
        kept->image[kept->next] = image_share(made);
        kept->next = (kept->next + 1) % kept->count;
    }
    return made;
}

void write_images_clear(struct write_images *images)
{
    for (unsigned n = 0; n < images->count; n++)
        write_image_release(images->image[n]);
    *images = (struct write_images){.count = images->count};
}

void write_image_release(struct write_image *i)
{
    if (!i || atomic_fetch_sub(&i->references, 1) > 1)
        return;
    munmap(i->pages, i->phase + i->bytes);
    close(i->file);
    free(i);
}

const unsigned char *write_image_data(const struct write_image *i)
{
    return i->pages + i->phase;
}

/* Complete pages are mapped, which may fail if the process has too many mappings; the
   memory is unchanged then. */
void write_image_put(const struct write_image *i, uint64_t to)
{
    const size_t page = image_page_bytes();
    const size_t first = i->phase ? page - i->phase : 0,
                 mapped = (i->bytes - first) / page * page, end = first + mapped;
    unsigned char *target = (unsigned char *)(uintptr_t)to;
    const unsigned char *data = write_image_data(i);

    if (to % page != i->phase || mmap(target + first, mapped, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, i->file,
                                      (off_t)(i->phase + first)) == MAP_FAILED) {
        memcpy(target, data, i->bytes);
        return;
    }
    memcpy(target, data, first);
    memcpy(target + end, data + end, i->bytes - end);
}
