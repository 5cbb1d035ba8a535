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
#include "topology/machine_nearest.h"

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

/* GPUs of the file. */
struct hwloc_gpus {
    unsigned count;
    hwloc_obj_t gpu[TOPOLOGY_DEVICES_MAX];
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

static void hwloc_read_gpus(const struct hwloc_distances_s *d, struct hwloc_gpus *g,
                            unsigned index[TOPOLOGY_DEVICES_MAX])
{
    for (unsigned i = 0; i < d->nbobjs; i++) {
        if (!hwloc_obj_get_info_by_name(d->objs[i], "GPUModel"))
            continue;
        if (g->count < TOPOLOGY_DEVICES_MAX) {
            index[g->count] = i;
            g->gpu[g->count] = d->objs[i];
        }
        g->count++;
    }
}

/* Reads the matrix between GPUs from hwloc's, which may also contain processors (MB/s). */
static void hwloc_read_links(const struct hwloc_distances_s *d,
                             const unsigned index[TOPOLOGY_DEVICES_MAX],
                             struct hwloc_values *v)
{
    for (unsigned i = 0; i < v->gpu_count; i++) {
        double sum = 0;

        for (unsigned j = 0; j < v->gpu_count; j++) {
            double out = (double)d->values[index[i] * d->nbobjs + index[j]] / 1000;
            double back = (double)d->values[index[j] * d->nbobjs + index[i]] / 1000;

            v->link_gbps[i][j] = i == j ? 0 : fmin(out, back);
            sum += v->link_gbps[i][j];
        }
        v->egress_gbps = fmax(v->egress_gbps, sum);
        for (unsigned j = 0; j < d->nbobjs; j++) {
            if (d->objs[j]->type == HWLOC_OBJ_PACKAGE)
                v->host_gbps =
                    fmax(v->host_gbps, (double)d->values[index[i] * d->nbobjs + j] / 1000);
        }
    }
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

/* Reads the matrix NVLinkBandwidth, which hwloc creates if NVML is available. */
static enum proact_status hwloc_read_values(const char *path,
                                            const struct hwloc_distances_s *d,
                                            struct hwloc_values *v,
                                            struct proact_error *err)
{
    unsigned index[TOPOLOGY_DEVICES_MAX] = {0};
    struct hwloc_gpus g = {.count = 0};

    hwloc_read_gpus(d, &g, index);
    if (g.count == 0 || g.count > TOPOLOGY_DEVICES_MAX)
        return fail(err, PROACT_EINVAL,
                    "%s: expected 1 to %d GPUs in 'NVLinkBandwidth', found %u", path,
                    TOPOLOGY_DEVICES_MAX, g.count);
    v->gpu_count = g.count;
    hwloc_read_links(d, index, v);
    if (v->egress_gbps <= 0)
        return fail(err, PROACT_EINVAL,
                    "%s: no two of its %u GPUs are linked directly in 'NVLinkBandwidth'",
                    path, g.count);
    const double sms = gpu_number(g.gpu[0], "CUDAMultiProcessors");

    v->sm_count = sms <= 4096 ? (unsigned)sms : 0;
    v->memory_bytes = (uint64_t)gpu_number(g.gpu[0], "CUDAGlobalMemorySize") * 1024;
    v->l2_bytes = (uint64_t)gpu_number(g.gpu[0], "CUDAL2CacheSize") * 1024;
    snprintf(v->model, sizeof v->model, "%s",
             hwloc_obj_get_info_by_name(g.gpu[0], "GPUModel"));
    return PROACT_OK;
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
                                   const struct hwloc_calls *calls,
                                   struct hwloc_values *out, struct proact_error *err)
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
            status = hwloc_read_values(path, d, out, err);
            calls->release(topology, d);
        }
    }
    calls->destroy(topology);
    return status;
}

enum proact_status hwloc_file_values(const char *path, const char *library,
                                     struct hwloc_values *out, struct proact_error *err)
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
        struct hwloc_values *v = must_calloc(1, sizeof *v);

        status = read_xml(path, xml, bytes, &calls, v, err);
        if (!status)
            *out = *v;
        free(v);
        dlclose(calls.library);
    }
    free(xml);
    return status;
}

static void hwloc_fill(const char *path, const struct hwloc_values *v, struct topology *t)
{
    snprintf(t->description, sizeof t->description, "%ux %.60s; other figures as %s",
             v->gpu_count, v->model, t->name);
    snprintf(t->source, sizeof t->source, "hwloc: %.150s", path);
    machine_file_name(path, t->name, sizeof t->name);
    snprintf(t->device.name, sizeof t->device.name, "%s", v->model);
    t->device_count = v->gpu_count;
    if (v->sm_count)
        t->device.sm_count = v->sm_count;
    if (v->memory_bytes)
        t->device.memory_bytes = v->memory_bytes;
    if (v->l2_bytes)
        t->device.l2_bytes = v->l2_bytes;
    t->fabric.egress_gbps = t->fabric.ingress_gbps = v->egress_gbps;
    if (v->host_gbps > 0)
        t->host_gbps = v->host_gbps;
    memcpy(t->link_gbps, v->link_gbps, sizeof t->link_gbps);
    memset(&t->groups, 0, sizeof t->groups);
}

enum proact_status hwloc_file_load(const char *path, const char *library,
                                   struct topology *out, struct proact_error *err)
{
    struct hwloc_values *v = must_calloc(1, sizeof *v);
    struct topology *t = must_calloc(1, sizeof *t);
    enum proact_status status = hwloc_file_values(path, library, v, err);

    if (!status) {
        const struct machine_traits traits = {
            .model = v->model, .egress_gbps = v->egress_gbps, .devices = v->gpu_count};

        status = machine_nearest(path, &traits, t, err);
    }
    if (!status) {
        hwloc_fill(path, v, t);
        *out = *t;
    }
    free(t);
    free(v);
    return status;
}
