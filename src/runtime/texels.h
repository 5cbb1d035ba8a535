/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* CUDA arrays of a session, all on the first device. */

#include "runtime/session.h"

struct proact_texels {
    struct proact *session;
    struct proact_texels *next;
    struct proact_texels_shape shape;
    struct device_texels *device;
};

size_t texels_bytes_each(const struct proact_texel *t);
enum proact_status texels_check_texel(const struct proact_texel *t,
                                      struct proact_error *err);
/* Whether the session can have such, now. */
enum proact_status texels_check_session(const struct proact *p, struct proact_error *err);
void texels_close(struct proact *p);
