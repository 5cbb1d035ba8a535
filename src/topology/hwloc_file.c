/* SPDX-License-Identifier: Apache-2.0 */
#include "topology/hwloc_file.h"

#include <assert.h>
#include <ctype.h>
#include <dlfcn.h>
#include <hwloc.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "topology/machine_file.h"
#include "topology/machine_folder.h"

/* Functions of libhwloc that we use, with the types of its header. */
struct hwloc_calls {
    void *library;
    __typeof__(hwloc_topology_init) *init;
    __typeof__(hwloc_topology_set_io_types_filter) *filter;
    __typeof__(hwloc_topology_set_xmlbuffer) *set_xml;
    __typeof__(hwloc_topology_load) *load;
    __typeof__(hwloc_topology_destroy) *destroy;
    __typeof__(hwloc_distances_get_by_name) *distances;
    __typeof__(hwloc_distances_release) *release;
};

/* Contents of the file. */
struct found {
    unsigned gpu_count;
    hwloc_obj_t gpus[TOPOLOGY_DEVICES_MAX];
    double link_gbps[TOPOLOGY_DEVICES_MAX][TOPOLOGY_DEVICES_MAX];
    double host_gbps;   /* 0: unknown */
    double egress_gbps; /* of the GPU with the highest bandwidth, to all its peers */
};

static enum proact_status open_hwloc(const char *path, const char *library,
                                     struct hwloc_calls *calls, struct proact_error *err)
{
    static const struct {
        const char *symbol;
        size_t at;
    } rows[] = {
        {"hwloc_topology_init", offsetof(struct hwloc_calls, init)},
        {"hwloc_topology_set_io_types_filter", offsetof(struct hwloc_calls, filter)},
        {"hwloc_topology_set_xmlbuffer", offsetof(struct hwloc_calls, set_xml)},
        {"hwloc_topology_load", offsetof(struct hwloc_calls, load)},
        {"hwloc_topology_destroy", offsetof(struct hwloc_calls, destroy)},
        {"hwloc_distances_get_by_name", offsetof(struct hwloc_calls, distances)},
        {"hwloc_distances_release", offsetof(struct hwloc_calls, release)},
    };

    calls->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!calls->library)
        return fail(err, PROACT_EINVAL,
                    "%s: reading hwloc files takes %s (Debian: apt install libhwloc15)",
                    path, library);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        void *symbol = dlsym(calls->library, rows[i].symbol);

        if (!symbol) {
            dlclose(calls->library);
            return fail(err, PROACT_EINVAL,
                        "%s: reading hwloc files needs hwloc 2.1 or newer: %s has no %s",
                        path, library, rows[i].symbol);
        }
        memcpy((char *)calls + rows[i].at, &symbol, sizeof symbol);
    }
    return PROACT_OK;
}

/* Reads the matrix between GPUs from hwloc's, which may also contain processors (MB/s). */
static void read_distances(const struct hwloc_distances_s *d, struct found *f)
{
    unsigned index[TOPOLOGY_DEVICES_MAX] = {0};

    for (unsigned i = 0; i < d->nbobjs; i++) {
        if (!hwloc_obj_get_info_by_name(d->objs[i], "GPUModel"))
            continue;
        if (f->gpu_count < TOPOLOGY_DEVICES_MAX) {
            index[f->gpu_count] = i;
            f->gpus[f->gpu_count] = d->objs[i];
        }
        f->gpu_count++;
    }
    for (unsigned i = 0; i < f->gpu_count && f->gpu_count <= TOPOLOGY_DEVICES_MAX; i++) {
        double sum = 0;

        for (unsigned j = 0; j < f->gpu_count; j++) {
            double out = (double)d->values[index[i] * d->nbobjs + index[j]] / 1000;
            double back = (double)d->values[index[j] * d->nbobjs + index[i]] / 1000;

            f->link_gbps[i][j] = i == j ? 0 : fmin(out, back);
            sum += f->link_gbps[i][j];
        }
        f->egress_gbps = fmax(f->egress_gbps, sum);
        for (unsigned j = 0; j < d->nbobjs; j++) {
            if (d->objs[j]->type == HWLOC_OBJ_PACKAGE)
                f->host_gbps =
                    fmax(f->host_gbps, (double)d->values[index[i] * d->nbobjs + j] / 1000);
        }
    }
}

