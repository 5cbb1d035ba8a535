/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/analyze_source.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "access/access.h"
#include "analyze/analyze_binary.h"
#include "analyze/analyze_kernel.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "instrument/instrument.h"

extern char **environ;

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

bool analyze_is_cuda(const char *path)
{
    const char *dot = strrchr(name_of(path), '.');

    return dot && strcmp(dot, ".cu") == 0;
}

/* The text as a session of several devices reads it, with variable addresses as parameters;
   NULL: it does not change. */
static char *with_variables_given(const struct ptx_module *m, size_t *bytes)
{
    bool *may = must_calloc(m->symbol_count + 1u, sizeof *may), *written, any = false,
         any_annotated = false;

    for (uint32_t n = 0; n < m->function_count; n++)
        any_annotated |= analyze_is_annotated(&m->functions[n]);
    for (uint32_t i = 0; i < m->symbol_count; i++)
        may[i] = !any_annotated && instrument_variable_moves(m, i);
    written = access_variables_written(m, may);
    for (uint32_t i = 0; i < m->symbol_count; i++)
        any |= written[i];
    char *text = any ? instrument_variables(m, written, bytes) : NULL;

    free(written);
    free(may);
    return text;
}

/* Parses `text`, which replaces the module's text. */
static enum proact_status read_again(const char *name, char *text, size_t bytes,
                                     struct ptx_module **out, struct proact_error *err)
{
    ptx_destroy(*out);
    enum proact_status status = ptx_parse(name, text, bytes, out, err);

    free(text);
    return status;
}

/* Parses a text, which it frees. of_program: calls are inlined, as in the CUDA runtime
   (tools/proactcc/rt/module/rt_link.c); a session does not inline. */
static enum proact_status source_parse(char *text, size_t bytes, const char *name,
                                       const char *shown, bool of_program,
                                       struct ptx_module **out, struct proact_error *err)
{
    if (of_program && bytes <= INSTRUMENT_INLINE_BYTES_MAX)
        (void)instrument_inline(name, &text, &bytes,
                                NULL); /* ptx_parse() below reports malformed PTX */
    enum proact_status status = ptx_parse(name, text, bytes, out, err);

    if (status) /* repeats the message with the path of the command line */
        (void)ptx_parse(shown, text, bytes, out, err);
    free(text);
    if (!status && (text = instrument_read_parameters(*out, &bytes)))
        status = read_again(name, text, bytes, out, err);
    if (!status && (text = with_variables_given(*out, &bytes)))
        status = read_again(name, text, bytes, out, err);
    return status;
}

/* The modules of a program app are app.ptx, or app.1.ptx, app.2.ptx and so on. */
static enum proact_status read_program(const char *path, const char *data, size_t bytes,
                                       struct analyze_modules *out,
                                       struct proact_error *err)
{
    struct analyze_texts texts;
    struct text name = {0};
    enum proact_status status = analyze_binary(path, data, bytes, &texts, err);

    if (status)
        return status;
    out->items = must_calloc(texts.count, sizeof *out->items);
    for (size_t i = 0; i < texts.count && !status; i++) {
        struct analyze_text *of = &texts.items[i];

        text_clear(&name);
        text_print(&name, "%s", name_of(path));
        if (texts.count > 1)
            text_print(&name, ".%zu", i + 1);
        text_print(&name, ".ptx");
        status = source_parse(of->text, of->bytes, name.data, name.data, true,
                              &out->items[out->count], err);
        of->text = NULL;
        out->count += !status;
    }
    text_clear(&name);
    analyze_texts_clear(&texts);
    return status;
}

static enum proact_status read_file(const char *path, const char *name, const char *shown,
                                    bool of_program, struct analyze_modules *out,
                                    struct proact_error *err)
{
    char *text;
    size_t bytes;
    enum proact_status status = file_read(path, &text, &bytes, err);

    if (status)
        return status;
    if (analyze_is_binary(text, bytes)) {
        status = read_program(shown, text, bytes, out, err);
        free(text);
        return status;
    }
    out->items = must_calloc(1, sizeof *out->items);
    status = source_parse(text, bytes, name, shown, of_program, &out->items[0], err);
    out->count = !status;
    return status;
}

/* nvcc prints its own messages on stderr. */
static enum proact_status compile(const char *source, const char *ptx,
                                  struct proact_error *err)
{
    const char *nvcc = getenv("PROACT_NVCC");
    pid_t child;
    int code;

    nvcc = nvcc && *nvcc ? nvcc : "nvcc";
    const char *words[] = {nvcc, "-ptx", "-arch=sm_90", "-lineinfo",
                           "-o", ptx,    source,        NULL};

    if ((code = posix_spawnp(&child, nvcc, NULL, NULL, (char **)words, environ)))
        return fail(err, PROACT_EINVAL,
                    "%s: nvcc cannot be started (%s: %s): set PROACT_NVCC, or give PTX",
                    source, nvcc, strerror(code));
    while (waitpid(child, &code, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(code) || WEXITSTATUS(code))
        return fail(
            err, PROACT_EINVAL,
            "%s: %s failed to compile it; NVCC_APPEND_FLAGS adds options of the compiler",
            source, nvcc);
    return PROACT_OK;
}

static enum proact_status read_cuda(const char *path, struct analyze_modules *out,
                                    struct proact_error *err)
{
    const char *folder = getenv("TMPDIR"), *name = name_of(path);
    struct text scratch = {0}, file = {0}, shown = {0};
    enum proact_status status;

    text_print(&scratch, "%s/proact.XXXXXX", folder && *folder ? folder : "/tmp");
    text_print(&shown, "%.*s.ptx", (int)(strlen(name) - 3), name);
    if (!mkdtemp(scratch.data)) {
        status = fail(err, PROACT_EINVAL, "%s: the folder cannot be created: %s",
                      scratch.data, strerror(errno));
    } else {
        text_print(&file, "%s/%s", scratch.data, shown.data);
        if (!(status = compile(path, file.data, err)))
            status = read_file(file.data, shown.data, shown.data, true, out, err);
        (void)unlink(file.data);
        (void)rmdir(scratch.data);
    }
    text_clear(&scratch);
    text_clear(&file);
    text_clear(&shown);
    return status;
}

enum proact_status analyze_source(const char *path, struct analyze_modules *out,
                                  struct proact_error *err)
{
    struct analyze_modules found = {0};
    enum proact_status status;

    if (strcmp(path, "-") == 0)
        status = read_file("/dev/stdin", "stdin", "stdin", false, &found, err);
    else if (!analyze_is_cuda(path))
        status = read_file(path, name_of(path), path, false, &found, err);
    else if (access(path, R_OK))
        status = fail(err, PROACT_EINVAL, "%s: %s", path, strerror(errno));
    else
        status = read_cuda(path, &found, err);
    if (status)
        analyze_modules_clear(&found);
    else
        *out = found;
    return status;
}

void analyze_modules_clear(struct analyze_modules *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        ptx_destroy(m->items[i]);
    free(m->items);
    *m = (struct analyze_modules){0};
}
