/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/import/import_values.h"
#include "model/model.h"
#include "topology/hwloc_file.h"
#include "topology/machine_file.h"
#include "topology/machine_keys.h"
#include "topology/machine_nearest.h"

enum { LONG_COPY = 1 << 28, NVLINKS_MAX = 18 };
/* Raw GB/s of an NVLink in one direction, to find a similar machine. */
static const double nvlink_gbps = 25;

static void key_add(struct machine_import *i, const char *part, const char *name,
                    double value, const char *from)
{
    struct import_key *k = &i->key[i->keys];

    if (i->keys == IMPORT_KEYS_MAX)
        return;
    i->keys++;
    *k = (struct import_key){.part = part, .name = name, .value = value};
    snprintf(k->from, sizeof k->from, "%s", from);
}

/* Measured values have four significant digits. */
static double rounded4(double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.4g", value);
    return strtod(text, NULL);
}

/* Raw rate of a link whose long copies have that goodput. */
static double raw_of(const struct topology *t, double goodput)
{
    return goodput * t->fabric.egress_gbps /
           model_goodput_gbps(&t->fabric, MODEL_COPY_ENGINE, LONG_COPY);
}

/* NVLinks of a device of the similar machine, by the name of its fabric; 0: unknown. */
static unsigned nvlinks_of(const struct topology *t)
{
    static const struct {
        const char *fabric;
        unsigned links;
    } rows[] = {{"NVLink1", 4},  {"NVLink2", 6},  {"NVLink3", 12},
                {"NVLink4", 18}, {"NVLink5", 18}, {"NVLink", 4}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(t->fabric.name, rows[i].fabric) == 0)
            return rows[i].links;
    return 0;
}

/* The largest sum of the links of a device, or the largest link. */
static double links_largest(const struct import_values *v, bool sums)
{
    double most = 0;

    for (unsigned i = 0; i < v->device_count; i++) {
        double sum = 0;

        for (unsigned j = 0; j < v->device_count; j++) {
            sum += v->link[i][j];
            most = fmax(most, sums ? sum : v->link[i][j]);
        }
    }
    return most;
}

/* True if a pair of the machine has only a part of a device's rate: its devices are wired
   to each other. */
static bool is_wired(const struct topology *t)
{
    return t->device_count > 1 && t->link_gbps[0][1] < t->fabric.egress_gbps;
}

/* More NVLinks than a device has go through a switch, and each pair has all of them. */
static bool has_switch(const struct import_values *v)
{
    return v->kind == IMPORT_LINKS && links_largest(v, true) > NVLINKS_MAX;
}

/* The most similar machine. The links of a device add up if the machine with the rate of
   the fastest one is wired. */
static enum proact_status find_similar(const char *path, const struct import_values *v,
                                       struct topology *out, struct proact_error *err)
{
    struct machine_traits traits = {.model = v->gpu[0] ? v->gpu : NULL,
                                    .devices = v->device_count};

    if (v->kind == IMPORT_SWITCHES)
        traits.egress_gbps = 1; /* the slowest: PCIe */
    else if (v->kind == IMPORT_LINKS)
        traits.egress_gbps = nvlink_gbps * links_largest(v, !has_switch(v));
    else
        traits.egress_gbps =
            v->egress_raw > 0 ? v->egress_raw : fmax(v->egress, links_largest(v, false));
    enum proact_status status = machine_nearest(path, &traits, out, err);

    if (status || v->kind != IMPORT_GOODPUT || v->egress > 0 || !is_wired(out))
        return status;
    traits.egress_gbps = links_largest(v, true);
    return machine_nearest(path, &traits, out, err);
}

/* Raw rate of a unit of the file's links: a rate of 1 GB/s, or an NVLink. */
static double links_unit(const struct import_values *v, const struct topology *like)
{
    const unsigned nvlinks = nvlinks_of(like);

    if (v->kind == IMPORT_LINKS)
        return like->fabric.egress_gbps / (nvlinks ? nvlinks : 1);
    return v->kind == IMPORT_GOODPUT ? raw_of(like, 1) : 1;
}

