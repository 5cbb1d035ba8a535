/* SPDX-License-Identifier: Apache-2.0 */
#include "topology/machine_keys.h"

#include <stddef.h>

enum key_kind { KEY_REAL, KEY_UNSIGNED, KEY_BYTES, KEY_FLAG, KEY_TEXT };
enum { KEYS_MAX = 24 };

/* docs/machines.md says what each key means. */
struct key {
    const char *name;
    enum key_kind kind;
    size_t at, size; /* in struct topology */
    struct json_range range;
    bool optional;
    size_t same_as; /* an optional number that is missing is as this one; 0: zero */
};

#define AT(field) offsetof(struct topology, field), sizeof(((struct topology *)0)->field)
/* The smallest rates and sizes keep every quotient finite. */
#define POSITIVE(limit)                                                                    \
    {                                                                                      \
        .low = 1e-6, .high = (limit), .above = true                                        \
    }
#define FROM_ZERO(limit)                                                                   \
    {                                                                                      \
        .low = 0, .high = (limit)                                                          \
    }
#define BETWEEN(from, to)                                                                  \
    {                                                                                      \
        .low = (from), .high = (to)                                                        \
    }

static const struct key device_keys[] = {
    {"name", KEY_TEXT, AT(device.name), BETWEEN(0, 0), false, 0},
    {"capability", KEY_UNSIGNED, AT(device.capability), BETWEEN(10, 999), false, 0},
    {"sm_count", KEY_UNSIGNED, AT(device.sm_count), BETWEEN(1, 4096), false, 0},
    {"clock_ghz", KEY_REAL, AT(device.clock_ghz), POSITIVE(100), false, 0},
    {"issue_width", KEY_REAL, AT(device.issue_width), POSITIVE(64), false, 0},
    {"dependent_cycles", KEY_REAL, AT(device.dependent_cycles), POSITIVE(1000), false, 0},
    {"threads_per_sm", KEY_UNSIGNED, AT(device.threads_per_sm), BETWEEN(32, 65536), false,
     0},
    {"ctas_per_sm", KEY_UNSIGNED, AT(device.ctas_per_sm), BETWEEN(1, 1024), false, 0},
    {"threads_per_cta", KEY_UNSIGNED, AT(device.threads_per_cta), BETWEEN(32, 1024), false,
     0},
    {"shared_bytes_per_sm", KEY_BYTES, AT(device.shared_bytes_per_sm), FROM_ZERO(1 << 30),
     false, 0},
    {"shared_bytes_per_cta", KEY_BYTES, AT(device.shared_bytes_per_cta), FROM_ZERO(1 << 30),
     false, 0},
    {"memory_gbps", KEY_REAL, AT(device.memory_gbps), POSITIVE(1e6), false, 0},
    {"memory_latency_ns", KEY_REAL, AT(device.memory_latency_ns), FROM_ZERO(1e6), false, 0},
    {"memory_bytes", KEY_BYTES, AT(device.memory_bytes), BETWEEN(1 << 20, 0x1p50), false,
     0},
    {"l2_gbps", KEY_REAL, AT(device.l2_gbps), POSITIVE(1e6), false, 0},
    {"l2_latency_ns", KEY_REAL, AT(device.l2_latency_ns), FROM_ZERO(1e6), false, 0},
    {"l2_bytes", KEY_BYTES, AT(device.l2_bytes), FROM_ZERO(0x1p40), false, 0},
    {"atomic_ns", KEY_REAL, AT(device.atomic_ns), FROM_ZERO(1e6), false, 0},
    {"launch_us", KEY_REAL, AT(device.launch_us), FROM_ZERO(1e6), false, 0},
    {"launch_host_us", KEY_REAL, AT(device.launch_host_us), FROM_ZERO(1e6), false, 0},
    {"wait_value_us", KEY_REAL, AT(device.wait_value_us), FROM_ZERO(1e6), false, 0},
    {NULL, KEY_REAL, 0, 0, BETWEEN(0, 0), false, 0},
};

static const struct key fabric_keys[] = {
    {"name", KEY_TEXT, AT(fabric.name), BETWEEN(0, 0), false, 0},
    {"egress_gbps", KEY_REAL, AT(fabric.egress_gbps), POSITIVE(1e6), false, 0},
    {"ingress_gbps", KEY_REAL, AT(fabric.ingress_gbps), POSITIVE(1e6), true,
     offsetof(struct topology, fabric.egress_gbps)},
    {"latency_ns", KEY_REAL, AT(fabric.latency_ns), POSITIVE(1e9), false, 0},
    {"payload_bytes", KEY_REAL, AT(fabric.payload_bytes), BETWEEN(1, 1e6), false, 0},
    {"header_bytes", KEY_REAL, AT(fabric.header_bytes), FROM_ZERO(1e6), false, 0},
    {"copy_payload_bytes", KEY_REAL, AT(fabric.copy_payload_bytes), BETWEEN(1, 1e6), true,
     offsetof(struct topology, fabric.payload_bytes)},
    {"copy_header_bytes", KEY_REAL, AT(fabric.copy_header_bytes), FROM_ZERO(1e6), true,
     offsetof(struct topology, fabric.header_bytes)},
    {"sm_gbps_per_cta", KEY_REAL, AT(fabric.sm_gbps_per_cta), POSITIVE(1e6), false, 0},
    {"copy_start_us", KEY_REAL, AT(fabric.copy_start_us), FROM_ZERO(1e6), false, 0},
    {"copy_first_us", KEY_REAL, AT(fabric.copy_first_us), FROM_ZERO(1e6), false, 0},
    {"shared_bus", KEY_FLAG, AT(fabric.shared_bus), BETWEEN(0, 0), true, 0},
    {NULL, KEY_REAL, 0, 0, BETWEEN(0, 0), false, 0},
};

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
