/* SPDX-License-Identifier: Apache-2.0 */
/* `proact model predict`: time of a launch by method and chunk, split into terms. */
#include <inttypes.h>
#include <math.h>
#include <proact/proact.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json_write.h"
#include "base/memory.h"
#include "base/text.h"
#include "check_words.h"
#include "command.h"
#include "model/model_command.h"
#include "model/model_kernel.h"
#include "model/model_rank.h"

static const char predict_help[] =
    "Usage: proact model predict [OPTION...] FILE --grid X[,Y[,Z]] --block X[,Y[,Z]]\n"
    "       proact model predict [OPTION...] --bytes N\n"
    "\n"
    "Print the predicted time of a launch for each method and chunk size, fastest first, "
    "with\n"
    "the terms of its critical path. The launch is that of a kernel, or is described by "
    "numbers.\n"
    "With a kernel, every device receives everything that the others write.\n"
    "\n"
    "Examples:\n"
    "  proact model predict --machine h200x4 --bytes 64M --ratio 1\n"
    "  proact model predict stencil.ptx --kernel jacobi --grid 8,8 --block 16,16 --arg "
    "2=128 --arg 3=128 --kernel-us 20\n"
    "\n"
    "Terms: kernel or readiness (until the chunk is complete that begins the last sends "
    "without\n"
    "a pause), wire (bytes on the links), start (of launches and sends), wait (for "
    "counters), tail\n"
    "(arrival and acknowledgement), fetch (before the kernel) and host.\n"
    "\n"
    "  -m, --machine M     a machine name or file (default v100x4)\n"
    "  -n, --devices N     only the first N devices\n"
    "  --kernel NAME, --grid, --block, --arg, --array, --constant\n"
    "                      the launch of FILE, as for `proact analyze`\n"
    "  --kernel-us T       time of the kernel on one device; with --bytes of the split "
    "kernel\n"
    "                      (default with FILE: of one emulated execution with zeros in "
    "the\n"
    "                      arrays)\n"
    "  --bytes N           bytes that all senders together write; a CTA of 256 threads "
    "writes\n"
    "                      4 KB\n"
    "  --run N             consecutive bytes of the stores of a warp (default 512)\n"
    "  --ratio C           time of the kernel divided by the copies after it (default 1)\n"
    "  --pattern P         one-to-all or all-to-all (default all-to-all)\n"
    "  --json FILE         write everything as JSON; -: stdout, and the text to stderr\n"
    "  -h, --help          print this text\n"
    "\n"
    "A machine file lists its estimated keys. If a candidate is more than 2 percent "
    "faster than\n"
    "the first that a GPU can execute after a key is doubled or halved, its row names the "
    "key.\n";

/* A launch to predict, with the texts about it. */
struct prediction {
    const struct model_request *request;
    struct topology t;
    struct model_problem problem;
    struct model_kernel_launch kernel; /* of a request with a kernel */
    double single_ns;                  /* the launch on one device; 0: unknown */
    struct model_ranking ranking;
};

static int describe_numbers(const struct model_request *q, struct prediction *p)
{
    struct model_problem *m = &p->problem;

    m->senders = q->is_one_to_all ? 1 : p->t.device_count;
    m->bytes = q->bytes / m->senders;
    m->run_bytes = q->run;
    m->piece_bytes = m->bytes;
    m->ctas = (m->bytes + MODEL_CTA_BYTES - 1) / MODEL_CTA_BYTES;
    if (!m->bytes)
        return usage_error("model",
                           "--bytes: %" PRIu64 " bytes are less than one per sender, "
                           "of which there are %u",
                           q->bytes, m->senders);
    m->kernel_ns = q->kernel_us > 0
                       ? q->kernel_us * 1000
                       : (q->ratio > 0 ? q->ratio : 1) * model_copies_ns(&p->t, m);
    return EXIT_FINE;
}

