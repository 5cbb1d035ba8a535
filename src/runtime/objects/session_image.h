/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* PTX image of a session. */

#include <proact/program.h>

#include "device/device.h"

/* A PTX text, loaded on every device. */
struct session_image {
    struct session_image *next;
    char *text;
    size_t bytes;
    char *given; /* by the caller, where that was another text; else NULL */
    size_t given_bytes;
    struct ptx_module *ptx;
    struct known_constants *constants; /* known_constants.c */
    unsigned devices; /* the first so many have it: all, if a kernel of it is marked; others
        run elsewhere as clones, which have modules of their own */
    struct device_module *module[PROACT_DEVICES_MAX];
    struct variable_array *variables; /* variable_array.h */
    size_t variable_count, variable_capacity;
};
