/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* CUDA arrays and texture objects of a session. */

#include <proact/texture.h>

#include "device/device.h"

struct proact_texture_array {
    struct proact *session;
    struct proact_texture_array *next;
    struct proact_texture_array_shape shape;
    struct device_texels *device; /* on device 0 */
    uint64_t changes;             /* change count of that one */
    bool may_be_written;          /* by kernels, because it had a surface */
    uint64_t used;                /* last operation that read the copies */
    struct texels_copy {
        struct device_texels *device; /* NULL: not created yet */
        uint64_t changes;             /* change count of the copy; 0: no contents */
        uint64_t sent;                /* operation that updated it */
    } copy[PROACT_DEVICES_MAX];
};

struct session_texture {
    struct session_texture *next;
    struct proact_texture is;
    uint64_t handle;
    uint64_t bytes;              /* size of its memory; 0: a texture array */
    bool is_void;                /* its texture array was destroyed */
    struct proact_error refused; /* reason why a device has no object; "": none */
    struct texture_elsewhere {
        uint64_t handle, address; /* address 0: a texture array */
        bool is_made;
    } on[PROACT_DEVICES_MAX]; /* except device 0 */
};
