/* SPDX-License-Identifier: Apache-2.0 */
#include "topology/machine_nearest.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "topology/machine_file.h"
#include "topology/machine_folder.h"

bool machine_same_chip(const char *a, const char *b)
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

/* Logarithms of rates, then of numbers of devices. */
static double machine_distance(const struct machine_traits *traits,
                               const struct topology *t)
{
    double distance = 0;

    if (traits->egress_gbps > 0)
        distance = fabs(log(traits->egress_gbps / t->fabric.egress_gbps));
    if (traits->devices)
        distance += 1e-3 * fabs(log((double)traits->devices / t->device_count));
    if (!traits->model || !machine_same_chip(traits->model, t->device.name))
        distance += 1000; /* any machine with the same chip is nearer */
    if (traits->capability && traits->capability != t->device.capability)
        distance += 100;
    return distance;
}

enum proact_status machine_nearest(const char *path, const struct machine_traits *traits,
                                   struct topology *out, struct proact_error *err)
{
    char **names = topology_names();
    struct topology *t = must_calloc(1, sizeof *t);
    double best = INFINITY;

    for (size_t i = 0; names[i]; i++) {
        char *file = machine_folder_find(names[i]);

        if (file && !machine_file_load(file, t, NULL) &&
            machine_distance(traits, t) < best) {
            best = machine_distance(traits, t);
            *out = *t;
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
