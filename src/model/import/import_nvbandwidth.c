/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of nvbandwidth (-j), which exists since version 0.5. A cell of a matrix is a text
   with a number, or "N/A". Version 0.8 added the list of devices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json/json.h"
#include "base/memory.h"
#include "model/import/import_values.h"

enum { CELLS_MAX = TOPOLOGY_DEVICES_MAX * TOPOLOGY_DEVICES_MAX };

/* Results of one test. */
struct nvb_matrix {
    char name[96]; /* without "multinode_" */
    unsigned rows, columns;
    double cell[CELLS_MAX]; /* 0: N/A */
};

static enum proact_status nvb_cell(const struct json_at *at, double *out,
                                   struct proact_error *err)
{
    const struct json_range range = {.low = 0, .high = 1e9};
    char text[32], *end = NULL;

    if (!json_element_text(at, text, sizeof text, NULL)) {
        if (strcmp(text, "N/A") == 0) {
            *out = 0;
            return PROACT_OK;
        }
        *out = strtod(text, &end);
        if (end == text || *end || !(*out >= 0 && *out <= 1e9))
            return json_refuse(at, err, "expected a rate or \"N/A\", found \"%s\"", text);
        return PROACT_OK;
    }
    return json_element_real(at, range, out, err);
}

static enum proact_status nvb_read_matrix(const struct json_at *test, struct nvb_matrix *m,
                                          struct proact_error *err)
{
    struct json_at matrix;
    enum proact_status status = json_get_array(test, "bandwidth_matrix", &matrix, err);

    m->rows = m->columns = 0;
    for (size_t i = 0; !status && i < json_count(&matrix); i++) {
        const struct json_at row = json_element(&matrix, i);
        const size_t columns = json_count(&row);

        if (!json_is_list(&row) || columns == 0 || (i && columns != m->columns) ||
            columns > TOPOLOGY_DEVICES_MAX || i >= TOPOLOGY_DEVICES_MAX)
            return json_refuse(&row, err,
                               "expected at most %d rows of equal length, at most %d",
                               TOPOLOGY_DEVICES_MAX, TOPOLOGY_DEVICES_MAX);
        m->columns = (unsigned)columns;
        m->rows = (unsigned)i + 1;
        for (size_t j = 0; j < columns && !status; j++) {
            const struct json_at cell = json_element(&row, j);

            status = nvb_cell(&cell, &m->cell[i * columns + j], err);
        }
    }
    return status;
}

