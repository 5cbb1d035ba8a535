/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/image_destroy.h"

#include <stdlib.h>

#include "runtime/arrays/variable_array.h"
#include "runtime/kernel/given_variable.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/variables/known_constants.h"

void image_destroy(const struct proact *p, struct session_image *image)
{
    for (unsigned d = 0; d < p->devices.count; d++)
        if (image->module[d])
            p->backend->module_unload(image->module[d]);
    known_constants_destroy(image->constants);
    variable_arrays_destroy(image);
    given_variables_destroy(image->given_variables);
    ptx_destroy(image->ptx);
    free(image->text);
    free(image->given);
    free(image);
}
