/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Texture storage: linear memory of the device. */

#include "device/emulator/memory/objects.h"

struct device_texels {
    struct device_set *set;
    unsigned device;
    struct proact_texture_array_shape shape;
    device_addr base;
    uint64_t pitch, slice, bytes;
};
