/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Inside the linker: who is meant by a name. */

#include "ptx/link/ptx_link.h"
#include "ptx/ptx_names.h"

/* A name that modules share. */
struct link_name {
    const char *text;
    bool is_function;
    bool is_dynamic; /* .extern .shared: the launch defines it */
    bool is_strong;
    int32_t module;                   /* that defines it; -1: none */
    uint32_t item;                    /* there; perhaps an alias */
    uint32_t announcer, announcement; /* the first; of a dynamic one, the best aligned */
};

struct link_module {
    const struct ptx_module *module;
    /* Each by the module's symbols. */
    int32_t *shared_name;     /* -1: it is the file's own */
    uint32_t *item;           /* that defines it here, and one more; 0: none */
    const char **new_name;    /* NULL: it keeps that it has */
    struct ptx_names renamed; /* those that do not, by their old names */
};

struct linking {
    struct link_module *modules;
    uint32_t count;
    struct link_name *names;
    size_t name_count, name_capacity;
    struct ptx_names index; /* of `names`; as PTX_NAME_LABEL, of all that is taken */
    struct arena arena;
    struct proact_error *err;
};

/* Fills in `modules` and `names`, or says what is wrong. */
enum proact_status link_names(struct linking *l);
/* Whether the item's definition is the one that counts. */
bool link_is_kept(const struct linking *l, uint32_t module, const struct ptx_item *i);
/* What the symbol is called in the linked module. */
const char *link_final_name(const struct linking *l, uint32_t module, int32_t symbol);
/* Who defines the symbol, for all: NULL if nobody does, or an alias. */
const struct ptx_item *link_definition(const struct linking *l, uint32_t *module,
                                       int32_t symbol);
