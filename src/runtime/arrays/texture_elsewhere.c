/* SPDX-License-Identifier: Apache-2.0 */
/* Destruction of the texture objects on devices other than device 0. */
#include <string.h>

#include "runtime/arrays/textures.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_texture.h"

void texture_unmake(struct proact *p, struct session_texture *t)
{
    for (unsigned d = 1; d < p->devices.count; d++)
        if (t->on[d].is_made)
            p->backend->texture_destroy(p->set, d, t->on[d].handle);
    memset(t->on, 0, sizeof t->on);
}

void textures_leave(struct proact_texture_array *texels)
{
    struct proact *p = texels->session;

    for (struct session_texture *t = p->textures; t; t = t->next)
        if (t->is.array == texels) {
            texture_unmake(p, t);
            t->is.array = NULL;
            t->is_void = true;
        }
}