/* Raw rate out of a device, and its origin. */
static double egress_of(const struct import_values *v, const struct topology *like,
                        const char **from)
{
    const bool sums = v->kind == IMPORT_GOODPUT ? is_wired(like) : !has_switch(v);
    const double unit = links_unit(v, like);

    if (v->egress > 0) {
        *from = v->egress_from;
        return fmax(raw_of(like, v->egress), unit * links_largest(v, false));
    }
    *from = sums ? "sum of the links of a device" : "the fastest link";
    return v->egress_raw > 0 ? v->egress_raw : unit * links_largest(v, sums);
}

/* Sets the links and the rates out of and into a device. */
static void set_links(const struct import_values *v, struct machine_import *i)
{
    struct topology *t = &i->machine;
    struct topology_fabric *f = &t->fabric;
    const struct topology like = *t;
    const double unit = links_unit(v, &like);
    const char *from;

    f->egress_gbps = rounded4(egress_of(v, &like, &from));
    f->ingress_gbps = v->ingress > 0 ? rounded4(raw_of(&like, v->ingress)) : f->egress_gbps;
    f->shared_bus = false;
    memset(t->link_gbps, 0, sizeof t->link_gbps);
    memset(&t->groups, 0, sizeof t->groups);
    for (unsigned a = 0; a < v->device_count; a++)
        for (unsigned b = 0; b < v->device_count; b++)
            t->link_gbps[a][b] = rounded4(unit * v->link[a][b]);
    key_add(i, "fabric", "egress_gbps", f->egress_gbps, from);
    key_add(i, "fabric", "ingress_gbps", f->ingress_gbps,
            v->ingress > 0 ? v->ingress_from : "as egress_gbps");
    if (like.fabric.shared_bus)
        key_add(i, "fabric", "shared_bus", 0, v->links_from);
}

/* Groups of devices under one PCIe switch, with the rates of the similar machine. */
static void set_groups(const struct import_values *v, struct machine_import *i)
{
    struct topology *t = &i->machine;
    const double gbps = t->fabric.egress_gbps;
    const double bridge = t->groups.bridge_gbps > 0 ? t->groups.bridge_gbps : gbps;

    memset(t->link_gbps, 0, sizeof t->link_gbps);
    t->groups = (struct topology_groups){.gbps = gbps, .bridge_gbps = bridge};
    for (unsigned a = 0; a < v->device_count; a++) {
        t->groups.of[a] = v->group[a];
        i->has_groups |= v->group[a] != v->group[0];
    }
    for (unsigned a = 0; a < v->device_count; a++)
        for (unsigned b = 0; b < v->device_count; b++)
            if (a != b)
                t->link_gbps[a][b] = v->group[a] == v->group[b] ? gbps : fmin(bridge, gbps);
}

static void set_rates(const struct import_values *v, struct machine_import *i)
{
    struct topology *t = &i->machine;
    struct topology_fabric *f = &t->fabric;

    if (v->store_gbps > 0) {
        const double pair = raw_of(t, links_largest(v, false));
        const double header = f->payload_bytes * (pair / v->store_gbps - 1);

        if (header > 0 && header <= f->payload_bytes) {
            f->header_bytes = rounded4(header);
            key_add(i, "fabric", "header_bytes", f->header_bytes, v->store_from);
        }
    }
    if (v->copy_next_ns > 0) {
        f->copy_start_us = rounded4(v->copy_next_ns / 1000);
        key_add(i, "fabric", "copy_start_us", f->copy_start_us,
                "osu_bw, time without bytes");
    }
    if (v->copy_one_ns > f->latency_ns) {
        f->copy_first_us = rounded4((v->copy_one_ns - f->latency_ns) / 1000);
        key_add(i, "fabric", "copy_first_us", f->copy_first_us,
                "osu_latency, time without bytes and latency_ns");
    }
    if (v->host_gbps > 0) {
        t->host_gbps = rounded4(v->host_gbps);
        key_add(i, "", "host_gbps", t->host_gbps, v->host_from);
    }
}

