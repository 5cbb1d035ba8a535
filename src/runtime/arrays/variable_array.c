/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/arrays/variable_array.h"

#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "instrument/instrument.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session_image.h"

/* By symbol: variables that can become arrays and that some kernel writes. */
static bool *find_written(const struct ptx_module *m)
{
    bool *may = must_calloc(m->symbol_count + 1u, sizeof *may), *written;

    for (uint32_t i = 0; i < m->symbol_count; i++)
        may[i] = instrument_variable_moves(m, i);
    written = access_variables_written(m, may);
    free(may);
    return written;
}

static void *copy_of(const void *bytes, size_t count)
{
    return bytes ? memcpy(must_calloc(count, 1), bytes, count) : NULL;
}

enum proact_status variable_array_add(struct proact *p, struct session_image *i,
                                      const struct ptx_symbol *s, struct proact_error *err)
{
    struct variable_array v = {.initial = copy_of(s->initial, s->bytes)};
    struct text name = {0};

    text_print(&name, "variable %s", s->name);
    const struct proact_shape shape = {
        .name = name.data, .count = s->bytes, .element_bytes = 1};
    enum proact_status status = proact_array_create(p, &shape, &v.array, err);

    text_clear(&name);
    if (status) {
        free(v.initial);
        return status;
    }
    v.name = must_strdup(s->name);
    i->variables = must_grow(i->variables, i->variable_count, &i->variable_capacity,
                             sizeof *i->variables);
    i->variables[i->variable_count++] = v;
    return variable_array_reset(&v, err);
}

static enum proact_status add_all(struct proact *p, struct session_image *i,
                                  const bool *which, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (uint32_t n = 0; n < i->ptx->symbol_count && !status; n++)
        if (which[n])
            status = variable_array_add(p, i, &i->ptx->symbols[n], err);
    return status;
}

static void give_up(struct session_image *i)
{
    for (unsigned n = 0; n < i->variable_count; n++)
        proact_array_destroy(i->variables[n].array);
    variable_arrays_destroy(i);
}

enum proact_status variables_become_arrays(struct proact *p, struct session_image *i,
                                           char **text, size_t *bytes,
                                           struct proact_error *err)
{
    bool *which = find_written(i->ptx);
    enum proact_status status = add_all(p, i, which, err);

    if (status)
        give_up(i);
    *text = i->variable_count ? instrument_variables(i->ptx, which, bytes) : NULL;
    free(which);
    return status == PROACT_ENOSPACE ? PROACT_OK : status;
}

void variable_arrays_destroy(struct session_image *i)
{
    for (unsigned n = 0; n < i->variable_count; n++) {
        free(i->variables[n].name);
        free(i->variables[n].initial);
    }
    free(i->variables);
    i->variables = NULL;
    i->variable_count = 0;
    i->variable_capacity = 0;
}

const struct variable_array *variable_array_find(const struct session_image *i,
                                                 const char *name)
{
    for (unsigned n = 0; n < i->variable_count; n++)
        if (strcmp(i->variables[n].name, name) == 0)
            return &i->variables[n];
    return NULL;
}

enum proact_status variable_array_reset(const struct variable_array *v,
                                        struct proact_error *err)
{
    const size_t bytes = v->array->bytes;
    void *zero = v->initial ? NULL : must_calloc(bytes, 1);
    enum proact_status status =
        proact_array_write(v->array, 0, v->initial ? v->initial : zero, bytes, err);

    free(zero);
    return status;
}

const struct variable_array *variable_array_given(const struct session_image *i,
                                                  const struct ptx_symbol *parameter)
{
    static const char prefix[] = INSTRUMENT_VARIABLE;

    return strncmp(parameter->name, prefix, sizeof prefix - 1) == 0
               ? variable_array_find(i, parameter->name + sizeof prefix - 1)
               : NULL;
}

unsigned variable_parameters(const struct session_image *i, const struct ptx_function *f)
{
    unsigned count = 0;

    while (count < f->parameter_count &&
           variable_array_given(i, &f->symbols[f->parameter_count - 1 - count]))
        count++;
    return count;
}

void variable_relocations(const struct proact_kernel *k,
                          struct proact_relocation *relocations, size_t *count)
{
    for (unsigned n = 0; n < k->variable_count; n++) {
        const struct ptx_symbol *s = &k->ptx->symbols[k->parameter_count + n];

        relocations[(*count)++] = (struct proact_relocation){
            s->offset, variable_array_given(k->image, s)->array, 0};
    }
}
