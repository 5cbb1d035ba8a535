/* SPDX-License-Identifier: Apache-2.0 */
#include "instrument/inline/inline_site.h"

void inline_name(const struct inline_site *site, const char *name, size_t bytes,
                 struct text *into)
{
    bool is_register = *name == '%';

    text_print(into, "%sin%u_", is_register ? "%" : "", site->number);
    text_add(into, name + is_register, bytes - is_register);
}
