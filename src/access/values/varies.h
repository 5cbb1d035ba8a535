/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Loop variance of forms. */

#include "access/values/study.h"

/* Whether the form may differ between iterations of the loop. */
bool varies_in_loop(const struct study *s, const struct access_form *f,
                    const struct region_loop *l);
