/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Data of a large host write. It is one anonymous file for all devices that the same bytes
   are written to in turn, and each device maps its pages. A store copies the page that it
   changes, so that the host provides memory for one copy and for the changed pages. */

#include <stddef.h>
#include <stdint.h>

struct write_image;

/* Writes of fewer bytes are copied: a mapping costs a few microseconds, and a process has a
   limited number of them. */
enum { WRITE_IMAGE_BYTES_MIN = 4 << 20 };

/* The last images of a set, or of the recordings that several sets use in turn. */
enum { WRITE_IMAGES_MAX = 16 };
struct write_images {
    struct write_image *image[WRITE_IMAGES_MAX]; /* references; NULL: none */
    unsigned count, next; /* how many are kept, and the one that the next image replaces */
};
void write_images_clear(struct write_images *images);

/* An image of the bytes for a write to `to`: a kept one that has them, or else a new one,
   which is kept. NULL: the bytes have to be copied. The caller owns one reference. */
struct write_image *write_image_take(struct write_images *kept, uint64_t to,
                                     const void *from, size_t bytes);
void write_image_release(struct write_image *i); /* NULL is allowed */
const unsigned char *write_image_data(const struct write_image *i);
/* Places the bytes at `to`, where memory is accessible. */
void write_image_put(const struct write_image *i, uint64_t to);
