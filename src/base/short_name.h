/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

/* Short form of a kernel name for messages. Template names can have a thousand characters
   and more; a long name loses its middle. */
struct short_name {
    char text[112];
};

struct short_name name_shorten(const char *name);

/* Copies the sentence into `room` bytes, truncated at the end if necessary. Each word
   longer than a short name loses its middle. */
void sentence_shorten(const char *sentence, char *into, size_t room);
