/* SPDX-License-Identifier: Apache-2.0 */
#include "model/paper.h"

#include <math.h>
#include <stdbool.h>

/* Table I, in ns and bytes. L of the CPU has one switch (280) without GPU memory (IV-A). */
static const double L_gpu = 530, L_cpu = 280, gap = 5, link_gbps = 12.5;
static const double K_5us = 5000, K_2us = 2000;

enum paper_side { HOST, DEVICE };
enum paper_operation { GET, PUT };
static const double o_of[2][2] = {{247, 229}, {237, 219}}; /* side, operation */
static const double O_of[2] = {0.067, 0.074}, S_of[2] = {4570, 4380};

/* How O counts in a host-initiated message: as printed at all sizes, as printed up to
   8 KiB, where Table I ends, or not at all, since it overlaps with the larger G (V-1a). */
enum paper_reading { O_ALWAYS, O_TO_8K, O_OVERLAPPED };

static double G_of(double m)
{
    return m / link_gbps;
}

/* Equations 3 and 4. */
static double paper_host_ns(enum paper_operation op, double m, enum paper_reading reading)
{
    const double O =
        reading == O_ALWAYS || (reading == O_TO_8K && m <= 8192) ? O_of[op] * m : 0;

    return 2 * (L_gpu + G_of(m)) + 4 * (o_of[HOST][op] + gap) + (op == GET ? 2 : 1) * O;
}

/* Equations 1 and 2. */
static double paper_device_ns(enum paper_operation op, double m)
{
    return 2 * (L_gpu + G_of(m)) + 4 * (o_of[DEVICE][op] + gap) +
           (op == GET ? 2 : 1) * S_of[op];
}

/* The CPU version, which has no row in Table I: o of the host, no O. */
static double paper_cpu_ns(enum paper_operation op, double m)
{
    return 2 * (L_cpu + G_of(m)) + 4 * (o_of[HOST][op] + gap);
}

/* Table II: O(m) = A m^B of pipelined messages, and G; the larger counts. */
struct power {
    double A, B;
};
static const struct power pipe_cpu = {290, -1.15}, pipe_host = {624, -1.09},
                          pipe_device = {1411, -0.781};

/* is_per_byte: O in ns per byte, as Figure 5 defines it; else in ns per message. */
static double pipe_ns(struct power p, double m, bool is_per_byte)
{
    return fmax(p.A * pow(m, p.B) * (is_per_byte ? m : 1), G_of(m));
}

/* Speedup of a fixed problem that spends the share f in communication on the CPU. The GPU
   computes five times as fast, its messages take r times as long. */
static double fixed_speedup(double r, double f)
{
    return 1 / (f * r + (1 - f) / 5);
}

/* The same for five times the work in the time in which the CPU computes. */
static double scaled_speedup(double r, double f)
{
    return 5 / (1 - f + f * r);
}

/* Figures 9 to 11 have f = 25 %. */
static double quarter(double r)
{
    return fixed_speedup(r, 0.25);
}

static double single_host(enum paper_operation op, double m, double launch,
                          enum paper_reading reading)
{
    return quarter((paper_host_ns(op, m, reading) + launch) / paper_cpu_ns(op, m));
}

static double single_device(enum paper_operation op, double m)
{
    return quarter(paper_device_ns(op, m) / paper_cpu_ns(op, m));
}

static double piped(struct power p, double m, bool is_per_byte)
{
    return quarter(pipe_ns(p, m, is_per_byte) / pipe_ns(pipe_cpu, m, is_per_byte));
}

/* Figure 8: mean over f = 0, 0.1 .. 0.8 and m = 1, 2, 4 .. 8192. */
static double mean_speedup(double (*of)(double r, double f))
{
    double sum = 0;
    int count = 0;

    for (double m = 1; m <= 8192; m *= 2)
        for (int tenth = 0; tenth <= 8; tenth++, count++)
            sum += of((paper_host_ns(GET, m, O_TO_8K) + K_5us) / paper_cpu_ns(GET, m),
                      tenth / 10.0);
    return sum / count;
}

