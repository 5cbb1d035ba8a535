/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/rt.h"

/* the machine without a GPU and without PROACT_MACHINE */
static const char emulated_default[] = "h200x4";

static void print(void *context, const char *text, size_t length)
{
    (void)context;
    fwrite(text, 1, length, stdout);
}

static void warn(void *context, const char *sentence)
{
    (void)context;
    rt_print("%s; hardware ignores this, and the program continues "
             "(with PROACT_CHECK=1 it is an error)",
             sentence);
}

static const char *setting(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static enum cuda_error device_count(struct rt *rt, const char *text, unsigned *out)
{
    char *end = NULL, sentence[160];
    /* strtoul() accepts a sign and converts a negative number to a large one. */
    const bool is_count = text && *text >= '0' && *text <= '9';
    unsigned long count = is_count ? strtoul(text, &end, 10) : 0;

    *out = (unsigned)count;
    if (!text || (is_count && !*end && count >= 1 && count <= PROACT_DEVICES_MAX))
        return cudaSuccess;
    snprintf(sentence, sizeof sentence, "PROACT_DEVICES is '%.40s': expected 1 to %d", text,
             PROACT_DEVICES_MAX);
    return rt_break(rt, cudaErrorInitializationError, sentence);
}

/* A number of bytes with an optional suffix K, M or G. */
static enum cuda_error bytes_from(struct rt *rt, const char *text, uint64_t *out)
{
    static const char units[] = "KMG";
    char *end = NULL, sentence[160];
    errno = 0;
    const unsigned long long count = text && *text != '-' ? strtoull(text, &end, 10) : 0;
    const char *unit = count && *end ? strchr(units, *end) : NULL;
    const uint64_t times = unit ? 1ull << 10 * (unit - units + 1) : 1;
    const bool is_much =
        __builtin_mul_overflow((uint64_t)count, times, out) || errno == ERANGE;

    if (!text || (count && !is_much && !end[unit != NULL]))
        return cudaSuccess;
    snprintf(sentence, sizeof sentence,
             "PROACT_DISTRIBUTE is '%.40s': expected a number of bytes such as 4096 or 64M",
             text);
    return rt_break(rt, cudaErrorInitializationError, sentence);
}

/* 1 for true; 0 or an unset variable for false. */
static enum cuda_error flag_from(struct rt *rt, const char *name, bool *out)
{
    const char *text = setting(name);
    char sentence[160];

    *out = text && strcmp(text, "1") == 0;
    if (!text || *out || strcmp(text, "0") == 0)
        return cudaSuccess;
    snprintf(sentence, sizeof sentence, "%s is '%.40s': expected 1 or 0", name, text);
    return rt_break(rt, cudaErrorInitializationError, sentence);
}

static enum cuda_error milliseconds_from(struct rt *rt, const char *text, double *out)
{
    char *end = NULL, sentence[160];

    *out = text ? strtod(text, &end) : 0;
    if (!text || (!*end && *out > 0))
        return cudaSuccess;
    snprintf(sentence, sizeof sentence,
             "PROACT_WAIT_TIMEOUT_MS is '%.40s': expected milliseconds above 0", text);
    return rt_break(rt, cudaErrorInitializationError, sentence);
}

/* One of `words`; `all` lists them in the message. */
static enum cuda_error word_from(struct rt *rt, const char *name, const char *const words[],
                                 const char *all, const char **out)
{
    char sentence[160];
    size_t i = 0;

    *out = setting(name);
    while (*out && words[i] && strcmp(*out, words[i]) != 0)
        i++;
    if (!*out || words[i])
        return cudaSuccess;
    snprintf(sentence, sizeof sentence, "%s is '%.40s': expected %s", name, *out, all);
    return rt_break(rt, cudaErrorInitializationError, sentence);
}

static const char *const splits[] = {"always", "never", "auto", NULL};
static const char *const opens[] = {"all", "lazy", NULL};

/* Lazy opening has no use if every launch is split or if memory is distributed. */
static bool opens_lazily(const struct rt *rt, const char *split, const char *open)
{
    if (open)
        return strcmp(open, "lazy") == 0;
    return !rt->distribute && (!split || strcmp(split, "always") != 0);
}

static enum cuda_error open_session(struct rt *rt)
{
    const char *machine = setting("PROACT_MACHINE");
    const char *split, *open;
    struct proact_options o = {.machine = machine ? machine : PROACT_MACHINE_LOCAL,
                               .plan.method = setting("PROACT_METHOD"),
                               .on_print = print,
                               .on_warning = warn};
    struct proact_error err = {""};
    enum proact_status status;

    if (device_count(rt, setting("PROACT_DEVICES"), &o.device_count) ||
        bytes_from(rt, setting("PROACT_DISTRIBUTE"), &rt->distribute) ||
        milliseconds_from(rt, setting("PROACT_WAIT_TIMEOUT_MS"), &o.wait_timeout_ms) ||
        flag_from(rt, "PROACT_REASSOCIATE", &o.reassociate_floats) ||
        flag_from(rt, "PROACT_CHECK", &o.check) ||
        flag_from(rt, "PROACT_REPORT", &rt->reports) ||
        word_from(rt, "PROACT_SPLIT", splits, "always, never or auto", &split) ||
        word_from(rt, "PROACT_OPEN", opens, "all or lazy", &open))
        return rt->broken;
    o.lazy_devices = opens_lazily(rt, split, open);
    status = proact_open(&o, &rt->session, &err);
    if (status == PROACT_ENODEV && !machine) {
        o.machine = emulated_default;
        status = proact_open(&o, &rt->session, &err);
    }
    if (status) /* fatal in every case */
        return rt_break(
            rt, status == PROACT_ENODEV ? cudaErrorNoDevice : cudaErrorInitializationError,
            err.text);
    if (split && strcmp(split, "auto") != 0)
        rt->split_over = strcmp(split, "never") == 0 ? 1 : proact_device_count(rt->session);
    rt->is_emulated = proact_is_emulated(rt->session);
    snprintf(rt->method, sizeof rt->method, "%s", o.plan.method ? o.plan.method : "fused");
    if (rt->reports)
        rt_report_watch(rt);
    if (!rt->is_emulated)
        rt_interop_scan(rt);
    /* Exit handlers run in reverse order: after the handlers that the program adds later,
       and before the driver's handler, which proact_open() has registered. */
    atexit(rt_end);
    return cudaSuccess;
}

/* Every call enters here; only the first one reads the environment. */
enum cuda_error rt_open(struct rt *rt)
{
    if (rt->broken || rt->session)
        return rt->broken;
    return open_session(rt);
}

enum cuda_error rt_wait(struct rt *rt)
{
    struct proact_error err = {""};

    if (rt_open(rt))
        return rt->broken;
    enum cuda_error error = rt_error(rt, proact_wait(rt->session, &err), &err);

    rt->queued = 0;
    if (!error && rt->spare_count)
        rt_spare_waited(rt);
    return error ? error : rt_shadows_out(rt);
}

enum cuda_error rt_queued(struct rt *rt, size_t bytes)
{
    enum { MUCH = 20000 };

    rt->queued += 1 + bytes / 4096;
    return rt->is_emulated && rt->queued > MUCH ? rt_wait(rt) : cudaSuccess;
}
