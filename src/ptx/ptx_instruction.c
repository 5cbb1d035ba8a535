/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/ptx_parser.h"

static void note_part(struct ptx_instruction *into, enum ptx_part part)
{
    unsigned vector = ptx_part_vector(part);

    into->parts[into->part_count++] = (uint16_t)part;
    if (ptx_is_type(part) && into->type == PTX_PART_COUNT)
        into->type = into->source_type = part;
    else if (ptx_is_type(part) && into->source_type == into->type)
        into->source_type = part;
    if (into->space == PTX_SPACE_GENERIC)
        into->space = ptx_part_space(part);
    if (vector)
        into->vector = (uint8_t)vector;
}

/* The second type is the source type; mma has four types. */
static bool read_parts(struct ptx_parser *p, struct ptx_instruction *into)
{
    unsigned types = 0;

    for (; p->token.kind == PTX_TOKEN_WORD; ptx_next(p)) {
        enum ptx_part part = ptx_word_part(p, &p->token);

        if (into->part_count == PTX_PARTS_MAX)
            return ptx_wrong(p, p->token.span.offset, "more than %d words after the opcode",
                             PTX_PARTS_MAX);
        if (ptx_is_type(part) && ++types > 2)
            into->parts[into->part_count++] = (uint16_t)part;
        else
            note_part(into, part);
    }
    return true;
}

bool ptx_read_guard(struct ptx_parser *p, struct ptx_instruction *into)
{
    ptx_next(p);
    into->guard_negated = ptx_accept(p, '!');
    struct ptx_span span = p->token.span;

    if (p->token.kind != PTX_TOKEN_NAME)
        return ptx_expected(p, "a predicate after '@'");
    into->guard = ptx_register_find(p, p->text + span.offset, span.bytes);
    if (into->guard < 0)
        return ptx_wrong(p, span.offset, "predicate '%.*s' is not declared",
                         (int)span.bytes, p->text + span.offset);
    ptx_next(p);
    return true;
}

bool ptx_read_instruction(struct ptx_parser *p, struct ptx_token opcode,
                          struct ptx_instruction *into)
{
    const struct ptx_name *row = ptx_names_find(
        &p->words, PTX_NAME_OPCODE, p->text + opcode.span.offset, opcode.span.bytes);

    into->opcode = row ? (enum ptx_opcode)row->index : PTX_OPCODE_COUNT;
    into->type = into->source_type = PTX_PART_COUNT;
    into->vector = 1;
    bool jump = into->opcode == PTX_BRA || into->opcode == PTX_BRX;

    if (!read_parts(p, into))
        return false;
    if (ptx_at(p, '}') || p->token.kind == PTX_TOKEN_END)
        return ptx_expected(p, "an operand or ';'");
    if (!ptx_read_operands(p, jump, &into->operands, &into->operand_count))
        return false;
    into->span.bytes = p->token.span.offset + p->token.span.bytes - into->span.offset;
    return ptx_expect(p, ';', "';' after operand");
}
