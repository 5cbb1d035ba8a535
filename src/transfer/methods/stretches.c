/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/methods/stretches.h"

#include <stdlib.h>

#include "base/memory.h"

/* Maximum period. A row of an array may have several ranges, as both borders of a grid, so
   every second, third or fourth range may belong together. */
enum { PERIOD_MAX = 4 };
/* Longest range of a strided copy. The overhead of a longer contiguous copy is
   negligible. */
enum { ROW_BYTES_MAX = 1 << 20 };

void stretches_add(struct stretches *s, uint64_t first, uint64_t bytes)
{
    s->at = must_grow(s->at, s->count, &s->capacity, sizeof *s->at);
    s->at[s->count++] = (struct stretch){first, bytes};
}

/* Whether range `n` continues the strided ranges that begin with the first `period`
   ranges. */
static bool goes_on(const struct stretch *at, size_t n, size_t period)
{
    const struct stretch *this = &at[n], *last = this - period;
    const uint64_t pitch = this->first - last->first;

    return this->bytes == last->bytes && this->bytes <= ROW_BYTES_MAX &&
           this->first >= last->first + last->bytes &&
           (n < 2 * period || pitch == last->first - (last - period)->first);
}

static size_t rows_of(const struct stretch *at, size_t count, size_t period)
{
    size_t n = period;

    while (n < count && goes_on(at, n, period))
        n++;
    return n / period;
}

size_t stretches_rows(const struct stretch *at, size_t count, size_t *period)
{
    size_t most = 0;

    for (size_t p = 1; p <= PERIOD_MAX && p <= count; p++) {
        const size_t rows = rows_of(at, count, p);

        if (rows <= most)
            continue;
        *period = p;
        most = rows;
    }
    return most;
}

void stretches_gather(const struct stretch *at, size_t count, struct rows_list *out)
{
    size_t first = 0;

    while (first < count) {
        size_t period = 1;
        const size_t rows = stretches_rows(&at[first], count - first, &period);

        for (size_t n = first; n < first + period; n++) {
            const uint64_t pitch = rows > 1 ? at[n + period].first - at[n].first : 0;

            out->rows = must_grow(out->rows, out->count, &out->capacity, sizeof *out->rows);
            out->rows[out->count++] =
                (struct rows){at[n].first, at[n].bytes, pitch, (uint32_t)rows};
        }
        first += period * rows;
    }
}

enum proact_status stretches_copy_rows(const struct stretches *s, const struct rows *r,
                                       struct proact_error *err)
{
    const size_t pitch = r->count > 1 ? r->pitch : r->bytes;

    return s->backend->copy_rows(s->stream,
                                 &(struct device_rows){.to = s->to + r->first,
                                                       .from = s->from + r->first,
                                                       .bytes = r->bytes,
                                                       .count = r->count,
                                                       .to_pitch = pitch,
                                                       .from_pitch = pitch},
                                 err);
}

enum proact_status stretches_copy(struct stretches *s, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;
    struct rows_list rows = {0};

    stretches_gather(s->at, s->count, &rows);
    for (size_t n = 0; n < rows.count && !status; n++)
        status = stretches_copy_rows(s, &rows.rows[n], err);
    free(rows.rows);
    free(s->at);
    s->at = NULL;
    s->count = s->capacity = 0;
    return status;
}
