/* SPDX-License-Identifier: Apache-2.0 */
/* PROACT_REPORT=1: a table of kernels on stderr when the program ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rt/rt.h"

/* Time of one trace span. The span may cut the end of a long name, and C++ names often
   differ only there. The span therefore belongs to the first launch in flight on its device
   whose name begins like it. Spans of track 1 are boundary parts of a launch with a span of
   its own. */
static void take(void *context, const struct proact_trace_span *span)
{
    struct rt_flight *f = &((struct rt *)context)->flight;
    size_t i = f->first;

    if (span->kind != PROACT_TRACE_KERNEL || span->track == 1)
        return;
    while (i < f->count &&
           (f->launch[i].device != span->device ||
            strncmp(f->launch[i].kernel->name, span->name, strlen(span->name)) != 0))
        i++;
    if (i == f->count)
        return;
    f->launch[i].kernel->ns += (double)(span->end_ns - span->start_ns);
    memmove(f->launch + f->first + 1, f->launch + f->first,
            (i - f->first) * sizeof *f->launch);
    if (++f->first == f->count)
        f->first = f->count = 0;
}

void rt_report_launched(struct rt *rt, struct cuda_kernel *k, unsigned device)
{
    struct rt_flight *f = &rt->flight;

    if (!rt->reports)
        return;
    f->launch = must_grow(f->launch, f->count + 1, &f->capacity, sizeof *f->launch);
    f->launch[f->count++] = (struct rt_flying){k, device};
}

void rt_report_watch(struct rt *rt)
{
    proact_trace_set_callback(rt->session, take, rt);
}

/* A reason without the kernel's name, which the line already contains. */
static const char *reason_of(const char *why)
{
    static const char prefix[] = "kernel '";
    const char *end = strncmp(why, prefix, strlen(prefix)) == 0
                          ? strchr(why + strlen(prefix), '\'')
                          : NULL;

    return end ? end + 1 + strspn(end + 1, ":, ") : why;
}

static void print_kernel(const struct cuda_kernel *k)
{
    char *plain = rt_plain_name(k->name);
    const char *name = plain ? plain : k->name;
    char axis_text[24] = "";

    if (k->split_axis)
        snprintf(axis_text, sizeof axis_text, " (split along %c)", k->split_axis);

    fprintf(stderr, "proact: %10llu %10llu %12.2f  %s%s%s%s%s\n",
            (unsigned long long)k->launches, (unsigned long long)k->split_launches,
            k->ns / 1e3, name, axis_text, k->why_whole ? " (single device: " : "",
            k->why_whole ? reason_of(k->why_whole) : "", k->why_whole ? ")" : "");
    free(plain);
}

void rt_report_profile(const struct rt *rt)
{
    const char *line;
    bool is_warning;

    for (unsigned i = 0; (line = proact_profile_report(rt->session, i, &is_warning)); i++)
        if (is_warning || rt->reports)
            rt_print("%s", line);
}

/* Plan of each kernel, and what measurements took. */
static void print_plans(const struct rt *rt)
{
    const struct proact_budget budget = proact_measurement_budget(rt->session);

    for (const struct cuda_kernel *k = rt->kernels; k; k = k->next) {
        const char *plan = k->launches && k->kernel ? proact_kernel_plan(k->kernel) : NULL;
        char *plain = plan ? rt_plain_name(k->name) : NULL;

        if (plan)
            fprintf(stderr, "proact: plan of %s: %s\n", plain ? plain : k->name, plan);
        free(plain);
    }
    if (budget.spent_ns && budget.allowed_ns == UINT64_MAX)
        fprintf(stderr, "proact: measurements took %.3f ms, without a limit\n",
                (double)budget.spent_ns / 1e6);
    else if (budget.spent_ns)
        fprintf(stderr, "proact: measurements took %.3f ms of %.3f ms allowed\n",
                (double)budget.spent_ns / 1e6, (double)budget.allowed_ns / 1e6);
}

void rt_report(struct rt *rt)
{
    const struct proact_device_info d = proact_device_describe(rt->session);
    struct proact_statistics s = {0};
    bool failed;
    const char *lazy_devices = proact_lazy_devices_report(rt->session, &failed);
    const char *copies = proact_plan_copies(rt->session);

    fflush(stdout);
    fprintf(stderr, "proact: %u x %s%s, machine %s\n", proact_device_count(rt->session),
            d.name, rt->is_emulated ? " (emulated)" : "", d.machine);
    if (copies)
        fprintf(stderr, "proact: %s; %s, which have no peer access\n", rt->method, copies);
    fprintf(stderr, "proact: %10s %10s %12s  kernel\n", "launches", "split", "us");
    for (const struct cuda_kernel *k = rt->kernels; k; k = k->next)
        if (k->launches)
            print_kernel(k);
    print_plans(rt);
    if (rt->graphs.launches)
        fprintf(stderr, "proact: %10llu launches of graphs, %llu of them replayed\n",
                (unsigned long long)rt->graphs.launches,
                (unsigned long long)rt->graphs.replayed);
    if (rt->interop.calls)
        fprintf(stderr, "proact: %10llu calls of libraries, on device 0\n",
                (unsigned long long)rt->interop.calls);
    if (rt->interop.untracked)
        fprintf(stderr,
                "proact: %s is called directly, because proactcc did not link the program: "
                "split kernels first copy all their arrays\n",
                rt->interop.untracked);
    if (lazy_devices)
        fprintf(stderr, "proact: %s\n", lazy_devices);
    rt_report_profile(rt);
    if (!rt->broken)
        proact_statistics_get(rt->session, PROACT_ALL_DEVICES, NULL, &s, NULL);
    fprintf(stderr,
            "proact: %llu bytes to the device, %llu to the host, %llu on the device, "
            "%llu between "
            "devices; %.3f ms%s\n",
            (unsigned long long)rt->moved.to_device, (unsigned long long)rt->moved.to_host,
            (unsigned long long)rt->moved.on_device, (unsigned long long)s.bytes,
            (double)proact_now_ns(rt->session) / 1e6, rt->is_emulated ? " (virtual)" : "");
}
