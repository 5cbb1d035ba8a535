/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/json/json_write.h"
#include "model/import/import.h"
#include "topology/machine_keys.h"

static void import_put_key(struct json_writer *w, const struct import_key *k)
{
    if (strcmp(k->name, "shared_bus") == 0)
        json_put_flag(w, k->name, k->value != 0);
    else
        json_put_real(w, k->name, k->value);
}

static bool import_has_part(const struct machine_import *i, const char *part)
{
    for (unsigned k = 0; k < i->keys; k++)
        if (strcmp(i->key[k].part, part) == 0)
            return true;
    return false;
}

static void import_put_part(struct json_writer *w, const struct machine_import *i,
                            const char *part)
{
    if (!import_has_part(i, part))
        return;
    json_begin(w, part, JSON_OBJECT);
    for (unsigned k = 0; k < i->keys; k++) {
        const struct import_key *key = &i->key[k];

        if (strcmp(key->part, part) != 0)
            continue;
        if (strcmp(key->name, "name") == 0)
            json_put_text(w, key->name, i->machine.device.name);
        else
            import_put_key(w, key);
    }
    json_end(w);
}

static void import_put_groups(struct json_writer *w, const struct topology *t)
{
    json_begin(w, "groups", JSON_ARRAY);
    for (unsigned group = 0; group < t->device_count; group++) {
        if (t->groups.of[group] != group)
            continue;
        json_begin(w, NULL, JSON_ARRAY);
        for (unsigned d = 0; d < t->device_count; d++)
            if (t->groups.of[d] == group)
                json_put_whole(w, NULL, d);
        json_end(w);
    }
    json_end(w);
    json_put_real(w, "group_gbps", t->groups.gbps);
    json_put_real(w, "bridge_gbps", t->groups.bridge_gbps);
}

static bool import_are_equal(const struct topology *t)
{
    for (unsigned a = 0; a < t->device_count; a++)
        for (unsigned b = 0; b < t->device_count; b++)
            if (a != b && t->link_gbps[a][b] != t->link_gbps[0][1])
                return false;
    return t->link_gbps[0][1] > 0;
}

static void import_put_matrix_rows(struct json_writer *w, const struct topology *t)
{
    json_begin(w, "matrix_gbps", JSON_ARRAY);
    for (unsigned a = 0; a < t->device_count; a++) {
        json_begin(w, NULL, JSON_ARRAY);
        for (unsigned b = 0; b < t->device_count; b++)
            json_put_real(w, NULL, t->link_gbps[a][b]);
        json_end(w);
    }
    json_end(w);
}

char *machine_import_print(const struct machine_import *i)
{
    const struct topology *t = &i->machine;
    struct json_writer w = {.lines = 3};

    json_begin(&w, NULL, JSON_OBJECT);
    json_put_text(&w, "like", i->like);
    json_put_text(&w, "description", t->description);
    json_put_text(&w, "source", t->source);
    json_put_whole(&w, "device_count", t->device_count);
    import_put_part(&w, i, "device");
    import_put_part(&w, i, "fabric");
    json_begin(&w, "links", JSON_OBJECT);
    if (i->has_groups)
        import_put_groups(&w, t);
    else if (import_are_equal(t))
        json_put_real(&w, "all_pairs_gbps", t->link_gbps[0][1]);
    else
        import_put_matrix_rows(&w, t);
    json_end(&w);
    for (unsigned k = 0; k < i->keys; k++)
        if (strcmp(i->key[k].name, "host_gbps") == 0)
            import_put_key(&w, &i->key[k]);
    json_begin(&w, "estimates", JSON_ARRAY);
    for (unsigned e = 0; e < t->estimate_count; e++)
        json_put_text(&w, NULL, t->estimates[e]);
    json_end(&w);
    json_end(&w);
    return w.text.data;
}

bool machine_import_has(const struct machine_import *i, const char *part, const char *name)
{
    for (unsigned k = 0; k < i->keys; k++)
        if (strcmp(i->key[k].part, part) == 0 && strcmp(i->key[k].name, name) == 0)
            return true;
    return false;
}

enum { LIST_COLUMNS = 88 };

/* Adds a word to a list that is wrapped. */
static void import_list_add(struct text *t, size_t *line, const char *word)
{
    if (t->length - *line + strlen(word) + 2 > LIST_COLUMNS) {
        text_print(t, "\n   ");
        *line = t->length - 3;
    }
    text_print(t, " %s", word);
}

/* True for keys that remain estimates: all that the input lacks, or of the same GPUs those
   that are estimates there. */
static bool is_open(const struct machine_import *i, const char *part, const char *name)
{
    const struct topology *t = &i->machine;

    if (!i->is_same_chip)
        return !machine_import_has(i, part, name);
    for (unsigned e = 0; e < t->estimate_count; e++)
        if (strcmp(t->estimates[e], name) == 0)
            return true;
    return false;
}

static void import_list_part(struct text *t, const struct machine_import *i,
                             const char *part, const char *(*name_of)(size_t index))
{
    size_t line = t->length;

    text_print(t, "  %s:", part);
    for (size_t k = 0; name_of(k); k++)
        if (is_open(i, part, name_of(k)))
            import_list_add(t, &line, name_of(k));
    text_print(t, "\n");
}

char *machine_import_origins(const struct machine_import *i)
{
    struct text t = {0};

    text_print(&t, "%s%s%s gives\n", i->format, i->version[0] ? " " : "", i->version);
    for (unsigned k = 0; k < i->keys; k++) {
        const struct import_key *key = &i->key[k];
        char name[64];

        snprintf(name, sizeof name, "%s%s%s", key->part,
                 key->part[0] && key->name[0] ? "." : "", key->name);
        text_print(&t, "  %-22s %s\n", name, key->from);
    }
    text_print(&t, "Estimates, which are the values of %s%s\n", i->like,
               i->is_same_chip ? " that are estimates there" : "");
    import_list_part(&t, i, "device", machine_keys_device_name);
    import_list_part(&t, i, "fabric", machine_keys_fabric_name);
    if (!machine_import_has(i, "fabric", "egress_gbps"))
        text_print(&t, "  links: rates\n");
    if (is_open(i, "", "host_gbps"))
        text_print(&t, "  host_gbps\n");
    return t.data;
}
