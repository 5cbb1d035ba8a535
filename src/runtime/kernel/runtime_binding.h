/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Binding of a launch. */

#include <proact/status.h>

struct launching;

/* Binding of the launch, created at the first launch of its shape. */
enum proact_status kernel_binding_find(struct launching *l, struct proact_error *err);
