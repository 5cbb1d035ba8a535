/* SPDX-License-Identifier: Apache-2.0 */
#include "topology/machine_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "topology/machine_folder.h"
#include "topology/machine_keys.h"

enum { LIKE_DEPTH_MAX = 4 }; /* longest chain of "like" files */

static const struct json_range count_range = {.low = 1, .high = TOPOLOGY_DEVICES_MAX};

static enum proact_status load_at_depth(const char *path, unsigned depth,
                                        struct topology *out, struct proact_error *err);

void machine_file_name(const char *path, char *into, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    snprintf(into, size, "%.*s", dot && dot > name ? (int)(dot - name) : (int)strlen(name),
             name);
}

/* "like": every missing key has the value of that machine. */
static enum proact_status read_like(const struct json_at *root, unsigned depth,
                                    struct topology *t, struct proact_error *err)
{
    struct json_at at = json_child(root, "like");
    char like[64];
    enum proact_status status = json_get_text(root, "like", like, sizeof like, err);

    if (status)
        return status;
    if (depth == LIKE_DEPTH_MAX)
        return json_refuse(&at, err, "expected at most %d machines like one another",
                           LIKE_DEPTH_MAX);
    char *path = strchr(like, '/') ? NULL : machine_folder_find(like);

    if (path) {
        status = load_at_depth(path, depth + 1, t, err);
        snprintf(t->description, sizeof t->description, "like %s", like);
        snprintf(t->source, sizeof t->source, "like %s", like);
    } else {
        char *list = machine_folder_list();

        status = json_refuse(&at, err, "expected one of %s", list);
        free(list);
    }
    free(path);
    return status;
}

static enum proact_status read_all_pairs(const struct json_at *links, struct topology *t,
                                         struct proact_error *err)
{
    double gbps = 0;
    struct json_range range = {.low = 1e-6, .high = t->fabric.egress_gbps, .above = true};
    enum proact_status status = json_get_real(links, "all_pairs_gbps", range, &gbps, err);

    for (unsigned i = 0; i < t->device_count && !status; i++) {
        for (unsigned j = 0; j < t->device_count; j++)
            t->link_gbps[i][j] = i == j ? 0 : gbps;
    }
    return status;
}

/* Reads a row. The part left of the diagonal must equal the part above it. */
static enum proact_status read_row(const struct json_at *matrix, unsigned i,
                                   struct topology *t, struct proact_error *err)
{
    struct json_range range = {.low = 0, .high = t->fabric.egress_gbps};
    struct json_at row = json_element(matrix, i);
    enum proact_status status = PROACT_OK;

    if (!json_is_list(&row) || json_count(&row) != t->device_count)
        return json_refuse(&row, err, "expected a list of %u, as 'device_count' says",
                           t->device_count);
    for (unsigned j = 0; j < t->device_count && !status; j++) {
        struct json_at at = json_element(&row, j);

        status = json_element_real(&at, range, &t->link_gbps[i][j], err);
        if (!status && i == j && t->link_gbps[i][j] != 0)
            return json_refuse(&at, err, "expected 0, a device has no link to itself");
        if (!status && j < i && t->link_gbps[i][j] != t->link_gbps[j][i])
            return json_refuse(&at, err, "expected %.10g, as in [%u][%u]",
                               t->link_gbps[j][i], j, i);
    }
    return status;
}

static enum proact_status read_matrix(const struct json_at *links, struct topology *t,
                                      struct proact_error *err)
{
    struct json_at matrix;
    enum proact_status status = json_get_array(links, "matrix_gbps", &matrix, err);

    if (!status && json_count(&matrix) != t->device_count)
        return json_refuse(&matrix, err,
                           "expected a list of %u rows, as 'device_count' says",
                           t->device_count);
    for (unsigned i = 0; i < t->device_count && !status; i++)
        status = read_row(&matrix, i, t, err);
    return status;
}

/* Links within groups, and bridges between them. */
static void links_from_groups(struct topology *t)
{
    const struct topology_groups *g = &t->groups;
    const double bridge = fmin(g->bridge_gbps, t->fabric.egress_gbps);

    for (unsigned i = 0; i < t->device_count; i++)
        for (unsigned j = 0; j < t->device_count; j++)
            t->link_gbps[i][j] = i == j ? 0 : g->of[i] == g->of[j] ? g->gbps : bridge;
}

