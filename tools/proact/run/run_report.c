/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_report.h"

#include <math.h>
#include <string.h>

/* Three digits and a unit, such as "12.3 ms" or "4.56 GB"; `into` has 16 bytes. */
static void scale(char *into, double value, const char *const units[], unsigned unit_count)
{
    unsigned unit = 0;

    while (value >= 999.5 && unit + 1 < unit_count) {
        value /= 1000;
        unit++;
    }
    if (unit == 0)
        snprintf(into, 16, "%.0f %s", value, units[0]);
    else
        snprintf(into, 16, "%.*f %s",
                 value < 9.995   ? 2
                 : value < 99.95 ? 1
                                 : 0,
                 value, units[unit]);
}

void run_scale_time(char into[RUN_SCALED_BYTES], double ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};

    scale(into, ns, units, 4);
}

void run_scale_bytes(char into[RUN_SCALED_BYTES], double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};

    scale(into, bytes, units, 5);
}

static void print_time(FILE *to, double ns)
{
    char text[RUN_SCALED_BYTES];

    run_scale_time(text, ns);
    fprintf(to, "  %8s", text);
}

static void print_ratio(FILE *to, int width, double share)
{
    if (isnan(share))
        fprintf(to, "  %*s", width, "-");
    else
        fprintf(to, "  %*.0f %%", width - 2, share * 100);
}

static void print_row(FILE *to, const struct run_study *study, const struct run_row *row,
                      int name_width)
{
    static const char *const counts[] = {"", "k", "M", "G"};
    char sent[16], packets[16];

    run_scale_bytes(sent, (double)row->statistics.bytes);
    scale(packets, (double)row->statistics.packets, counts, 4);
    fprintf(to, "  %-*s", name_width, row->method);
    print_time(to, (double)row->time.ns);
    fprintf(to, "  %7.2f", row->terms.speedup);
    print_ratio(to, 8, row->terms.captured);
    print_ratio(to, 8, row->terms.overhead);
    fprintf(to, "  %8s  %8s", sent, packets);
    print_ratio(to, 6, row->terms.hidden);
    if (study->replayed)
        fprintf(to, "  not computed\n");
    else if (row->equal)
        fprintf(to, "  equal\n");
    else
        fprintf(to, "  DIFFERS from byte %zu on\n", row->differs_at);
}

static bool sends(const struct run_study *study)
{
    for (unsigned i = 0; i < study->row_count; i++)
        if (study->row[i].statistics.bytes)
            return true;
    return false;
}

/* An ideal above the number of devices needs a cause. Bulk without transfers is then faster
   than the part of one device. */
static void print_cause(const struct run_report *r, FILE *to)
{
    const struct run_study *study = r->study;
    char alone[RUN_SCALED_BYTES], part[RUN_SCALED_BYTES];

    run_scale_time(alone, study->base.one);
    run_scale_time(part, study->base.skipped);
    if (run_report_ideal(study) > study->device_count)
        fprintf(to,
                "The ideal is above %u: one device takes %s, and %u that send nothing take "
                "%s, since\nmore of the smaller part of each device stays in its L2 cache "
                "(%.3g MB).\n",
                study->device_count, alone, study->device_count, part,
                (double)r->topology->device.l2_bytes / 1e6);
}

/* Transfers that take longer than twice those of bulk need a cause as well. */
static void print_slow_rows(const struct run_study *study, FILE *to)
{
    char sent[RUN_SCALED_BYTES], bulk_sent[RUN_SCALED_BYTES];

    run_scale_bytes(bulk_sent, (double)study->row[0].statistics.bytes);
    for (unsigned i = 0; i < study->row_count; i++) {
        const struct run_row *row = &study->row[i];

        if (!(row->terms.hidden < -1))
            continue;
        run_scale_bytes(sent, (double)row->statistics.bytes);
        fprintf(to,
                "%s: its transfers take %.3g times as long as those of bulk; it sends %s, "
                "bulk %s.\n",
                row->method, 1 - row->terms.hidden, sent, bulk_sent);
    }
}

/* The hint of the row, and the times of the others. */
static void print_unified(const struct run_study *study, FILE *to)
{
    char time[RUN_SCALED_BYTES];

    for (unsigned i = 0; i < study->row_count; i++) {
        const struct run_row *row = &study->row[i];

        if (row->hint && !row->hint_ns[row->hint])
            fprintf(to, "unified: unified memory; devices before sm_60 know no hints.\n");
        if (!row->hint || !row->hint_ns[row->hint])
            continue;
        fprintf(to, "unified: unified memory with the best hint, %s. By hint:",
                run_hint_name(row->hint));
        for (enum proact_unified h = PROACT_UNIFIED_NO_HINT; h <= PROACT_UNIFIED_PREFETCH;
             h++) {
            run_scale_time(time, (double)row->hint_ns[h]);
            fprintf(to, "%s%s %s", h == PROACT_UNIFIED_NO_HINT ? "\n" : ", ",
                    run_hint_name(h), time);
        }
        fprintf(to, ".\n");
    }
}

