/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json/json_write.h"
#include "topology/machine_keys.h"
#include "topology/topology.h"

static void put_fabric(const struct topology *t, struct json_writer *w)
{
    json_begin(w, "fabric", JSON_OBJECT);
    machine_keys_put_fabric(t, w);
    json_begin(w, "wire", JSON_ARRAY);
    for (unsigned i = 0; i < t->fabric.wire_count; i++) {
        json_begin(w, NULL, JSON_OBJECT);
        json_put_whole(w, "run_bytes", t->fabric.wire[i].run_bytes);
        json_put_real(w, "wire_bytes", t->fabric.wire[i].wire_bytes);
        json_end(w);
    }
    json_end(w);
    json_end(w);
}

static void links_put_matrix(const struct topology *t, struct json_writer *w)
{
    json_begin(w, "matrix_gbps", JSON_ARRAY);
    for (unsigned i = 0; i < t->device_count; i++) {
        json_begin(w, NULL, JSON_ARRAY);
        for (unsigned j = 0; j < t->device_count; j++)
            json_put_real(w, NULL, t->link_gbps[i][j]);
        json_end(w);
    }
    json_end(w);
}

/* Groups without a device left, after topology_restrict(), are omitted. */
static void links_put_groups(const struct topology *t, struct json_writer *w)
{
    json_begin(w, "groups", JSON_ARRAY);
    for (unsigned group = 0; group < TOPOLOGY_DEVICES_MAX; group++) {
        bool has_begun = false;

        for (unsigned i = 0; i < t->device_count; i++) {
            if (t->groups.of[i] != group)
                continue;
            if (!has_begun)
                json_begin(w, NULL, JSON_ARRAY);
            has_begun = true;
            json_put_whole(w, NULL, i);
        }
        if (has_begun)
            json_end(w);
    }
    json_end(w);
    json_put_real(w, "group_gbps", t->groups.gbps);
    json_put_real(w, "bridge_gbps", t->groups.bridge_gbps);
}

char *topology_print(const struct topology *t)
{
    struct json_writer w = {.lines = 3};

    json_begin(&w, NULL, JSON_OBJECT);
    json_put_text(&w, "description", t->description);
    json_put_text(&w, "source", t->source);
    json_put_whole(&w, "device_count", t->device_count);
    json_begin(&w, "device", JSON_OBJECT);
    machine_keys_put_device(t, &w);
    json_end(&w);
    put_fabric(t, &w);
    json_begin(&w, "links", JSON_OBJECT);
    if (t->groups.bridge_gbps > 0)
        links_put_groups(t, &w);
    else
        links_put_matrix(t, &w);
    json_end(&w);
    json_put_real(&w, "host_gbps", t->host_gbps);
    if (t->estimate_count) {
        json_begin(&w, "estimates", JSON_ARRAY);
        for (unsigned i = 0; i < t->estimate_count; i++)
            json_put_text(&w, NULL, t->estimates[i]);
        json_end(&w);
    }
    json_end(&w);
    return w.text.data;
}
