/* SPDX-License-Identifier: Apache-2.0 */
/* Default stream of a context: its operations wait for all blocking streams of the device,
   and these wait for it. */
#include <stdlib.h>

#include "base/memory.h"
#include "device/fake_cuda.h"

enum { WORDS = 3 }; /* handles of the default stream: 0, legacy, per thread */

struct CUstream_st *fake_stream(cu_stream handle)
{
    struct fake_cuda *f = fake_cuda();
    struct CUstream_st *s = f->streams;

    if ((uintptr_t)handle >= WORDS)
        return handle;
    while (s && !(s->is_default && s->device == fake_device()))
        s = s->next;
    if (s)
        return s;
    s = must_calloc(1, sizeof *s);
    s->device = fake_device();
    s->is_default = true;
    s->next = f->streams;
    f->streams = s;
    return s;
}

void fake_meet(struct CUstream_st *later, struct CUstream_st *earlier)
{
    struct CUevent_st *mark = &earlier->mark;

    mark->recorded++;
    fake_append(earlier, (struct fake_op){
                             .kind = FAKE_RECORD, .event = mark, .record = mark->recorded});
    fake_append(later, (struct fake_op){
                           .kind = FAKE_WAIT, .event = mark, .record = mark->recorded});
}

void fake_meet_before(struct CUstream_st *s)
{
    for (struct CUstream_st *o = fake_cuda()->streams; o; o = o->next)
        if (o->is_blocking && o->device == s->device)
            fake_meet(s, o);
}

void fake_meet_behind(struct CUstream_st *s)
{
    for (struct CUstream_st *o = fake_cuda()->streams; o; o = o->next)
        if (o->is_blocking && o->device == s->device)
            fake_meet(o, s);
}

void fake_defaults_clear(void)
{
    struct CUstream_st **link = &fake_cuda()->streams;

    while (*link) {
        struct CUstream_st *s = *link;

        if (!s->is_default) {
            link = &s->next;
            continue;
        }
        *link = s->next;
        fake_queue_clear(&s->queue);
        free(s);
    }
}
