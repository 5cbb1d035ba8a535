/* SPDX-License-Identifier: Apache-2.0 */
/* Text of `nvidia-smi topo -m`. The header lists the devices, each row has a cell for each
   of them; network cards and affinities follow. Tabs or spaces separate the columns, and
   the header may be underlined by terminal codes. Lines of `nvidia-smi -L` name the GPUs:

       GPU 0: NVIDIA H200 (UUID: GPU-...) */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "model/import/import_values.h"

enum { WORD_MAX = 32, SMI_LINKS_MAX = 64 };

struct smi_reader {
    const char *path;
    struct import_values *v;
    unsigned columns; /* of GPUs */
    bool seen[TOPOLOGY_DEVICES_MAX];
    bool has_links;                                           /* an NVLink */
    bool is_near[TOPOLOGY_DEVICES_MAX][TOPOLOGY_DEVICES_MAX]; /* under one PCIe switch */
};

/* The next word of the line from *at; terminal codes are skipped. False at its end. */
static bool smi_word(const struct import_line *line, size_t *at, char word[WORD_MAX])
{
    size_t n = 0;

    while (*at < line->length) {
        const char c = line->begin[*at];

        if (c == '\033') {
            while (*at < line->length && !isalpha((unsigned char)line->begin[*at]))
                ++*at;
            *at += *at < line->length;
            continue;
        }
        if (isspace((unsigned char)c) && n)
            break;
        if (!isspace((unsigned char)c) && n + 1 < WORD_MAX)
            word[n++] = c;
        ++*at;
    }
    word[n] = '\0';
    return n > 0;
}

/* The number of "GPU7"; -1: another word. */
static int smi_gpu(const char *word)
{
    const size_t digits =
        strspn(word + (strncmp(word, "GPU", 3) == 0 ? 3 : 0), "0123456789");

    if (strncmp(word, "GPU", 3) != 0 || !digits || digits > 3 || word[3 + digits])
        return -1;
    return (int)strtol(word + 3, NULL, 10);
}

/* The number of GPUs in a header; 0: another line. */
static unsigned smi_header(const struct import_line *line)
{
    char word[WORD_MAX];
    unsigned count = 0;

    for (size_t at = 0; smi_word(line, &at, word) && smi_gpu(word) == (int)count;)
        count++;
    return count;
}

bool import_is_smi(const char *text)
{
    struct import_line line = {.number = 0};

    for (const char *at = text; import_next_line(&at, &line);) {
        size_t from = 0;
        char first[WORD_MAX], second[WORD_MAX];

        if (smi_word(&line, &from, first) && smi_gpu(first) == 0 &&
            smi_word(&line, &from, second) &&
            (smi_gpu(second) == 1 || strcmp(second, "CPU") == 0))
            return true;
    }
    return false;
}

/* "NV18", or how the path crosses PCIe. */
static enum proact_status smi_cell(struct smi_reader *r, const struct import_line *line,
                                   unsigned row, unsigned column, const char *word,
                                   struct proact_error *err)
{
    static const char *const paths[] = {"SYS", "NODE", "PHB", "PXB", "PIX", "PSB", "SOC"};
    char *end = NULL;
    const unsigned long links =
        strncmp(word, "NV", 2) == 0 ? strtoul(word + 2, &end, 10) : 0;
    bool is_known = end && end != word + 2 && !*end && links && links <= SMI_LINKS_MAX;

    r->v->link[row][column] = is_known ? (double)links : 0;
    r->has_links |= is_known;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        is_known |= strcmp(word, paths[i]) == 0;
    if (row == column ? strcmp(word, "X") != 0 : !is_known)
        return fail(err, PROACT_EINVAL, "%s:%u: GPU%u to GPU%u: expected %s, found '%s'",
                    r->path, line->number, row, column,
                    row == column ? "X" : "NV and a number, SYS, NODE, PHB, PXB or PIX",
                    word);
    r->is_near[row][column] =
        strcmp(word, "PIX") == 0 || strcmp(word, "PXB") == 0 || strcmp(word, "PSB") == 0;
    return PROACT_OK;
}

static enum proact_status smi_row(struct smi_reader *r, const struct import_line *line,
                                  struct proact_error *err)
{
    char word[WORD_MAX];
    size_t at = 0;
    const int row = smi_word(line, &at, word) ? smi_gpu(word) : -1;
    enum proact_status status = PROACT_OK;

