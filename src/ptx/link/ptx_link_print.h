/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Inside the linker: the linked module's text. */

#include "base/text.h"
#include "ptx/link/ptx_link_names.h"

/* All of it, in an order in which everything is declared before it is used. */
enum proact_status link_print(const struct linking *l, struct text *into);
