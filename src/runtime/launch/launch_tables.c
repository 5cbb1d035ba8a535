/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/launch/launch_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/access_sets/needs.h"
#include "runtime/kernel/runtime_kernel.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/pointer_tables/number_tables.h"
#include "runtime/pointer_tables/table_contents.h"
#include "runtime/pointer_tables/table_look_ups.h"
#include "runtime/pointer_tables/table_text.h"
#include "runtime/request/launching.h"
#include "runtime/session/runtime_wait.h"
#include "runtime/validity/array_validity.h"
#include "runtime/variables/known_bytes.h"
#include "runtime/variables/known_constants.h"
#include "runtime/variables/module_variable.h"

/* Limits: nested levels of tables; consecutive fruitless waits before attempts become
   rare. */
enum { LEVELS_MAX = 3, LOST_MAX = 8, SURPRISES_MAX = 2, WORD = 8, SMALL = 4096 };

static struct kernel_address_tables *tables_of(struct proact_kernel *k)
{
    if (k->tables_found)
        return k->tables_found;
    struct kernel_address_tables *t = must_calloc(1, sizeof *t);

    t->found = address_tables_find(k);
    number_tables_add(&t->found, k);
    if (t->found.count) {
        const struct access_analysis *a = address_tables_analysis(&t->found, k);
        struct access_depends all = access_depends_on_nothing(a),
                              behind = access_depends_on_nothing(a);

        for (uint32_t n = 0; n < a->record_count; n++) {
            access_depends_add(&all, &a->records[n]);
            access_depends_add_behind(&behind, &a->records[n]);
        }
        t->fields = launch_fields_find(k, &all, &behind);
        access_depends_clear(&behind);
        access_depends_clear(&all);
    }
    k->tables_found = t;
    return t;
}

static const struct proact_relocation *table_relocation(const struct launching *l,
                                                        uint32_t offset)
{
    for (size_t i = 0; i < l->relocation_count; i++)
        if (l->relocations[i].offset == offset)
            return &l->relocations[i];
    return NULL;
}

static bool is_null(const struct launching *l, uint32_t offset)
{
    uint64_t pointer;

    memcpy(&pointer, l->block + offset, sizeof pointer);
    return !pointer;
}

static int64_t bytes_behind(const struct launching *l, struct address_table *of,
                            const struct table_reader *by)
{
    const struct proact_relocation *p = table_relocation(l, of->is.offset);

    if (!p)
        return is_null(l, of->is.offset) ? 0 : -1;
    if (p->array->part || p->addend >= p->array->bytes ||
        (p->array->base[0] + p->addend) % WORD)
        return -1;
    return address_table_bytes(of, by, p->array->bytes - p->addend, !p->addend);
}

/* A variable that is not constant is read completely. */
static int64_t bytes_of_variable(const struct launching *l, struct address_table *of,
                                 const struct table_reader *by)
{
    const struct ptx_symbol *s =
        ptx_symbol(l->kernel->image->ptx, l->kernel->ptx, of->is.variable);
    const int64_t bytes = address_table_bytes(of, by, s->bytes, true);

    return bytes < 0 || s->space == PTX_SPACE_CONST ? bytes : (int64_t)s->bytes;
}

/* Sets the bytes that the launch reads of each table. Returns false if they are not
   known. */
static bool find_bytes(const struct launching *l, struct kernel_address_tables *t,
                       const unsigned char *block, const unsigned char *const *constants)
{
    const struct access_analysis *a = address_tables_analysis(&t->found, l->kernel);
    struct access_launch at = {.parameters = block,
                               .parameter_bytes = l->kernel->parameter_bytes,
                               .constants = constants};
    int64_t *trips = must_calloc(a->loop_count + 1u, sizeof *trips);
    const struct table_reader by = {a, &at, trips};
    bool is_known = true;

    memcpy(at.ntid, l->threads, sizeof at.ntid);
    memcpy(at.nctaid, l->grid, sizeof at.nctaid);
    access_trips(a, &at, trips);
    for (unsigned n = 0; n < t->found.count && is_known; n++) {
        struct address_table *of = &t->found.of[n];
        const int64_t reads =
            of->is.variable >= 0 ? bytes_of_variable(l, of, &by) : bytes_behind(l, of, &by);

        is_known = reads >= 0;
        t->bytes[n] = is_known ? (uint32_t)reads : 0;
    }
    free(trips);
    t->looks++;
    return is_known;
}

