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

/* One range of a strided copy, for backends without strided calls. */
static struct device_rows row(const struct device_rows *r, size_t i)
{
    return (struct device_rows){r->to + i * r->to_pitch,
                                r->from + i * r->from_pitch,
                                r->bytes,
                                1,
                                r->bytes,
                                r->bytes};
}

enum proact_status device_write_rows(const struct device_backend *backend,
                                     struct device_stream *s, const struct device_rows *r,
                                     struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (backend->write_rows)
        return backend->write_rows(s, r, err);
    for (size_t i = 0; i < r->count && !status; i++)
        status = backend->write(s, row(r, i).to, (const void *)(uintptr_t)row(r, i).from,
                                r->bytes, err);
    return status;
}

enum proact_status device_read_rows(const struct device_backend *backend,
                                    struct device_stream *s, const struct device_rows *r,
                                    struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (backend->read_rows)
        return backend->read_rows(s, r, err);
    for (size_t i = 0; i < r->count && !status; i++)
        status = backend->read(s, (void *)(uintptr_t)row(r, i).to, row(r, i).from, r->bytes,
                               err);
    return status;
}

enum proact_status device_fill_rows(const struct device_backend *backend,
                                    struct device_stream *s, const struct device_rows *r,
                                    unsigned char value, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (r->count && r->to_pitch == r->bytes)
        return backend->fill(s, r->to, value, r->count * r->bytes, err);
    if (backend->fill_rows && r->count > 1)
        return backend->fill_rows(s, r, value, err);
    for (size_t i = 0; i < r->count && !status; i++)
        status = backend->fill(s, r->to + i * r->to_pitch, value, r->bytes, err);
    return status;
}
