/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Release of bindings and counter tables of a kernel. */

struct proact_array;
struct proact_kernel;

/* Drops the bindings of a kernel that use `array`; NULL: all. Nothing may be in flight. */
void kernel_bindings_drop(struct proact_kernel *k, const struct proact_array *array);
void kernel_tables_drop(struct proact_kernel *k);
/* Called before a launch shape is added: drops all shapes if there are too many. */
void kernel_shapes_trim(struct proact_kernel *k);
