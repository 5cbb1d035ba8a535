/* SPDX-License-Identifier: Apache-2.0 */
#include "topology/topology.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "topology/hwloc_file.h"
#include "topology/machine_file.h"
#include "topology/machine_folder.h"

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), wanted = strlen(ending);

    return length >= wanted && strcmp(text + length - wanted, ending) == 0;
}

static bool is_path(const char *machine)
{
    return strchr(machine, '/') || ends_in(machine, ".json") || ends_in(machine, ".xml");
}

bool topology_is_known(const char *machine)
{
    if (is_path(machine))
        return true;
    char *path = machine_folder_find(machine);

    free(path);
    return path != NULL;
}

enum proact_status topology_load(const char *machine, struct topology *out,
                                 struct proact_error *err)
{
    if (ends_in(machine, ".xml"))
        return hwloc_file_load(machine, HWLOC_LIBRARY, out, err);
    if (is_path(machine))
        return machine_file_load(machine, out, err);
    char *path = machine_folder_find(machine);

    if (!path) {
        char *list = machine_folder_list();

        fail(err, PROACT_EINVAL,
             "no machine '%s': there are %s, or give the path of a machine file", machine,
             list[0] ? list : "none");
        free(list);
        return PROACT_EINVAL;
    }
    enum proact_status status = machine_file_load(path, out, err);

    free(path);
    return status;
}

enum proact_status topology_restrict(struct topology *t, unsigned count,
                                     struct proact_error *err)
{
    if (count > t->device_count)
        return fail(err, PROACT_EINVAL, "machine %s has %u devices, %u requested", t->name,
                    t->device_count, count);
    if (count == 0)
        return PROACT_OK;
    for (unsigned i = 0; i < t->device_count; i++) {
        for (unsigned j = 0; j < t->device_count; j++) {
            if (i >= count || j >= count)
                t->link_gbps[i][j] = 0;
        }
        if (i >= count)
            t->groups.of[i] = 0;
    }
    t->device_count = count;
    return PROACT_OK;
}
