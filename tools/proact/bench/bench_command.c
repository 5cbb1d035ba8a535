/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "bench/bench_options.h"
#include "check_words.h"
#include "command.h"
#include "figures/figures_command.h"

static const char help[] =
    "Usage: proact bench link|micro|latency|step|tracking [OPTION...]\n"
    "       proact bench figures [OPTION...]\n"
    "\n"
    "Measure a machine: the GPUs of this computer, or an emulated machine with virtual "
    "times.\n"
    "The transferred data is compared before a figure counts.\n"
    "\n"
    "Examples:\n"
    "  proact bench latency --machine h200x2\n"
    "  proact bench micro --machine h200x4 --ratio 1 --method fused --sleep --bytes 16M\n"
    "\n"
    "Benchmarks:\n"
    "  link       goodput of copies and of stores, by size, range length and CTAs; then "
    "of\n"
    "             an array that launches send, by method, chunk and CTAs of the agent, to\n"
    "             one peer and all to all. The kernel writes 16 bytes of each 4 KB, or "
    "all\n"
    "             bytes where its stores are the transfer; its time is included, and also\n"
    "             printed alone\n"
    "  micro      speedup of each method over bulk for an array that one device or all\n"
    "             devices produce and all consume, by compute / copy ratio and chunk\n"
    "             (PROACT V-A)\n"
    "  latency    flags between devices, and copies followed by flags\n"
    "  step       an iteration over all devices without computation\n"
    "  tracking   cost of counting CTAs in a kernel of one device\n"
    "  figures    the figures of the PROACT paper (proact bench figures --help)\n"
    "\n"
    "Options:\n"
    "  -m, --machine M     a name from `proact machines`, a machine file, or local: the "
    "GPUs\n"
    "                      of this computer (default local; v100x4 without GPUs)\n"
    "  -n, --devices N     only the first N devices (not for tracking)\n"
    "  --method NAME,...   link, micro, step: only these methods, or two that share the\n"
    "                      chunks (copy-engine+fused:4M); link also: raw, copies and "
    "stores\n"
    "                      of the benchmark itself; micro also: auto, the plan that the "
    "cost\n"
    "                      model selects, and with --peers other libraries\n"
    "                      (cudaMemcpyPeerAsync, NCCL, NVSHMEM)\n"
    "  --pattern P         micro: only one-to-all, two-to-all or all-to-all (default the "
    "first\n"
    "                      and the last)\n"
    "  --ratio R           micro: only this compute / copy ratio: 0.5, 1, 1.25 or 2\n"
    "  --chunk BYTES       micro: only this chunk size\n"
    "  --threads N         micro: threads of the agent, or of a kernel that dynamic "
    "launches\n"
    "                      (default: enough to saturate the link; polling also 16384 and\n"
    "                      32768)\n"
    "  --agent sleep|spin  micro: how the agent of polling waits (default: it sleeps; "
    "before\n"
    "                      sm_70 it spins)\n"
    "  --bytes N           link, micro: size of the array (default 256M; link on emulated\n"
    "                      machines 64M)\n"
    "  --store BYTES       micro: each thread stores 4, 8 or 16 bytes at once (default "
    "16)\n"
    "  --run BYTES         micro: consecutive bytes that adjacent threads store at once, "
    "a\n"
    "                      power of two up to 1024 (default 512; with --store, the store)\n"
    "  --launches N        link, micro: launches in a row before the host waits (default "
    "1;\n"
    "                      link on GPUs 16)\n"
    "  --sleep             micro: sleep instead of computing: quick to emulate, but "
    "nothing\n"
    "                      competes with an agent for issue slots (from sm_70 on)\n"
    "  --peers             micro: also other libraries, if bench/peers/build.sh of the\n"
    "                      source tree built their programs\n"
    "  --against FILE      repeat the measurements of a file and print both: a file of\n"
    "                      bench/measured in the source tree, or one that --json wrote\n"
    "                      on hardware\n"
    "  --within PERCENT    fail if a figure differs by more\n"
    "  --points N          tracking: fail if the cost of counting, in percent, differs by\n"
    "                      more than N percentage points\n"
    "  --host-threads N    host threads of the emulator (default: one per core)\n"
    "  --json FILE         write all figures with machine, date, commit and command; -:\n"
    "                      stdout, and everything else to stderr\n"
    "  -h, --help          print this text\n";

