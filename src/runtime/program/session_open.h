/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Opening of a session on a backend. */

#include <proact/program.h>

#include "device/device.h"

/* proact_open() on a given backend; tests pass a fake one. */
enum proact_status session_open(const struct device_backend *backend,
                                const struct proact_options *options, struct proact **out,
                                struct proact_error *err);
