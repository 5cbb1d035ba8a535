/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/array_make.h"

#include "graph/complain.h"

static enum proact_status make_with_content(struct proact *p, struct proact_shape shape,
                                            const void *content, struct proact_array **out,
                                            struct proact_error *err)
{
    size_t count = shape.count;

    shape.count += count == 0;
    enum proact_status status = proact_array_create(p, &shape, out, err);

    if (!status && content && count)
        status = proact_array_write(*out, 0, content, count, err);
    return status;
}

enum proact_status arrays_make(struct proact *p, const struct array_plan *plans,
                               size_t count, struct proact_error *err)
{
    struct proact_error why = {""};
    enum proact_status status = PROACT_OK;
    uint64_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += (uint64_t)plans[i].shape.count * plans[i].shape.element_bytes;
    for (size_t i = 0; !status && i < count; i++)
        status = make_with_content(p, plans[i].shape, plans[i].content, plans[i].out, &why);
    if (status == PROACT_ENOSPACE)
        return complain(err, status,
                        "the arrays have %llu bytes, and each device has all of them, so "
                        "that more devices do not suffice: %s",
                        (unsigned long long)bytes, why.text);
    return status ? complain(err, status, "%s", why.text) : PROACT_OK;
}