    if (row < 0)
        return PROACT_OK;
    if (!line->is_ended)
        return fail(err, PROACT_EINVAL,
                    "%s:%u: the last line has no end: the file may be incomplete", r->path,
                    line->number);
    if ((unsigned)row >= r->columns || r->seen[row])
        return fail(err, PROACT_EINVAL,
                    "%s:%u: expected one row for each of the %u GPUs of the header, found "
                    "GPU%d again or a later one",
                    r->path, line->number, r->columns, row);
    r->seen[row] = true;
    for (unsigned j = 0; j < r->columns && !status; j++) {
        if (!smi_word(line, &at, word))
            return fail(err, PROACT_EINVAL, "%s:%u: GPU%d: expected %u columns, found %u",
                        r->path, line->number, row, r->columns, j);
        status = smi_cell(r, line, (unsigned)row, j, word, err);
    }
    return status;
}

/* "GPU 0: NAME (UUID: ...)" */
static void smi_name(struct smi_reader *r, const struct import_line *line)
{
    static const char start[] = "GPU 0: ";
    const size_t length = sizeof start - 1;

    if (line->length <= length || strncmp(line->begin, start, length) != 0)
        return;
    for (size_t i = length; i + 6 <= line->length; i++)
        if (strncmp(line->begin + i, " (UUID", 6) == 0)
            snprintf(r->v->gpu, sizeof r->v->gpu, "%.*s", (int)(i - length),
                     line->begin + length);
}

static enum proact_status smi_lines(struct smi_reader *r, const char *text,
                                    struct proact_error *err)
{
    struct import_line line = {.number = 0};
    enum proact_status status = PROACT_OK;

    for (const char *at = text; !status && import_next_line(&at, &line);) {
        const unsigned count = smi_header(&line);

        smi_name(r, &line);
        if (!count && r->columns)
            status = smi_row(r, &line, err);
        else if (count > 1 || (count == 1 && !r->columns))
            r->columns = r->columns ? r->columns : count;
        else if (count == 1)
            status = smi_row(r, &line, err); /* the row of GPU0 */
        if (!status && r->columns > TOPOLOGY_DEVICES_MAX)
            status = fail(err, PROACT_EINVAL, "%s:%u: expected at most %d GPUs, found %u",
                          r->path, line.number, TOPOLOGY_DEVICES_MAX, r->columns);
    }
    return status;
}

/* GPUs under one switch have one group, whose number is that of its first GPU. */
static void smi_groups(struct smi_reader *r)
{
    struct import_values *v = r->v;

    for (unsigned i = 0; i < v->device_count; i++) {
        v->group[i] = i;
        for (unsigned j = 0; j < i; j++)
            if (r->is_near[i][j] && v->group[i] == i)
                v->group[i] = v->group[j];
    }
}

static enum proact_status smi_take(struct smi_reader *r, struct proact_error *err)
{
    struct import_values *v = r->v;

    if (r->columns < 2)
        return fail(err, PROACT_EINVAL,
                    "%s: nvidia-smi topo: expected at least 2 GPUs, "
                    "found %u",
                    r->path, r->columns);
    v->device_count = r->columns;
    for (unsigned i = 0; i < r->columns; i++) {
        if (!r->seen[i])
            return fail(err, PROACT_EINVAL,
                        "%s: nvidia-smi topo: the row of GPU%u is missing", r->path, i);
        for (unsigned j = 0; j < i; j++)
            if (v->link[i][j] != v->link[j][i])
                return fail(err, PROACT_EINVAL,
                            "%s: nvidia-smi topo: GPU%u to GPU%u has %g NVLinks, back %g",
                            r->path, i, j, v->link[i][j], v->link[j][i]);
    }
    v->kind = r->has_links ? IMPORT_LINKS : IMPORT_SWITCHES;
    snprintf(v->links_from, sizeof v->links_from, "topo -m, %s",
             r->has_links ? "numbers of NVLinks" : "PCIe switches");
    smi_groups(r);
    return PROACT_OK;
}

enum proact_status import_smi(const char *path, const char *text, struct import_values *v,
                              struct proact_error *err)
{
    struct smi_reader *r = must_calloc(1, sizeof *r);

    *r = (struct smi_reader){.path = path, .v = v};
    v->format = "nvidia-smi topo";
    enum proact_status status = smi_lines(r, text, err);

    if (!status)
        status = smi_take(r, err);
    free(r);
    return status;
}
