/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Variables whose addresses kernels give to the program: a kernel stores the address,
   passes it to a function, or an initializer contains it. Only such an address may refer to
   a variable that the program never named. Any other pointer into a variable is a pointer
   to an array that it left, such as a window whose first index is not 0. */

#include <stdint.h>

struct proact;
struct proact_variable;

struct given_variables; /* of one image */

/* The variable that contains the address on device 0; NULL: none. Borrowed as long as the
   image is loaded. */
const struct proact_variable *given_variable_find(const struct proact *p, uint64_t address);
void given_variables_destroy(struct given_variables *g); /* NULL is allowed */
