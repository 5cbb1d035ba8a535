/* SPDX-License-Identifier: Apache-2.0 */
#include "base/float_mode.h"

void float_mode_begin(struct float_mode *m)
{
    fegetenv(&m->programs);
    fesetenv(FE_DFL_ENV);
}

void float_mode_end(const struct float_mode *m)
{
    fesetenv(&m->programs);
}
