/* SPDX-License-Identifier: Apache-2.0 */
/* Text form of profiles: fields in a fixed order, each line with a checksum. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "plan/profile.h"

enum { LINE_BYTES = 2048 };

/* Words have no spaces: other characters than printable ASCII are %XX. */
static void print_encoded(struct text *out, const char *name, const char *value)
{
    text_print(out, " %s=", name);
    for (const char *c = value; *c; c++)
        if (isgraph((unsigned char)*c) && *c != '%')
            text_add(out, c, 1);
        else
            text_print(out, "%%%02X", (unsigned char)*c);
}

static void print_ns(struct text *out, const char *name, double ns)
{
    text_print(out, " %s=%.0f", name, ns);
}

static void print_triple(struct text *out, const char *name, const uint32_t n[3])
{
    text_print(out, " %s=%u,%u,%u", name, n[0], n[1], n[2]);
}

/* Ends the line that starts at `from` with its checksum, which it returns. That of a
   candidate continues that of its problem. */
static uint64_t print_sum(struct text *out, size_t from, uint64_t seed)
{
    const uint64_t sum = hash_bytes(out->data + from, out->length - from, seed);

    text_print(out, " sum=%08x\n", (unsigned)(sum >> 32));
    return sum;
}

static void print_plan(struct text *out, const struct plan *plan)
{
    char words[PLAN_TEXT_BYTES];

    plan_print(plan, words);
    text_print(out, " plan%s%s", *words ? " " : "", words);
}

static void write_problem(struct text *out, const struct profile_entry *e)
{
    const struct profile_key *k = &e->key;
    size_t from = out->length;

    text_print(out, "problem");
    print_encoded(out, "version", k->version);
    print_encoded(out, "machine", k->machine);
    print_encoded(out, "driver", k->driver);
    text_print(out, " devices=%u", k->device_count);
    print_encoded(out, "kernel", k->kernel);
    text_print(out, " text=%016llx", (unsigned long long)k->text);
    print_triple(out, "grid", k->grid);
    print_triple(out, "block", k->threads);
    text_print(out, " bytes=%llu recorded=%d", (unsigned long long)k->bytes,
               k->is_recorded);
    print_ns(out, "predicted", e->predicted_ns);
    print_ns(out, "measured", e->measured_ns);
    print_ns(out, "spread", e->spread_ns);
    print_ns(out, "split", e->split_ns);
    print_ns(out, "single", e->single_ns);
    text_print(out, " runs=%u", e->runs);
    print_encoded(out, "date", e->date);
    text_print(out, " pinned=%d", e->is_pinned);
    print_plan(out, &e->plan);
    uint64_t sum = print_sum(out, from, 0);

    for (size_t i = 0; i < e->candidate_count; i++) {
        const struct profile_candidate *c = &e->candidates[i];

        from = out->length;
        text_print(out, "candidate");
        print_ns(out, "predicted", c->predicted_ns);
        print_ns(out, "measured", c->measured_ns);
        print_ns(out, "spread", c->spread_ns);
        text_print(out, " runs=%u why=%s", c->runs, profile_reasons[c->reason]);
        print_plan(out, &c->plan);
        sum = print_sum(out, from, sum);
    }
}

void profile_print(const struct profile *p, struct text *out)
{
    text_print(out, "%s\n", PROFILE_HEADER);
    for (size_t i = 0; i < profile_count(p); i++)
        write_problem(out, profile_at(p, i));
}

/* Reader of one line. The first failure stays and ends the reading. */
struct line {
    const char *file;
    unsigned number;
    char *at; /* the rest */
    struct proact_error *err;
    enum proact_status status;
};

__attribute__((format(printf, 2, 3))) static void line_fail(struct line *l,
                                                            const char *format, ...)
{
    char text[192];
    va_list args;

    if (l->status)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++) /* the line may contain any bytes */
        *c = isprint((unsigned char)*c) ? *c : '?';
    l->status = fail(l->err, PROACT_EINVAL, "%s:%u: %s", l->file, l->number, text);
}

