/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What changes from iteration to iteration. */

#include "access/values/study.h"

/* Whether the form may be another one in another iteration of the loop. */
bool varies_in_loop(const struct study *s, const struct access_form *f,
                    const struct region_loop *l);
