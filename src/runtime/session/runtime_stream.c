/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fail.h"
#include "runtime/objects/session.h"
#include "runtime/session/program_streams.h"
#include "runtime/session/runtime_wait.h"

enum proact_status proact_stream_set_current(struct proact *p, unsigned number,
                                             struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_stream_set_current(p)", (const void *[]){p}, err);

    if (status)
        return status;
    if (number > PROACT_STREAMS_MAX)
        return fail(err, PROACT_EINVAL, "stream %u: there are 1 to %d", number,
                    PROACT_STREAMS_MAX);
    if (p->recording && number)
        return fail(err, PROACT_EINVAL, "a recording has no streams");
    return streams_use(p, number, err);
}

enum proact_progress proact_stream_query(struct proact *p)
{
    struct device_stream *s = NULL;
    enum proact_progress used = PROACT_PROGRESS_DONE, own;

    if (!streams_are_used(p))
        return session_progress(p, NULL, NULL);
    if (streams_in_use(p, &s))
        used = session_progress(p, s, NULL);
    if (used == PROACT_PROGRESS_RUNNING)
        return used;
    /* Some of its work may be in the session's stream. */
    own = session_progress(p, p->devices.device[0].lane[TRANSFER_MAIN], NULL);
    return own == PROACT_PROGRESS_DONE ? used : own;
}

bool proact_try_quiesce(struct proact *p, bool again)
{
    p->is_blocked &= !again;
    return session_try_quiesce(p);
}

enum proact_status proact_stream_wait(struct proact *p, struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_stream_wait(p)", (const void *[]){p}, err);

    if (status)
        return status;
    struct device_event *end = NULL;

    if (!streams_are_used(p) || p->recording)
        return proact_wait(p, err);
    status = streams_end(p, &end, err);

    return status ? status : session_await_event(p, end, err);
}
