/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "bench.h"
#include "command.h"
#include "transfer/transfer.h"

enum { BYTES_DEFAULT = 256 << 20, BYTES_MIN = 1 << 20 };

static const char help[] =
    "Usage: proact bench link|micro|latency|step|tracking [OPTION...]\n"
    "\n"
    "Measures a machine: the GPUs of this computer, or an emulated one, whose times are\n"
    "virtual. What was sent is compared before a figure counts.\n"
    "\n"
    "  link       goodput of copies and of stores, by size, run length and CTAs; then of "
    "an\n"
    "             array that launches of a program send, by method, chunk and the agent's\n"
    "             CTAs, to one peer and all to all. The kernel makes 16 bytes of each 4 "
    "KB,\n"
    "             or all where its own stores are what is sent; it is in the figure, and "
    "what\n"
    "             it takes alone is said ahead\n"
    "  micro      an array made by one device or by all and needed by all (PROACT V-A):\n"
    "             the speedup of every method over bulk, by compute / copy and chunk\n"
    "  latency    flags between devices, and copies behind flags\n"
    "  step       an iteration over all devices in which nothing is computed\n"
    "  tracking   what counting CTAs costs a kernel, on one device\n"
    "\n"
    "  -m, --machine M     a name from `proact machines`, a machine file, or here: this\n"
    "                      computer's GPUs (here if there are any, else v100x4)\n"
    "  -n, --devices N     only the first N devices of it\n"
    "  --method NAME,...   link, micro, step: only these methods; of link also raw: the\n"
    "                      bench's own copies and stores; of micro also peers\n"
    "  --pattern P         micro: only one-to-all, or only all-to-all\n"
    "  --ratio R           micro: only this compute / copy, of 0.5, 1, 1.25 and 2\n"
    "  --chunk BYTES       micro: only chunks of this size\n"
    "  --bytes N           link, micro: of the array (256M; of link, emulated, 64M)\n"
    "  --launches N        link, micro: so many in a row before the host waits (1; of "
    "link,\n"
    "                      on GPUs, 16)\n"
    "  --sleep             micro: the kernel sleeps instead of computing: quick to "
    "emulate,\n"
    "                      but nobody competes with an agent for issue slots\n"
    "  --peers             micro: other libraries too, if their programs were built\n"
    "                      (bench/peers)\n"
    "  --against FILE      ask what a file of measurements asked, and show both: one of\n"
    "                      bench/measured, or what --json wrote on hardware\n"
    "  --within PERCENT    fail if any figure is further off than that\n"
    "  --host-threads N    that emulate (as many as cores)\n"
    "  --json FILE         write all figures with machine, date, commit and command\n"
    "  -h, --help          print this\n"
    "\n"
    "Examples:\n"
    "  proact bench latency --machine h200x2\n"
    "  proact bench micro --machine h200x4 --ratio 1 --method fused --sleep --bytes 16M\n";

static const struct {
    const char *name;
    void (*run)(const struct bench_request *q, struct bench_report *r);
} benches[] = {{"link", bench_link},
               {"micro", bench_micro},
               {"latency", bench_latency},
               {"step", bench_step},
               {"tracking", bench_tracking}};
enum { BENCHES = sizeof benches / sizeof *benches };

/* As popt leaves them: strings of ours, NULL where not given. */
struct bench_words {
    char *machine, *devices, *method, *pattern, *ratio, *chunk, *bytes, *against, *within,
        *threads, *json, *launches;
    int sleep, peers, help;
};

static int take_count(const char *option, const char *word, uint64_t high, uint64_t *out)
{
    char *end = NULL;

    if (!word)
        return EXIT_FINE;
    unsigned long long value = strtoull(word, &end, 10);
    unsigned shift = *end == 'K' || *end == 'k' ? 10 : *end == 'M' || *end == 'm' ? 20 : 0;

    if (*word < '0' || *word > '9' || strlen(word) > 12 || end[shift != 0] || !value ||
        value > high >> shift)
        return say_usage("bench",
                         "--%s: expected a whole number from 1 to %llu, found '%s'", option,
                         (unsigned long long)high, word);
    *out = value << shift;
    return EXIT_FINE;
}

static int take_real(const char *option, const char *word, double *out)
{
    char *end = NULL;

    if (!word)
        return EXIT_FINE;
    *out = strtod(word, &end);
    if (end == word || *end || !isfinite(*out) || *out <= 0)
        return say_usage("bench", "--%s: expected a positive number, found '%s'", option,
                         word);
    return EXIT_FINE;
}

static int check_method(const char *word, size_t length)
{
    char name[BENCH_METHOD_BYTES];
    struct transfer_plan plan;
    struct proact_error err = {""};

    if (length >= sizeof name)
        return say_usage("bench", "--method: '%.*s' is longer than any", (int)length, word);
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    if (strcmp(name, BENCH_RAW) != 0 && transfer_methods_read(name, &plan, &err))
        return say_usage("bench", "--method: %s", err.text);
    return EXIT_FINE;
}

