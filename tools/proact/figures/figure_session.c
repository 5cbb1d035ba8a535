/* SPDX-License-Identifier: Apache-2.0 */
#include "figures/figure_session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "check_words.h"
#include "command.h"
#include "run/run_options.h"

const char *const figure_machines[] = {"k40x4", "p100x4", "v100x4", NULL};

const char *figure_machine(const struct figure_session *s, const char *const *machines,
                           unsigned index)
{
    if (s->machine)
        return index == 0 ? s->machine : NULL;
    return machines[index];
}

enum { WORDS_MAX = 32 };
/* Of a sample, which has no answer that converges. All of them are executed. */
enum { SAMPLED_ITERATIONS = 4 };

/* A command line, from words that spaces separate. */
struct figure_words {
    struct text text;
    int count;
    char *word[WORDS_MAX + 1];
};

static void words_split(struct figure_words *w)
{
    char *rest = NULL;

    for (char *word = strtok_r(w->text.data, " ", &rest); word && w->count < WORDS_MAX - 3;
         word = strtok_r(NULL, " ", &rest))
        w->word[w->count++] = word;
    w->word[w->count] = NULL;
}

/* Generates the input, unless an earlier call left it. Its path may contain spaces. */
static enum proact_status make_input(const struct figure_session *s,
                                     const struct figure_input *input, struct text *path,
                                     struct proact_error *err)
{
    struct figure_words w = {.count = 0};
    char option[] = "-o";

    text_print(path, "%s/inputs", s->folder);
    if (mkdir(path->data, 0777) && errno != EEXIST)
        return fail(err, PROACT_EINVAL, "%s: cannot be created: %s", path->data,
                    strerror(errno));
    text_print(path, "/%s%s%s", input->application, s->quick ? "-quick" : "",
               input->suffix);
    if (access(path->data, R_OK) == 0)
        return PROACT_OK;
    text_print(&w.text, "make %s", input->make[s->quick]);
    words_split(&w);
    w.word[w.count++] = option;
    w.word[w.count++] = path->data;
    w.word[w.count] = NULL;
    const int code = command_make(w.count, w.word);

    text_clear(&w.text);
    if (code)
        return fail(err, PROACT_EINVAL, "%s: the input of %s cannot be generated",
                    path->data, input->application);
    return PROACT_OK;
}

/* The study by the parsed command line. */
static enum proact_status study_run(const struct run_application *application,
                                    const struct run_request *request,
                                    const struct topology *topology, struct run_study *out,
                                    struct proact_error *err)
{
    void *work;
    enum proact_status status = application->open(request, &work, err);

    if (status)
        return status;
    status = run_study_make(application, work, request, topology, out, err);
    application->close(work);
    return status;
}

/* Reads the words as `proact run` does, so that an input has no other options. */
static enum proact_status study_parse(const struct figure_session *s,
                                      const struct figure_input *input, const char *path,
                                      struct figure_study *study, struct proact_error *err)
{
    struct figure_words w = {.count = 0};
    const struct run_application *application = NULL;
    struct run_request request = {0};
    struct run_words *words;
    struct topology topology;
    bool help = false;
    enum proact_status status;
    char *file = must_strdup(path ? path : "");

    text_print(&w.text, "run %s %s", input->application, input->run[s->quick]);
    words_split(&w);
    if (path)
        w.word[w.count++] = file;
    w.word[w.count] = NULL;
    int code = run_options_parse(w.count, w.word, &words, &application, &request, &help);

    request.machine = study->machine;
    request.devices = study->devices;
    request.replay = s->replay;
    request.sample = s->sample;
    if (s->sample)
        request.iterations = SAMPLED_ITERATIONS;
    figure_plans_add(study->devices ? FIGURE_SWEEP_SCALING
                     : s->quick     ? FIGURE_SWEEP_QUICK
                                    : FIGURE_SWEEP_ALL,
                     &request.methods);
    if (!code)
        code = check_machine("bench", study->machine, study->devices, &topology);
    if (code)
        status = fail(err, PROACT_EINVAL, "%s cannot run on %s", input->application,
                      study->machine);
    else
        status = study_run(application, &request, &topology, &study->result, err);
    run_options_destroy(words);
    text_clear(&w.text);
    free(file);
    return status;
}

static enum proact_status study_check(struct figure_session *s,
                                      const struct figure_study *study,
                                      struct proact_error *err)
{
    const struct run_study *r = &study->result;

    s->differs = run_study_differs(r);
    for (unsigned i = 0; i < r->row_count; i++)
        if (!r->row[i].equal)
            return fail(err, PROACT_EFAULT,
                        "%s by %s on %u devices of %s: the answer differs from that of one "
                        "device",
                        study->application, r->row[i].method, r->device_count,
                        study->machine);
    return PROACT_OK;
}

static enum proact_status study_make(struct figure_session *s, struct figure_study *study,
                                     struct proact_error *err)
{
    const struct figure_input *input = figure_input_find(study->application);
    struct text path = {0};
    enum proact_status status = PROACT_OK;

    if (input->make[s->quick])
        status = make_input(s, input, &path, err);
    if (!status)
        status = study_parse(s, input, path.data, study, err);
    text_clear(&path);
    if (status)
        return status;
    run_study_clear(&study->result);
    return study_check(s, study, err);
}

enum proact_status figure_study_get(struct figure_session *s, const char *machine,
                                    unsigned devices, unsigned application,
                                    const struct figure_study **out,
                                    struct proact_error *err)
{
    const char *name = figure_application(s, application);

    for (unsigned i = 0; i < s->study_count; i++) {
        const struct figure_study *f = s->study[i];

        if (f->application == name && strcmp(f->machine, machine) == 0 &&
            (f->devices == devices || f->result.device_count == devices)) {
            *out = f;
            return PROACT_OK;
        }
    }
    struct figure_study *study = must_calloc(1, sizeof *study);

    snprintf(study->machine, sizeof study->machine, "%s", machine);
    study->application = name;
    study->devices = devices;
    enum proact_status status = study_make(s, study, err);

    if (status) {
        free(study);
        return status;
    }
    s->study = must_grow(s->study, s->study_count, &s->study_capacity, sizeof *s->study);
    s->study[s->study_count++] = study;
    *out = study;
    return PROACT_OK;
}

void figure_session_clear(struct figure_session *s)
{
    for (unsigned i = 0; i < s->study_count; i++)
        free(s->study[i]);
    free(s->study);
    s->study = NULL;
    s->study_count = 0;
}
