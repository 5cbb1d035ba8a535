/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Loading of images, and kernels made from another kernel. */

#include <proact/program.h>

struct session_image;

/* Image with this text, loaded on every device by this call or an earlier one. */
enum proact_status image_load(struct proact *p, const struct proact_image *image,
                              struct session_image **out, struct proact_error *err);

/* Creates a kernel of the same function, with the user's maps and without cached results.
   It is a variant of `k`, which owns it. */
enum proact_status kernel_variant_create(struct proact_kernel *k,
                                         struct proact_kernel **out,
                                         struct proact_error *err);

/* The same with another text of the module, which it takes. The text has the same lines and
   variables, and the same parameters, possibly with more after them. */
enum proact_status kernel_rewritten_create(struct proact_kernel *k, char *text,
                                           size_t bytes, struct proact_kernel **out);
