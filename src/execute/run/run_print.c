/* SPDX-License-Identifier: Apache-2.0 */
/* printf of a kernel: the format is text in memory, the arguments are packed as in C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "execute/run/run.h"

enum { TEXT_MAX = 8192 };

struct printing {
    struct execute_warp *w;
    uint32_t line;
    unsigned lane;
    uint64_t at;    /* address of the next argument */
    uint32_t count; /* arguments read so far */
    struct text out;
};

/* One conversion: %[flags][width][.precision][length]letter. */
struct conversion {
    char flags[8];
    int width, precision; /* -1: none */
    unsigned bytes;       /* of an integer argument */
    char letter;
};

static bool read_text(struct execute_warp *w, uint32_t line, unsigned lane,
                      uint64_t address, char *out, size_t size)
{
    for (size_t n = 0; n + 1 < size; n++) {
        if (!memory_read(w, line, lane, address + n, 1, &out[n]))
            return false;
        if (!out[n])
            return true;
    }
    out[size - 1] = '\0';
    return true;
}

static bool next_argument(struct printing *p, unsigned bytes, uint64_t *out)
{
    *out = 0;
    p->count++;
    p->at = (p->at + bytes - 1) / bytes * bytes;
    p->at += bytes;
    return memory_read(p->w, p->line, p->lane, p->at - bytes, bytes, out);
}

/* Reads a number, or for `*` the next argument. */
static bool read_number(struct printing *p, const char **format, int *out)
{
    uint64_t bits;

    if (**format == '*') {
        (*format)++;
        if (!next_argument(p, 4, &bits))
            return false;
        *out = (int)(uint32_t)bits;
        return true;
    }
    *out = 0;
    while (**format >= '0' && **format <= '9' && *out < TEXT_MAX)
        *out = *out * 10 + (*(*format)++ - '0');
    return true;
}

static bool read_conversion(struct printing *p, const char **format, struct conversion *c)
{
    size_t flags = 0;

    *c = (struct conversion){.width = 0, .precision = -1, .bytes = 4};
    while (**format && strchr("-+ #0", **format) && flags < 5)
        c->flags[flags++] = *(*format)++;
    if (!read_number(p, format, &c->width))
        return false;
    if (**format == '.') {
        (*format)++;
        if (!read_number(p, format, &c->precision))
            return false;
    }
    for (; **format && strchr("hljztqL", **format); (*format)++)
        c->bytes = **format == 'h' ? (c->bytes == 2 ? 1 : 2) : 8;
    c->letter = **format;
    if (c->letter)
        (*format)++;
    return true;
}

static void build(const struct conversion *c, const char *length, char *out, size_t size)
{
    char precision[16] = "";

    if (c->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", c->precision);
    if (c->width)
        snprintf(out, size, "%%%s%d%s%s%c", c->flags, c->width, precision, length,
                 c->letter);
    else
        snprintf(out, size, "%%%s%s%s%c", c->flags, precision, length, c->letter);
}

static int64_t sign_extend(uint64_t bits, unsigned bytes)
{
    unsigned unused = 64 - 8 * bytes;

    return (int64_t)(bits << unused) >> unused;
}

/* The letter is known and the format is built here, but the compiler cannot check it. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static bool convert(struct printing *p, const struct conversion *c)
{
    char format[48], *text;
    uint64_t bits;
    double value;
    bool done;

    switch (c->letter) {
    case 'd':
    case 'i':
        build(c, "l", format, sizeof format);
        if (!next_argument(p, c->bytes < 4 ? 4 : c->bytes, &bits))
            return false;
        text_print(&p->out, format, (long)sign_extend(bits, c->bytes));
        return true;
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        build(c, "l", format, sizeof format);
        if (!next_argument(p, c->bytes < 4 ? 4 : c->bytes, &bits))
            return false;
        text_print(&p->out, format,
                   c->bytes < 8 ? (unsigned long)(bits & ((1ull << 8 * c->bytes) - 1))
                                : bits);
        return true;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        build(c, "", format, sizeof format);
        if (!next_argument(p, 8, &bits))
            return false;
        memcpy(&value, &bits, sizeof value);
        text_print(&p->out, format, value);
        return true;
    case 'c':
        build(c, "", format, sizeof format);
        if (!next_argument(p, 4, &bits))
            return false;
        text_print(&p->out, format, (int)(unsigned char)bits);
        return true;
    case 'p':
        build(c, "", format, sizeof format);
        if (!next_argument(p, 8, &bits))
            return false;
        text_print(&p->out, format, (void *)(uintptr_t)bits);
        return true;
    case 's':
        build(c, "", format, sizeof format);
        if (!next_argument(p, 8, &bits))
            return false;
        text = must_calloc(TEXT_MAX, 1);
        done = read_text(p->w, p->line, p->lane, bits, text, TEXT_MAX);
        if (done)
            text_print(&p->out, format, text);
        free(text);
        return done;
    default:
        if (c->letter)
            text_add(&p->out, &c->letter, 1);
        return true;
    }
}

static bool print_format(struct printing *p, const char *format)
{
    struct conversion c;

    while (*format) {
        size_t plain = strcspn(format, "%");

        text_add(&p->out, format, plain);
        format += plain;
        if (*format != '%')
            break;
        format++;
        if (!read_conversion(p, &format, &c) || !convert(p, &c))
            return false;
    }
    return true;
}

/* The result is the number of arguments, or -1 without a format. */
bool print_lanes(struct execute_warp *w, const struct execute_op *op, uint32_t mask)
{
    const struct execute_host *host = w->grid->launch.host;
    char *format = must_calloc(TEXT_MAX, 1);
    bool done = true;

    for (; mask && done; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        const uint64_t from = thread_word(w, lane, op->from[0], 8);
        struct printing p = {.w = w, .line = op->line, .lane = lane};

        p.at = thread_word(w, lane, op->from[1], 8);
        done = !from || (read_text(w, op->line, lane, from, format, TEXT_MAX) &&
                         print_format(&p, format));
        if (done && host->print && p.out.length)
            host->print(host->context, p.out.data, p.out.length);
        thread_answer(w, lane, op->to, from ? p.count : UINT32_MAX, 4);
        text_clear(&p.out);
    }
    free(format);
    return done;
}

void print_assertion(struct execute_warp *w, const struct execute_op *op, uint32_t mask)
{
    unsigned lane = (unsigned)__builtin_ctz(mask);
    char message[100], file[60];

    if (read_text(w, op->line, lane, thread_word(w, lane, op->from[0], 8), message,
                  sizeof message) &&
        read_text(w, op->line, lane, thread_word(w, lane, op->from[1], 8), file,
                  sizeof file))
        warp_fault(w, op->line, lane, "%s:%u: assertion `%s' failed", file,
                   (unsigned)thread_word(w, lane, op->from[2], 4), message);
}