void topology_scale(struct topology *t, const char *key, double factor)
{
    double *value;

    if (!machine_keys_real(key, t, &value))
        return;
    *value *= factor;
    if (value == &t->groups.bridge_gbps && t->groups.bridge_gbps > 0)
        links_from_groups(t);
}

/* Reads the devices of a group. `seen`: those of the groups before it. */
static enum proact_status read_group(const struct json_at *groups, unsigned group,
                                     bool *seen, struct topology *t,
                                     struct proact_error *err)
{
    struct json_at list = json_element(groups, group);
    struct json_range range = {.low = 0, .high = t->device_count - 1};
    enum proact_status status = PROACT_OK;

    if (!json_is_list(&list) || !json_count(&list))
        return json_refuse(&list, err, "expected a list of devices");
    for (size_t i = 0; i < json_count(&list) && !status; i++) {
        struct json_at at = json_element(&list, i);
        double device = 0;

        status = json_element_real(&at, range, &device, err);
        if (!status && (device != floor(device) || seen[(unsigned)device]))
            return json_refuse(&at, err, "expected a device that is in no other group");
        seen[(unsigned)device] = true;
        t->groups.of[(unsigned)device] = group;
    }
    return status;
}

static enum proact_status read_groups(const struct json_at *links, struct topology *t,
                                      struct proact_error *err)
{
    struct json_range range = {.low = 1e-6, .high = t->fabric.egress_gbps, .above = true};
    struct json_range bridges = {.low = 1e-6, .high = 1e6, .above = true};
    bool seen[TOPOLOGY_DEVICES_MAX] = {false};
    struct json_at groups;
    enum proact_status status = json_get_array(links, "groups", &groups, err);

    for (unsigned i = 0; !status && i < json_count(&groups); i++)
        status = read_group(&groups, i, seen, t, err);
    for (unsigned i = 0; !status && i < t->device_count; i++)
        if (!seen[i])
            return json_refuse(&groups, err, "expected each device, device %u is missing",
                               i);
    if (status ||
        (status = json_get_real(links, "group_gbps", range, &t->groups.gbps, err)) ||
        (status =
             json_get_real(links, "bridge_gbps", bridges, &t->groups.bridge_gbps, err)))
        return status;
    if (t->fabric.shared_bus)
        return json_refuse(&groups, err,
                           "expected no 'groups' where 'fabric.shared_bus' is true");
    links_from_groups(t);
    return PROACT_OK;
}

static enum proact_status read_links(const struct json_at *root, struct topology *t,
                                     struct proact_error *err)
{
    static const char *const keys[] = {"all_pairs_gbps", "matrix_gbps", NULL};
    static const char *const grouped[] = {"groups", "group_gbps", "bridge_gbps", NULL};
    struct json_at links;
    enum proact_status status = json_get_object(root, "links", &links, err);

    if (!status && json_has(&links, "groups"))
        return (status = json_known(&links, grouped, err)) ? status
                                                           : read_groups(&links, t, err);
    if (!status)
        status = json_known(&links, keys, err);
    if (!status && json_count(&links) != 1)
        return json_refuse(&links, err,
                           "expected one of 'all_pairs_gbps', 'matrix_gbps' and 'groups'");
    if (status)
        return status;
    return json_has(&links, "matrix_gbps") ? read_matrix(&links, t, err)
                                           : read_all_pairs(&links, t, err);
}

/* Links of a machine that is like one with `known` devices: inherited if they define all
   pairs. */
static enum proact_status inherit_links(const struct json_at *root, unsigned known,
                                        struct topology *t, struct proact_error *err)
{
    struct json_at at = json_child(root, "links");
    const bool has_groups = t->groups.bridge_gbps > 0;
    double gbps = t->link_gbps[0][1], egress = t->fabric.egress_gbps;

    if (has_groups && t->device_count > known)
        return json_refuse(&at, err, "expected the links of %u devices", t->device_count);
    if (has_groups && t->fabric.shared_bus)
        return json_refuse(&at, err,
                           "expected links without the groups of the 'like' "
                           "machine, 'fabric.shared_bus' is true");
    if (has_groups)
        links_from_groups(t);

