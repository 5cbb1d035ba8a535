/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/variables/module_variable.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "ptx/ptx.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/session/recording.h"
#include "runtime/session/runtime_wait.h"

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

bool module_variable_may_change(const struct ptx_symbol *s)
{
    bool is_fixed =
        s->initial && (begins(s->name, "$str") || begins(s->name, "_$_str") ||
                       begins(s->name, "__unnamed") || begins(s->name, "__cudart_"));

    return (s->space == PTX_SPACE_GLOBAL || s->space == PTX_SPACE_CONST) &&
           !s->is_function && !s->is_extern && s->bytes && !is_fixed;
}

bool module_has_variables(const struct ptx_module *m)
{
    for (uint32_t i = 0; i < m->symbol_count; i++)
        if (m->symbols[i].space == PTX_SPACE_GLOBAL &&
            module_variable_may_change(&m->symbols[i]))
            return true;
    return false;
}

/* First matching symbol that a function or its callees use. */
typedef bool which_symbol(const struct ptx_symbol *s);

static const struct ptx_symbol *used_in(const struct ptx_module *m,
                                        const struct ptx_function *f, which_symbol *which,
                                        uint32_t *line)
{
    for (uint32_t i = 0; i < f->instruction_count; i++)
        for (uint32_t o = 0; o < f->instructions[i].operand_count; o++) {
            const struct ptx_operand *at = &f->instructions[i].operands[o];
            bool is_symbol = at->kind == PTX_SYMBOL || at->kind == PTX_MEMORY;

            if (!is_symbol || at->symbol < PTX_SYMBOL_MODULE)
                continue;
            const struct ptx_symbol *s = ptx_symbol(m, f, at->symbol);

            *line = f->instructions[i].line;
            if (which(s))
                return s;
        }
    return NULL;
}

static const struct ptx_symbol *used_by(const struct ptx_module *m,
                                        const struct ptx_function *f, which_symbol *which,
                                        uint32_t *line)
{
    bool *reached = must_calloc(m->function_count, sizeof *reached);
    const struct ptx_symbol *s = NULL;

    ptx_reach(m, f, reached);
    for (uint32_t i = 0; i < m->function_count && !s; i++)
        if (reached[i])
            s = used_in(m, &m->functions[i], which, line);
    free(reached);
    return s;
}

static bool is_managed(const struct ptx_symbol *s)
{
    return s->is_managed;
}

const struct ptx_symbol *module_managed_variable(const struct ptx_module *m,
                                                 const struct ptx_function *f,
                                                 uint32_t *line)
{
    return used_by(m, f, is_managed, line);
}

static bool is_large(const struct ptx_symbol *s)
{
    return s->bytes > UINT32_MAX;
}

const struct ptx_symbol *module_large_variable(const struct ptx_module *m,
                                               const struct ptx_function *f, uint32_t *line)
{
    return used_by(m, f, is_large, line);
}

static bool may_be_written(const struct ptx_symbol *s)
{
    return s->space == PTX_SPACE_GLOBAL && module_variable_may_change(s);
}

const struct ptx_symbol *module_written_variable(const struct ptx_module *m,
                                                 const struct ptx_function *f)
{
    uint32_t line;

    return used_by(m, f, may_be_written, &line);
}

enum proact_status module_variable_read(const struct proact_kernel *k,
                                        const struct ptx_symbol *s, void *into,
                                        device_addr *address, struct proact_error *err)
{
    const struct proact *p = k->session;
    size_t bytes;
    enum proact_status status =
        p->backend->variable(k->image->module[0], s->name, address, &bytes, err);

    return status ? status
                  : p->backend->read(p->devices.device[0].lane[TRANSFER_MAIN], into,
                                     *address, s->bytes, err);
}

static enum proact_status copy_one(const struct proact_kernel *k,
                                   const struct ptx_symbol *s,
                                   struct device_module *const *to,
                                   struct proact_error *err)
{
    const struct proact *p = k->session;
    void *content = must_calloc(1, s->bytes);
    device_addr address;
    size_t bytes;
    enum proact_status status = module_variable_read(k, s, content, &address, err);

    for (unsigned d = 0; d < p->devices.count && !status; d++) {
        status = p->backend->variable(to[d], s->name, &address, &bytes, err);
        if (!status)
            status = p->backend->write(p->devices.device[d].lane[TRANSFER_MAIN], address,
                                       content, s->bytes, err);
    }
    free(content);
    return status;
}

static void note_used(const struct ptx_function *f, bool *used)
{
    for (uint32_t i = 0; i < f->instruction_count; i++)
        for (uint32_t o = 0; o < f->instructions[i].operand_count; o++) {
            const struct ptx_operand *at = &f->instructions[i].operands[o];

            if ((at->kind == PTX_SYMBOL || at->kind == PTX_MEMORY) &&
                at->symbol >= PTX_SYMBOL_MODULE)
                used[at->symbol - PTX_SYMBOL_MODULE] = true;
        }
}

/* By symbol: the kernel or a callee uses it, or may reach it through an address in another
   variable. */
static bool *find_used(const struct proact_kernel *k)
{
    const struct ptx_module *m = k->image->ptx;
    bool *used = must_calloc(m->symbol_count + 1u, sizeof *used), leads = false,
         *reached = must_calloc(m->function_count, sizeof *reached);

    ptx_reach(m, k->ptx, reached);
    for (uint32_t i = 0; i < m->function_count; i++)
        if (reached[i])
            note_used(&m->functions[i], used);
    free(reached);
    for (uint32_t i = 0; i < m->symbol_count; i++)
        leads |= used[i] && m->symbols[i].relocation_count;
    for (uint32_t i = 0; i < m->symbol_count && leads; i++)
        used[i] = true;
    return used;
}

/* Variables with addresses of their own module keep their initial contents. */
static bool variable_is_fetched(const struct ptx_symbol *s)
{
    return module_variable_may_change(s) && !s->relocation_count;
}

bool module_variables_wait(const struct proact_kernel *k, uint64_t since)
{
    const struct ptx_module *m = k->image->ptx;
    bool waits = false;

    if (since == k->session->variables)
        return false;
    bool *used = find_used(k);

    for (uint32_t i = 0; i < m->symbol_count; i++)
        waits |= used[i] && variable_is_fetched(&m->symbols[i]);
    free(used);
    return waits;
}

static enum proact_status copy_used(const struct proact_kernel *k,
                                    struct device_module *const *to,
                                    struct proact_error *err)
{
    const struct ptx_module *m = k->image->ptx;
    enum proact_status status = PROACT_OK;
    bool *used = find_used(k), is_settled = false;

    for (uint32_t i = 0; i < m->symbol_count && !status; i++) {
        if (!used[i] || !variable_is_fetched(&m->symbols[i]))
            continue;
        if (!is_settled && !k->session->recording) /* which began after a wait */
            session_settle(k->session);
        is_settled = true;
        status = copy_one(k, &m->symbols[i], to, err);
    }
    free(used);
    return status;
}

enum proact_status module_variables_fetch(const struct proact_kernel *k,
                                          struct device_module *const *to, uint64_t *since,
                                          struct proact_error *err)
{
    struct proact *p = k->session;
    enum proact_status status;

    if (*since == p->variables)
        return PROACT_OK;
    if (!recording_has_variables(p) && module_variables_wait(k, *since)) {
        p->records_unlike = true;
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': variables of modules may have changed: launch it once, "
                    "then record",
                    k->name);
    }
    recording_pause(p);
    if (!(status = copy_used(k, to, err)))
        *since = p->variables;
    recording_resume(p);
    return status;
}
