/* SPDX-License-Identifier: Apache-2.0 */
/* Compilation of PTX in a thread. The driver takes 20 to 100 ms a kernel, unless its cache
   has the result. The driver's linker waits for no device; a module load waits for all
   streams of its device.

   The driver's compiler is a separate library. Its exit handlers must not run while the
   thread compiles, or the process ends with corrupt memory. Exit handlers run in reverse
   order: the library is loaded first, then a handler that waits for the threads is
   registered. */
#include "device/cuda/module/cuda_compile.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

struct cuda_compiled {
    struct cuda_compiled *next;
    char *text, *image; /* image: what is compiled; NULL: the text */
    size_t bytes;       /* of the text */
    atomic_bool is_done;
    void *binary;   /* NULL: a failure, which a load of the text reports */
    unsigned loads; /* on devices, so far */
};

struct cuda_compiler {
    struct cuda_compiler *next; /* in `running` */
    pthread_t thread;
    pid_t process; /* owner of the thread; a fork has no thread */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool has_thread, ends;
    struct cuda_compiled *first;
    atomic_uint pending;
};

static pthread_mutex_t running_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cuda_compiler *running; /* with a thread, of all sets */
static pthread_once_t exit_once = PTHREAD_ONCE_INIT, later_once = PTHREAD_ONCE_INIT;
static bool has_exit_handler;

/* Waits for the text that is being compiled. The caller has `running_lock`. */
static void compile_stop(struct cuda_compiler *o)
{
    if (o->process != getpid())
        return;
    pthread_mutex_lock(&o->lock);
    o->ends = true;
    pthread_cond_signal(&o->changed);
    pthread_mutex_unlock(&o->lock);
    pthread_join(o->thread, NULL);
    o->has_thread = false;
    atomic_store(&o->pending, 0);
}

static void compile_exit(void)
{
    pthread_mutex_lock(&running_lock);
    for (; running; running = running->next)
        compile_stop(running);
    pthread_mutex_unlock(&running_lock);
}

static void compile_register_exit(void)
{
    has_exit_handler = dlopen("libnvidia-ptxjitcompiler.so.1", RTLD_NOW | RTLD_LOCAL) &&
                       !atexit(compile_exit);
}

/* Registers the handler again after the first text, because the compiler may have loaded
   further libraries. */
static void compile_register_later(void)
{
    atexit(compile_exit);
}

static void compile_free(struct cuda_compiled *c)
{
    free(c->text);
    free(c->image);
    free(c->binary);
    free(c);
}

static void compile_one(const struct device_set *set, struct cuda_compiled *c)
{
    const struct driver *v = &set->driver;
    char *text = c->image ? c->image : c->text;
    void *binary;
    size_t bytes;
    cu_link link;

    if (v->link_create(0, NULL, NULL, &link))
        return;
    if (!v->link_add(link, CU_LINK_PTX, text, strlen(text) + 1, "module", 0, NULL, NULL) &&
        !v->link_complete(link, &binary, &bytes)) {
        c->binary = must_calloc(1, bytes + 1);
        memcpy(c->binary, binary, bytes);
    }
    v->link_destroy(link);
}

static struct cuda_compiled *compile_next(const struct cuda_compiler *o)
{
    struct cuda_compiled *last = NULL;

    for (struct cuda_compiled *c = o->first; c; c = c->next) /* newest first */
        if (!atomic_load(&c->is_done))
            last = c;
    return last;
}

static void *compile_run(void *context)
{
    struct device_set *set = context;
    struct cuda_compiler *o = set->compiler;
    const bool is_ready = !cuda_context_push(&set->driver, set->devices[0].context);

    pthread_mutex_lock(&o->lock);
    while (!o->ends) {
        struct cuda_compiled *c = compile_next(o);

        if (!c) {
            pthread_cond_wait(&o->changed, &o->lock);
            continue;
        }
        pthread_mutex_unlock(&o->lock);
        if (is_ready)
            compile_one(set, c);
        pthread_once(&later_once, compile_register_later);
        atomic_store(&c->is_done, true);
        atomic_fetch_sub(&o->pending, 1);
        pthread_mutex_lock(&o->lock);
    }
    pthread_mutex_unlock(&o->lock);
    if (is_ready)
        cuda_context_pop(&set->driver);
    return NULL;
}