typedef void bench_run(const struct bench_request *q, struct bench_report *r);
static bench_run *const benches[BENCH_KINDS] = {
    [BENCH_LINK] = bench_link,         [BENCH_MICRO] = bench_micro,
    [BENCH_LATENCY] = bench_latency,   [BENCH_STEP] = bench_step,
    [BENCH_TRACKING] = bench_tracking,
};

/* A check of the machine before the bench. With a file of measurements the machine is known
   only after the file is read. */
static int check(const struct bench_options *o)
{
    struct topology *t = must_calloc(1, sizeof *t);
    struct proact_error err = {""};
    int code = EXIT_FINE;

    if (o->request.machine || !o->request.against)
        code = check_machine("bench", o->request.machine, o->request.devices, t);
    free(t);
    if (!code && check_folder(o->json, &err))
        code = failure_exit(&err);
    return code;
}

/* The comparison. A row of the file that was not measured is an error of the file if a
   limit is given, and a message otherwise. With --method some rows are left out on
   purpose. */
static int print_comparison(const struct bench_options *o, const struct bench_report *r)
{
    const struct bench_request *q = &o->request;

    printf("measured: %s\ncompared: %zu of its %zu rows\n"
           "largest difference, without rows marked * that the model "
           "excludes: %+.1f%%\n",
           r->source, r->rows_compared, r->rows_before, 100 * bench_worst(r));
    if (o->kind == BENCH_TRACKING)
        printf("largest difference of the cost of counting: %+.1f percentage points\n",
               bench_worst_points(r));
    if (q->machine && strcmp(r->source_machine, r->machine) != 0)
        fprintf(stderr, "proact: %s was measured on '%s', and this is '%s'\n", q->against,
                r->source_machine, r->machine);
    if (!r->rows_compared) {
        fprintf(stderr, "proact: %s: the file has no row of bench %s\n", q->against,
                r->bench);
        return EXIT_FAILED;
    }
    if (q->method || !r->left_over[0])
        return EXIT_FINE;
    fprintf(stderr, "proact: %s: this bench has no row '%s' on this machine\n", q->against,
            r->left_over);
    return isfinite(o->within) || isfinite(o->points) ? EXIT_FAILED : EXIT_FINE;
}

static int run(const struct bench_options *o, const char *command_line)
{
    const struct bench_request *q = &o->request;
    struct bench_report r = {.bench = bench_names[o->kind]};
    struct proact_error err = {""};
    int code = check(o);

    if (code)
        return code;
    benches[o->kind](q, &r);
    if (q->against)
        code = print_comparison(o, &r);
    if (!r.count) {
        fprintf(stderr, "proact: this machine supports none of "
                        "the requested measurements\n");
        code = EXIT_FAILED;
    } else if (o->json && bench_write(&r, o->json, command_line, &err)) {
        code = failure_exit(&err);
    }
    if (100 * fabs(bench_worst(&r)) > o->within || fabs(bench_worst_points(&r)) > o->points)
        code = EXIT_FAILED;
    bench_clear(&r);
    return code;
}

int command_bench(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "figures") == 0)
        return figures_command(argc - 1, argv + 1);

    struct bench_options o = {.help = false};
    struct bench_words *words;
    struct text line = {0};
    int code = bench_options_read(argc, argv, &words, &o);

    text_print(&line, "proact");
    for (int i = 0; i < argc; i++)
        text_print(&line, " %s", argv[i]);
    if (!code && o.help)
        fputs(help, stdout);
    else if (!code)
        code = run(&o, line.data);
    text_clear(&line);
    bench_options_destroy(words);
    return code;
}
