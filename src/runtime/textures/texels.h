/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* CUDA arrays of a session. A program knows the first device's; others have copies, made
   when they have to do with it, and brought up to date before they read it. */

#include "runtime/session/session.h"

struct proact_texture_array {
    struct proact *session;
    struct proact_texture_array *next;
    struct proact_texture_array_shape shape;
    struct device_texels *device; /* the first one's */
    uint64_t changes;             /* of that one, so far */
    bool may_be_written;          /* by kernels: it had a surface */
    uint64_t used;                /* the last operation that read the copies */
    struct texels_copy {
        struct device_texels *device; /* NULL: not made yet */
        uint64_t changes;             /* that it has; 0: none */
        uint64_t sent;                /* the operation that brought them */
    } copy[PROACT_DEVICES_MAX];
};

size_t texels_bytes_each(const struct proact_texel_format *t);
enum proact_status texels_check_texel(const struct proact_texel_format *t,
                                      struct proact_error *err);
/* Whether the session can have such, now. */
enum proact_status texels_check_session(const struct proact *p, struct proact_error *err);

enum proact_status texels_copy_make(struct proact_texture_array *t, unsigned device,
                                    struct proact_error *err);
/* Queued on lane MAIN of the first device, which is of no stream then, if it lacks
   anything; and what lane MAIN of the other one comes after. */
enum proact_status texels_copy_renew(struct proact_texture_array *t, unsigned device,
                                     struct proact_error *err);
enum proact_status texels_copy_await(const struct proact_texture_array *t, unsigned device,
                                     struct proact_error *err);
/* Something on the first device may have written to any by surfaces. */
void texels_written(struct proact *p);
void texels_close(struct proact *p);