/* Starts the thread with all signals blocked, since they belong to the program. */
static bool compile_start(struct device_set *set)
{
    struct cuda_compiler *o = set->compiler = must_calloc(1, sizeof *o);
    sigset_t all, was;

    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->changed, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &was);
    o->has_thread = !pthread_create(&o->thread, NULL, compile_run, set);
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    if (!o->has_thread)
        return false;
    o->process = getpid();
    pthread_mutex_lock(&running_lock);
    o->next = running;
    running = o;
    pthread_mutex_unlock(&running_lock);
    return true;
}

void cuda_compile_close(struct device_set *set)
{
    struct cuda_compiler *o = set->compiler;

    if (!o || (o->has_thread && o->process != getpid()))
        return;
    pthread_mutex_lock(&running_lock);
    for (struct cuda_compiler **link = &running; *link; link = &(*link)->next)
        if (*link == o) {
            *link = o->next;
            compile_stop(o);
            break;
        }
    pthread_mutex_unlock(&running_lock);
    for (struct cuda_compiled *c = o->first, *next; c; c = next) {
        next = c->next;
        compile_free(c);
    }
    pthread_cond_destroy(&o->changed);
    pthread_mutex_destroy(&o->lock);
    free(o);
    set->compiler = NULL;
}

static struct cuda_compiled *compile_find(const struct device_set *set, const char *text,
                                          size_t bytes)
{
    struct cuda_compiled *c = set->compiler ? set->compiler->first : NULL;

    while (c && (c->bytes != bytes || memcmp(c->text, text, bytes) != 0))
        c = c->next;
    return c;
}

/* A binary suits all devices only if they are of one kind. */
static bool compile_applies(const struct device_set *set, const char *text)
{
    for (unsigned d = 1; d < set->count; d++)
        if (set->devices[d].capability != set->devices[0].capability)
            return false;
    return !cuda_must_link(text);
}

static bool compile_begin(struct device_set *set, char *text, size_t bytes)
{
    struct cuda_compiler *o;

    pthread_once(&exit_once, compile_register_exit);
    if (!has_exit_handler || !compile_applies(set, text) ||
        (!set->compiler && !compile_start(set)) || !set->compiler->has_thread)
        return false;
    struct cuda_compiled *c = must_calloc(1, sizeof *c);

    o = set->compiler;
    c->text = text;
    c->bytes = bytes;
    c->image = cuda_overlap_text(&set->driver, set->devices[0].capability, text, false);
    atomic_fetch_add(&o->pending, 1);
    pthread_mutex_lock(&o->lock);
    c->next = o->first;
    o->first = c;
    pthread_cond_signal(&o->changed);
    pthread_mutex_unlock(&o->lock);
    return true;
}

bool cuda_module_compile(struct device_set *set, const char *ptx, size_t bytes)
{
    const struct cuda_compiled *c = compile_find(set, ptx, bytes);

    if (c)
        return atomic_load(&c->is_done);
    char *text = must_strndup(ptx, bytes);
    const bool has_begun = compile_begin(set, text, bytes);

    if (!has_begun)
        free(text);
    return !has_begun;
}

bool cuda_is_compiling(const struct device_set *set)
{
    return set->compiler && atomic_load(&set->compiler->pending);
}

const void *cuda_compiled_binary(const struct device_set *set, const char *text,
                                 size_t bytes, bool *waits)
{
    const struct cuda_compiled *c = compile_find(set, text, bytes);

    if (!c || !atomic_load(&c->is_done))
        return NULL;
    *waits = c->image != NULL;
    return c->binary;
}

void cuda_compiled_loaded(struct device_set *set, const char *text, size_t bytes)
{
    struct cuda_compiled *c = compile_find(set, text, bytes), **link;

    if (!c || !atomic_load(&c->is_done) || ++c->loads < set->count)
        return;
    pthread_mutex_lock(&set->compiler->lock);
    for (link = &set->compiler->first; *link != c;)
        link = &(*link)->next;
    *link = c->next;
    pthread_mutex_unlock(&set->compiler->lock);
    compile_free(c);
}