static int check_names(const struct bench_words *w)
{
    int code;

    for (const char *at = w->peers ? NULL : w->method; at;
         at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if ((code = check_method(at, strcspn(at, ","))))
            return code;
    if (w->pattern && strcmp(w->pattern, "one-to-all") != 0 &&
        strcmp(w->pattern, "all-to-all") != 0)
        return say_usage("bench",
                         "--pattern: expected one-to-all or all-to-all, found '%s'",
                         w->pattern);
    if (w->within && !w->against)
        return say_usage("bench", "--within compares: add --against FILE");
    return EXIT_FINE;
}

static int take_words(const struct bench_words *w, struct bench_request *q, double *within)
{
    uint64_t devices = 0, threads = 0, launches = 0;
    int code;

    if ((code = check_names(w)) ||
        (code = take_count("devices", w->devices, 1 << 10, &devices)) ||
        (code = take_count("host-threads", w->threads, 1 << 10, &threads)) ||
        (code = take_count("launches", w->launches, 1 << 10, &launches)) ||
        (code = take_count("chunk", w->chunk, 256 << 20, &q->chunk_bytes)) ||
        (code = take_count("bytes", w->bytes, 1 << 30, &q->bytes)) ||
        (code = take_real("ratio", w->ratio, &q->ratio)) ||
        (code = take_real("within", w->within, within)))
        return code;
    if (w->bytes && (q->bytes < BYTES_MIN || q->bytes & (q->bytes - 1)))
        return say_usage("bench", "--bytes: %s is no power of two from 1M to 1024M",
                         w->bytes);
    q->machine = w->machine;
    q->devices = (unsigned)devices;
    q->host_threads = (unsigned)threads;
    q->launches = (unsigned)launches;
    q->method = w->method;
    q->pattern = w->pattern;
    q->against = w->against;
    q->sleeps = w->sleep;
    q->peers = w->peers;
    return EXIT_FINE;
}

static int run(int bench, const struct bench_words *w, const char *command_line)
{
    struct bench_request q = {.machine = NULL};
    struct bench_report r = {.bench = benches[bench].name};
    struct proact_error err = {""};
    double within = INFINITY;
    int code = take_words(w, &q, &within);

    if (code)
        return code;
    if (!q.bytes && benches[bench].run != bench_link)
        q.bytes = BYTES_DEFAULT;
    benches[bench].run(&q, &r);
    if (q.against)
        printf("measured: %s\nlargest difference, but for * which the model leaves out: "
               "%+.1f%%\n",
               r.source, 100 * bench_worst(&r));
    if (!r.count) {
        fprintf(stderr, "proact: this machine can do nothing of what was asked\n");
        code = EXIT_FAILED;
    } else if (w->json && bench_write(&r, w->json, command_line, &err)) {
        code = say_failure(&err);
    }
    if (100 * fabs(bench_worst(&r)) > within)
        code = EXIT_FAILED;
    bench_clear(&r);
    return code;
}

static int find(const char *name)
{
    for (int i = 0; i < BENCHES; i++)
        if (name && strcmp(benches[i].name, name) == 0)
            return i;
    return -1;
}

static int read_words(poptContext popt, const struct bench_words *w, int *bench)
{
    int option = poptGetNextOpt(popt);

    if (option < -1)
        return say_usage("bench", "bench: %s: %s",
                         poptBadOption(popt, POPT_BADOPTION_NOALIAS), poptStrerror(option));
    const char *name = poptGetArg(popt), *more = poptGetArg(popt);

    *bench = find(name);
    if (w->help)
        return EXIT_FINE;
    if (!name)
        return say_usage("bench", "bench: which one: link, micro, latency, step or "
                                  "tracking?");
    if (*bench < 0)
        return say_usage("bench", "no bench '%s'", name);
    if (more)
        return say_usage("bench", "bench: '%s' is one argument too many", more);
    return EXIT_FINE;
}

int command_bench(int argc, char **argv)
{
    struct bench_words w = {.help = 0};
    const struct poptOption table[] = {
        {"machine", 'm', POPT_ARG_STRING, &w.machine, 0, NULL, NULL},
        {"devices", 'n', POPT_ARG_STRING, &w.devices, 0, NULL, NULL},
        {"method", 0, POPT_ARG_STRING, &w.method, 0, NULL, NULL},
        {"pattern", 0, POPT_ARG_STRING, &w.pattern, 0, NULL, NULL},
        {"ratio", 0, POPT_ARG_STRING, &w.ratio, 0, NULL, NULL},
        {"chunk", 0, POPT_ARG_STRING, &w.chunk, 0, NULL, NULL},
        {"bytes", 0, POPT_ARG_STRING, &w.bytes, 0, NULL, NULL},
        {"against", 0, POPT_ARG_STRING, &w.against, 0, NULL, NULL},
        {"within", 0, POPT_ARG_STRING, &w.within, 0, NULL, NULL},
        {"launches", 0, POPT_ARG_STRING, &w.launches, 0, NULL, NULL},
        {"host-threads", 0, POPT_ARG_STRING, &w.threads, 0, NULL, NULL},
        {"json", 0, POPT_ARG_STRING, &w.json, 0, NULL, NULL},
        {"sleep", 0, POPT_ARG_NONE, &w.sleep, 0, NULL, NULL},
        {"peers", 0, POPT_ARG_NONE, &w.peers, 0, NULL, NULL},
        {"help", 'h', POPT_ARG_NONE, &w.help, 0, NULL, NULL},
        POPT_TABLEEND,
    };
    poptContext popt = poptGetContext("proact", argc, (const char **)argv, table, 0);
    struct text line = {0};
    int bench = -1, code = read_words(popt, &w, &bench);

    text_print(&line, "proact");
    for (int i = 0; i < argc; i++)
        text_print(&line, " %s", argv[i]);
    if (!code && w.help)
        fputs(help, stdout);
    else if (!code)
        code = run(bench, &w, line.data);
    text_clear(&line);
    char *words[] = {w.machine, w.devices, w.method, w.pattern, w.ratio, w.chunk,
                     w.bytes,   w.against, w.within, w.threads, w.json,  w.launches};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        free(words[i]);
    poptFreeContext(popt);
    return code;
}