/* The same, with the result of the last launch if the key is equal. */
static bool look_at_bytes(const struct launching *l, struct kernel_address_tables *t)
{
    const struct known_constants *known =
        t->fields.reads_constants ? known_constants_find(l) : NULL;
    const unsigned char *const *constants =
        known ? (const unsigned char *const *)known->content : NULL;
    unsigned char *block = needs_block(l);
    uint64_t key = launch_fields_key(&t->fields, l, block, constants);

    if (!t->has_key || t->key != key)
        t->may_read = find_bytes(l, t, block, constants);
    t->has_key = true;
    t->key = key;
    free(block);
    return t->may_read;
}

/* Array that contains the address, within the tolerance. */
static struct proact_array *array_near(struct proact *p, uint64_t address, uint64_t *byte)
{
    struct proact_array *found = proact_array_find(p, address, byte);

    for (struct proact_array *a = p->arrays; a && !found; a = a->next)
        if (address - a->base[0] + PROACT_POINTER_TOLERANCE_BYTES <
            a->bytes + 2ull * PROACT_POINTER_TOLERANCE_BYTES) {
            *byte = address - a->base[0];
            found = a;
        }
    return found;
}

/* Finds the addresses in the table. Returns false if a word is ambiguous, or if its array
   is not known. */
static bool table_find_relocations(struct proact *p, const struct address_table *t,
                                   struct table_content *c)
{
    c->relocation_count = 0;
    for (uint32_t at = 0; !t->is_number && at + WORD <= c->bytes; at += WORD) {
        uint64_t word, byte;

        memcpy(&word, c->data + at, sizeof word);
        const uint8_t use = word ? address_table_use(t, at) : 0;

        if (!(use & TABLE_ADDRESS))
            continue;
        struct proact_array *a = array_near(p, word, &byte);

        if (a ? use & TABLE_NUMBER || a->part : use & TABLE_FOLLOWED && word >= SMALL)
            return false;
        if (a)
            c->relocation[c->relocation_count++] = (struct proact_relocation){at, a, byte};
    }
    return true;
}

static void open_content(struct table_content *c, uint32_t bytes)
{
    free(c->data);
    free(c->relocation);
    c->data = must_calloc(bytes + 1u, 1);
    c->relocation = must_calloc(bytes / WORD + 1, sizeof *c->relocation);
    c->relocation_count = 0;
    c->bytes = bytes;
    c->is_known = false;
}

/* Waits for the device. The caller frees the result; NULL: the read failed. */
static unsigned char *read_device(const struct proact_relocation *relocation,
                                  uint32_t bytes)
{
    struct proact_array *a = relocation->array;
    unsigned char *into = must_calloc(bytes + 1u, 1);
    struct proact_error err = {""};
    const enum proact_status status =
        proact_device0_read(a->session, into, a->base[0] + relocation->addend, bytes, &err);

    session_keep(a->session, status, &err);
    if (!status) {
        known_bytes_read(a, relocation->addend, into, bytes);
        return into;
    }
    free(into);
    return NULL;
}

/* Contents of a table at the start of the launch. Memory is read only if it may have
   changed and the host does not know its contents. Numbers that devices change repeatedly
   are not read again. */
static bool read_array(const struct address_table *of,
                       const struct proact_relocation *relocation, struct table_content *c,
                       uint32_t bytes, bool *is_new, bool *has_read)
{
    struct proact_array *a = relocation->array;
    const bool is_there = c->is_known && c->array == a->id &&
                          c->byte == relocation->addend && c->bytes == bytes;

    array_catch_up(a);
    *is_new = !is_there || c->changes != a->changes || a->is_shared;
    if (!*is_new)
        return true;
    const unsigned char *known = known_bytes_find(a, relocation->addend, bytes);
    unsigned char *read = NULL;

    if (!known && of->is_number && c->surprises == SURPRISES_MAX)
        return false;
    if (!known &&
        (!session_try_quiesce(a->session) || !(read = read_device(relocation, bytes))))
        return false;
    const unsigned char *now = known ? known : read;

    *has_read |= !known;
    *is_new = !is_there || memcmp(c->data, now, bytes) != 0;
    c->surprises += read && is_there && *is_new && c->surprises < SURPRISES_MAX;
    if (*is_new) {
        open_content(c, bytes);
        memcpy(c->data, now, bytes);
    }
    free(read);
    c->array = a->id;
    c->byte = relocation->addend;
    c->changes = a->changes;
    return true;
}

