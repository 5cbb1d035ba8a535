/* SPDX-License-Identifier: Apache-2.0 */
/* A label is visible in its complete scope, also before its definition. Possible label
   names are therefore recorded until the scope ends. A name not found there is resolved in
   the outer scope. */
#include "ptx/ptx_parser.h"

bool ptx_scope_enter(struct ptx_parser *p)
{
    struct ptx_body *b = &p->body;

    if (b->depth == PTX_DEPTH_MAX)
        return ptx_wrong(p, p->token.span.offset, "more than %d nested scopes",
                         PTX_DEPTH_MAX);
    b->scopes[b->depth++].first_reference = b->references.count;
    ptx_names_enter(&p->names);
    return true;
}

void ptx_scope_leave(struct ptx_parser *p)
{
    struct ptx_body *b = &p->body;
    struct ptx_reference *references = b->references.data;
    size_t kept = b->scopes[--b->depth].first_reference;

    for (size_t i = kept; i < b->references.count; i++) {
        const struct ptx_name *found = ptx_names_find(
            &p->names, PTX_NAME_LABEL, p->text + references[i].offset, references[i].bytes);

        if (found && found->depth == p->names.depth)
            *references[i].label = found->index;
        else
            references[kept++] = references[i];
    }
    b->references.count = kept;
    ptx_names_leave(&p->names);
}

bool ptx_label_add(struct ptx_parser *p, const struct ptx_token *name, int32_t *out)
{
    const char *text = p->text + name->span.offset;
    const struct ptx_name *twin =
        ptx_names_find(&p->names, PTX_NAME_LABEL, text, name->span.bytes);

    if (twin && twin->depth == p->names.depth)
        return ptx_wrong(p, name->span.offset, "label '%.*s' is defined twice",
                         (int)name->span.bytes, text);
    struct ptx_label *label = ptx_list_add(&p->body.labels);

    label->name = ptx_token_copy(p, name);
    label->instruction = (uint32_t)p->body.instructions.count;
    *out = (int32_t)p->body.labels.count - 1;
    ptx_names_add(&p->names, PTX_NAME_LABEL, label->name, name->span.bytes, *out);
    return true;
}

void ptx_label_refer(struct ptx_parser *p, int32_t *label, struct ptx_span span)
{
    struct ptx_reference *r = ptx_list_add(&p->body.references);

    *label = -1;
    *r = (struct ptx_reference){label, span.offset, span.bytes};
}