static void set_device(const struct import_values *v, struct machine_import *i)
{
    struct topology_device *d = &i->machine.device;

    if (v->gpu[0]) {
        snprintf(d->name, sizeof d->name, "%s", v->gpu);
        key_add(i, "device", "name", 0, "the first GPU");
    }
    if (v->sm_count) {
        d->sm_count = v->sm_count;
        key_add(i, "device", "sm_count", v->sm_count, "CUDAMultiProcessors");
    }
    if (v->copy_gbps > 0) {
        d->memory_gbps = rounded4(2 * v->copy_gbps);
        key_add(i, "device", "memory_gbps", d->memory_gbps,
                "device_local_copy, read and written");
    }
    if (v->memory_bytes) {
        d->memory_bytes = v->memory_bytes;
        key_add(i, "device", "memory_bytes", (double)v->memory_bytes,
                "CUDAGlobalMemorySize");
    }
    if (v->l2_bytes) {
        d->l2_bytes = v->l2_bytes;
        key_add(i, "device", "l2_bytes", (double)v->l2_bytes, "CUDAL2CacheSize");
    }
}

static void set_texts(const char *path, const struct import_values *v,
                      struct machine_import *i)
{
    struct topology *t = &i->machine;
    const char *file = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

    i->format = v->format;
    snprintf(i->version, sizeof i->version, "%s", v->version);
    snprintf(i->gpu, sizeof i->gpu, "%s", v->gpu);
    snprintf(i->like, sizeof i->like, "%s", t->name);
    snprintf(t->description, sizeof t->description, "%ux %.60s, from %s", v->device_count,
             v->gpu[0] ? v->gpu : "GPU", v->format);
    snprintf(t->source, sizeof t->source, "%s%s%s: %.60s; other keys of %.40s", v->format,
             v->version[0] ? " " : "", v->version, file, i->like);
    machine_file_name(path, t->name, sizeof t->name);
    t->device_count = v->device_count;
    key_add(i, "", "device_count", v->device_count, v->links_from);
    key_add(i, "links", "", 0, v->links_from);
}

static bool estimates_key(const struct topology *t, const char *name)
{
    for (unsigned e = 0; e < t->estimate_count; e++)
        if (strcmp(t->estimates[e], name) == 0)
            return true;
    return false;
}

/* A key with a number that the input lacks is an estimate, unless it was measured on the
   same GPUs. A number of 0 stands for no key. */
static void add_estimate(struct machine_import *i, const struct topology *like,
                         const char *part, const char *name)
{
    struct topology *t = &i->machine;
    double *value;
    const char *key = machine_keys_real(name, t, &value);

    if (!key || *value == 0 || machine_import_has(i, part, name) ||
        (i->is_same_chip && !estimates_key(like, name)) ||
        t->estimate_count == TOPOLOGY_ESTIMATES_MAX)
        return;
    t->estimates[t->estimate_count++] = key;
}

static void set_estimates(struct machine_import *i, const struct topology *like)
{
    i->machine.estimate_count = 0;
    for (size_t k = 0; machine_keys_device_name(k); k++)
        add_estimate(i, like, "device", machine_keys_device_name(k));
    for (size_t k = 0; machine_keys_fabric_name(k); k++)
        add_estimate(i, like, "fabric", machine_keys_fabric_name(k));
    add_estimate(i, like, "", "host_gbps");
    if (i->has_groups)
        add_estimate(i, like, "links", "bridge_gbps");
}

/* The result must be a machine file that can be read. */
static enum proact_status check_machine_file(const char *path,
                                             const struct machine_import *i,
                                             struct proact_error *err)
{
    struct topology *t = must_calloc(1, sizeof *t);
    struct proact_error why = {""};
    char *text = machine_import_print(i);
    enum proact_status status =
        machine_file_parse("machine file", text, strlen(text), t, &why);

    if (status)
        fail(err, status, "%s: its values are no valid machine: %s", path, why.text);
    free(text);
    free(t);
    return status;
}

static enum proact_status import_build(const char *path, const char *like,
                                       const struct import_values *v,
                                       struct machine_import *out, struct proact_error *err)
{
    struct machine_import *i = must_calloc(1, sizeof *i);
    struct topology *t = must_calloc(1, sizeof *t);
    enum proact_status status = like ? topology_load(like, &i->machine, err)
                                     : find_similar(path, v, &i->machine, err);

