/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/version/binding_drop.h"

#include <stdlib.h>

#include "runtime/access_sets/annotated_stores.h"
#include "runtime/access_sets/needs.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/session/recording.h"
#include "runtime/session/runtime_wait.h"
#include "runtime/validity/consumers.h"

/* Limits per kernel: bindings, which may own streams, and bytes of tables per device beyond
   the total size of the session's arrays. */
enum { SHAPES = 1024, TABLE_BYTES = 4 << 20 };

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
        consumers_destroy(b);
        free(b);
    }
}

static void tables_drop(struct proact_kernel *k)
{
    while (k->tables) {
        struct kernel_tables *t = k->tables;

        k->tables = t->next;
        transfer_tables_destroy(&k->session->devices, t->tables);
        free(t);
    }
}

void kernel_tables_drop(struct proact_kernel *k)
{
    annotated_stores_drop(k);
    needs_drop(k);
    tables_drop(k);
}

static bool has_too_many(const struct proact_kernel *k)
{
    uint64_t bytes = 0, most = TABLE_BYTES;
    unsigned count = 0;

    for (const struct kernel_binding *b = k->bindings; b; b = b->next)
        count++;
    for (const struct kernel_tables *t = k->tables; t; t = t->next)
        bytes += t->tables->block_bytes;
    for (const struct proact_array *a = k->session->arrays; a; a = a->next)
        most += a->bytes;
    return count >= SHAPES || bytes > most;
}

/* A loop whose index decides the written range (`i > k`) creates a shape per launch that
   never recurs. Recordings keep their shapes. */
void kernel_shapes_trim(struct proact_kernel *k)
{
    if (recordings_use(k->session, k) || k->session->recording || !has_too_many(k) ||
        !session_try_quiesce(k->session))
        return;
    session_settle(k->session);
    kernel_bindings_drop(k, NULL);
    tables_drop(k);
}
