/* SPDX-License-Identifier: Apache-2.0 */
/* Stress test: launches of random kernels, sizes, methods, plans and maps in many sessions
   of one process. Each session has its own seed. Every replica is compared with a reference
   on the host. The memory of host and devices must not grow after the first sessions.
   Exit code 1 reports a difference, a failure or a leak; 77 reports a missing machine.

   Usage: stress [--machine NAME|local] [--devices N] [--method NAME] [--launches N]
   [--seconds N] [--seed S] [--only] [--bytes N] [--acts N] [--hold] [--stencils]
   [--verbose] PTX

   --acts: a session has 10 to 10 + N launches, writes and other acts; N is 60 by default.
   --stencils: most launches write back to the array that the previous launch read, and read
   neighbours.
   --hold: one more session stays open, so that a driver's memory per context does not
   grow. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "stress/stress.h"

enum { EXIT_SKIPPED = 77, WARM_SESSIONS = 24 };

/* Growth above these limits is a leak: memory in use, if all of it belongs to the library;
   growth per session, if a driver has memory of its own; memory kept by allocators, per
   session and in total. */
static const double host_slack = 4096, driver_leak = 4096, other_leak = 8 << 10,
                    other_slack = 16 << 20;

/* Growth of the host's memory in use, for each of the last sessions. */
struct growth {
    double bytes[4096], last;
    unsigned count;
};

static void usage(const char *what)
{
    fprintf(stderr, "stress: '%s' is not understood: see the head of stress.c\n", what);
    exit(2);
}

static void read_options(char **argv, struct stress_options *o)
{
    for (char **a = argv + 1; *a; a++) {
        const char *name = *a, *value = a[1] ? a[1] : "";

        if (!strcmp(name, "--only"))
            o->only_one = true;
        else if (!strcmp(name, "--hold"))
            o->holds = true;
        else if (!strcmp(name, "--stencils"))
            o->stencils = true;
        else if (!strcmp(name, "--verbose"))
            o->is_verbose = true;
        else if (name[0] != '-')
            o->ptx = name;
        else if (!*value)
            usage(name);
        else {
            a++;
            if (!strcmp(name, "--machine"))
                o->machine = value;
            else if (!strcmp(name, "--method"))
                o->method = value;
            else if (!strcmp(name, "--devices"))
                o->devices = (unsigned)strtoul(value, NULL, 10);
            else if (!strcmp(name, "--launches"))
                o->launches = strtoull(value, NULL, 10);
            else if (!strcmp(name, "--seconds"))
                o->seconds = strtod(value, NULL);
            else if (!strcmp(name, "--seed"))
                o->seed = strtoull(value, NULL, 10);
            else if (!strcmp(name, "--acts"))
                o->acts = strtoull(value, NULL, 10);
            else if (!strcmp(name, "--bytes"))
                o->bytes_most = strtoull(value, NULL, 10);
            else
                usage(name);
        }
    }
    if (!o->ptx)
        usage("no PTX");
}

static enum proact_status open_all(const struct stress_options *o, struct proact **out,
                                   struct proact_error *err)
{
    const struct proact_options options = {.machine = o->machine,
                                           .device_count = o->devices};

    return proact_open(&options, out, err);
}

static enum proact_status look_at(const struct stress_options *o, struct stress_machine *m,
                                  struct proact_error *err)
{
    struct proact *p;
    enum proact_status status = open_all(o, &p, err);

    if (status)
        return status;
    m->devices = proact_device_count(p);
    m->is_emulated = proact_is_emulated(p);
    proact_close(p);
    return PROACT_OK;
}

static bool stays(const char *what, double before, double now, double allowed)
{
    printf("%s: %.0f bytes after the first sessions, %.0f now\n", what, before, now);
    if (now - before <= allowed)
        return true;
    printf("%s: grew by %.0f bytes, %.0f allowed\n", what, now - before, allowed);
    return false;
}

