/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/variables/known_constants.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/request/launching.h"
#include "runtime/session/runtime_wait.h"
#include "runtime/variables/module_variable.h"

static bool is_constant(const struct ptx_symbol *s)
{
    return s->space == PTX_SPACE_CONST && !s->is_function && !s->is_extern && s->bytes;
}

static void clear(struct known_constants *c)
{
    for (uint32_t n = 0; n < c->count; n++)
        free((void *)(uintptr_t)c->items[n].content);
    free(c->items);
    free(c->address);
    free(c->content);
    *c = (struct known_constants){.are_read = false};
}

static enum proact_status read_all(struct known_constants *c, const struct proact_kernel *k)
{
    const struct ptx_module *m = k->image->ptx;
    enum proact_status status = PROACT_OK;

    c->items = must_calloc(m->symbol_count + 1u, sizeof *c->items);
    c->address = must_calloc(m->symbol_count + 1u, sizeof *c->address);
    c->content = must_calloc(m->symbol_count + 1u, sizeof *c->content);
    for (uint32_t i = 0; i < m->symbol_count && !status; i++) {
        const struct ptx_symbol *s = &m->symbols[i];

        if (!is_constant(s))
            continue;
        c->content[i] = must_calloc(1, s->bytes);
        c->items[c->count] = (struct write_set_constant){
            .name = s->name, .content = c->content[i], .bytes = s->bytes};
        if (module_variable_may_change(s))
            status = module_variable_read(k, s, c->content[i], &c->address[c->count], NULL);
        else
            memcpy(c->content[i], s->initial, s->bytes);
        c->count++;
    }
    return status;
}

const struct known_constants *known_constants_find(const struct launching *l)
{
    const struct proact_kernel *k = l->kernel;
    struct proact *p = k->session;
    struct known_constants *c = k->image->constants;

    if (p->recording && !l->is_program)
        return NULL;
    if (c->are_read && c->since == p->constants)
        return c;
    p->records_unlike |= p->recording != NULL;
    if (p->recording)
        return NULL;
    if (!session_try_quiesce(p))
        return NULL;
    clear(c);
    session_settle(k->session); /* a failure is reported by the next wait */
    if (read_all(c, k))
        return NULL;
    c->are_read = true;
    c->since = p->constants;
    return c;
}

/* A write across the end of a constant invalidates the contents. */
static void follow(struct known_constants *c, device_addr to, const void *from,
                   size_t bytes)
{
    for (uint32_t n = 0; n < c->count; n++) {
        const struct write_set_constant *i = &c->items[n];
        const device_addr at = c->address[n];

        if (to >= at + i->bytes || to + bytes <= at)
            continue;
        if (to >= at && bytes <= i->bytes - (to - at))
            memcpy((unsigned char *)(uintptr_t)i->content + (to - at), from, bytes);
        else
            c->are_read = false;
    }
}

/* Contents that were already invalid are read on the next use. */
void known_constants_write(struct proact *p, device_addr to, const void *from, size_t bytes)
{
    p->constants++;
    for (struct session_image *i = p->images; i; i = i->next)
        if (i->constants->are_read && i->constants->since + 1 == p->constants) {
            follow(i->constants, to, from, bytes);
            i->constants->since = p->constants;
        }
}

void known_constants_destroy(struct known_constants *c)
{
    if (c)
        clear(c);
    free(c);
}
