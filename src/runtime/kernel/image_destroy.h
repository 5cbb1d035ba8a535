/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Release of an image. */

struct proact;
struct session_image;

void image_destroy(const struct proact *p, struct session_image *image); /* in no list */
