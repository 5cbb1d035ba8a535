/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

/* Names of templates have a thousand letters and more. One that is long loses its middle,
   so that there is room for what is said of it. */
struct short_name {
    char text[112];
};

struct short_name name_shorten(const char *name);

/* The sentence in `room` bytes (some, and its end is lost where it has no room). Its words
   that are longer than such a name lose their middle. */
void sentence_shorten(const char *sentence, char *into, size_t room);
