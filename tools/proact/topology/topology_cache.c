/* SPDX-License-Identifier: Apache-2.0 */
#include "topology/topology_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json/json.h"
#include "base/json/json_write.h"
#include "check_words.h"

static const struct json_range any = {.low = 0, .high = 1e12};

char *topology_cache_path(const char *key)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct text path = {0};

    if (cache && cache[0] == '/') /* the XDG specification ignores relative paths */
        text_print(&path, "%s", cache);
    else if (home && home[0] == '/')
        text_print(&path, "%s/.cache", home);
    else
        return NULL;
    text_print(&path, "/proact/links-%016llx.json", (unsigned long long)hash_text(key, 0));
    return path.data;
}

static enum proact_status read_matrix(const struct json_at *root, const char *key,
                                      unsigned count, double into[][TOPOLOGY_DEVICES_MAX])
{
    struct json_at rows;
    enum proact_status status = json_get_array(root, key, &rows, NULL);

    if (status || json_count(&rows) != count)
        return PROACT_EINVAL;
    for (unsigned i = 0; i < count; i++) {
        struct json_at row = json_element(&rows, i);

        if (!json_is_list(&row) || json_count(&row) != count)
            return PROACT_EINVAL;
        for (unsigned j = 0; j < count && !status; j++) {
            struct json_at cell = json_element(&row, j);

            status = json_element_real(&cell, any, &into[i][j], NULL);
        }
    }
    return status;
}

static enum proact_status read_probe(const struct json_file *file, const char *key,
                                     struct topology_probe *p, char when[32])
{
    struct json_at root = json_root(file);
    struct json_range devices = {.low = 1, .high = TOPOLOGY_DEVICES_MAX};
    double staged[TOPOLOGY_DEVICES_MAX][TOPOLOGY_DEVICES_MAX];
    char of[512];
    uint64_t count = 0;
    enum proact_status status;

    if (json_get_text(&root, "of", of, sizeof of, NULL) || strcmp(of, key) != 0 ||
        json_get_text(&root, "when", when, 32, NULL) ||
        json_get_whole(&root, "device_count", devices, &count, NULL) ||
        json_get_whole(&root, "copy_bytes", any, &p->bytes, NULL))
        return PROACT_EINVAL;
    p->count = (unsigned)count;
    if ((status = read_matrix(&root, "gbps", p->count, p->gbps)) ||
        (status = read_matrix(&root, "small_copy_us", p->count, p->copy_us)) ||
        (status = read_matrix(&root, "through_host", p->count, staged)))
        return status;
    for (unsigned i = 0; i < p->count; i++)
        for (unsigned j = 0; j < p->count; j++)
            p->is_staged[i][j] = staged[i][j] > 0;
    return PROACT_OK;
}

bool topology_cache_read(const char *path, const char *key, struct topology_probe *out,
                         char when[32])
{
    struct json_file *file;

    if (!path || json_load(path, &file, NULL))
        return false;
    enum proact_status status = read_probe(file, key, out, when);

    json_destroy(file);
    return status == PROACT_OK;
}

/* Rounded to three decimal digits; more are not repeatable. */
static double rounded(double value)
{
    return (double)(uint64_t)(value * 1e3 + 0.5) / 1e3;
}

static void put_matrix(struct json_writer *w, const char *key, unsigned count,
                       const double from[][TOPOLOGY_DEVICES_MAX])
{
    json_begin(w, key, JSON_ARRAY);
    for (unsigned i = 0; i < count; i++) {
        json_begin(w, NULL, JSON_ARRAY);
        for (unsigned j = 0; j < count; j++)
            json_put_real(w, NULL, rounded(from[i][j]));
        json_end(w);
    }
    json_end(w);
}

void topology_cache_print(const char *key, const char *when,
                          const struct topology_probe *probe, struct text *out)
{
    struct json_writer w = {.lines = 2};

    json_begin(&w, NULL, JSON_OBJECT);
    json_put_text(&w, "of", key);
    json_put_text(&w, "when", when);
    json_put_whole(&w, "device_count", probe->count);
    json_put_whole(&w, "copy_bytes", probe->bytes);
    put_matrix(&w, "gbps", probe->count, probe->gbps);
    put_matrix(&w, "small_copy_us", probe->count, probe->copy_us);
    json_begin(&w, "through_host", JSON_ARRAY);
    for (unsigned i = 0; i < probe->count; i++) {
        json_begin(&w, NULL, JSON_ARRAY);
        for (unsigned j = 0; j < probe->count; j++)
            json_put_whole(&w, NULL, probe->is_staged[i][j]);
        json_end(&w);
    }
    json_end(&w);
    json_end(&w);
    *out = w.text;
}

enum proact_status topology_cache_write(const char *path, const char *key, const char *when,
                                        const struct topology_probe *probe,
                                        struct proact_error *err)
{
    struct text text = {0};
    enum proact_status status = create_folders(path, err);

    if (status)
        return status;
    topology_cache_print(key, when, probe, &text);
    status = file_write(path, text.data, text.length, err);
    text_clear(&text);
    return status;
}
