/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fail.h"
#include "device/device.h"

enum proact_status device_rows_check(const struct device_rows *r, struct proact_error *err)
{
    const size_t pitch = r->to_pitch < r->from_pitch ? r->to_pitch : r->from_pitch;

    if (r->count <= 1 || pitch >= r->bytes)
        return PROACT_OK;
    return fail(err, PROACT_EINVAL,
                "copy: rows of %zu bytes overlap where they begin %zu bytes apart",
                r->bytes, pitch);
}
