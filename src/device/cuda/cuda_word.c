/* SPDX-License-Identifier: Apache-2.0 */
/* Words of memory that streams wait for and write. */
#include "base/fail.h"
#include "base/memory.h"
#include "device/cuda/cuda_tape.h"

enum { AT_ONCE = 128 }; /* the driver takes fewer than 256 */

static enum proact_status wait_allowed(const struct device_stream *s, device_addr word,
                                       struct proact_error *err)
{
    unsigned owner = cuda_memory_device(s->set, word);

    if (owner == s->device || owner >= s->set->count)
        return PROACT_OK;
    return fail(err, PROACT_EINVAL,
                "a stream of device %u cannot wait for a word of device %u", s->device,
                owner);
}

/* What may hold a stream up for long ends before its next wait begins. */
static cu_result mark_before(struct device_stream *s, cu_event *out)
{
    bool is_marked = s->is_open_ended && !s->set->is_capturing;

    *out = NULL;
    s->is_open_ended = false;
    return is_marked ? cuda_mark(s, false, out) : 0;
}

static void note_wait(struct device_stream *s, const struct device_value *v,
                      cu_event before)
{
    struct device_set *set = s->set;

    set->waits =
        must_grow(set->waits, set->wait_count, &set->wait_capacity, sizeof *set->waits);
    set->waits[set->wait_count++] = (struct cuda_wait){.stream = s,
                                                       .word = v->word,
                                                       .value = v->value,
                                                       .reason = v->reason,
                                                       .before = before,
                                                       .is_of_graph = set->is_capturing};
}

enum proact_status cuda_wait_value(struct device_stream *s, device_addr word,
                                   uint32_t value, const struct device_reason *reason,
                                   struct proact_error *err)
{
    struct device_value v = {.word = word, .value = value};
    struct device_set *set = s->set;
    enum proact_status status;
    cu_event before;

    if (reason)
        v.reason = *reason;
    if ((status = wait_allowed(s, word, err)))
        return status;
    if (set->is_taping) {
        cuda_tape(&(struct cuda_taped_op){.kind = TAPED_WAIT_VALUE,
                                          .stream = s,
                                          .to = word,
                                          .value = value,
                                          .reason = v.reason});
        return PROACT_OK;
    }
    if ((status = cuda_use(s, err)))
        return status;
    cu_result result = mark_before(s, &before);

    if (!result)
        result = set->is_capturing ? cuda_stand(s, word, value)
                                   : set->driver.stream_wait_value(s->stream, word, value,
                                                                   CU_WAIT_AT_LEAST);
    if (result && before)
        cuda_mark_back(set, s->device, false, before);
    if ((status = cuda_leave(set, s->device, result, "cuStreamWaitValue32", err)))
        return status;
    note_wait(s, &v, before);
    return PROACT_OK;
}

static enum proact_status queue_at_once(struct device_stream *s,
                                        const struct device_value *values, uint32_t count,
                                        struct proact_error *err)
{
    struct device_set *set = s->set;
    union cu_word_op ops[AT_ONCE] = {{.room = {0}}};
    enum proact_status status = cuda_use(s, err);
    cu_event before;

    if (status)
        return status;
    for (uint32_t i = 0; i < count; i++) {
        ops[i].word.what = values[i].is_written ? CU_WORD_WRITE : CU_WORD_WAIT;
        ops[i].word.word = values[i].word;
        ops[i].word.value = values[i].value;
        ops[i].word.flags = values[i].is_written ? 0 : CU_WAIT_AT_LEAST;
    }
    cu_result result = mark_before(s, &before);

    if (!result)
        result = set->driver.stream_words(s->stream, count, ops, 0);
    if (result && before)
        cuda_mark_back(set, s->device, false, before);
    if ((status = cuda_leave(set, s->device, result, "cuStreamBatchMemOp", err)))
        return status;
    for (uint32_t i = 0; i < count; i++)
        if (!values[i].is_written) {
            note_wait(s, &values[i], before);
            before = NULL;
        }
    if (before) /* nothing but writes */
        cuda_mark_back(set, s->device, false, before);
    return PROACT_OK;
}

static enum proact_status queue_one(struct device_stream *s, const struct device_value *v,
                                    struct proact_error *err)
{
    return v->is_written ? cuda_write_value(s, v->word, v->value, err)
                         : cuda_wait_value(s, v->word, v->value, &v->reason, err);
}

enum proact_status cuda_values(struct device_stream *s, const struct device_value *values,
                               uint32_t count, struct proact_error *err)
{
    bool has_batches = s->set->driver.stream_words && !s->set->is_taping;
    enum proact_status status = PROACT_OK;

    for (uint32_t i = 0; i < count && !status; i++)
        status = values[i].is_written ? PROACT_OK : wait_allowed(s, values[i].word, err);
    for (uint32_t i = 0; i < count && !status; i += has_batches ? AT_ONCE : 1) {
        uint32_t part = count - i < AT_ONCE ? count - i : AT_ONCE;

        status = has_batches ? queue_at_once(s, values + i, part, err)
                             : queue_one(s, values + i, err);
    }
    return status;
}

void cuda_waits_forget(struct device_set *set, const struct device_stream *only)
{
    size_t kept = 0;

    for (size_t i = 0; i < set->wait_count; i++) {
        const struct cuda_wait w = set->waits[i];

        if (only && w.stream != only)
            set->waits[kept++] = w;
        else if (w.before)
            cuda_mark_back(set, w.stream->device, false, w.before);
    }
    set->wait_count = kept;
}

enum proact_status cuda_write_value(struct device_stream *s, device_addr word,
                                    uint32_t value, struct proact_error *err)
{
    if (s->set->is_taping) {
        cuda_tape(&(struct cuda_taped_op){
            .kind = TAPED_WRITE_VALUE, .stream = s, .to = word, .value = value});
        return PROACT_OK;
    }
    enum proact_status status = cuda_use(s, err);

    if (status)
        return status;
    return cuda_leave(s->set, s->device,
                      s->set->driver.stream_write_value(s->stream, word, value, 0),
                      "cuStreamWriteValue32", err);
}
