/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Loading of images, and kernels made from another kernel. */

#include <proact/program.h>

struct session_image;

/* The image, loaded on every device now or before. */
enum proact_status image_load(struct proact *p, const struct proact_image *image,
                              struct session_image **out, struct proact_error *err);
/* One more of the same, without what was made of it, but with the user's maps. */
enum proact_status kernel_variant_create(struct proact_kernel *k,
                                         struct proact_kernel **out,
                                         struct proact_error *err);

/* The same with another text of its image's, which it takes: its lines, modules and
   variables are the same, and so are its parameters, behind which it may have more. */
enum proact_status kernel_rewritten_create(struct proact_kernel *k, char *text,
                                           size_t bytes, struct proact_kernel **out);
