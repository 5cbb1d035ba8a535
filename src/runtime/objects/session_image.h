/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* PTX image of a session. */

#include <proact/program.h>

#include "device/device.h"

/* PTX text, loaded on every device. */
struct session_image {
    struct session_image *next;
    char *text;
    size_t bytes;
    char *given; /* text of the caller, if `text` is a rewritten one; else NULL */
    size_t given_bytes;
    struct ptx_module *ptx;
    uint64_t digest; /* of the text; 0: not computed yet */
    struct known_constants *constants;
    unsigned devices; /* devices from 0 that load the module: all if a kernel is annotated;
                         the others load only kernel versions */
    struct device_module *module[PROACT_DEVICES_MAX];
    struct variable_array *variables;
    size_t variable_count, variable_capacity;
    struct given_variables *given_variables; /* NULL: not yet needed (given_variable.h) */
};
