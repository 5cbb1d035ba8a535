/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "runtime/needs.h"
#include "runtime/recording.h"
#include "runtime/wants.h"

static bool uses(const struct kernel_binding *b, const struct proact_array *a)
{
    for (unsigned s = 0; s < b->transfer.slot_count; s++)
        if (b->array[s] == a)
            return true;
    return false;
}

void kernel_bindings_drop(struct proact_kernel *k, const struct proact_array *array)
{
    if (!array)
        recordings_void(k->session, k);
    for (struct kernel_binding **link = &k->bindings; *link;) {
        struct kernel_binding *b = *link;

        if (array && !uses(b, array)) {
            link = &b->next;
            continue;
        }
        *link = b->next;
        for (struct proact_array *a = k->session->arrays; a; a = a->next)
            a->writer = a->writer == b ? NULL : a->writer;
        transfer_unbind(&b->transfer);
        wants_close(b);
        free(b);
    }
}

void kernel_tables_drop(struct proact_kernel *k)
{
    needs_drop(k);
    while (k->tables) {
        struct kernel_tables *t = k->tables;

        k->tables = t->next;
        transfer_tables_destroy(&k->session->devices, t->tables);
        free(t);
    }
}
