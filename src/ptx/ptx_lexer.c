/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "ptx/ptx_parser.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_inner(char c) /* True for a character of a name. */
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '$';
}

/* The text ends with a NUL, so reading one byte past a non-NUL byte is valid. */
static char byte(const struct ptx_parser *p, uint32_t at)
{
    return at < p->bytes ? p->text[at] : '\0';
}

/* Skips blanks and comments. False: unterminated comment. */
static bool skip_blank(struct ptx_parser *p)
{
    for (;;) {
        char c = byte(p, p->at);

        if (c == '\n') {
            p->line++;
            p->at++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            p->at++;
        } else if (c == '/' && byte(p, p->at + 1) == '/') {
            const char *end = memchr(p->text + p->at, '\n', p->bytes - p->at);

            p->at = end ? (uint32_t)(end - p->text) : p->bytes;
        } else if (c == '/' && byte(p, p->at + 1) == '*') {
            uint32_t end = p->at + 2;

            while (end < p->bytes && !(p->text[end] == '*' && byte(p, end + 1) == '/'))
                end++;
            if (end >= p->bytes)
                return false;
            for (; p->at < end + 2; p->at++)
                p->line += p->text[p->at] == '\n';
        } else {
            return true;
        }
    }
}

static uint32_t inner_end(const struct ptx_parser *p, uint32_t at)
{
    while (is_inner(byte(p, at)))
        at++;
    return at;
}

/* .b2, .b3210, .h1: the bytes or halves of a register that a video instruction selects. */
static bool is_selector(const struct ptx_parser *p, uint32_t at)
{
    uint32_t end = at + 2;

    if (byte(p, at + 1) != 'b' && byte(p, at + 1) != 'h')
        return false;
    while (is_digit(byte(p, end)))
        end++;
    return end > at + 2 && !is_inner(byte(p, end));
}

/* %tid.x is one name, so that unknown special registers pass through complete. */
static uint32_t name_end(const struct ptx_parser *p, uint32_t at)
{
    bool is_percent = byte(p, at) == '%';
    uint32_t end = inner_end(p, at + 1);

    while (is_percent && byte(p, end) == '.' && is_inner(byte(p, end + 1)) &&
           !is_selector(p, end))
        end = inner_end(p, end + 1);
    return end;
}

static uint32_t word_end(const struct ptx_parser *p, uint32_t at)
{
    uint32_t end = inner_end(p, at + 1);

    while (byte(p, end) == ':' && byte(p, end + 1) == ':' && is_inner(byte(p, end + 2)))
        end = inner_end(p, end + 2);
    return end;
}

static uint32_t number_end(const struct ptx_parser *p, uint32_t at)
{
    char second = byte(p, at + 1);
    bool decimal = byte(p, at) != '0' || is_digit(second) || !is_inner(second);
    uint32_t end = inner_end(p, at);

    for (; decimal; end = inner_end(p, end + 1)) {
        char c = byte(p, end), before = byte(p, end - 1);
        bool exponent = (c == '+' || c == '-') && (before == 'e' || before == 'E');

        if (!(c == '.' || exponent) || !is_digit(byte(p, end + 1)))
            break;
    }
    return end;
}

/* End of the string. 0: unterminated. */
static uint32_t string_end(const struct ptx_parser *p, uint32_t at)
{
    for (at++; at < p->bytes && p->text[at] != '\n'; at++) {
        if (p->text[at] == '"')
            return at + 1;
        if (p->text[at] == '\\' && at + 1 < p->bytes && p->text[at + 1] != '\n')
            at++;
    }
    return 0;
}

static void set_token(struct ptx_parser *p, enum ptx_token_kind kind, uint32_t end)
{
    p->token = (struct ptx_token){kind, '\0', p->line, {p->at, end - p->at}};
    p->at = end;
}

void ptx_next(struct ptx_parser *p)
{
    bool closed = skip_blank(p);
    uint32_t at = p->at;
    char c = byte(p, at);

    if (at >= p->bytes) {
        set_token(p, PTX_TOKEN_END, at);
    } else if (!closed) {
        set_token(p, PTX_TOKEN_BAD, at + 2);
    } else if (c == '"' && !string_end(p, at)) {
        set_token(p, PTX_TOKEN_BAD, at + 1);
    } else if (c == '"') {
        set_token(p, PTX_TOKEN_STRING, string_end(p, at));
    } else if (is_digit(c)) {
        set_token(p, PTX_TOKEN_NUMBER, number_end(p, at));
    } else if (is_inner(c) || (c == '%' && is_inner(byte(p, at + 1)))) {
        set_token(p, PTX_TOKEN_NAME, name_end(p, at));
    } else if (c == '.' && is_inner(byte(p, at + 1))) {
        set_token(p, PTX_TOKEN_WORD, word_end(p, at));
    } else if (c && strchr("{}()[],;:+-!@|<>=*", c)) {
        set_token(p, PTX_TOKEN_MARK, at + 1);
        p->token.mark = c;
    } else {
        set_token(p, PTX_TOKEN_BAD, at + 1);
    }
}

void ptx_skip_line(struct ptx_parser *p)
{
    const char *end = memchr(p->text + p->at, '\n', p->bytes - p->at);

    p->at = end ? (uint32_t)(end - p->text) : p->bytes;
    ptx_next(p);
}

bool ptx_at(const struct ptx_parser *p, char mark)
{
    return p->token.kind == PTX_TOKEN_MARK && p->token.mark == mark;
}

bool ptx_at_word(const struct ptx_parser *p, const char *word)
{
    size_t bytes = strlen(word);

    return p->token.kind == PTX_TOKEN_WORD && p->token.span.bytes == bytes &&
           !memcmp(p->text + p->token.span.offset, word, bytes);
}

bool ptx_accept(struct ptx_parser *p, char mark)
{
    if (!ptx_at(p, mark))
        return false;
    ptx_next(p);
    return true;
}

bool ptx_expect(struct ptx_parser *p, char mark, const char *what)
{
    return ptx_accept(p, mark) || ptx_expected(p, what);
}

bool ptx_skip_statement(struct ptx_parser *p)
{
    while (!ptx_at(p, ';')) {
        if (p->token.kind == PTX_TOKEN_END || p->token.kind == PTX_TOKEN_BAD ||
            ptx_at(p, '{') || ptx_at(p, '}'))
            return ptx_expected(p, "';'");
        ptx_next(p);
    }
    ptx_next(p);
    return true;
}

const char *ptx_token_copy(struct ptx_parser *p, const struct ptx_token *t)
{
    char *copy = arena_alloc(&p->module->arena, t->span.bytes + 1u);

    memcpy(copy, p->text + t->span.offset, t->span.bytes);
    return copy;
}
