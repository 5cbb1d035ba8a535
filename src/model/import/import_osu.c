/* SPDX-License-Identifier: Apache-2.0 */
/* Text of osu_bw and osu_latency between two GPUs. A section starts with a title:

       # OSU MPI-CUDA Bandwidth Test v7.5

   Versions up to 5 state the place of the buffers in the next line, later ones their data
   type. Rows have a size, a value, and further columns with some options. Lines of the MPI
   library may stand between. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "model/fit.h"
#include "model/import/import_values.h"

enum {
    LINK_BYTES = 1 << 20, /* a message whose time is that of its bytes */
    COPY_BYTES = 64 << 10 /* one that MPI libraries send by a copy */
};
static const char title[] = "# OSU MPI";

enum osu_kind { OSU_OTHER, OSU_BANDWIDTH, OSU_LATENCY, OSU_KINDS };

struct osu_table {
    struct fit_point *point;
    size_t count, capacity;
};

struct osu_reader {
    const char *path;
    struct import_values *v;
    enum osu_kind kind; /* of the section */
    bool is_host;       /* its buffers are in host memory */
    bool had_host;      /* so were those of a section */
    struct osu_table table[OSU_KINDS];
};

static bool line_starts(const struct import_line *line, const char *with)
{
    return line->length >= strlen(with) && strncmp(line->begin, with, strlen(with)) == 0;
}

static bool line_has(const struct import_line *line, const char *text)
{
    const size_t length = strlen(text);

    for (size_t i = 0; i + length <= line->length; i++)
        if (strncmp(line->begin + i, text, length) == 0)
            return true;
    return false;
}

/* Spaces before the text, as in logs. */
static struct import_line line_trimmed(const struct import_line *line)
{
    struct import_line l = *line;

    while (l.length && (*l.begin == ' ' || *l.begin == '\t')) {
        l.begin++;
        l.length--;
    }
    return l;
}

bool import_is_osu(const char *text)
{
    struct import_line line = {.number = 0};

    for (const char *at = text; import_next_line(&at, &line);) {
        const struct import_line l = line_trimmed(&line);

        if (line_starts(&l, title))
            return true;
    }
    return false;
}

static void osu_title(struct osu_reader *r, const struct import_line *line)
{
    const bool is_cuda = line_starts(line, "# OSU MPI-CUDA ");
    const char *test = line->begin + strlen(is_cuda ? "# OSU MPI-CUDA " : "# OSU MPI ");
    const struct import_line rest = {.begin = test,
                                     .length = (size_t)(line->begin + line->length - test)};
    size_t at = line->length;

    r->kind = OSU_OTHER;
    r->is_host = !is_cuda;
    if (!is_cuda && !line_starts(line, "# OSU MPI "))
        return; /* MPI_Put, MPI-ROCM */
    if (line_starts(&rest, "Bandwidth Test"))
        r->kind = OSU_BANDWIDTH;
    else if (line_starts(&rest, "Latency Test"))
        r->kind = OSU_LATENCY;
    r->had_host |= r->kind != OSU_OTHER && r->is_host;
    while (at > 0 && line->begin[at - 1] != ' ')
        at--;
    if (r->kind != OSU_OTHER && !r->is_host)
        snprintf(r->v->version, sizeof r->v->version, "%.*s", (int)(line->length - at),
                 line->begin + at);
}

/* "# Send Buffer on DEVICE (D) and Receive Buffer on DEVICE (D)" */
static void osu_comment(struct osu_reader *r, const struct import_line *line)
{
    if (line_starts(line, title)) {
        osu_title(r, line);
    } else if (line_has(line, "Buffer on") && line_has(line, "HOST")) {
        r->is_host = true;
        r->had_host |= r->kind != OSU_OTHER;
    }
}

static enum proact_status osu_row(struct osu_reader *r, const struct import_line *line,
                                  struct proact_error *err)
{
    char text[64], *end = NULL, *value_end = NULL;
    struct osu_table *t = &r->table[r->kind];

    snprintf(text, sizeof text, "%.*s", (int)line->length, line->begin);
    const double bytes = strtod(text, &end);
    const double value = strtod(end, &value_end);

