/* SPDX-License-Identifier: Apache-2.0 */
/* Waits of the host for streams. Hardware waits for a word forever. While such a wait is
   open, the host watches it. After the limit it satisfies the wait itself, lets the streams
   end, and breaks the set. */
#include <inttypes.h>
#include <time.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/memory.h"
#include "device/cuda/cuda_batch.h"
#include "device/cuda/cuda_workers.h"

/* A sleep ends up to 0.1 ms late, which is small compared with the spin time before it. */
enum { SPIN_NS = 20000000, NAP_NS = 50000, LOOK_NS = 1000000, GAP_NS = 5000000 };

/* Reads the word, independent of all other streams. */
static cu_result look(struct device_set *set, const struct cuda_wait *w, uint32_t *value)
{
    const struct cuda_device *d = &set->devices[w->stream->device];
    cu_result result = set->driver.copy_out(value, w->word, sizeof *value, d->rescue);

    return result ? result : set->driver.stream_synchronize(d->rescue);
}

static bool is_reached(struct device_set *set, const struct cuda_wait *w)
{
    return !w->before || set->driver.event_query(w->before) == 0;
}

/* First open wait that blocks a stream, or NULL. A wait that a stream has not reached ends
   the search in that stream. */
static const struct cuda_wait *await_find_blocked(struct device_set *set, uint32_t *holds)
{
    const struct driver *v = &set->driver;
    const struct cuda_wait *found = NULL;

    for (struct device_stream *s = set->streams; s; s = s->next)
        s->is_far = false;
    for (size_t i = 0; i < set->wait_count && !found; i++) {
        struct cuda_wait *w = &set->waits[i];

        if (w->is_past || w->stream->is_far)
            continue;
        cuda_context_push(v, set->devices[w->stream->device].context);
        if (!is_reached(set, w))
            w->stream->is_far = true;
        else if (!look(set, w, holds) && (int32_t)(*holds - w->value) < 0)
            found = w;
        else
            w->is_past = !w->is_of_graph;
        cuda_context_pop(v);
    }
    return found;
}

static bool is_early(const struct device_set *set, uint64_t start_ns)
{
    return (double)(clock_host_ns() - start_ns) < set->wait_limit_ns;
}

/* Satisfies every open wait, so that the streams end. */
static void rescue(struct device_set *set)
{
    const struct driver *v = &set->driver;

    for (size_t i = 0; i < set->wait_count; i++) {
        const struct cuda_wait *w = &set->waits[i];
        const struct cuda_device *d = &set->devices[w->stream->device];
        uint32_t holds = w->value;

        uint64_t start = clock_host_ns();

        cuda_context_push(v, d->context);
        /* Earlier work: kernels, and waits that are now satisfied. */
        while (w->before && v->event_query(w->before) == CU_NOT_READY &&
               is_early(set, start))
            ;
        if (!look(set, w, &holds) && (int32_t)(holds - w->value) < 0) {
            v->stream_write_value(d->rescue, w->word, w->value, 0);
            v->stream_synchronize(d->rescue);
        }
        cuda_context_pop(v);
    }
}

static bool run_out(struct device_set *set)
{
    uint64_t start = clock_host_ns();

    for (const struct device_stream *s = set->streams; s; s = s->next)
        while (set->driver.stream_query(s->stream) == CU_NOT_READY)
            if (!is_early(set, start))
                return false;
    return true;
}

static void await_print_late(const struct device_set *set, const struct cuda_wait *w,
                             uint32_t holds, struct proact_error *failure)
{
    char reason[DEVICE_REASON_BYTES], who[DEVICE_LATE_BYTES], late[DEVICE_LATE_BYTES];

    if (w->reason.missing) {
        w->reason.missing(&w->reason, holds, who, sizeof who);
        device_late_print(&w->reason, w->stream->device, set->wait_limit_ns / 1e6, who,
                          late);
        fail(failure, PROACT_ETIMEOUT, "%s", late);
        return;
    }
    device_reason_print(&w->reason, reason);
    fail(failure, PROACT_ETIMEOUT,
         "stream %u of device %u waited %.0f ms for %sthe word at 0x%" PRIx64
         " to reach %u, but nobody wrote it: it holds %u",
         w->stream->lane, w->stream->device, set->wait_limit_ns / 1e6, reason, w->word,
         w->value, holds);
}

