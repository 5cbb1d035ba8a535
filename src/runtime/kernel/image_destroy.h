/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Release of an image. */

struct proact;
struct session_image;

/* The image is not in the session's list. */
void image_destroy(const struct proact *p, struct session_image *image);
