/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "runtime/recording.h"

static bool uses(const struct kernel_binding *b, const struct proact_array *a)
{
    for (unsigned s = 0; s < b->transfer.slot_count; s++)
        if (b->array[s] == a)
            return true;
    return false;
}

void kernel_bindings_drop(struct proact_kernel *k, const struct proact_array *array)
{
    recordings_void(k->session, k, array);
    for (struct kernel_binding **link = &k->bindings; *link;) {
        struct kernel_binding *b = *link;

        if (array && !uses(b, array)) {
            link = &b->next;
            continue;
        }
        *link = b->next;
        transfer_unbind(&b->transfer);
        free(b);
    }
}

void kernel_tables_drop(struct proact_kernel *k)
{
    while (k->tables) {
        struct kernel_tables *t = k->tables;

        k->tables = t->next;
        transfer_tables_destroy(&k->session->devices, t->tables);
        free(t);
    }
}