    if (!status && v->kind == IMPORT_LINKS && !nvlinks_of(&i->machine))
        status = fail(err, PROACT_EINVAL,
                      "%s: it has NVLinks, and machine %s has '%s': name another one by "
                      "--like",
                      path, i->machine.name, i->machine.fabric.name);
    if (!status) {
        *t = i->machine;
        i->is_same_chip = v->gpu[0] && machine_same_chip(v->gpu, t->device.name);
        set_texts(path, v, i);
        if (v->kind == IMPORT_SWITCHES)
            set_groups(v, i);
        else
            set_links(v, i);
        set_rates(v, i);
        set_device(v, i);
        set_estimates(i, t);
        status = check_machine_file(path, i, err);
    }
    if (!status)
        *out = *i;
    free(t);
    free(i);
    return status;
}

static bool import_has_ending(const char *text, const char *ending)
{
    const size_t length = strlen(text), wanted = strlen(ending);

    return length >= wanted && strcmp(text + length - wanted, ending) == 0;
}

static enum proact_status import_hwloc(const char *path, struct import_values *v,
                                       struct proact_error *err)
{
    struct hwloc_values *h = must_calloc(1, sizeof *h);
    enum proact_status status = hwloc_file_values(path, HWLOC_LIBRARY, h, err);

    v->format = "hwloc";
    v->kind = IMPORT_RAW;
    v->device_count = h->gpu_count;
    v->egress_raw = h->egress_gbps;
    v->host_gbps = h->host_gbps;
    v->sm_count = h->sm_count;
    v->memory_bytes = h->memory_bytes;
    v->l2_bytes = h->l2_bytes;
    memcpy(v->link, h->link_gbps, sizeof v->link);
    snprintf(v->gpu, sizeof v->gpu, "%s", h->model);
    snprintf(v->links_from, sizeof v->links_from, "NVLinkBandwidth");
    snprintf(v->host_from, sizeof v->host_from, "NVLinkBandwidth");
    free(h);
    return status;
}

static enum proact_status import_values_read(const char *path, const char *text,
                                             size_t bytes, struct import_values *v,
                                             struct proact_error *err)
{
    const char *first = text + strspn(text, " \t\r\n");

    if (strlen(text) != bytes)
        return fail(err, PROACT_EINVAL, "%s: expected text, found a zero byte at %zu", path,
                    strlen(text));
    if (*first == '{' && strstr(text, "\"nvbandwidth\""))
        return import_nvbandwidth(path, text, bytes, v, err);
    if (import_is_osu(text))
        return import_osu(path, text, v, err);
    if (import_is_smi(text))
        return import_smi(path, text, v, err);
    return fail(
        err, PROACT_EINVAL,
        "%s: unknown format: expected JSON of nvbandwidth (-j), text of osu_bw or "
        "osu_latency between two GPUs, text of nvidia-smi topo -m, or XML of lstopo "
        "in a file that ends in .xml",
        path);
}

enum proact_status machine_import_text(const char *path, const char *text, size_t bytes,
                                       const char *like, struct machine_import *out,
                                       struct proact_error *err)
{
    struct import_values *v = must_calloc(1, sizeof *v);
    enum proact_status status = import_values_read(path, text, bytes, v, err);

    if (!status)
        status = import_build(path, like, v, out, err);
    free(v);
    return status;
}

enum proact_status machine_import(const char *path, const char *like,
                                  struct machine_import *out, struct proact_error *err)
{
    struct import_values *v = must_calloc(1, sizeof *v);
    char *text = NULL;
    size_t bytes = 0;
    enum proact_status status;

    if (import_has_ending(path, ".xml"))
        status = import_hwloc(path, v, err);
    else if (!(status = file_read(path, &text, &bytes, err)))
        status = import_values_read(path, text, bytes, v, err);
    if (!status)
        status = import_build(path, like, v, out, err);
    free(text);
    free(v);
    return status;
}