static void print_row_plans(const struct run_study *study, FILE *to)
{
    for (unsigned i = 0; i < study->row_count; i++)
        if (study->row[i].plan[0])
            fprintf(to, "%s: %s.\n", study->row[i].method, study->row[i].plan);
}

/* Pairs of devices without peer access, which have copies instead of the method. They are
   the same for all methods that need it. */
static void print_copies(const struct run_study *study, FILE *to)
{
    const char *copies = NULL;

    for (unsigned i = 0; i < study->row_count; i++) {
        if (!study->row[i].copies[0])
            continue;
        fprintf(to, "%s%s", copies ? ", " : "", study->row[i].method);
        copies = study->row[i].copies;
    }
    if (copies)
        fprintf(to, "; %s, which have no peer access.\n", copies);
}

/* The repetition of the runs, and the row with the largest share of spread. */
static void print_runs(const struct run_study *study, FILE *to)
{
    const struct run_row *worst = &study->row[0];

    for (unsigned i = 1; i < study->row_count; i++) {
        const struct run_time *a = &study->row[i].time, *b = &worst->time;

        if ((double)a->spread_ns * (double)b->ns > (double)b->spread_ns * (double)a->ns)
            worst = &study->row[i];
    }
    if (study->one_time.runs > 1 && worst->time.ns)
        fprintf(to, "time: the median of %u runs; those of %s differ most, by %.3g %%.\n",
                study->one_time.runs, worst->method,
                100 * (double)worst->time.spread_ns / (double)worst->time.ns);
}

static const char *answer_words(const struct run_request *request)
{
    if (request->sample)
        return "answer: not computed; a sample of the CTAs was executed (--sample).";
    return request->replay ? "answer: that of one device; the methods replayed recorded "
                             "costs (--replay)."
                           : "answer: compared bit for bit with one device.";
}

static void print_legend(const struct run_report *r, FILE *to)
{
    const struct run_study *study = r->study;
    char uncopied[RUN_SCALED_BYTES], skipped[RUN_SCALED_BYTES];

    run_scale_time(uncopied, study->base.uncopied);
    run_scale_time(skipped, study->base.skipped);
    if (study->emulated)
        fprintf(to, "\nTimes are virtual: of the emulated machine, not of this one.");
    fprintf(
        to,
        "\nideal: the longer of bulk without the time of its copies, %s, and bulk without\n"
        "transfers, %s. speedup: time on one device / time. captured: speedup / ideal\n"
        "speedup; a method that sends during the kernel may pass 100 %%. overhead: what "
        "the\n"
        "method adds to bulk, both without transfers. hidden: the part of bulk's time "
        "above\n"
        "the ideal that the method's transfers do not take; negative if they take "
        "longer.\n%s\n",
        uncopied, skipped, answer_words(r->request));
    print_runs(study, to);
    print_cause(r, to);
    print_slow_rows(study, to);
    print_row_plans(study, to);
    print_unified(study, to);
    print_copies(study, to);
    if (study->device_count > 1 && !sends(study))
        fprintf(to, "Nothing was sent: the problem is too small to be split.\n");
    if (study->device_count > 1 && r->request->sends_all)
        fprintf(to, "sent: all that a device writes, to all devices (--send all).\n");
}

static int widest_name(const struct run_study *study)
{
    size_t widest = strlen("copy-engine");

    for (unsigned i = 0; i < study->row_count; i++)
        if (strlen(study->row[i].method) > widest)
            widest = strlen(study->row[i].method);
    return (int)widest;
}

double run_report_ideal(const struct run_study *study)
{
    return terms_ideal(&study->base);
}

void run_report_print(const struct run_report *r, FILE *to)
{
    const struct run_study *study = r->study;
    const int name_width = widest_name(study);

    r->application->print_input(r->work, to);
    if (r->request->sample)
        fprintf(to, "answer: not computed (sampled 1 in %u)\n", r->request->sample);
    else
        r->application->print_answer(r->work, &study->one, to);
    /* The description of this computer's GPUs has no name of the fabric. */
    const char *fabric = r->topology->fabric.name;

    fprintf(to, "\n%u %s%s on %s (%s%s%s)\n\n", study->device_count,
            study->emulated ? "emulated device" : "device",
            study->device_count == 1 ? "" : "s", r->topology->name,
            r->topology->device.name, *fabric ? ", " : "", fabric);
    fprintf(to, "  %-*s  %8s  %7s  %8s  %8s  %8s  %8s  %6s  %s\n", name_width, "method",
            "time", "speedup", "captured", "overhead", "sent", "packets", "hidden",
            "answer");
    fprintf(to, "  %-*s", name_width, "one device");
    print_time(to, study->base.one);
    fprintf(to, "  %7.2f\n", 1.0);
    for (unsigned i = 0; i < study->row_count; i++)
        print_row(to, study, &study->row[i], name_width);
    fprintf(to, "  %-*s", name_width, "(ideal)");
    print_time(to, terms_ideal_ns(&study->base));
    fprintf(to, "  %7.2f  %6d %%\n", run_report_ideal(study), 100);
    print_legend(r, to);
    if (run_study_differs(study))
        fprintf(to, "\nTHE ANSWER OF A METHOD DIFFERS FROM THAT OF ONE DEVICE.\n");
}
