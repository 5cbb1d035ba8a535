/* SPDX-License-Identifier: Apache-2.0 */
#include "figures/figure_file.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/json/json.h"
#include "base/json/json_write.h"
#include "bench.h"
#include "check_words.h"
#include "figures/figure_picture.h"
#include "figures/figure_text.h"

static struct text figure_path(const struct figure *figure, const char *folder,
                               const char *suffix)
{
    struct text path = {0};

    text_print(&path, "%s/%s.%s", folder, figure->file, suffix);
    return path;
}

static enum proact_status write_text(const struct figure *figure, const char *folder,
                                     const char *suffix, const struct text *content,
                                     struct proact_error *err)
{
    struct text path = figure_path(figure, folder, suffix);
    enum proact_status status = file_write(path.data, content->data, content->length, err);

    text_clear(&path);
    return status;
}

static void write_figure_row(struct json_writer *w, const struct figure_row *row)
{
    json_begin(w, NULL, JSON_OBJECT);
    json_put_text(w, "name", row->series);
    json_put_text(w, "at", row->at);
    json_put_text(w, "machine", row->machine);
    if (row->panel[0])
        json_put_text(w, "panel", row->panel);
    if (row->x > 0)
        json_put_real(w, "x", row->x);
    if (isfinite(row->value))
        json_put_real(w, "value", row->value);
    if (row->note[0])
        json_put_text(w, "plan", row->note);
    json_end(w);
}

/* The machines of the rows, each once. */
static void list_machines(const struct figure_rows *rows, struct text *names)
{
    for (size_t i = 0; i < rows->count; i++) {
        const char *machine = rows->row[i].machine;
        bool known = false;

        for (size_t j = 0; j < i; j++)
            known |= strcmp(rows->row[j].machine, machine) == 0;
        if (!known)
            text_print(names, "%s%s", names->length ? ", " : "", machine);
    }
}

enum proact_status figure_file_check(const struct figure *figure, const char *folder,
                                     struct proact_error *err)
{
    static const char *const suffixes[] = {"json", "txt", "svg"};
    enum proact_status status = PROACT_OK;

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !status; i++) {
        struct text path = figure_path(figure, folder, suffixes[i]);

        status = check_folder(path.data, err);
        text_clear(&path);
    }
    return status;
}

enum proact_status figure_file_write(const struct figure *figure,
                                     const struct figure_session *s,
                                     const struct figure_rows *rows, double seconds,
                                     const char *command_line, struct proact_error *err)
{
    struct json_writer w = {.lines = 2};
    struct text machines = {0};

    list_machines(rows, &machines);
    json_begin(&w, NULL, JSON_OBJECT);
    json_put_text(&w, "figure", figure->name);
    json_put_text(&w, "title", figure->title);
    json_put_text(&w, "unit", figure->unit);
    json_put_text(&w, "across", figure->across);
    json_put_text(&w, "down", figure->down);
    json_put_text(&w, "machine", machines.data);
    json_put_flag(&w, "quick", s->quick);
    bench_write_build(&w);
    json_put_text(&w, "command", command_line);
    json_put_real(&w, "seconds", floor(10 * seconds + 0.5) / 10);
    json_begin(&w, "rows", JSON_ARRAY);
    for (size_t i = 0; i < rows->count; i++)
        write_figure_row(&w, &rows->row[i]);
    json_end(&w);
    json_end(&w);
    enum proact_status status = write_text(figure, s->folder, "json", &w.text, err);

    text_clear(&w.text);
    text_clear(&machines);
    return status;
}

static enum proact_status read_word(const struct json_at *row, const char *key,
                                    char into[FIGURE_WORD_BYTES], struct proact_error *err)
{
    return json_has(row, key) ? json_get_text(row, key, into, FIGURE_WORD_BYTES, err)
                              : PROACT_OK;
}

static enum proact_status read_figure_row(const struct json_at *at, struct figure_row *row,
                                          struct proact_error *err)
{
    const struct json_range any = {.low = -DBL_MAX, .high = DBL_MAX};
    const struct json_range from_zero = {.low = 0, .high = DBL_MAX};
    enum proact_status status;

    *row = (struct figure_row){.value = NAN};
    if ((status = json_get_text(at, "name", row->series, sizeof row->series, err)) ||
        (status = json_get_text(at, "at", row->at, sizeof row->at, err)) ||
        (status = json_get_text(at, "machine", row->machine, sizeof row->machine, err)) ||
        (status = read_word(at, "panel", row->panel, err)) ||
        (status = read_word(at, "plan", row->note, err)))
        return status;
    if (json_has(at, "x") && (status = json_get_real(at, "x", from_zero, &row->x, err)))
        return status;
    return json_has(at, "value") ? json_get_real(at, "value", any, &row->value, err)
                                 : PROACT_OK;
}

static enum proact_status read_figure_rows(const struct figure *figure,
                                           const struct json_file *file,
                                           struct figure_rows *out,
                                           struct proact_error *err)
{
    const struct json_at root = json_root(file);
    struct json_at list;
    char name[FIGURE_WORD_BYTES];
    enum proact_status status;

    if ((status = json_get_text(&root, "figure", name, sizeof name, err)) ||
        (status = json_get_array(&root, "rows", &list, err)))
        return status;
    if (strcmp(name, figure->name) != 0) {
        const struct json_at at = json_child(&root, "figure");

        return json_refuse(&at, err, "expected \"%s\"", figure->name);
    }
    for (size_t i = 0; i < json_count(&list); i++) {
        const struct json_at at = json_element(&list, i);
        struct figure_row row;

        if ((status = read_figure_row(&at, &row, err)))
            return status;
        figure_rows_add(out, &row);
    }
    return PROACT_OK;
}

enum proact_status figure_file_read(const struct figure *figure, const char *folder,
                                    struct figure_rows *out, struct proact_error *err)
{
    struct text path = figure_path(figure, folder, "json");
    struct json_file *file = NULL;
    enum proact_status status = json_load(path.data, &file, err);

    if (!status)
        status = read_figure_rows(figure, file, out, err);
    json_destroy(file);
    text_clear(&path);
    return status;
}

enum proact_status figure_file_draw(const struct figure *figure, const char *folder,
                                    const struct figure_rows *rows,
                                    struct proact_error *err)
{
    struct text table = {0}, svg = {0};

    figure_text_print(figure, rows, &table);
    figure_picture_draw(figure, rows, &svg);
    printf("%s\n", table.data);
    enum proact_status status = write_text(figure, folder, "txt", &table, err);

    if (!status)
        status = write_text(figure, folder, "svg", &svg, err);
    text_clear(&table);
    text_clear(&svg);
    return status;
}