static void grow(struct growth *g)
{
    double now = stress_host_bytes();

    g->bytes[g->count++ % (sizeof g->bytes / sizeof *g->bytes)] = now - g->last;
    g->last = now;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* A driver's pool grows by megabytes in single sessions; a leak grows in every session. */
static bool stays_by_session(struct growth *g)
{
    const unsigned most = sizeof g->bytes / sizeof *g->bytes,
                   count = g->count < most ? g->count : most;

    qsort(g->bytes, count, sizeof *g->bytes, by_size);
    printf("host memory in use: a session adds %.0f bytes, half of them no more; %.0f "
           "allowed\n",
           g->bytes[count / 2], driver_leak);
    return g->bytes[count / 2] <= driver_leak;
}

/* Under sanitizers the leak sanitizer checks instead. */
static bool nothing_leaks(const struct stress_memory *before, struct growth *growth,
                          bool is_emulated, uint64_t sessions)
{
    struct stress_memory now = stress_memory_now(!is_emulated);
    double other = other_slack + (double)sessions * other_leak;
    unsigned left;
    bool is_ours = is_emulated || stress_driver_left(&left), well = true;

#if defined(__SANITIZE_ADDRESS__) || defined(PROACT_SANITIZED)
    return true;
#endif
    well &= stays("host memory in use", before->host_bytes, now.host_bytes,
                  is_ours ? host_slack : INFINITY);
    if (!is_ours)
        well &= stays_by_session(growth);
    well &= stays("resident memory", before->resident_bytes, now.resident_bytes, other);
    /* The stacks of ended threads are cached, and the program break stays high. */
    well &=
        stays("mapped memory", before->mapped_bytes, now.mapped_bytes, other + (128 << 20));
    well &= stays("device memory", before->device_bytes, now.device_bytes, other_slack);
    return well;
}

static bool goes_on(const struct stress_options *o, uint64_t sessions, uint64_t launches,
                    uint64_t start_ns)
{
    if (o->only_one)
        return sessions == 0;
    if (o->launches && launches >= o->launches)
        return false;
    return o->seconds <= 0 || (double)(clock_host_ns() - start_ns) < o->seconds * 1e9;
}

static bool all_is_back(unsigned before)
{
    unsigned left;

    stress_driver_left(&left);
    if (left != before)
        printf("%u things of the driver are not given back\n", left - before);
    return left == before;
}

static int run(const struct stress_options *o, const struct stress_machine *m,
               struct growth *growth)
{
    struct proact_error err = {""};
    struct stress_memory before = {0};
    uint64_t launches = 0, sessions = 0, start_ns = clock_host_ns();
    struct proact *second = NULL;
    bool well = !o->holds || !open_all(o, &second, &err);
    unsigned left;

    stress_driver_left(&left);
    for (; well && goes_on(o, sessions, launches, start_ns); sessions++) {
        uint64_t seed = o->seed + sessions;

        printf("seed %llu\n", (unsigned long long)seed);
        fflush(stdout); /* print before a possible abort */
        well = !stress_session(o, m, seed, &launches, &err);
        if (!well)
            printf("seed %llu failed: %s\n(stress --only --seed %llu repeats it)\n",
                   (unsigned long long)seed, err.text, (unsigned long long)seed);
        well &= all_is_back(left);
        grow(growth);
        if (sessions + 1 == WARM_SESSIONS) {
            before = stress_memory_now(!m->is_emulated);
            growth->count = 0;
        }
    }
    printf("%llu launches in %llu sessions on up to %u devices\n",
           (unsigned long long)launches, (unsigned long long)sessions, m->devices);
    if (well && sessions > WARM_SESSIONS)
        well = nothing_leaks(&before, growth, m->is_emulated, sessions - WARM_SESSIONS);
    proact_close(second);
    return well ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct stress_options o = {
        .launches = 1000, .seed = 1, .bytes_most = 16 << 20, .acts = 60};
    struct stress_machine machine;
    struct proact_error err = {""};
    struct growth growth = {.count = 0};
    char *text;

    (void)argc;
    stress_memory_settle(argv);
    read_options(argv, &o);
    if (file_read(o.ptx, &text, &(size_t){0}, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    o.ptx = text;
    enum proact_status status = look_at(&o, &machine, &err);

    if (status)
        fprintf(stderr, "%s\n", err.text);
    int code = status == PROACT_ENODEV ? EXIT_SKIPPED
               : status                ? 1
                                       : run(&o, &machine, &growth);

    free(text);
    return code;
}
