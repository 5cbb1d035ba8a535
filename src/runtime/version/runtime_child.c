/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/version/runtime_child.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "instrument/instrument.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/session/runtime_wait.h"
#include "runtime/variables/module_variable.h"
#include "runtime/version/binding_drop.h"
#include "runtime/version/runtime_clone.h"

struct kernel_children {
    struct device_module *module[PROACT_DEVICES_MAX];
    struct device_function *function[PROACT_DEVICES_MAX];
    uint64_t variables; /* the session's count at the last update of the modules'
                           variables */
};

/* An annotated kernel may write variables of its module, which the child module
   duplicates. */
static enum proact_status refuse_variables(const struct proact_kernel *k,
                                           struct proact_error *err)
{
    const struct ptx_symbol *s = module_written_variable(k->image->ptx, k->ptx);

    if (!k->is_annotated || !s)
        return PROACT_OK;
    return fail(err, PROACT_EREFUSED,
                "kernel '%s', %s: it uses variable '%s' of its module, which has another "
                "address in the module that launches child kernels",
                k->name, k->image->ptx->name, s->name);
}

static enum proact_status make_text(struct proact_kernel *k, char **out, size_t *bytes,
                                    struct proact_error *err)
{
    struct ptx_module *m = NULL;
    size_t from_bytes;
    const char *from;
    enum proact_status status = kernel_split_text(k, &from, &from_bytes, err);

    if (!status)
        status = ptx_parse(k->image->ptx->name, from, from_bytes, &m, err);

    if (!status)
        *out = instrument_children(m, bytes);
    ptx_destroy(m);
    return status;
}

static enum proact_status load(struct proact_kernel *k, struct proact_error *err)
{
    struct proact *p = k->session;
    const struct device_backend *b = p->backend;
    struct text name = {0};
    char *text = NULL;
    size_t bytes = 0;
    enum proact_status status = make_text(k, &text, &bytes, err);

    text_print(&name, "%s%s", k->name, kernel_split_suffix(k));
    for (unsigned d = 0; d < p->devices.count && !status; d++)
        if (!(status = b->module_load(p->set, d, k->image->ptx->name, text, bytes,
                                      &k->children->module[d], err)))
            status = b->function(k->children->module[d], name.data,
                                 &k->children->function[d], err);
    text_clear(&name);
    free(text);
    return status;
}

enum proact_status kernel_children_ready(struct proact_kernel *k, struct proact_error *err)
{
    enum proact_status status;

    if (!k->children) {
        if ((status = refuse_variables(k, err)))
            return status;
        k->children = must_calloc(1, sizeof *k->children);
        if ((status = load(k, err))) {
            kernel_children_drop(k);
            return status;
        }
    }
    return module_variables_fetch(k, k->children->module, &k->children->variables, err);
}

enum proact_status kernel_children_follow(const struct proact_kernel *k,
                                          struct proact_error *err)
{
    struct kernel_children *c = k->children;

    return c ? module_variables_fetch(k, c->module, &c->variables, err) : PROACT_OK;
}

struct device_function *kernel_children_function(const struct proact_kernel *k,
                                                 unsigned device)
{
    return k->children->function[device];
}

void kernel_children_drop(struct proact_kernel *k)
{
    if (!k->children)
        return;
    for (unsigned d = 0; d < k->session->devices.count; d++)
        if (k->children->module[d])
            k->session->backend->module_unload(k->children->module[d]);
    free(k->children);
    k->children = NULL;
}

enum proact_status kernel_slots_change(struct proact_kernel *k, struct proact_error *err)
{
    if (!k->bindings && !k->children && !k->clones)
        return PROACT_OK;
    if (!session_try_quiesce(k->session))
        return fail(err, PROACT_ETIMEOUT,
                    "kernel '%s': it writes an array for the first time, and its earlier "
                    "versions may be queued after a kernel that waits for the host",
                    k->name);
    session_settle(k->session);
    kernel_bindings_drop(k, NULL);
    kernel_children_drop(k);
    kernel_clones_drop(k); /* versions for the old slots */
    return PROACT_OK;
}
