/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Positions of values in the text of a JSON file, which jansson does not record. jansson
   has accepted the text, so these functions cannot fail. Offsets are in bytes. */

#include <stddef.h>

size_t json_place_first(const char *text); /* of the outermost value */

/* Position of the value of key number `index` of the object at `object`, or of an array's
   element. jansson keeps keys in file order, so the number identifies a key with any
   escapes. */
size_t json_place_member(const char *text, size_t object, size_t index);
size_t json_place_element(const char *text, size_t array, size_t index);

size_t json_place_line(const char *text, size_t offset); /* counted from 1 */