/* Smallest message that reaches the maximum of 2.5, within 0.001. */
static double reached_from(struct power p, bool is_per_byte, double first)
{
    double m = first;

    while (piped(p, m, is_per_byte) <= 2.499)
        m++;
    return m;
}

/* Figure 11 with a tenth of O at all sizes and G once: host over device, get. */
static double eleven(double m)
{
    const double wire = 2 * L_gpu + G_of(m),
                 cpu = 2 * L_cpu + G_of(m) + 4 * (o_of[HOST][GET] + gap);
    const double host = wire + 4 * (o_of[HOST][GET] + gap) + 2 * O_of[GET] / 10 * m + K_5us;
    const double device = wire + 4 * (o_of[DEVICE][GET] + gap) + 2 * S_of[GET];

    return quarter(host / cpu) / quarter(device / cpu);
}

static double eleven_crossing(void)
{
    double m = 1 << 16;

    while (eleven(m) >= 1)
        m += 1024;
    return m;
}

static double eleven_mean(void)
{
    double sum = 0;
    int count = 0;

    for (double m = 2048; m <= 512 << 10; m *= 2, count++)
        sum += eleven(m);
    return sum / count;
}

/* Largest message at which pipelined host-initiated ones are faster. */
static double piped_host_until(void)
{
    double m = 1;

    while (pipe_ns(pipe_host, m + 1, false) < pipe_ns(pipe_device, m + 1, false))
        m++;
    return m;
}

static double piped_advantage(double m)
{
    return piped(pipe_host, m, false) / piped(pipe_device, m, false);
}

static double host_over_device(enum paper_operation op, double m)
{
    return single_host(op, m, K_5us, O_TO_8K) / single_device(op, m);
}

static double gain(double m, enum paper_reading reading)
{
    return single_host(GET, m, K_2us, reading) / single_host(GET, m, K_5us, reading);
}

static size_t paper_append(struct paper_row *out, const struct paper_row *rows,
                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = rows[i];
    return count;
}

static size_t paper_first_rows(struct paper_row *out)
{
    const double get = paper_host_ns(GET, 0, O_ALWAYS),
                 put = paper_host_ns(PUT, 0, O_ALWAYS);
    const struct paper_row rows[] = {
        {"3",
         "put from get",
         {{get - put, 0, "ns"}, {100 * (1 - put / get), 1, "%"}},
         2,
         "70 ns, 3.5 %",
         "none"},
        {"3",
         "S in device get, put",
         {{200 * S_of[GET] / paper_device_ns(GET, 8), 0, "%"},
          {100 * S_of[PUT] / paper_device_ns(PUT, 8), 0, "%"}},
         2,
         "82, 72 %",
         "72 % requires a total of 6.08 us; equation 2 gives 6.34"},
        {"8",
         "fixed and scaled problem, mean",
         {{mean_speedup(fixed_speedup), 2, ""}, {mean_speedup(scaled_speedup), 2, ""}},
         2,
         "1.2, 2.6",
         "equal when rounded; f = 0 to 80 % and m = 1 B to 8 KiB are chosen here"},
        {"9", "maximum", {{quarter(1), 2, ""}}, 1, "2.5", "none"},
        {"9",
         "pipelined at 100 B; 2.5 from",
         {{piped(pipe_host, 100, false), 2, ""},
          {reached_from(pipe_host, false, 1), 0, "B"}},
         2,
         "2.5 at 100 B",
         "none with O in ns per message, which contradicts Figure 5"},
        {"9",
         "same with ns per byte; 2.5 from, device from",
         {{piped(pipe_host, 100, true), 2, ""},
          {reached_from(pipe_host, true, 1500) / 1000, 1, "KB"},
          {reached_from(pipe_device, true, 1500) / 1000, 0, "KB"}},
         3,
         "-",
         "the unit of Figure 5"},
    };

    return paper_append(out, rows, sizeof rows / sizeof *rows);
}

