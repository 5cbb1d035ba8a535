/* SPDX-License-Identifier: Apache-2.0 */
#include "topology/machine_keys.h"

#include <stddef.h>
#include <string.h>

enum key_kind { KEY_REAL, KEY_UNSIGNED, KEY_BYTES, KEY_FLAG, KEY_TEXT };
enum { KEYS_MAX = 48 };

/* A key. docs/machines.md defines its meaning. */
struct key {
    const char *name;
    size_t at, size; /* in struct topology */
    enum key_kind kind;
    bool optional;
    struct json_range range;
    size_t same_as; /* key that gives the default of an optional number; 0: the default is
                       zero */
};

/* clang-format off */
#define AT(part, field) /* the row's name and offset */ \
    #field, offsetof(struct topology, part.field), /* NOLINT(bugprone-macro*) */ \
        sizeof(((struct topology *)0)->part.field) /* NOLINT(bugprone-macro*) */
#define BETWEEN(from, to) {(from), (to), false}
#define POSITIVE(limit) {1e-6, (limit), true} /* 1e-6 keeps every quotient finite */

static const struct key device_keys[] = {
    {AT(device, name), KEY_TEXT, false, BETWEEN(0, 0), 0},
    {AT(device, capability), KEY_UNSIGNED, false, BETWEEN(10, 999), 0},
    {AT(device, sm_count), KEY_UNSIGNED, false, BETWEEN(1, 4096), 0},
    {AT(device, clock_ghz), KEY_REAL, false, POSITIVE(100), 0},
    {AT(device, issue_width), KEY_REAL, false, POSITIVE(64), 0},
    {AT(device, dependent_cycles), KEY_REAL, false, POSITIVE(1000), 0},
    {AT(device, threads_per_sm), KEY_UNSIGNED, false, BETWEEN(32, 65536), 0},
    {AT(device, ctas_per_sm), KEY_UNSIGNED, false, BETWEEN(1, 1024), 0},
    {AT(device, threads_per_cta), KEY_UNSIGNED, false, BETWEEN(32, 1024), 0},
    {AT(device, shared_bytes_per_sm), KEY_BYTES, false, BETWEEN(0, 1 << 30), 0},
    {AT(device, shared_bytes_per_cta), KEY_BYTES, false, BETWEEN(0, 1 << 30), 0},
    {AT(device, memory_gbps), KEY_REAL, false, POSITIVE(1e6), 0},
    {AT(device, memory_latency_ns), KEY_REAL, false, BETWEEN(0, 1e6), 0},
    {AT(device, memory_bytes), KEY_BYTES, false, BETWEEN(1 << 20, 0x1p50), 0},
    {AT(device, l2_gbps), KEY_REAL, false, POSITIVE(1e6), 0},
    {AT(device, l2_latency_ns), KEY_REAL, false, BETWEEN(0, 1e6), 0},
    {AT(device, l2_bytes), KEY_BYTES, false, BETWEEN(0, 0x1p40), 0},
    {AT(device, atomic_ns), KEY_REAL, false, BETWEEN(0, 1e6), 0},
    {AT(device, launch_us), KEY_REAL, false, BETWEEN(0, 1e6), 0},
    {AT(device, launch_host_us), KEY_REAL, false, BETWEEN(0, 1e6), 0},
    {AT(device, wait_value_us), KEY_REAL, false, BETWEEN(0, 1e6), 0},
    {AT(device, launch_next_us), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(device, launch_graph_us), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(device, event_us), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(device, event_here_us), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(device, fence_gpu_ns), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(device, fence_system_ns), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(device, call_host_us), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(device, copy_host_us), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(device, launch_turn_us), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(device, copy_lock_us), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(device, open_ms), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(device, misses_per_sm), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(device, child_launch_latency_us), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(device, child_launch_interval_us), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(device, child_priority), KEY_UNSIGNED, true, BETWEEN(0, 1), 0},
    {AT(device, child_concurrency), KEY_UNSIGNED, true, BETWEEN(0, 65536), 0},
    {AT(device, child_launch_limit), KEY_UNSIGNED, true, BETWEEN(0, 1 << 20), 0},
    {NULL, 0, 0, KEY_REAL, false, BETWEEN(0, 0), 0},
};

