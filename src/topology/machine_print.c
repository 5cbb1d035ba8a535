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
    json_begin(&w, "matrix_gbps", JSON_ARRAY);
    for (unsigned i = 0; i < t->device_count; i++) {
        json_begin(&w, NULL, JSON_ARRAY);
        for (unsigned j = 0; j < t->device_count; j++)
            json_put_real(&w, NULL, t->link_gbps[i][j]);
        json_end(&w);
    }
    json_end(&w);
    json_end(&w);
    json_put_real(&w, "host_gbps", t->host_gbps);
    json_end(&w);
    return w.text.data;
}
