/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_checkpoint.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

/* A file is lines of text, an empty line, the bytes of the parts, and a hash. The lines are
   the format, the key, the iteration, and a line for each part. The hash is that of the
   lines, continued over each part. */
enum { FORMAT = 1, INTERRUPTED = 130, HASH_BYTES = sizeof(uint64_t) };

static const char format_word[] = "proact checkpoint ";

struct run_checkpoint {
    const char *path, *resume; /* borrowed; NULL: not given */
    unsigned every;
    struct text key; /* lines, each with a line end */
    char *file;      /* of --resume */
    size_t file_bytes;
    const char *body;           /* in `file`, behind the key */
    struct text note, old_note; /* what Ctrl-C prints, and printed before */
};

/* Text of an interruption. The handler reads it at any time, so it changes as a whole. */
static const char *volatile interruption_note;

static void print_interruption(int number)
{
    const char *note = interruption_note;
    ssize_t ignored = write(STDERR_FILENO, note, strlen(note));

    (void)ignored;
    (void)number;
    _exit(INTERRUPTED);
}

static void set_interruption_note(struct run_checkpoint *c, const char *path,
                                  unsigned iteration)
{
    struct text note = {0};

    if (path)
        text_print(&note, "\nproact: interrupted; go on with --resume %s (iteration %u)\n",
                   path, iteration);
    else
        text_print(&note, "\nproact: interrupted before the first checkpoint\n");
    interruption_note = note.data;
    text_clear(&c->old_note);
    c->old_note = c->note;
    c->note = note;
}

