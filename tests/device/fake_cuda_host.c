/* SPDX-License-Identifier: Apache-2.0 */
/* Host functions in a stream, on a separate thread, as the driver executes them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "device/fake_cuda.h"

struct fake_host {
    cu_host_function run;
    void *context;
    bool has_begun;
    atomic_bool has_ended;
    pthread_t thread;
};

static void *run(void *context)
{
    struct fake_host *h = context;

    h->run(h->context);
    atomic_store(&h->has_ended, true);
    return NULL;
}

bool fake_host_go_on(struct fake_host *h)
{
    if (!h->has_begun)
        h->has_begun = !pthread_create(&h->thread, NULL, run, h);
    return atomic_load(&h->has_ended);
}

void fake_host_destroy(struct fake_host *h)
{
    if (h && h->has_begun)
        pthread_join(h->thread, NULL);
    free(h);
}

cu_result cuLaunchHostFunc(cu_stream stream, cu_host_function function, void *context)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    struct fake_host *h = must_calloc(1, sizeof *h);

    h->run = function;
    h->context = context;
    fake_queue(fake_stream(stream), (struct fake_op){.kind = FAKE_HOST, .host = h});
    return fake_go_on();
}