static double nvb_median(const struct nvb_matrix *m)
{
    double *sorted = must_calloc(CELLS_MAX, sizeof *sorted), middle = 0;
    unsigned n = 0;

    for (unsigned i = 0; i < m->rows * m->columns; i++) {
        unsigned at = n;

        if (m->cell[i] <= 0)
            continue;
        for (; at > 0 && sorted[at - 1] > m->cell[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = m->cell[i];
        n++;
    }
    middle = n ? sorted[(n - 1) / 2] : 0;
    free(sorted);
    return middle;
}

static double nvb_largest(const struct nvb_matrix *m)
{
    double most = 0;

    for (unsigned i = 0; i < m->rows * m->columns; i++)
        most = fmax(most, m->cell[i]);
    return most;
}

/* A link has the lower rate of its two directions. The faster of the read and the write
   test counts. */
static void nvb_take_links(const struct nvb_matrix *m, struct import_values *v)
{
    if (m->rows != m->columns || m->rows < 2 || nvb_largest(m) <= 0 ||
        (v->device_count && v->device_count != m->rows))
        return;
    v->device_count = m->rows;
    for (unsigned i = 0; i < m->rows; i++)
        for (unsigned j = 0; j < m->columns; j++) {
            const double gbps =
                fmin(m->cell[i * m->columns + j], m->cell[j * m->columns + i]);

            if (i != j && gbps > v->link[i][j]) {
                v->link[i][j] = gbps;
                snprintf(v->links_from, sizeof v->links_from, "%.60s", m->name);
            }
        }
}

static void nvb_take_rate(double gbps, const char *name, double *into, char from[64])
{
    if (gbps > *into) {
        *into = gbps;
        snprintf(from, 64, "%.60s", name);
    }
}

static void nvb_take(const struct nvb_matrix *m, struct import_values *v)
{
    const char *name = m->name;

    if (strcmp(name, "device_to_device_memcpy_read_ce") == 0 ||
        strcmp(name, "device_to_device_memcpy_write_ce") == 0)
        nvb_take_links(m, v);
    else if (strcmp(name, "device_to_device_memcpy_write_sm") == 0)
        nvb_take_rate(nvb_median(m), name, &v->store_gbps, v->store_from);
    else if (strcmp(name, "one_to_all_write_ce") == 0)
        nvb_take_rate(nvb_median(m), name, &v->egress, v->egress_from);
    else if (strcmp(name, "all_to_one_write_ce") == 0)
        nvb_take_rate(nvb_median(m), name, &v->ingress, v->ingress_from);
    else if (strcmp(name, "host_to_device_memcpy_ce") == 0 ||
             strcmp(name, "device_to_host_memcpy_ce") == 0)
        nvb_take_rate(nvb_median(m), name, &v->host_gbps, v->host_from);
    else if (strcmp(name, "device_local_copy") == 0)
        v->copy_gbps = nvb_median(m);
}

/* A test that was waived or failed has no matrix. */
static enum proact_status nvb_read_test(const struct json_at *test, struct nvb_matrix *m,
                                        struct import_values *v, struct proact_error *err)
{
    static const char prefix[] = "multinode_";
    char name[96];
    enum proact_status status = PROACT_OK;

    if (json_is_list(test))
        return json_refuse(test, err, "expected an object with 'name'");
    if ((status = json_get_text(test, "name", name, sizeof name, err)) ||
        !json_has(test, "bandwidth_matrix"))
        return status;
    const bool is_multinode = strncmp(name, prefix, sizeof prefix - 1) == 0;

    snprintf(m->name, sizeof m->name, "%s", name + (is_multinode ? sizeof prefix - 1 : 0));
    if ((status = nvb_read_matrix(test, m, err)))
        return status;
    nvb_take(m, v);
    return PROACT_OK;
}

/* "0: NVIDIA H200 (00000000:19:00): (host)" */
static void nvb_read_device(const struct json_at *root, struct import_values *v)
{
    struct json_at list;
    char text[256];

    if (json_get_array(root, "GPU Device list", &list, NULL) || !json_count(&list))
        return;
    const struct json_at first = json_element(&list, 0);

    if (json_element_text(&first, text, sizeof text, NULL))
        return;
    char *name = strstr(text, ": ");
    char *end = name ? strstr(name, " (") : NULL;

    if (!end)
        return;
    snprintf(v->gpu, sizeof v->gpu, "%.*s", (int)(end - name - 2), name + 2);
}

static enum proact_status nvb_read(const struct json_at *file, struct import_values *v,
                                   struct proact_error *err)
{
    struct json_at root, tests;
    enum proact_status status = json_get_object(file, "nvbandwidth", &root, err);
    struct nvb_matrix *m;

    if (status || (status = json_get_array(&root, "testcases", &tests, err)))
        return status;
    if (json_get_text(&root, "version", v->version, sizeof v->version, NULL))
        v->version[0] = '\0';
    nvb_read_device(&root, v);
    m = must_calloc(1, sizeof *m);
    for (size_t i = 0; i < json_count(&tests) && !status; i++) {
        const struct json_at test = json_element(&tests, i);

        status = nvb_read_test(&test, m, v, err);
    }
    free(m);
    return status;
}

enum proact_status import_nvbandwidth(const char *path, const char *text, size_t bytes,
                                      struct import_values *v, struct proact_error *err)
{
    struct json_file *file = NULL;
    enum proact_status status = json_parse(path, text, bytes, &file, err);

    if (status)
        return status;
    const struct json_at root = json_root(file);

    v->format = "nvbandwidth";
    v->kind = IMPORT_GOODPUT;
    status = nvb_read(&root, v, err);
    if (!status && !v->device_count)
        status = fail(err, PROACT_EINVAL,
                      "%s: nvbandwidth: no results of device_to_device_memcpy_write_ce or "
                      "device_to_device_memcpy_read_ce between two GPUs",
                      path);
    json_destroy(file);
    return status;
}
