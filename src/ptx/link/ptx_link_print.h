/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Private to the linker: output of the linked module. */

#include "base/text.h"
#include "ptx/link/ptx_link_names.h"

/* Prints the module in an order in which every declaration precedes its uses. */
enum proact_status link_print(const struct linking *l, struct text *into);