static const struct key fabric_keys[] = {
    {AT(fabric, name), KEY_TEXT, false, BETWEEN(0, 0), 0},
    {AT(fabric, egress_gbps), KEY_REAL, false, POSITIVE(1e6), 0},
    {AT(fabric, ingress_gbps), KEY_REAL, true, POSITIVE(1e6),
     offsetof(struct topology, fabric.egress_gbps)},
    {AT(fabric, latency_ns), KEY_REAL, false, POSITIVE(1e9), 0},
    {AT(fabric, payload_bytes), KEY_REAL, false, BETWEEN(1, 1e6), 0},
    {AT(fabric, header_bytes), KEY_REAL, false, BETWEEN(0, 1e6), 0},
    {AT(fabric, copy_payload_bytes), KEY_REAL, true, BETWEEN(1, 1e6),
     offsetof(struct topology, fabric.payload_bytes)},
    {AT(fabric, copy_header_bytes), KEY_REAL, true, BETWEEN(0, 1e6),
     offsetof(struct topology, fabric.header_bytes)},
    {AT(fabric, sm_gbps_per_cta), KEY_REAL, false, POSITIVE(1e6), 0},
    {AT(fabric, copy_start_us), KEY_REAL, false, BETWEEN(0, 1e6), 0},
    {AT(fabric, copy_first_us), KEY_REAL, false, BETWEEN(0, 1e6), 0},
    {AT(fabric, copy_turn_us), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(fabric, copy_row_ns), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(fabric, copy_graph_us), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(fabric, carry_us), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(fabric, copy_meeting), KEY_REAL, true, BETWEEN(0, 1000), 0},
    {AT(fabric, bulk_gbps_per_cta), KEY_REAL, true, BETWEEN(0, 1e6), 0},
    {AT(fabric, shared_bus), KEY_FLAG, true, BETWEEN(0, 0), 0},
    {NULL, 0, 0, KEY_REAL, false, BETWEEN(0, 0), 0},
};

/* Keys outside of the two objects, which other functions read. */
static const struct key other_keys[] = {
    {AT(groups, bridge_gbps), KEY_REAL, true, POSITIVE(1e6), 0},
    {"host_gbps", offsetof(struct topology, host_gbps), sizeof(double), KEY_REAL, false,
     POSITIVE(1e6), 0},
    {NULL, 0, 0, KEY_REAL, false, BETWEEN(0, 0), 0},
};
/* clang-format on */

static const char *key_find_real(const struct key *keys, const char *name,
                                 struct topology *t, double **out)
{
    for (; keys->name; keys++)
        if (keys->kind == KEY_REAL && strcmp(keys->name, name) == 0) {
            *out = (double *)(void *)((char *)t + keys->at);
            return keys->name;
        }
    return NULL;
}

const char *machine_keys_real(const char *name, struct topology *t, double **out)
{
    const char *found = key_find_real(device_keys, name, t, out);

    if (!found)
        found = key_find_real(fabric_keys, name, t, out);
    return found ? found : key_find_real(other_keys, name, t, out);
}

enum proact_status machine_keys_estimates(const struct json_at *root, struct topology *t,
                                          struct proact_error *err)
{
    struct json_at list;
    enum proact_status status = json_get_array(root, "estimates", &list, err);