    for (unsigned i = 0; i < known; i++) {
        for (unsigned j = 0; j < known; j++) {
            if (i != j && t->device_count > known && t->link_gbps[i][j] != gbps)
                return json_refuse(&at, err, "expected the links of %u devices",
                                   t->device_count);
            if (t->link_gbps[i][j] > egress)
                return json_refuse(&at, err,
                                   "expected links of at most %.10g GB/s, which is "
                                   "'fabric.egress_gbps'",
                                   egress);
        }
    }
    if (t->device_count > 1 && known < 2)
        return json_refuse(&at, err, "expected the links of %u devices", t->device_count);
    for (unsigned i = 0; i < TOPOLOGY_DEVICES_MAX; i++) {
        for (unsigned j = 0; j < TOPOLOGY_DEVICES_MAX; j++) {
            if (i >= t->device_count || j >= t->device_count)
                t->link_gbps[i][j] = t->groups.of[i >= t->device_count ? i : j] = 0;
            else if (t->device_count > known && i != j)
                t->link_gbps[i][j] = gbps;
        }
    }
    return PROACT_OK;
}

/* Goodput of short ranges: lengths in ascending order, within a packet. */
static enum proact_status read_wire(const struct json_at *fabric, struct topology *t,
                                    struct proact_error *err)
{
    static const char *const keys[] = {"run_bytes", "wire_bytes", NULL};
    struct json_at wire;
    enum proact_status status = json_get_array(fabric, "wire", &wire, err);
    double low = 1;

    if (!status && json_count(&wire) > TOPOLOGY_WIRE_MAX)
        return json_refuse(&wire, err, "expected at most %d runs", TOPOLOGY_WIRE_MAX);
    t->fabric.wire_count = 0;
    for (size_t i = 0; !status && i < json_count(&wire); i++) {
        struct json_at row = json_element(&wire, i);
        struct topology_wire *into = &t->fabric.wire[i];
        struct json_range runs = {.low = low, .high = t->fabric.payload_bytes};
        uint64_t run = 0;

        if (json_is_list(&row) || json_count(&row) != 2)
            return json_refuse(&row, err,
                               "expected an object of 'run_bytes' and 'wire_bytes'");
        if ((status = json_known(&row, keys, err)) ||
            (status = json_get_whole(&row, "run_bytes", runs, &run, err)))
            break;
        struct json_range costs = {.low = (double)run, .high = 1e6};

        status = json_get_real(&row, "wire_bytes", costs, &into->wire_bytes, err);
        into->run_bytes = (uint32_t)run;
        low = (double)run + 1;
        t->fabric.wire_count++;
    }
    return status;
}

static enum proact_status read_parts(const struct json_at *root, bool inherit,
                                     struct topology *t, struct proact_error *err)
{
    struct json_at device, fabric;
    enum proact_status status = PROACT_OK;

    if (json_has(root, "device") || !inherit) {
        if ((status = json_get_object(root, "device", &device, err)) ||
            (status = machine_keys_device(&device, inherit, t, err)))
            return status;
    }
    if (json_has(root, "fabric") || !inherit) {
        if ((status = json_get_object(root, "fabric", &fabric, err)) ||
            (status = machine_keys_fabric(&fabric, inherit, t, err)))
            return status;
        if (json_has(&fabric, "wire"))
            status = read_wire(&fabric, t, err);
    }
    if (!status && (json_has(root, "host_gbps") || !inherit)) {
        struct json_range range = {.low = 1e-6, .high = 1e6, .above = true};

        status = json_get_real(root, "host_gbps", range, &t->host_gbps, err);
    }
    return status;
}