    if (!line->is_ended)
        return fail(err, PROACT_EINVAL,
                    "%s:%u: the last line has no end: the file may be incomplete", r->path,
                    line->number);
    if (end == text || value_end == end || bytes != floor(bytes) ||
        !(bytes >= 0 && bytes <= 1e12 && value >= 0 && value <= 1e12))
        return fail(err, PROACT_EINVAL,
                    "%s:%u: expected a size and a value in this table, found '%.40s'",
                    r->path, line->number, text);
    if (bytes == 0 || value == 0)
        return PROACT_OK;
    t->point = must_grow(t->point, t->count, &t->capacity, sizeof *t->point);
    t->point[t->count++] = (struct fit_point){
        bytes, r->kind == OSU_BANDWIDTH ? bytes / value * 1e3 : value * 1e3, 0};
    return PROACT_OK;
}

/* The time of a message in addition to its bytes, and the rate, from messages that are
   copies. False without large messages. */
static bool osu_copies(const struct osu_table *t, double *base_ns, double *gbps)
{
    struct fit_point *copy = must_calloc(t->count + 1, sizeof *copy);
    size_t copies = 0, most = 0;
    struct fit_curve c;

    for (size_t i = 0; i < t->count; i++) {
        if (t->point[i].bytes < COPY_BYTES)
            continue;
        copy[copies++] = t->point[i];
        if (copy[copies - 1].bytes > copy[most].bytes)
            most = copies - 1;
    }
    const struct fit_point largest = copy[most];

    fit_curve_find(copy, copies, &c);
    free(copy);
    if (largest.bytes < LINK_BYTES)
        return false;
    const struct fit_piece *last = &c.piece[c.count - 1];
    const bool is_line = copies > 2 && last->ns_per_byte > 0;

    *base_ns = is_line ? fmax(last->base_ns, 0) : 0;
    *gbps = is_line ? 1 / last->ns_per_byte : largest.bytes / largest.ns;
    return true;
}

static enum proact_status osu_take(struct osu_reader *r, struct proact_error *err)
{
    struct import_values *v = r->v;
    double rate = 0, latency_rate = 0;
    const bool has_rate = osu_copies(&r->table[OSU_BANDWIDTH], &v->copy_next_ns, &rate);
    const bool has_latency =
        osu_copies(&r->table[OSU_LATENCY], &v->copy_one_ns, &latency_rate);

    if (!has_rate && !has_latency && r->had_host && !r->table[OSU_BANDWIDTH].count &&
        !r->table[OSU_LATENCY].count)
        return fail(err, PROACT_EINVAL,
                    "%s: the buffers are in host memory: expected osu_bw or osu_latency "
                    "with device buffers (-d cuda D D)",
                    r->path);
    if (!has_rate && !has_latency)
        return fail(err, PROACT_EINVAL,
                    "%s: OSU micro-benchmarks: expected a table of osu_bw or osu_latency "
                    "with messages of at least %d bytes",
                    r->path, LINK_BYTES);
    v->device_count = 2;
    v->link[0][1] = v->link[1][0] = has_rate ? rate : latency_rate;
    snprintf(v->links_from, sizeof v->links_from, "%s",
             has_rate ? "osu_bw" : "osu_latency");
    return PROACT_OK;
}

enum proact_status import_osu(const char *path, const char *text, struct import_values *v,
                              struct proact_error *err)
{
    struct osu_reader r = {.path = path, .v = v};
    struct import_line line = {.number = 0};
    enum proact_status status = PROACT_OK;

    v->format = "OSU micro-benchmarks";
    v->kind = IMPORT_GOODPUT;
    for (const char *at = text; !status && import_next_line(&at, &line);) {
        const struct import_line l = line_trimmed(&line);

        if (l.length && *l.begin == '#')
            osu_comment(&r, &l);
        else if (l.length && *l.begin >= '0' && *l.begin <= '9' && r.kind != OSU_OTHER &&
                 !r.is_host)
            status = osu_row(&r, &l, err);
    }
    if (!status)
        status = osu_take(&r, err);
    for (int kind = 0; kind < OSU_KINDS; kind++)
        free(r.table[kind].point);
    return status;
}
