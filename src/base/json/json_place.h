/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where a value stands in the text of a JSON file: jansson keeps values but no places. The
   text was accepted by jansson, so there is nothing to refuse here. Offsets are in bytes.
 */

#include <stddef.h>

size_t json_place_first(const char *text); /* of the outermost value */

/* Of the value of key number `index` of the object at `object`, and of an array's element.
   jansson keeps keys in the file's order, so a number finds a key however it is spelled. */
size_t json_place_member(const char *text, size_t object, size_t index);
size_t json_place_element(const char *text, size_t array, size_t index);

size_t json_place_line(const char *text, size_t offset); /* from 1 */
