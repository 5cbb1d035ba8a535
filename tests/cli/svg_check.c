/* SPDX-License-Identifier: Apache-2.0 */
/* Check of an SVG of `proact run --plot`: it is well-formed XML, as far as these files use
   XML, and draws inside its picture. Usage: svg_check FILE. Prints "well-formed" or the
   first error. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 16, DEPTH_MAX = 16, NAME_MAX_BYTES = 32, ATTRIBUTES_MAX = 16 };

static char text[TEXT_MAX];
static const char *at = text;
static char open_names[DEPTH_MAX][NAME_MAX_BYTES];
static int depth, elements;
static double width, height;

__attribute__((format(printf, 1, 2))) static _Noreturn void svg_refuse(const char *format,
                                                                       ...)
{
    va_list args;

    printf("byte %d: ", (int)(at - text));
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    exit(1);
}

static void svg_name(char name[NAME_MAX_BYTES])
{
    size_t n = 0;

    while (isalnum((unsigned char)*at) || *at == '-' || *at == ':') {
        if (n + 1 == NAME_MAX_BYTES)
            svg_refuse("a name is too long");
        name[n++] = *at++;
    }
    if (n == 0 || !isalpha((unsigned char)name[0]))
        svg_refuse("expected a name, found '%.10s'", at);
    name[n] = '\0';
}

/* Reads one character of text: a known entity, or a byte that XML and UTF-8 allow. */
static void svg_character(void)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    unsigned char c = (unsigned char)*at;

    if (c == '&') {
        for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
            if (strncmp(at, entities[i], strlen(entities[i])) == 0) {
                at += strlen(entities[i]);
                return;
            }
        svg_refuse("no entity: '%.10s'", at);
    }
    if (c == '<' || c == 0x7f || (c < 0x20 && c != '\n' && c != '\t'))
        svg_refuse("a raw character %#x", c);
    at++;
    if (c < 0x80)
        return;
    int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : 0;

    if (more == 0)
        svg_refuse("no UTF-8: %#x", c);
    for (; more; more--, at++)
        if (((unsigned char)*at & 0xc0) != 0x80)
            svg_refuse("no UTF-8 after %#x", c);
}

static void svg_check_number(const char *name, double value)
{
    if (strcmp(name, "width") == 0 && depth == 0)
        width = value;
    if (strcmp(name, "height") == 0 && depth == 0)
        height = value;
    double most = name[0] == 'y' || name[0] == 'h' ? height : width;

    if (value < 0 || value > most)
        svg_refuse("%s is %g in a picture of %g x %g", name, value, width, height);
}

static void svg_attribute(char names[][NAME_MAX_BYTES], int count)
{
    static const char *const numbers[] = {"x",  "y",  "x1",    "y1",
                                          "x2", "y2", "width", "height"};
    char *name = names[count];

    svg_name(name);
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            svg_refuse("two attributes %s", name);
    if (strncmp(at, "=\"", 2) != 0)
        svg_refuse("expected =\" after %s", name);
    at += 2;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(numbers[i], name) == 0)
            svg_check_number(name, strtod(at, NULL));
    while (*at && *at != '"')
        svg_character();
    at++;
}

static void svg_open_tag(void)
{
    char names[ATTRIBUTES_MAX][NAME_MAX_BYTES];
    int count = 0;

    if (depth == DEPTH_MAX || (depth == 0 && elements))
        svg_refuse("an element too many");
    svg_name(open_names[depth]);
    while (isspace((unsigned char)*at)) {
        at++;
        if (count == ATTRIBUTES_MAX)
            svg_refuse("too many attributes");
        svg_attribute(names, count++);
    }
    elements++;
    if (strncmp(at, "/>", 2) == 0) {
        at += 2;
    } else if (*at == '>') {
        at++;
        depth++;
    } else {
        svg_refuse("a tag does not end: '%.10s'", at);
    }
}

static void svg_close_tag(void)
{
    char name[NAME_MAX_BYTES];

    svg_name(name);
    if (depth == 0 || strcmp(open_names[depth - 1], name) != 0)
        svg_refuse("</%s> closes <%s>", name, depth ? open_names[depth - 1] : "");
    if (*at++ != '>')
        svg_refuse("</%s does not end", name);
    depth--;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;

    if (!file || fread(text, 1, sizeof text - 1, file) == 0)
        svg_refuse("no file");
    fclose(file);
    if (strncmp(at, "<svg ", 5) != 0)
        svg_refuse("expected <svg");
    while (*at) {
        if (strncmp(at, "</", 2) == 0) {
            at += 2;
            svg_close_tag();
        } else if (*at == '<') {
            at++;
            svg_open_tag();
        } else if (depth || !isspace((unsigned char)*at)) {
            svg_character();
        } else {
            at++;
        }
    }
    if (depth)
        svg_refuse("<%s> is not closed", open_names[depth - 1]);
    printf("well-formed\n");
    return 0;
}