static size_t paper_later_rows(struct paper_row *out)
{
    const double mib = 1 << 20;
    const struct paper_row rows[] = {
        {"9",
         "single message of 1, 4 MiB",
         {{single_host(GET, mib, K_5us, O_OVERLAPPED), 2, ""},
          {single_host(GET, 4 * mib, K_5us, O_OVERLAPPED), 2, ""}},
         2,
         "nears 2.5 above 1 MB",
         "none"},
        {"10",
         "8 B, launch of 5 us, of 2 us",
         {{single_host(GET, 8, K_5us, O_OVERLAPPED), 2, ""},
          {single_host(GET, 8, K_2us, O_OVERLAPPED), 2, ""}},
         2,
         "0.8, near 1.3",
         "none"},
        {"10",
         "gain at 8 B; at 2.5 KiB, 4 KiB",
         {{gain(8, O_OVERLAPPED), 2, ""},
          {gain(2560, O_TO_8K), 2, ""},
          {gain(4096, O_OVERLAPPED), 3, ""}},
         3,
         "1.49",
         "not reproduced: 1.25 / 0.78 = 1.60; no reading of Table I gives 1.49 at 8 B"},
    };

    return paper_append(out, rows, sizeof rows / sizeof *rows);
}

static size_t paper_last_rows(struct paper_row *out)
{
    const double kib = 1024, mib = 1 << 20;
    const struct paper_row rows[] = {
        {"11",
         "host over device, get, at 8 B, 8 KiB, 512 KiB",
         {{host_over_device(GET, 8), 2, ""},
          {host_over_device(GET, 8 * kib), 2, ""},
          {host_over_device(GET, 512 * kib), 2, ""}},
         3,
         "1.26 until 512 KB",
         "1.26 is near the value at 8 KiB; at 512 KiB the advantage has faded"},
        {"11",
         "device over host, put at 8 B; get at 16 MiB",
         {{1 / host_over_device(PUT, 8), 2, ""},
          {1 / host_over_device(GET, 16 * mib), 2, ""}},
         2,
         "1.09 at very large sizes",
         "no reading of Table I as printed gives 1.09 there"},
        {"11",
         "get, a tenth of O, G once: host ahead to; mean",
         {{eleven_crossing() / kib, 0, "KiB"}, {eleven_mean(), 2, ""}},
         2,
         "512 KB; 1.26",
         "Table I and IV-D differ by 10 in O; Figure 9 then ends at 2.26"},
        {"11",
         "same, device over host at 2, 4, 16 MiB",
         {{1 / eleven(2 * mib), 2, ""},
          {1 / eleven(4 * mib), 2, ""},
          {1 / eleven(16 * mib), 2, ""}},
         3,
         "1.09",
         "none, in this reading only"},
        {"11",
         "pipelined, host ahead to; by at 1, 64, 100 B",
         {{piped_host_until(), 0, "B"},
          {piped_advantage(1), 1, ""},
          {piped_advantage(64), 1, ""},
          {piped_advantage(100), 1, ""}},
         4,
         "100 B",
         "O in ns per message, as for Figure 9"},
        {"VIII",
         "launch below which the host wins, 8 KiB, 8 B",
         {{(paper_device_ns(GET, 8192) - paper_host_ns(GET, 8192, O_ALWAYS)) / 1000, 1,
           "us"},
          {(paper_device_ns(GET, 8) - paper_host_ns(GET, 8, O_ALWAYS)) / 1000, 1, "us"}},
         2,
         "8 us",
         "none"},
    };

    return paper_append(out, rows, sizeof rows / sizeof *rows);
}

size_t model_paper(struct paper_row out[PAPER_ROWS_MAX])
{
    size_t count = paper_first_rows(out);

    count += paper_later_rows(out + count);
    return count + paper_last_rows(out + count);
}