static int describe_kernel(const struct model_request *q, struct prediction *p)
{
    const struct topology_device *d = &p->t.device;
    const struct model_kernel_launch *k = &p->kernel;
    struct model_problem *m = &p->problem;
    int code = model_kernel_describe(q, &p->t, &p->kernel);

    if (code)
        return code;
    const double begin = fmin((d->launch_us + d->launch_host_us) * 1000, k->single_ns);

    p->single_ns = model_single_time(k->single_ns, 0, 0).ns;
    m->bytes = k->bytes;
    m->run_bytes = k->run < 512 ? k->run : 512;
    m->piece_bytes = k->piece;
    m->extent_bytes = k->extent;
    m->ctas = k->own;
    m->threads = k->threads;
    m->kernel_ns = begin + model_kernel_ns(k->single_ns - begin, k->own, k->ctas,
                                           model_wave(d, k->threads));
    return EXIT_FINE;
}

/* "4 KB"; "512 KB + 1 MB" for rising chunks. */
static void size_text(const struct model_schedule *s, char out[32])
{
    const uint64_t sizes[2] = {s->first_bytes, s->step_bytes};
    int used = 0;

    out[0] = '\0';
    for (int i = 0; i < 2 && sizes[i]; i++)
        used += snprintf(out + used, (size_t)(32 - used), "%s%.4g %s", i ? " + " : "",
                         (double)sizes[i] / (sizes[i] >= 1 << 20 ? 1 << 20 : 1 << 10),
                         sizes[i] >= 1 << 20 ? "MB" : "KB");
}

static const char *method_text(enum model_sender who)
{
    return who == MODEL_SEND_BULK_STORE ? "inline, bulk stores" : model_method_name(who);
}

static void print_candidate(const struct prediction *p, unsigned at)
{
    const struct model_ranking *r = &p->ranking;
    const struct rank_row *row = &r->rows[at];
    const char *mark = "  if ";
    char chunk[32];

    size_text(&row->chunks, chunk);
    printf("%-19s %15s %10.1f %7.2f", method_text(row->who), chunk, row->time.ns / 1e3,
           r->bulk_ns / row->time.ns);
    for (int i = 0; i < MODEL_TERMS; i++)
        printf(" %9.1f", row->time.term[i] / 1e3);
    for (unsigned i = 0; i < r->flip_count; i++)
        if (r->flips[i].row == at) {
            printf("%s%s x %g", mark, r->flips[i].key, r->flips[i].factor);
            mark = ", ";
        }
    printf("\n");
}

static void print_problem(const struct prediction *p)
{
    const struct model_problem *m = &p->problem;
    const unsigned senders = m->senders ? m->senders : p->t.device_count;

    printf("%s, %u x %s: %u of %u devices send %" PRIu64 " bytes each to all others, in "
           "ranges of %" PRIu64 "\n",
           p->t.name, p->t.device_count, p->t.device.name, senders, p->t.device_count,
           m->bytes, m->run_bytes ? m->run_bytes : 512);
    if (p->single_ns > 0)
        printf("kernel '%s': %.1f us on one device, %.1f us on each of %u\n",
               p->kernel.name, p->single_ns / 1e3, m->kernel_ns / 1e3, p->t.device_count);
    else
        printf("kernel: %.1f us, %.2f of the copies after it\n", m->kernel_ns / 1e3,
               m->kernel_ns / model_copies_ns(&p->t, m));
}

static void print_ranking(const struct prediction *p)
{
    const struct model_ranking *r = &p->ranking;

    print_problem(p);
    printf("\n%-19s %15s %10s %7s", "method", "chunk", "us", "of bulk");
    for (int i = 0; i < MODEL_TERMS; i++)
        printf(" %9s", model_term_name((enum model_term)i));
    printf("%s\n", r->flip_count ? "  fastest" : "");
    for (unsigned i = 0; i < r->count; i++)
        print_candidate(p, i);
    if (p->single_ns > 0)
        printf("\none device: %.1f us; %s takes %.2f of it\n", p->single_ns / 1e3,
               method_text(model_rank_first(r)->who),
               model_rank_first(r)->time.ns / p->single_ns);
    if (p->t.estimate_count)
        printf("\n%u of the keys of %s are estimates. Doubled or halved, %u of %u changes "
               "make another\nrow more than 2 percent faster than the first that a GPU can "
               "execute.\n",
               p->t.estimate_count, p->t.name, r->flip_count, 2 * p->t.estimate_count);
}

