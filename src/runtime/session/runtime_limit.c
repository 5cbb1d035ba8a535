/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fail.h"
#include "runtime/objects/session.h"

enum proact_status proact_limit_set(struct proact *p, enum proact_limit what, size_t bytes,
                                    struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_limit_set(p)", (const void *[]){p}, err);

    if (status)
        return status;
    if (p->recording)
        return fail(err, PROACT_EINVAL,
                    "a limit cannot be set while launches are recorded");
    if (what != PROACT_LIMIT_STACK && what != PROACT_LIMIT_HEAP)
        return fail(err, PROACT_EINVAL,
                    "no limit %d: there are PROACT_LIMIT_STACK and PROACT_LIMIT_HEAP",
                    (int)what);
    if (!p->backend->limit)
        return PROACT_OK;
    return p->backend->limit(
        p->set, what == PROACT_LIMIT_STACK ? DEVICE_STACK_BYTES : DEVICE_HEAP_BYTES, bytes,
        err);
}
