/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx_parser.h"

enum { SLOTS_FIRST = 64, NUMBER_DIGITS_MAX = 10 };

static struct ptx_slot *slot_of(struct ptx_slot *slots, size_t capacity, uint64_t key)
{
    uint64_t at = (key * 0x9e3779b97f4a7c15u) >> 20;

    while (slots[at & (capacity - 1)].key && slots[at & (capacity - 1)].key != key)
        at++;
    return &slots[at & (capacity - 1)];
}

static void grow_slots(struct ptx_body *b)
{
    size_t capacity = b->slot_capacity ? b->slot_capacity * 2 : SLOTS_FIRST;
    struct ptx_slot *slots = must_calloc(capacity, sizeof *slots);

    for (size_t i = 0; i < b->slot_capacity; i++)
        if (b->slots[i].key)
            *slot_of(slots, capacity, b->slots[i].key) = b->slots[i];
    free(b->slots);
    b->slots = slots;
    b->slot_capacity = capacity;
}

static int32_t add_register(struct ptx_parser *p, const char *name, uint32_t bytes,
                            enum ptx_part type, uint8_t type_bytes)
{
    struct ptx_register *r = ptx_list_add(&p->body.registers);
    char *copy = arena_alloc(&p->module->arena, bytes + 1u);

    memcpy(copy, name, bytes);
    *r = (struct ptx_register){copy, type, type_bytes};
    return (int32_t)p->body.registers.count - 1;
}

/* A vector register is one register for each element: V.x, V.y, ... Returns the first. */
static int32_t add_elements(struct ptx_parser *p, const char *name, uint32_t bytes,
                            const struct ptx_range *kind)
{
    int32_t first = (int32_t)p->body.registers.count;

    if (kind->vector == 1)
        return add_register(p, name, bytes, kind->type, kind->bytes);
    for (unsigned n = 0; n < kind->vector; n++) {
        char *element = arena_alloc(&p->module->arena, bytes + 3u);

        memcpy(element, name, bytes);
        element[bytes] = '.';
        element[bytes + 1] = "xyzw"[n];
        add_register(p, element, bytes + 2, kind->type, kind->bytes);
    }
    return first;
}

static bool register_ends(const struct ptx_parser *p, size_t reg, const char *end)
{
    const struct ptx_register *all = p->body.registers.data;
    const char *dot = reg < p->body.registers.count ? strchr(all[reg].name, '.') : NULL;

    return dot && !strcmp(dot, end);
}

unsigned ptx_register_elements(const struct ptx_parser *p, int32_t reg)
{
    if (!register_ends(p, (size_t)reg, ".x"))
        return 1;
    return register_ends(p, (size_t)reg + 2, ".z") ? 4 : 2;
}

/* Register `number` of a range, created when it is first named. */
static int32_t range_register(struct ptx_parser *p, int32_t range, uint64_t number,
                              const char *name, uint32_t bytes)
{
    struct ptx_body *b = &p->body;

    if (b->slot_count * 2 >= b->slot_capacity)
        grow_slots(b);
    uint64_t key = ((uint64_t)range + 1) << 32 | (uint32_t)number;
    struct ptx_slot *slot = slot_of(b->slots, b->slot_capacity, key);

    if (!slot->key) {
        const struct ptx_range *r = (const struct ptx_range *)b->ranges.data + range;

        *slot = (struct ptx_slot){key, add_elements(p, name, bytes, r)};
        b->slot_count++;
    }
    return slot->reg;
}

/* %r12 is number 12 of %r<20>, or number 2 of %r1<5>. Considers only ranges in scopes
   deeper than `depth`. */