/* True if two names denote one chip: they have a word such as P100 in common. */
static bool same_chip(const char *a, const char *b)
{
    for (const char *word = a; *word; word++) {
        size_t length = 0;

        while (isalnum((unsigned char)word[length]))
            length++;
        if (length >= 3 && isupper((unsigned char)word[0]) &&
            isdigit((unsigned char)word[1])) {
            char key[16];

            snprintf(key, sizeof key, "%.*s", (int)length, word);
            if (strstr(b, key))
                return true;
        }
        word += length ? length - 1 : 0;
    }
    return false;
}

/* Loads the shipped machine with the same chip and the nearest links. If no machine has
   that chip, the links alone decide. */
static enum proact_status load_nearest(const char *path, const char *model,
                                       double egress_gbps, struct topology *out,
                                       struct proact_error *err)
{
    char **names = topology_names();
    struct topology *t = must_calloc(1, sizeof *t);
    double best = INFINITY;

    for (size_t i = 0; names[i]; i++) {
        char *file = machine_folder_find(names[i]);

        if (file && !machine_file_load(file, t, NULL)) {
            double distance = fabs(log(egress_gbps / t->fabric.egress_gbps));

            if (!same_chip(model, t->device.name))
                distance += 1000; /* any machine with the same chip is nearer */
            if (distance < best) {
                best = distance;
                *out = *t;
            }
        }
        free(file);
        free(names[i]);
    }
    free(names);
    free(t);
    if (isinf(best))
        return fail(err, PROACT_EINVAL, "%s: there is no machine file to take figures from",
                    path);
    return PROACT_OK;
}

/* A property of this GPU that hwloc obtained from CUDA. 0: unknown. */
static double gpu_number(hwloc_obj_t gpu, const char *name)
{
    const char *value = NULL;

    for (hwloc_obj_t o = gpu->parent ? gpu->parent->io_first_child : NULL; o && !value;
         o = o->next_sibling)
        value = hwloc_obj_get_info_by_name(o, name);
    double number = value ? strtod(value, NULL) : 0;

    return number >= 1 && number < 1e12 ? number : 0;
}

static void fill(const char *path, const struct found *f, struct topology *t)
{
    const char *model = hwloc_obj_get_info_by_name(f->gpus[0], "GPUModel");
    double sms = gpu_number(f->gpus[0], "CUDAMultiProcessors");
    double memory_kib = gpu_number(f->gpus[0], "CUDAGlobalMemorySize");
    double l2_kib = gpu_number(f->gpus[0], "CUDAL2CacheSize");

    snprintf(t->description, sizeof t->description, "%ux %.60s; other figures as %s",
             f->gpu_count, model, t->name);
    snprintf(t->source, sizeof t->source, "hwloc: %.150s", path);
    machine_file_name(path, t->name, sizeof t->name);
    snprintf(t->device.name, sizeof t->device.name, "%s", model);
    t->device_count = f->gpu_count;
    if (sms > 0 && sms <= 4096)
        t->device.sm_count = (unsigned)sms;
    if (memory_kib > 0)
        t->device.memory_bytes = (uint64_t)memory_kib * 1024;
    if (l2_kib > 0)
        t->device.l2_bytes = (uint64_t)l2_kib * 1024;
    t->fabric.egress_gbps = t->fabric.ingress_gbps = f->egress_gbps;
    if (f->host_gbps > 0)
        t->host_gbps = f->host_gbps;
    memcpy(t->link_gbps, f->link_gbps, sizeof t->link_gbps);
    memset(&t->groups, 0, sizeof t->groups);
}