static void put_row(const struct prediction *p, unsigned at, struct json_writer *w)
{
    const struct model_ranking *r = &p->ranking;
    const struct rank_row *row = &r->rows[at];

    json_begin(w, NULL, JSON_OBJECT);
    json_put_text(w, "method", model_method_name(row->who));
    json_put_text(w, "initiator", model_sender_name(row->who));
    json_put_whole(w, "chunk_bytes", row->chunks.first_bytes);
    json_put_whole(w, "step_bytes", row->chunks.step_bytes);
    json_put_real(w, "time_ns", row->time.ns);
    json_begin(w, "terms_ns", JSON_OBJECT);
    for (int i = 0; i < MODEL_TERMS; i++)
        json_put_real(w, model_term_name((enum model_term)i), row->time.term[i]);
    json_end(w);
    json_begin(w, "fastest_if", JSON_ARRAY);
    for (unsigned i = 0; i < r->flip_count; i++)
        if (r->flips[i].row == at) {
            json_begin(w, NULL, JSON_OBJECT);
            json_put_text(w, "key", r->flips[i].key);
            json_put_real(w, "factor", r->flips[i].factor);
            json_end(w);
        }
    json_end(w);
    json_end(w);
}

static int write_ranking(const struct prediction *p)
{
    const struct model_problem *m = &p->problem;
    struct json_writer w = {.lines = 2};
    struct proact_error err = {""};

    json_begin(&w, NULL, JSON_OBJECT);
    json_put_text(&w, "proact", PROACT_VERSION);
    json_put_text(&w, "command", p->request->command_line);
    json_put_text(&w, "machine", p->t.name);
    json_put_whole(&w, "devices", p->t.device_count);
    json_put_whole(&w, "senders", m->senders ? m->senders : p->t.device_count);
    json_put_whole(&w, "bytes", m->bytes);
    json_put_real(&w, "kernel_ns", m->kernel_ns);
    if (p->single_ns > 0)
        json_put_real(&w, "single_ns", p->single_ns);
    if (p->kernel.refusal[0])
        json_put_text(&w, "refusal", p->kernel.refusal);
    json_put_real(&w, "bulk_ns", p->ranking.bulk_ns);
    json_begin(&w, "candidates", JSON_ARRAY);
    for (unsigned i = 0; i < p->ranking.count; i++)
        put_row(p, i, &w);
    json_end(&w);
    json_end(&w);
    int code = file_write(p->request->json, w.text.data, w.text.length, &err)
                   ? failure_exit(&err)
                   : EXIT_FINE;

    text_clear(&w.text);
    return code;
}

static int predict(const struct model_request *q, struct prediction *p)
{
    struct proact_error err = {""};
    int code;

    p->request = q;
    if ((code = model_machine(q, &p->t)))
        return code;
    if (check_folder(q->json, &err))
        return failure_exit(&err);
    code = q->has_kernel ? describe_kernel(q, p) : describe_numbers(q, p);
    if (code)
        return code;
    if (p->kernel.refusal[0] || !p->problem.bytes) {
        printf("kernel '%s' is not predicted on several devices: %s\n", p->kernel.name,
               p->kernel.refusal[0] ? p->kernel.refusal : "it writes nothing");
        if (p->single_ns > 0)
            printf("one device: %.1f us\n", p->single_ns / 1e3);
    } else {
        model_rank(&p->t, &p->problem, &p->ranking);
        print_ranking(p);
    }
    return q->json ? write_ranking(p) : EXIT_FINE;
}

int model_predict_command(int argc, char **argv)
{
    struct prediction *p = must_calloc(1, sizeof *p);
    struct model_words *w = NULL;
    struct model_request *q = must_calloc(1, sizeof *q);
    bool help = false;
    int code = model_options_parse(argc, argv, &w, q, &help);

    if (!code && help)
        fputs(predict_help, stdout);
    else if (!code)
        code = predict(q, p);
    model_options_destroy(w);
    free(q);
    free(p);
    return code;
}