static enum proact_status give_up(struct device_set *set, const struct cuda_wait *w,
                                  uint32_t holds, struct proact_error *err)
{
    struct proact_error failure;

    await_print_late(set, w, holds, &failure);
    rescue(set);
    if (!run_out(set))
        set->is_stuck = true;
    if (err)
        *err = failure;
    return cuda_break(set, PROACT_ETIMEOUT, &failure);
}

static void nap(uint64_t waited_ns)
{
    const struct timespec t = {.tv_nsec = NAP_NS};

    if (waited_ns > SPIN_NS)
        nanosleep(&t, NULL);
}

/* Polls the streams. `blocked_ns` is the observed time of the blocking wait; a gap between
   two polls counts at most GAP_NS, since a descheduled host has observed nothing. */
static enum proact_status watch(struct device_set *set, struct device_stream *s,
                                struct proact_error *err)
{
    uint64_t start = clock_host_ns(), looked = start, blocked_ns = 0;
    const struct cuda_wait *blocked = NULL;
    cu_result result;

    while ((result = set->driver.stream_query(s->stream)) == CU_NOT_READY) {
        uint64_t now = clock_host_ns();

        nap(now - start);
        if (now - looked < LOOK_NS)
            continue;
        uint32_t holds = 0;
        const struct cuda_wait *w = await_find_blocked(set, &holds);
        uint64_t gap = now - looked < GAP_NS ? now - looked : GAP_NS;

        looked = now;
        blocked_ns = w && w == blocked ? blocked_ns + gap : 0;
        blocked = w;
        if (w && (double)blocked_ns > set->wait_limit_ns)
            return give_up(set, w, holds, err);
    }
    return cuda_leave(set, s->device, result, "cuStreamQuery", err);
}

static enum proact_status await_stream(struct device_set *set, struct device_stream *s,
                                       struct proact_error *err)
{
    enum proact_status status = cuda_enter(set, s->device, err);

    if (status)
        return status;
    if (!set->wait_count)
        status = cuda_leave(set, s->device, set->driver.stream_synchronize(s->stream),
                            "cuStreamSynchronize", err);
    else if ((status = watch(set, s, err)) == PROACT_ETIMEOUT)
        cuda_context_pop(&set->driver);
    s->is_busy = status != PROACT_OK;
    return status;
}

/* Devices with work since they were last known to be complete. */
struct look {
    struct device_set *set;
    unsigned count, device[TOPOLOGY_DEVICES_MAX];
};

static struct look busy_devices(struct device_set *set)
{
    struct look l = {.set = set};
    bool is_busy[TOPOLOGY_DEVICES_MAX] = {false};

    for (const struct device_stream *s = set->streams; s; s = s->next)
        is_busy[s->device] |= s->is_busy;
    for (unsigned d = 0; d < set->count; d++)
        if (is_busy[d])
            l.device[l.count++] = d;
    return l;
}

/* Polls the streams of one device on any thread: those of the first device until they are
   complete, the others for a limited time. await_stream() handles everything that is not
   complete by then. */
static void look_at_device(void *context, unsigned part)
{
    const struct look *l = context;
    struct device_set *set = l->set;
    const struct driver *v = &set->driver;
    const unsigned device = l->device[part];
    uint64_t start = clock_host_ns();
    const cu_result entered = cuda_context_push(v, set->devices[device].context);

    for (struct device_stream *s = set->streams; s && !entered; s = s->next) {
        cu_result result = CU_NOT_READY;

        if (!s->is_busy || s->device != device)
            continue;
        if (part == 0)
            result = v->stream_synchronize(s->stream);
        while (part && result == CU_NOT_READY && clock_host_ns() - start < LOOK_NS)
            result = v->stream_query(s->stream);
        s->is_done = result == 0;
    }
    cuda_context_pop(v);
}

/* Polls the devices concurrently: a query takes a microsecond, and the last ones follow the
   end of all work. */
static void look_together(struct device_set *set)
{
    if (!set->workers || set->wait_count)
        return;
    struct look l = busy_devices(set);

    if (l.count < 2)
        return;
    workers_run(set->workers, l.count, look_at_device, &l);
    for (struct device_stream *s = set->streams; s; s = s->next) {
        s->is_busy &= !s->is_done;
        s->is_done = false;
    }
}

enum proact_status cuda_await(struct device_set *set, struct device_stream *only,
                              struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (only)
        return await_stream(set, only, err);
    if ((status = cuda_batch_flush(set, err)))
        return status;
    look_together(set);
    for (struct device_stream *s = set->streams; s && !status; s = s->next)
        if (s->is_busy) /* a query of an idle stream takes the driver a microsecond */
            status = await_stream(set, s, err);
    return status;
}
