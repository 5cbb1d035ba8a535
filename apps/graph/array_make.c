/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/array_make.h"

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
    enum proact_status status = PROACT_OK;

    for (size_t i = 0; !status && i < count; i++)
        status = make_with_content(p, plans[i].shape, plans[i].content, plans[i].out, err);
    return status;
}
