/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Private to the linker: name resolution. */

#include "ptx/link/ptx_link.h"
#include "ptx/ptx_names.h"

/* A name that several modules may use. */
struct link_name {
    const char *text;
    bool is_function;
    bool is_dynamic; /* .extern .shared: the launch defines it */
    bool is_strong;
    int32_t module;                   /* that defines it; -1: none */
    uint32_t item;                    /* the definition; may be an alias */
    uint32_t announcer, announcement; /* the first declaration; of a dynamic one, that with
                                         the largest alignment */
};

struct link_module {
    const struct ptx_module *module;
    /* Arrays indexed by the module's symbols. */
    int32_t *shared_name;     /* -1: file-local */
    uint32_t *item;           /* defining item in this module, plus one; 0: none */
    const char **new_name;    /* NULL: unchanged */
    struct ptx_names renamed; /* renamed symbols, by their old names */
};

struct linking {
    struct link_module *modules;
    uint32_t count;
    struct link_name *names;
    size_t name_count, name_capacity;
    struct ptx_names index; /* of `names`; as PTX_NAME_LABEL, of all names in use */
    struct arena arena;
    struct proact_error *err;
};

/* Fills `modules` and `names`. Fails on a conflict. */
enum proact_status link_names(struct linking *l);
/* True if the item's definition is the one that is used. */
bool link_is_kept(const struct linking *l, uint32_t module, const struct ptx_item *i);
/* Name of the symbol in the linked module. */
const char *link_final_name(const struct linking *l, uint32_t module, int32_t symbol);
/* Definition of the symbol in any module. NULL: undefined, or an alias. */
const struct ptx_item *link_definition(const struct linking *l, uint32_t *module,
                                       int32_t symbol);