    if (!status && json_count(&list) > TOPOLOGY_ESTIMATES_MAX)
        return json_refuse(&list, err, "expected at most %d keys", TOPOLOGY_ESTIMATES_MAX);
    t->estimate_count = 0;
    for (size_t i = 0; !status && i < json_count(&list); i++) {
        const struct json_at at = json_element(&list, i);
        char name[64];
        double *value;

        if ((status = json_element_text(&at, name, sizeof name, err)))
            break;
        const char *key = machine_keys_real(name, t, &value);

        if (!key)
            return json_refuse(&at, err, "expected a key with a number that is no count");
        t->estimates[t->estimate_count++] = key;
    }
    return status;
}

static enum proact_status read_key(const struct json_at *object, const struct key *key,
                                   char *base, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;
    uint64_t whole = 0;

    switch (key->kind) {
    case KEY_REAL:
        return json_get_real(object, key->name, key->range,
                             (double *)(void *)(base + key->at), err);
    case KEY_UNSIGNED:
        status = json_get_whole(object, key->name, key->range, &whole, err);
        if (!status)
            *(unsigned *)(void *)(base + key->at) = (unsigned)whole;
        return status;
    case KEY_BYTES:
        return json_get_whole(object, key->name, key->range,
                              (uint64_t *)(void *)(base + key->at), err);
    case KEY_FLAG:
        return json_get_flag(object, key->name, (bool *)(base + key->at), err);
    case KEY_TEXT:
        return json_get_text(object, key->name, base + key->at, key->size, err);
    }
    return status;
}

/* `more`: a key that the caller reads, or NULL. */
static enum proact_status read_keys(const struct json_at *object, const struct key *keys,
                                    const char *more, bool inherit, struct topology *t,
                                    struct proact_error *err)
{
    const char *known[KEYS_MAX + 2] = {NULL};
    char *base = (char *)t;
    size_t count = 0;

    for (; keys[count].name; count++)
        known[count] = keys[count].name;
    known[count] = more;
    enum proact_status status = json_known(object, known, err);

    for (size_t i = 0; i < count && !status; i++) {
        const struct key *key = &keys[i];

        if (json_has(object, key->name) || (!inherit && !key->optional))
            status = read_key(object, key, base, err);
        else if (!inherit && key->same_as)
            *(double *)(void *)(base + key->at) = *(double *)(void *)(base + key->same_as);
    }
    return status;
}

enum proact_status machine_keys_device(const struct json_at *device, bool inherit,
                                       struct topology *t, struct proact_error *err)
{
    return read_keys(device, device_keys, NULL, inherit, t, err);
}

enum proact_status machine_keys_fabric(const struct json_at *fabric, bool inherit,
                                       struct topology *t, struct proact_error *err)
{
    return read_keys(fabric, fabric_keys, "wire", inherit, t, err);
}

static void put_keys(const struct key *keys, const struct topology *t,
                     struct json_writer *w)
{
    for (const struct key *key = keys; key->name; key++) {
        const void *value = (const char *)t + key->at;

        switch (key->kind) {
        case KEY_REAL:
            json_put_real(w, key->name, *(const double *)value);
            break;
        case KEY_UNSIGNED:
            json_put_whole(w, key->name, *(const unsigned *)value);
            break;
        case KEY_BYTES:
            json_put_whole(w, key->name, *(const uint64_t *)value);
            break;
        case KEY_FLAG:
            json_put_flag(w, key->name, *(const bool *)value);
            break;
        case KEY_TEXT:
            json_put_text(w, key->name, value);
            break;
        }
    }
}

void machine_keys_put_device(const struct topology *t, struct json_writer *w)
{
    put_keys(device_keys, t, w);
}

void machine_keys_put_fabric(const struct topology *t, struct json_writer *w)
{
    put_keys(fabric_keys, t, w);
}

const char *machine_keys_device_name(size_t index)
{
    return index < sizeof device_keys / sizeof *device_keys ? device_keys[index].name
                                                            : NULL;
}

const char *machine_keys_fabric_name(size_t index)
{
    return index < sizeof fabric_keys / sizeof *fabric_keys ? fabric_keys[index].name
                                                            : NULL;
}