static bool read_constant(const struct launching *l, int32_t variable,
                          struct table_content *c, uint32_t bytes, bool *is_new)
{
    const struct known_constants *known = known_constants_find(l);
    const unsigned char *now = known ? known->content[variable - PTX_SYMBOL_MODULE] : NULL;

    *is_new =
        now && (!c->is_known || c->bytes != bytes || memcmp(c->data, now, bytes) != 0);
    if (*is_new) {
        open_content(c, bytes);
        memcpy(c->data, now, bytes);
    }
    return now != NULL;
}

/* Reads a variable of the device-0 module. */
static bool read_variable(const struct launching *l, int32_t variable,
                          struct table_content *c, uint32_t bytes, bool *is_new,
                          bool *has_read)
{
    const struct proact_kernel *k = l->kernel;
    const struct ptx_symbol *s = ptx_symbol(k->image->ptx, k->ptx, variable);
    device_addr address;

    if (s->space == PTX_SPACE_CONST)
        return read_constant(l, variable, c, bytes, is_new);
    *is_new = !c->is_known || c->bytes != bytes || c->changes != k->session->variables;
    if (!*is_new)
        return true;
    if (!session_try_quiesce(k->session))
        return false;
    *has_read = true;
    open_content(c, bytes);
    session_settle(k->session);
    c->changes = k->session->variables;
    return !module_variable_read(k, s, c->data, &address, NULL);
}

static bool read_table(const struct launching *l, struct kernel_address_tables *t,
                       unsigned n)
{
    const struct address_table *of = &t->found.of[n];
    const struct proact_relocation *relocation =
        of->is.variable < 0 ? table_relocation(l, of->is.offset) : NULL;
    struct table_content *c = &t->content[n];
    struct proact *p = l->kernel->session;
    bool is_new = !c->is_known || c->bytes != t->bytes[n] || c->array, is_good = true;

    if (of->is.variable >= 0)
        is_good = read_variable(l, of->is.variable, c, t->bytes[n], &is_new, &t->has_read);
    else if (relocation)
        is_good = read_array(of, relocation, c, t->bytes[n], &is_new, &t->has_read);
    else if (is_new) { /* a null pointer */
        open_content(c, t->bytes[n]);
        c->array = 0;
    }
    if (is_good && (is_new || c->arrays != p->arrays_changed || c->looks != t->looks))
        is_good = table_find_relocations(p, of, c);
    c->arrays = p->arrays_changed;
    c->looks = t->looks;
    c->is_known = is_good;
    return is_good;
}

static bool read_tables(const struct launching *l, struct kernel_address_tables *t)
{
    bool is_good = true;

    t->has_read = false;
    for (unsigned n = 0; n < t->found.count && is_good; n++)
        is_good = read_table(l, t, n);
    return is_good;
}

static struct proact_kernel *make(struct proact_kernel *k,
                                  const struct kernel_address_tables *t)
{
    struct proact_kernel *variant = NULL;
    size_t bytes;
    char *text = table_text(k, &t->found, t->bytes, &bytes);

    if (!text)
        return NULL;
    if (kernel_rewritten_create(k, text, bytes, &variant))
        return NULL;
    variant->tabled = k;
    variant->look_ups = table_look_ups(k, &t->found, variant);
    variant->whole_bytes = k->whole_bytes;
    return variant;
}

static struct proact_kernel *find_variant(struct proact_kernel *k,
                                          struct kernel_address_tables *t)
{
    uint32_t bytes[TABLES_MAX] = {0};