static int32_t find_in_ranges(struct ptx_parser *p, const char *name, uint32_t bytes,
                              uint32_t depth)
{
    uint64_t number = 0, unit = 1;

    for (uint32_t i = bytes; i-- > 1 && bytes - i <= NUMBER_DIGITS_MAX; unit *= 10) {
        if (name[i] < '0' || name[i] > '9')
            break;
        number += (uint64_t)(name[i] - '0') * unit;
        if (name[i] == '0' && i + 1 < bytes)
            continue; /* %r07 is not a register of %r */
        const struct ptx_name *found = ptx_names_find(&p->names, PTX_NAME_RANGE, name, i);

        if (!found || found->depth <= depth)
            continue;
        const struct ptx_range *r =
            (const struct ptx_range *)p->body.ranges.data + found->index;

        if (number < r->count)
            return range_register(p, found->index, number, name, bytes);
    }
    return -1;
}

int32_t ptx_register_find(struct ptx_parser *p, const char *name, uint32_t bytes)
{
    const struct ptx_name *found =
        ptx_names_find(&p->names, PTX_NAME_REGISTER | PTX_NAME_SYMBOL, name, bytes);
    int32_t in_range = find_in_ranges(p, name, bytes, found ? found->depth : 0);

    if (in_range >= 0 || !found)
        return in_range;
    return found->kind == PTX_NAME_REGISTER ? found->index : -1;
}

/* Returns false if the current scope already has the name. */
static bool name_is_free(struct ptx_parser *p, struct ptx_span span)
{
    const char *name = p->text + span.offset;
    const struct ptx_name *twin =
        ptx_names_find(&p->names, PTX_NAME_REGISTER | PTX_NAME_SYMBOL, name, span.bytes);

    return !twin || twin->depth != p->names.depth ||
           ptx_wrong(p, span.offset, "'%.*s' is declared twice", (int)span.bytes, name);
}

static int32_t register_name(struct ptx_parser *p, struct ptx_span span,
                             const struct ptx_range *kind)
{
    const char *name = p->text + span.offset;
    int32_t reg = add_elements(p, name, span.bytes, kind);

    ptx_names_add(&p->names, PTX_NAME_REGISTER, name, span.bytes, reg);
    return reg;
}

bool ptx_register_declare(struct ptx_parser *p, struct ptx_span name, enum ptx_part type,
                          unsigned elements, int32_t *out)
{
    const struct ptx_range kind = {type, (uint8_t)ptx_type_bytes(type), elements, 0};

    if (!name_is_free(p, name))
        return false;
    *out = register_name(p, name, &kind);
    return true;
}

static bool declare(struct ptx_parser *p, struct ptx_range range)
{
    struct ptx_token t = p->token;

    if (t.kind != PTX_TOKEN_NAME)
        return ptx_expected(p, "a register's name");
    if (!name_is_free(p, t.span))
        return false;
    ptx_next(p);
    if (!ptx_accept(p, '<')) {
        register_name(p, t.span, &range);
        return true;
    }
    uint32_t at = p->token.span.offset;

    if (!ptx_read_integer(p, "the count of registers", &range.count))
        return false;
    if (range.count > INT32_MAX)
        return ptx_wrong(p, at, "a range of %llu registers is too large",
                         (unsigned long long)range.count);
    struct ptx_range *r = ptx_list_add(&p->body.ranges);

    *r = range;
    ptx_names_add(&p->names, PTX_NAME_RANGE, p->text + t.span.offset, t.span.bytes,
                  (int32_t)p->body.ranges.count - 1);
    return ptx_expect(p, '>', "'>' after the count of registers");
}

bool ptx_read_registers(struct ptx_parser *p)
{
    struct ptx_declaration d;

    if (!ptx_read_type(p, &d))
        return false;
    if (d.vector > 4)
        return ptx_wrong(p, p->token.span.offset, "a register has at most 4 elements");
    struct ptx_range kind = {d.symbol.type, (uint8_t)ptx_type_bytes(d.symbol.type),
                             d.vector, 0};

    do
        if (!declare(p, kind))
            return false;
    while (ptx_accept(p, ','));
    return ptx_expect(p, ';', "';' after the registers");
}