/* Reads the matrix NVLinkBandwidth, which hwloc creates if NVML is available. */
static enum proact_status read_topology(const char *path, const struct hwloc_distances_s *d,
                                        struct topology *out, struct proact_error *err)
{
    struct found *f = must_calloc(1, sizeof *f);
    struct topology *t = must_calloc(1, sizeof *t);
    enum proact_status status = PROACT_OK;

    read_distances(d, f);
    if (f->gpu_count == 0 || f->gpu_count > TOPOLOGY_DEVICES_MAX)
        status = fail(err, PROACT_EINVAL,
                      "%s: expected 1 to %d GPUs in 'NVLinkBandwidth', found %u", path,
                      TOPOLOGY_DEVICES_MAX, f->gpu_count);
    else if (f->egress_gbps <= 0)
        status = fail(err, PROACT_EINVAL,
                      "%s: no two of its %u GPUs are linked directly in 'NVLinkBandwidth'",
                      path, f->gpu_count);
    else
        status = load_nearest(path, hwloc_obj_get_info_by_name(f->gpus[0], "GPUModel"),
                              f->egress_gbps, t, err);
    if (!status) {
        fill(path, f, t);
        *out = *t;
    }
    free(t);
    free(f);
    return status;
}

/* Presents XML of hwloc 3 as that of hwloc 2, whose library refuses the number only: what 3
   has beyond 2 follows the matrices, and 2 skips it. Refuses later versions. */
static enum proact_status hwloc_set_version(const char *path, char *xml,
                                            struct proact_error *err)
{
    char *tag = strstr(xml, "<topology"), *end = tag ? strchr(tag, '>') : NULL;
    char *version = tag ? strstr(tag, "version=") : NULL;
    char *digit = version ? version + strlen("version=\"") : NULL;

    if (!end || !version || version > end || !isdigit((unsigned char)*digit))
        return PROACT_OK; /* hwloc 1 states none; the library judges anything else */
    const unsigned long major = strtoul(digit, NULL, 10);

    if (major > 3)
        return fail(err, PROACT_EINVAL,
                    "%s: expected XML of hwloc 2 or 3, found version %lu", path, major);
    if (major == 3)
        *digit = '2';
    return PROACT_OK;
}

static enum proact_status read_xml(const char *path, const char *xml, size_t bytes,
                                   const struct hwloc_calls *calls, struct topology *out,
                                   struct proact_error *err)
{
    hwloc_topology_t topology;
    enum proact_status status;

    assert(calls->init && calls->filter && calls->set_xml && calls->load &&
           calls->destroy && calls->distances && calls->release);
    if (calls->init(&topology))
        abort(); /* out of memory */
    if (calls->filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL) || bytes >= INT_MAX ||
        calls->set_xml(topology, xml, (int)bytes + 1) || calls->load(topology)) {
        status = fail(err, PROACT_EINVAL,
                      "%s: hwloc cannot read it: expected XML by lstopo", path);
    } else {
        struct hwloc_distances_s *d = NULL;
        unsigned count = 1;

        if (calls->distances(topology, "NVLinkBandwidth", &count, &d, 0) || count == 0 ||
            !d) {
            status =
                fail(err, PROACT_EINVAL,
                     "%s: expected a distance matrix 'NVLinkBandwidth', found none", path);
        } else {
            status = read_topology(path, d, out, err);
            calls->release(topology, d);
        }
    }
    calls->destroy(topology);
    return status;
}

enum proact_status hwloc_file_load(const char *path, const char *library,
                                   struct topology *out, struct proact_error *err)
{
    struct hwloc_calls calls = {0};
    char *xml = NULL;
    size_t bytes = 0;
    enum proact_status status = file_read(path, &xml, &bytes, err);

    if (status)
        return status;
    if (!(status = hwloc_set_version(path, xml, err)))
        status = open_hwloc(path, library, &calls, err);
    if (!status) {
        status = read_xml(path, xml, bytes, &calls, out, err);
        dlclose(calls.library);
    }
    free(xml);
    return status;
}