    for (unsigned n = 0; n < t->found.count; n++)
        bytes[n] = table_round_up(t->bytes[n]);
    for (uint32_t n = 0; n < t->count; n++)
        if (memcmp(t->of[n].bytes, bytes, sizeof bytes) == 0)
            return t->of[n].variant;
    if (t->count == TABLE_VARIANTS_MAX)
        return NULL;
    struct tabled *of = &t->of[t->count++];

    memcpy(of->bytes, bytes, sizeof bytes);
    of->variant = make(k, t);
    return of->variant;
}

/* Single-device launches use the original kernel with a pointer to the table. For a
   variable or host memory only the relocation has that address. */
static void point_to(unsigned char *block, const struct proact_relocation *p)
{
    const uint64_t address = p->array->base[0] + p->addend;

    memcpy(block + p->offset, &address, sizeof address);
}

/* Fills the table parameters of the version, which no longer uses the table pointers. */
static void fill(struct launching *l, struct kernel_address_tables *t,
                 const struct proact_kernel *variant)
{
    const struct ptx_function *f = variant->ptx;
    size_t count = 0, most = l->relocation_count;

    for (unsigned n = 0; n < t->found.count; n++)
        most += t->content[n].relocation_count;
    free(t->block);
    t->block = must_calloc(variant->parameter_bytes + 1u, 1);
    if (most > t->capacity) {
        free(t->relocations);
        t->relocations = must_calloc(most, sizeof *t->relocations);
        t->capacity = most;
    }
    memcpy(t->block, l->block, l->kernel->parameter_bytes);
    for (size_t i = 0; i < l->relocation_count; i++)
        if (address_tables_have(&t->found, l->relocations[i].offset))
            point_to(t->block, &l->relocations[i]);
        else
            t->relocations[count++] = l->relocations[i];
    for (unsigned n = 0; n < t->found.count; n++) {
        const struct table_content *c = &t->content[n];
        const uint32_t at = f->symbols[f->parameter_count - t->found.count + n].offset;

        memcpy(t->block + at, c->data, c->bytes);
        for (uint32_t i = 0; i < c->relocation_count; i++) {
            t->relocations[count] = c->relocation[i];
            t->relocations[count++].offset += at;
        }
    }
    l->block = t->block;
    l->relocations = t->relocations;
    l->relocation_count = count;
    launching_count_arrays(l);
}

/* Whether promotion is possible. Padding in a table is read, which the checks of `check`
   would reject. */
static bool may_have(const struct launching *l)
{
    const struct proact_kernel *k = l->kernel;
    const uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    unsigned levels = 0;

    for (const struct proact_kernel *of = k->tabled; of; of = of->tabled)
        levels++;
    return k->session->devices.count > 1 && l->is_program && levels < LEVELS_MAX &&
           !k->direct && !k->has_maps && !k->is_annotated && !k->texels && ctas != 1 &&
           !k->session->recording && !k->session->checks;
}

/* Attempts become exponentially rarer after repeated failures. */
static bool is_hopeless(struct kernel_address_tables *t)
{
    if (t->lost < LOST_MAX || !(t->lost & (t->lost - 1)))
        return false;
    t->lost++;
    return true;
}

bool launch_tables(struct launching *l, bool first)
{
    struct proact_kernel *k = l->kernel, *root = k;

    if (!may_have(l) || (!first && !(k->tables_found && k->tables_found->is_used)))
        return false;
    struct kernel_address_tables *t = tables_of(k);

    if (l->binding && !number_tables_decide_writes(&t->found))
        return false;
    if (!t->found.count || is_hopeless(t) || !look_at_bytes(l, t))
        return false;
    struct proact_kernel *variant = find_variant(k, t);

    if (!variant || !read_tables(l, t)) {
        t->lost++;
        return false;
    }
    t->is_used = true;
    fill(l, t, variant);
    while (root->variant_of)
        root = root->variant_of;
    root->used = variant;
    l->kernel = variant;
    return true;
}

void launch_tables_report(const struct launching *l, bool is_split)
{
    struct kernel_address_tables *t =
        l->kernel->tabled ? l->kernel->tabled->tables_found : NULL;

    if (t)
        t->lost = is_split ? 0 : t->lost + t->has_read;
}