static void catch_interruption(struct run_checkpoint *c)
{
    struct sigaction action = {.sa_handler = print_interruption};

    set_interruption_note(c, c->resume, 0);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

/* The length of a line without its end; the text has a NUL at its end. */
static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

/* The first line in which two keys differ: "size 100" and "size 200". */
static enum proact_status compare_keys(const struct run_checkpoint *c, const char *found,
                                       struct proact_error *err)
{
    const char *want = c->key.data;

    while (*want) {
        int want_length = (int)line_length(want), found_length = (int)line_length(found);

        if (want_length != found_length ||
            strncmp(want, found, (size_t)want_length + 1) != 0)
            return fail(err, PROACT_EINVAL,
                        "%s: the checkpoint has '%.*s', and this run has '%.*s'", c->resume,
                        found_length, found, want_length, want);
        want += want_length + 1;
        found += found_length + 1;
    }
    return PROACT_OK;
}

static enum proact_status refuse_damage(const struct run_checkpoint *c,
                                        struct proact_error *err)
{
    return fail(err, PROACT_EINVAL, "%s: damaged: the hash does not match its %zu bytes",
                c->resume, c->file_bytes);
}

static enum proact_status check_format(const struct run_checkpoint *c,
                                       struct proact_error *err)
{
    size_t word = sizeof format_word - 1;

    if (strncmp(c->file, format_word, word) != 0)
        return fail(err, PROACT_EINVAL, "%s: not a checkpoint of proact run", c->resume);
    unsigned long format = strtoul(c->file + word, NULL, 10);

    if (format != FORMAT)
        return fail(err, PROACT_EINVAL,
                    "%s: a checkpoint of format %lu; this version reads format %d",
                    c->resume, format, FORMAT);
    return PROACT_OK;
}

/* The number after the last space of a line, if the line starts with `word`. */
static bool line_number(const char *line, const char *word, uint64_t *out)
{
    size_t length = line_length(line), digits = 0;
    char *end = NULL;

    if (strncmp(line, word, strlen(word)) != 0)
        return false;
    while (digits < length && line[length - digits - 1] >= '0' &&
           line[length - digits - 1] <= '9')
        digits++;
    if (!digits || digits == length || line[length - digits - 1] != ' ')
        return false;
    *out = strtoull(line + length - digits, &end, 10);
    return end == line + length;
}

/* The hash of the lines and parts, or false if they do not fill the file. */
static bool hash_file(const struct run_checkpoint *c, uint64_t *out)
{
    const char *end = strstr(c->file, "\n\n"), *line = c->file;
    size_t left = c->file_bytes - HASH_BYTES;
    uint64_t bytes;

    if (!end || (size_t)(end + 2 - c->file) > left)
        return false;
    const char *at = end + 2;

    *out = hash_bytes(c->file, (size_t)(at - c->file), 0);
    left -= (size_t)(at - c->file);
    for (; line < end; line += line_length(line) + 1)
        if (line_number(line, "part ", &bytes)) {
            if (bytes > left)
                return false;
            *out = hash_bytes(at, bytes, *out);
            at += bytes;
            left -= bytes;
        }
    return left == 0;
}

static enum proact_status check_file(struct run_checkpoint *c, struct proact_error *err)
{
    enum proact_status status = check_format(c, err);
    uint64_t hash, want;

    if (status)
        return status;
    if (c->file_bytes < HASH_BYTES || !hash_file(c, &hash))
        return refuse_damage(c, err);
    memcpy(&want, c->file + c->file_bytes - HASH_BYTES, sizeof want);
    if (hash != want)
        return refuse_damage(c, err);
    c->body = c->file + line_length(c->file) + 1;
    status = compare_keys(c, c->body, err);
    c->body += c->key.length;
    return status;
}

static void add_key(struct run_checkpoint *c, const struct run_application *application,
                    const void *work)
{
    text_print(&c->key, "proact %s\napplication %s\n", PROACT_VERSION, application->name);
    application->add_key(work, &c->key);
}

enum proact_status run_checkpoint_open(const struct run_application *application,
                                       const void *work, const struct run_request *request,
                                       struct run_checkpoint **out,
                                       struct proact_error *err)
{
    struct run_checkpoint *c = must_calloc(1, sizeof *c);

    *out = c;
    c->path = request->checkpoint;
    c->resume = request->resume;
    c->every = request->every;
    if (!c->path && !c->resume)
        return PROACT_OK;
    if (!application->add_key)
        return fail(err, PROACT_EREFUSED, "%s has no checkpoints", application->name);
    add_key(c, application, work);
    enum proact_status status = PROACT_OK;

    if (c->resume && !(status = file_read(c->resume, &c->file, &c->file_bytes, err)))
        status = check_file(c, err);
    if (!status)
        catch_interruption(c);
    return status;
}

static void add_hashed(struct file_output *file, uint64_t *hash, const char *data,
                       size_t bytes)
{
    *hash = hash_bytes(data, bytes, *hash);
    file_add(file, data, bytes);
}

static enum proact_status checkpoint_save(void *context, unsigned iteration,
                                          const struct app_part *parts, size_t count,
                                          struct proact_error *err)
{
    struct run_checkpoint *c = context;
    struct file_output file;
    struct text head = {0};
    uint64_t hash = 0;
    enum proact_status status = file_open(c->path, &file, err);

    if (status)
        return status;
    text_print(&head, "%s%d\n%siteration %u\n", format_word, FORMAT, c->key.data,
               iteration);
    for (size_t i = 0; i < count; i++)
        text_print(&head, "part %s %zu\n", parts[i].name, parts[i].bytes);
    text_print(&head, "\n");
    add_hashed(&file, &hash, head.data, head.length);
    for (size_t i = 0; i < count; i++)
        add_hashed(&file, &hash, parts[i].data, parts[i].bytes);
    file_add(&file, (const char *)&hash, sizeof hash);
    text_clear(&head);
    if (!(status = file_finish(&file, err)))
        set_interruption_note(c, c->path, iteration);
    return status;
}

/* Compares the line of a part and moves behind it. */
static bool skip_part_line(const char **at, const struct app_part *part)
{
    struct text line = {0};

    text_print(&line, "part %s %zu\n", part->name, part->bytes);
    bool equal = strncmp(*at, line.data, line.length) == 0;

    *at += equal ? line.length : 0;
    text_clear(&line);
    return equal;
}

static enum proact_status checkpoint_load(void *context, unsigned *iteration,
                                          const struct app_part *parts, size_t count,
                                          struct proact_error *err)
{
    struct run_checkpoint *c = context;
    const char *at = c->body, *end = c->file + c->file_bytes - HASH_BYTES;
    uint64_t found = 0;

    if (!line_number(at, "iteration ", &found) || found > UINT32_MAX)
        return fail(err, PROACT_EINVAL, "%s: no iteration after the key", c->resume);
    at += line_length(at) + 1;
    for (size_t i = 0; i < count; i++)
        if (!skip_part_line(&at, &parts[i]))
            return fail(err, PROACT_EINVAL, "%s: expected 'part %s %zu', found '%.*s'",
                        c->resume, parts[i].name, parts[i].bytes, (int)line_length(at), at);
    if (*at != '\n')
        return fail(err, PROACT_EINVAL, "%s: expected the end of %zu parts, found '%.*s'",
                    c->resume, count, (int)line_length(at), at);
    at++;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].bytes > (size_t)(end - at))
            return refuse_damage(c, err);
        memcpy(parts[i].data, at, parts[i].bytes);
        at += parts[i].bytes;
    }
    *iteration = (unsigned)found;
    set_interruption_note(c, c->resume, *iteration);
    return PROACT_OK;
}

struct app_checkpoint run_checkpoint_callbacks(struct run_checkpoint *c)
{
    return (struct app_checkpoint){.every = c->path ? c->every : 0,
                                   .save = c->path ? checkpoint_save : NULL,
                                   .load = c->resume ? checkpoint_load : NULL,
                                   .context = c};
}

void run_checkpoint_close(struct run_checkpoint *c)
{
    if (!c)
        return;
    if (c->note.data)
        signal(SIGINT, SIG_DFL);
    text_clear(&c->note);
    text_clear(&c->old_note);
    text_clear(&c->key);
    free(c->file);
    free(c);
}
