/* SPDX-License-Identifier: Apache-2.0 */
/* Cache of reusable events, with and without time. */
#include <stdlib.h>

#include "base/memory.h"
#include "device/cuda/cuda_set.h"

cu_result cuda_mark_take(struct device_set *set, unsigned device, bool has_time,
                         cu_event *out)
{
    size_t *spare = &set->spare_count[device][has_time];
    cu_result result = 0;

    if (*spare)
        *out = set->spare[device][has_time][--*spare];
    else
        result = set->driver.event_create(out, has_time ? CU_EVENT_WITH_TIME
                                                        : CU_EVENT_WITHOUT_TIME);
    if (result)
        *out = NULL;
    return result;
}

cu_result cuda_mark(struct device_stream *s, bool has_time, cu_event *out)
{
    struct device_set *set = s->set;
    cu_result result = cuda_mark_take(set, s->device, has_time, out);

    if (!result && (result = set->driver.event_record(*out, s->stream)))
        cuda_mark_back(set, s->device, has_time, *out);
    if (result)
        *out = NULL;
    return result;
}

void cuda_mark_back(struct device_set *set, unsigned device, bool has_time, cu_event e)
{
    size_t *count = &set->spare_count[device][has_time];
    cu_event **list = &set->spare[device][has_time];

    *list = must_grow(*list, *count, &set->spare_capacity[device][has_time], sizeof e);
    (*list)[(*count)++] = e;
}

void cuda_marks_clear(struct device_set *set, unsigned device)
{
    for (int t = 0; t < 2; t++) {
        for (size_t i = 0; i < set->spare_count[device][t]; i++)
            set->driver.event_destroy(set->spare[device][t][i]);
        free(set->spare[device][t]);
    }
}
