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

static void print_time(FILE *to, uint64_t ns)
{
    char text[RUN_SCALED_BYTES];

    run_scale_time(text, (double)ns);
    fprintf(to, "  %8s", text);
}

static void print_ratio(FILE *to, int width, double share)
{
    if (isnan(share))
        fprintf(to, "  %*s", width, "-");
    else
        fprintf(to, "  %*.0f %%", width - 2, share * 100);
}

static void print_row(FILE *to, const struct run_row *row, int name_width)
{
    static const char *const counts[] = {"", "k", "M", "G"};
    char sent[16], packets[16];

    run_scale_bytes(sent, (double)row->statistics.bytes);
    scale(packets, (double)row->statistics.packets, counts, 4);
    fprintf(to, "  %-*s", name_width, row->method);
    print_time(to, row->time_ns);
    fprintf(to, "  %7.2f", row->speedup);
    print_ratio(to, 8, row->captured);
    fprintf(to, "  %8s  %8s", sent, packets);
    print_ratio(to, 6, row->hidden);
    if (row->equal)
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

static void print_legend(const struct run_study *study, FILE *to)
{
    if (study->emulated)
        fprintf(to, "\nTimes are virtual: of the emulated machine, not of this one.\n");
    fprintf(to,
            "speedup: time on one device / time. captured: speedup / ideal speedup, where\n"
            "ideal is bulk without the time of its copies; above 100 %% is possible. "
            "hidden: the\n"
            "part of bulk's copy time that is saved; negative if the method is slower than "
            "bulk.\n"
            "answer: compared bit for bit with one device.\n");
    if (study->device_count > 1 && !sends(study))
        fprintf(to, "Nothing was sent: the problem is too small to be split.\n");
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
    return study->ideal_ns ? (double)study->one.time_ns / (double)study->ideal_ns : 0;
}

void run_report_print(const struct run_report *r, FILE *to)
{
    const struct run_study *study = r->study;
    const int name_width = widest_name(study);

    r->application->print_input(r->work, to);
    r->application->print_answer(r->work, &study->one, to);
    /* The description of this computer's GPUs has no name of the fabric. */
    const char *fabric = r->topology->fabric.name;

    fprintf(to, "\n%u %s%s on %s (%s%s%s)\n\n", study->device_count,
            study->emulated ? "emulated device" : "device",
            study->device_count == 1 ? "" : "s", r->topology->name,
            r->topology->device.name, *fabric ? ", " : "", fabric);
    fprintf(to, "  %-*s  %8s  %7s  %8s  %8s  %8s  %6s  %s\n", name_width, "method", "time",
            "speedup", "captured", "sent", "packets", "hidden", "answer");
    fprintf(to, "  %-*s", name_width, "one device");
    print_time(to, study->one.time_ns);
    fprintf(to, "  %7.2f\n", 1.0);
    for (unsigned i = 0; i < study->row_count; i++)
        print_row(to, &study->row[i], name_width);
    if (study->ideal_ns) {
        fprintf(to, "  %-*s", name_width, "(ideal)");
        print_time(to, study->ideal_ns);
        fprintf(to, "  %7.2f  %6d %%\n", run_report_ideal(study), 100);
    }
    print_legend(study, to);
    if (run_study_differs(study))
        fprintf(to, "\nTHE ANSWER OF A METHOD DIFFERS FROM THAT OF ONE DEVICE.\n");
}