/* The next word, "" at the end. */
static char *line_word(struct line *l)
{
    char *word = l->at;
    char *end = word + strcspn(word, " ");

    l->at = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

/* The value of the next word, which must be NAME=VALUE; "" after a failure. */
static const char *line_value(struct line *l, const char *name)
{
    static const char none[] = "";
    const size_t length = strlen(name);

    if (l->status)
        return none;
    const char *word = line_word(l);

    if (strncmp(word, name, length) == 0 && word[length] == '=')
        return word + length + 1;
    line_fail(l, "expected '%s=', found '%.40s'", name, word);
    return none;
}

static unsigned hex_digit(char c)
{
    return (unsigned)(isdigit((unsigned char)c) ? c - '0' : c - 'A' + 10);
}

static bool is_hex_digit(char c)
{
    return isdigit((unsigned char)c) || (c >= 'A' && c <= 'F');
}

static void take_encoded(struct line *l, const char *name, char *out, size_t room)
{
    const char *value = line_value(l, name);
    size_t n = 0;

    for (const char *c = value; *c && !l->status; c++) {
        char plain = *c;

        if (*c == '%') {
            if (!is_hex_digit(c[1]) || !is_hex_digit(c[2]))
                line_fail(l, "%s: '%%' without two digits", name);
            else
                plain = (char)(hex_digit(c[1]) << 4 | hex_digit(c[2]));
            c += l->status ? 0 : 2;
        }
        if (n + 1 >= room)
            line_fail(l, "%s: more than %zu characters", name, room - 1);
        else
            out[n++] = plain;
    }
    out[n] = '\0';
}

static uint64_t take_uint(struct line *l, const char *name, uint64_t most)
{
    const char *value = line_value(l, name);
    char *end;

    errno = 0;
    const unsigned long long n = strtoull(value, &end, 10);

    if (!l->status && (!isdigit((unsigned char)*value) || *end || errno || n > most))
        line_fail(l, "%s: expected a number up to %llu, found '%.40s'", name,
                  (unsigned long long)most, value);
    return n;
}

static double take_ns(struct line *l, const char *name)
{
    return (double)take_uint(l, name, 1ull << 53); /* exact as a double */
}

static uint64_t take_hex(struct line *l, const char *name, int digits)
{
    const char *value = line_value(l, name);
    char *end;
    const unsigned long long n = strtoull(value, &end, 16);

    if (!l->status && (!isxdigit((unsigned char)*value) || end != value + digits || *end))
        line_fail(l, "%s: expected %d hexadecimal digits, found '%.40s'", name, digits,
                  value);
    return n;
}

/* A number and the character after it, which must be `end`. */
static const char *triple_part(const char *at, char end, uint32_t *out)
{
    char *after;

    errno = 0;
    const unsigned long long n = strtoull(at, &after, 10);

    if (!isdigit((unsigned char)*at) || *after != end || errno || n > UINT32_MAX)
        return NULL;
    *out = (uint32_t)n;
    return after + 1;
}

static void take_triple(struct line *l, const char *name, uint32_t out[3])
{
    const char *value = line_value(l, name), *at = value;

    for (int i = 0; i < 3 && at; i++)
        at = triple_part(at, i < 2 ? ',' : '\0', &out[i]);
    if (!l->status && !at)
        line_fail(l, "%s: expected three numbers, found '%.40s'", name, value);
}

/* The plan up to the checksum, which ends the line. */
static void take_plan(struct line *l, struct plan *out)
{
    struct proact_error err = {""};
    const char *word;

    if (l->status)
        return;
    if (strcmp(word = line_word(l), "plan") != 0)
        line_fail(l, "expected 'plan', found '%.40s'", word);
    else if (plan_parse(l->at, out, &err))
        line_fail(l, "%.160s", err.text);
}

static void take_date(struct line *l, char out[12])
{
    take_encoded(l, "date", out, 12);
    for (int i = 0; i < 10 && !l->status; i++)
        if (i == 4 || i == 7 ? out[i] != '-' : !isdigit((unsigned char)out[i]))
            line_fail(l, "date: expected YYYY-MM-DD, found '%s'", out);
    if (!l->status && out[10])
        line_fail(l, "date: expected YYYY-MM-DD, found '%s'", out);
}

/* Cuts the checksum off and compares it; `sum` is that of the previous line. */
static void take_sum(struct line *l, uint64_t seed, uint64_t *sum)
{
    enum { SUM_BYTES = 13 }; /* " sum=12345678" */
    const size_t length = strlen(l->at);
    char *end = l->at + length - SUM_BYTES;

    if (length <= SUM_BYTES || strncmp(end, " sum=", 5) != 0) {
        line_fail(l, "the line does not end with a checksum, 'sum=' and 8 digits");
        return;
    }
    struct line at_sum = {l->file, l->number, end + 1, l->err, PROACT_OK};
    const uint64_t wanted = take_hex(&at_sum, "sum", 8);

    l->status = at_sum.status;
    *end = '\0';
    *sum = hash_bytes(l->at, length - SUM_BYTES, seed);
    if (*sum >> 32 != wanted)
        line_fail(l, "the line was changed: its checksum is %08x, not %08x",
                  (unsigned)(*sum >> 32), (unsigned)wanted);
}

static void parse_problem(struct line *l, struct profile_entry *e)
{
    struct profile_key *k = &e->key;

    take_encoded(l, "version", k->version, sizeof k->version);
    take_encoded(l, "machine", k->machine, sizeof k->machine);
    take_encoded(l, "driver", k->driver, sizeof k->driver);
    k->device_count = (unsigned)take_uint(l, "devices", 64);
    take_encoded(l, "kernel", k->kernel, sizeof k->kernel);
    k->text = take_hex(l, "text", 16);
    take_triple(l, "grid", k->grid);
    take_triple(l, "block", k->threads);
    k->bytes = take_uint(l, "bytes", UINT64_MAX);
    k->is_recorded = take_uint(l, "recorded", 1) != 0;
    e->predicted_ns = take_ns(l, "predicted");
    e->measured_ns = take_ns(l, "measured");
    e->spread_ns = take_ns(l, "spread");
    e->split_ns = take_ns(l, "split");
    e->single_ns = take_ns(l, "single");
    e->runs = (unsigned)take_uint(l, "runs", UINT32_MAX);
    take_date(l, e->date);
    e->is_pinned = take_uint(l, "pinned", 1) != 0;
    take_plan(l, &e->plan);
}

static void take_candidate(struct line *l, struct profile_entry *e, size_t *capacity)
{
    struct profile_candidate c = {.reason = PROFILE_REASONS};

    c.predicted_ns = take_ns(l, "predicted");
    c.measured_ns = take_ns(l, "measured");
    c.spread_ns = take_ns(l, "spread");
    c.runs = (unsigned)take_uint(l, "runs", UINT32_MAX);
    const char *why = line_value(l, "why");

    for (int i = 0; i < PROFILE_REASONS; i++)
        if (strcmp(profile_reasons[i], why) == 0)
            c.reason = (enum profile_reason)i;
    if (c.reason == PROFILE_REASONS)
        line_fail(l, "why: '%.40s' is unknown", why);
    take_plan(l, &c.plan);
    if (l->status)
        return;
    e->candidates =
        must_grow(e->candidates, e->candidate_count, capacity, sizeof *e->candidates);
    e->candidates[e->candidate_count++] = c;
}

/* State between lines: the last problem, with its candidates so far. */
struct reader {
    struct profile *into;
    struct profile_entry entry;
    size_t capacity;
    bool has_entry;
    uint64_t sum;
};

static void reader_flush(struct reader *r)
{
    if (r->has_entry)
        profile_put(r->into, &r->entry);
    free(r->entry.candidates);
    r->entry = (struct profile_entry){.candidates = NULL};
    r->capacity = 0;
    r->has_entry = false;
}

static void reader_line(struct reader *r, struct line *l)
{
    const bool is_candidate = strncmp(l->at, "candidate ", 10) == 0;

    if (l->number == 1) {
        if (strcmp(l->at, PROFILE_HEADER) != 0)
            line_fail(l, "expected '%s', found '%.40s'", PROFILE_HEADER, l->at);
        return;
    }
    if (!is_candidate && strncmp(l->at, "problem ", 8) != 0) {
        line_fail(l, "expected 'problem' or 'candidate', found '%.40s'", l->at);
        return;
    }
    if (is_candidate && !r->has_entry) {
        line_fail(l, "a candidate without a problem before it");
        return;
    }
    take_sum(l, is_candidate ? r->sum : 0, &r->sum);
    line_word(l);
    if (is_candidate) {
        take_candidate(l, &r->entry, &r->capacity);
        return;
    }
    reader_flush(r);
    parse_problem(l, &r->entry);
    r->has_entry = !l->status;
}

enum proact_status profile_parse(const char *file, const char *data, size_t bytes,
                                 struct profile *into, struct proact_error *err)
{
    struct reader r = {.into = profile_create()};
    struct line l = {.file = file, .err = err};

    for (size_t at = 0; at < bytes && !l.status;) {
        const char *newline = memchr(data + at, '\n', bytes - at);
        const size_t length = newline ? (size_t)(newline - data) - at : bytes - at;
        char copy[LINE_BYTES];

        l.number++;
        l.at = copy;
        if (length >= sizeof copy || memchr(data + at, '\0', length)) {
            line_fail(&l,
                      length >= sizeof copy ? "more than %d characters"
                                            : "a zero byte among %d characters",
                      length >= sizeof copy ? LINE_BYTES - 1 : (int)length);
            break;
        }
        memcpy(copy, data + at, length);
        copy[length] = '\0';
        reader_line(&r, &l);
        at += length + 1;
    }
    reader_flush(&r);
    for (size_t i = 0; i < profile_count(r.into) && !l.status; i++)
        profile_put(into, profile_at(r.into, i));
    profile_free(r.into);
    return l.status;
}
