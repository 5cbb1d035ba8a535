/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "run/run_options.h"

enum { NAME_COLUMNS = 19 };

static const char opening[] =
    "Usage: proact run APPLICATION [INPUT] [OPTION...]\n"
    "\n"
    "Run an application on all devices of a machine; print its answer and one line of "
    "times.\n"
    "With --compare, run it on one device and by each method, compare the answers bit for "
    "bit\n"
    "and print a table. Without GPUs the machine is emulated, and times are virtual.\n"
    "`proact run APPLICATION --help` describes one application.\n"
    "\n"
    "Examples:\n"
    "  proact make wiki --vertices 1000 --seed 7 -o wiki.mtx\n"
    "  proact run pagerank wiki.mtx\n"
    "      PageRank of a graph like Wikipedia's on four emulated V100.\n"
    "  proact run pagerank wiki.mtx -m v100x16 --compare\n"
    "      All methods on sixteen devices, compared with one device.\n"
    "  proact run pagerank wiki.mtx --method bulk,inline,fused --plot speedup.svg\n"
    "      Compare three methods and draw their speedups.\n"
    "  proact run jacobi --size 256 --reference --log change.csv --output cells.npy\n"
    "      Compare with the host, and keep the convergence and the answer.\n"
    "  proact run jacobi --size 256 --checkpoint state --every 50\n"
    "  proact run jacobi --size 256 --resume state\n"
    "      Go on after an interruption.\n"
    "  proact run jacobi --size 256 -n 2 --method polling --trace polling.json\n"
    "      Open polling.json in ui.perfetto.dev.\n"
    "\n";

static const char tolerance[] =
    "  --tolerance T      stop if an iteration changes less than T; 0: never stop\n";

static const char common[] =
    "  --iterations N     stop after N iterations\n"
    "\n"
    "Machine and method:\n"
    "  -m, --machine M    a name from `proact machines`, a machine file, or local: the "
    "GPUs\n"
    "                     of this computer (default local; v100x4 without GPUs)\n"
    "  -n, --devices N    use only the first N devices\n"
    "  --method NAME      a method from `proact methods`, or auto (default): stored plans, "
    "then\n"
    "                     those that a cost model selects; several with commas, or all, "
    "are\n"
    "                     compared. A comparison may name unified: unified memory, "
    "emulated\n"
    "                     only\n"
    "  --compare          compare the method, or all methods, with bulk and one device\n"
    "  --chunk BYTES      bytes sent at once, a power of two from 4K to 256M (default "
    "64K)\n"
    "  --threads N        threads of the transfer agent, 32 to 49152 (default: enough to\n"
    "                     saturate the links)\n"
    "  --profile FILE     use the stored plans of `proact tune` from FILE, in addition to "
    "those\n"
    "                     of the system, the user and PROACT_PROFILE; they apply without\n"
    "                     --method, --chunk and --threads\n"
    "  --send WHAT        needed: what other devices read (default); all: each written "
    "byte\n"
    "                     to all devices, as in the PROACT paper\n"
    "  --seed S           seed of the emulated schedule; another seed is another legal "
    "order\n"
    "                     (default 0)\n"
    "  --runs N           the median of N runs, an odd number up to 99 (default 1, on GPUs "
    "3);\n"
    "                     emulated runs have consecutive seeds\n"
    "  --replay           with --compare: execute the first launches by bulk, and compute "
    "the\n"
    "                     times of all methods from their recorded costs; emulated "
    "machines\n"
    "  --sample N         the same from every N-th CTA; no answer; needs --iterations\n"
    "  --check            reject what hardware tolerates, such as reads of unwritten "
    "bytes;\n"
    "                     slow\n"
    "\n"
    "Output; FILE - is stdout, and everything else goes to stderr:\n"
    "  -o, --output FILE  write the answer: text, FILE.npy, or NAME.npy in a folder\n"
    "  --json FILE        write all results with units, version and command line\n"
    "  --log FILE         write the convergence, a line for each iteration, as CSV\n"
    "  --plot FILE        draw the convergence as SVG; of a comparison, the speedups\n"
    "  --chart            print a bar chart of the speedups; the default on a terminal\n"
    "  --trace FILE       write a trace of one method for ui.perfetto.dev\n"
    "  --reference        compare the answer with that of a program on the host\n"
    "\n"
    "Long runs:\n"
    "  --checkpoint FILE  write the state every N iterations (--every N, default 100)\n"
    "  --resume FILE      go on from a checkpoint; the answer has the same bits\n"
    "  -h, --help         print this text\n"
    "\n"
    "Exit status: 0 success, 1 invalid input or a failed run, 2 invalid command line, 3 "
    "the\n"
    "answer differs from that of one device or of the host, 130 interrupted.\n";

/* Two columns. A name too long for the first one has a line of its own. */
static void print_entry(const char *name, const char *lines, FILE *to)
{
    bool fits = strlen(name) < NAME_COLUMNS;

    fprintf(to, fits ? "  %-*s" : "  %-*s\n", NAME_COLUMNS, name);
    for (const char *line = lines; *line;) {
        size_t bytes = strcspn(line, "\n");

        if (!fits || line != lines)
            fprintf(to, "%*s", NAME_COLUMNS + 2, "");
        fprintf(to, "%.*s\n", (int)bytes, line);
        line += bytes + (line[bytes] == '\n');
    }
}

static void print_applications(FILE *to)
{
    char name[64];

    fputs("Applications:\n", to);
    for (const struct run_application *const *a = run_applications; *a; a++) {
        snprintf(name, sizeof name, "%s %s", (*a)->name,
                 (*a)->operand ? (*a)->operand : "");
        print_entry(name, (*a)->summary, to);
    }
    fputs("\nOptions of all applications:\n", to);
}

static void print_application(const struct run_application *a, FILE *to)
{
    char name[64];

    fprintf(to, "Usage: proact run %s%s%s [OPTION...]\n\n%s\nOptions of %s:\n", a->name,
            a->operand ? " " : "", a->operand ? a->operand : "", a->help, a->name);
    for (const struct run_option *o = a->options; o && o->name; o++) {
        snprintf(name, sizeof name, "--%s%s%s", o->name, o->argument ? " " : "",
                 o->argument ? o->argument : "");
        print_entry(name, o->help, to);
    }
}

/* The option, and the applications without it. One application without it has no line. */
static void print_tolerance(const struct run_application *application, FILE *to)
{
    struct text without = {0};

    if (application && application->stop_rule)
        return;
    fputs(tolerance, to);
    for (const struct run_application *const *a = run_applications; *a; a++)
        if ((*a)->stop_rule && !application)
            text_print(&without, "%s%s", without.length ? ", " : "", (*a)->name);
    if (without.length)
        fprintf(to, "%*s(not for %s)\n", NAME_COLUMNS + 2, "", without.data);
    text_clear(&without);
}

void run_options_help(const struct run_application *application, FILE *to)
{
    if (application) {
        print_application(application, to);
    } else {
        fputs(opening, to);
        print_applications(to);
    }
    print_tolerance(application, to);
    fputs(common, to);
}