/* Checks conditions on two keys. */
static enum proact_status check_together(const struct json_at *root,
                                         const struct topology *t, struct proact_error *err)
{
    const struct topology_device *d = &t->device;
    struct json_at device = json_child(root, "device");

    if (d->threads_per_cta > d->threads_per_sm)
        return json_refuse(&device, err,
                           "expected 'threads_per_cta' (%u) of at most "
                           "'threads_per_sm' (%u)",
                           d->threads_per_cta, d->threads_per_sm);
    if (d->shared_bytes_per_cta > d->shared_bytes_per_sm)
        return json_refuse(&device, err,
                           "expected 'shared_bytes_per_cta' (%" PRIu64 ") of at "
                           "most 'shared_bytes_per_sm' (%" PRIu64 ")",
                           d->shared_bytes_per_cta, d->shared_bytes_per_sm);
    if (d->launch_turn_us > d->launch_host_us)
        return json_refuse(&device, err,
                           "expected 'launch_turn_us' (%.10g) of at most "
                           "'launch_host_us' (%.10g)",
                           d->launch_turn_us, d->launch_host_us);
    if (d->copy_lock_us > d->copy_host_us)
        return json_refuse(&device, err,
                           "expected 'copy_lock_us' (%.10g) of at most "
                           "'copy_host_us' (%.10g)",
                           d->copy_lock_us, d->copy_host_us);
    const struct topology_fabric *f = &t->fabric;
    struct json_at fabric = json_child(root, "fabric");
    uint32_t longest = f->wire_count ? f->wire[f->wire_count - 1].run_bytes : 0;

    if (longest > f->payload_bytes) /* a row inherited from the "like" machine */
        return json_refuse(
            &fabric, err,
            "expected 'payload_bytes' (%.10g) of at least the longest run of "
            "'wire' (%" PRIu32 ")",
            f->payload_bytes, longest);
    return PROACT_OK;
}

static enum proact_status read_texts(const struct json_at *root, struct topology *t,
                                     struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (json_has(root, "description"))
        status =
            json_get_text(root, "description", t->description, sizeof t->description, err);
    if (!status && json_has(root, "source"))
        status = json_get_text(root, "source", t->source, sizeof t->source, err);
    if (!status && json_has(root, "estimates"))
        status = machine_keys_estimates(root, t, err);
    return status;
}

static enum proact_status read_machine(const struct json_at *root, unsigned depth,
                                       struct topology *t, struct proact_error *err)
{
    static const char *const keys[] = {"description", "source", "like",  "device_count",
                                       "device",      "fabric", "links", "host_gbps",
                                       "estimates",   NULL};
    bool inherit = json_has(root, "like");
    uint64_t count = 0;
    enum proact_status status = json_known(root, keys, err);

    snprintf(t->description, sizeof t->description, "not described");
    snprintf(t->source, sizeof t->source, "not stated");
    if (!status && inherit)
        status = read_like(root, depth, t, err);
    if (status || (status = read_texts(root, t, err)))
        return status;
    unsigned known = t->device_count;

    if (json_has(root, "device_count") || !inherit) {
        status = json_get_whole(root, "device_count", count_range, &count, err);
        t->device_count = (unsigned)count;
    }
    if (status || (status = read_parts(root, inherit, t, err)) ||
        (status = check_together(root, t, err)))
        return status;
    if (inherit && !json_has(root, "links"))
        return inherit_links(root, known, t, err);
    memset(t->link_gbps, 0, sizeof t->link_gbps);
    memset(&t->groups, 0, sizeof t->groups);
    if (t->device_count == 1 && !json_has(root, "links"))
        return PROACT_OK;
    return read_links(root, t, err);
}

static enum proact_status parse_at_depth(const char *path, const char *text, size_t bytes,
                                         unsigned depth, struct topology *out,
                                         struct proact_error *err)
{
    struct json_file *file = NULL;
    enum proact_status status = json_parse(path, text, bytes, &file, err);

    if (status)
        return status;
    struct topology *t = must_calloc(1, sizeof *t);
    struct json_at root = json_root(file);

    status = read_machine(&root, depth, t, err);
    if (!status) {
        machine_file_name(path, t->name, sizeof t->name);
        *out = *t;
    }
    free(t);
    json_destroy(file);
    return status;
}

static enum proact_status load_at_depth(const char *path, unsigned depth,
                                        struct topology *out, struct proact_error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    enum proact_status status = file_read(path, &text, &bytes, err);

    if (!status)
        status = parse_at_depth(path, text, bytes, depth, out, err);
    free(text);
    return status;
}

enum proact_status machine_file_parse(const char *path, const char *text, size_t bytes,
                                      struct topology *out, struct proact_error *err)
{
    return parse_at_depth(path, text, bytes, 0, out, err);
}

enum proact_status machine_file_load(const char *path, struct topology *out,
                                     struct proact_error *err)
{
    return load_at_depth(path, 0, out, err);
}
