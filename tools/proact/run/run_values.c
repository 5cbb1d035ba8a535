/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "command.h"
#include "option_values.h"

static const struct run_option *find_option(const struct run_application *application,
                                            const char *name)
{
    const struct run_option *option = application->options;

    for (; option && option->name; option++)
        if (strcmp(option->name, name) == 0)
            return option;
    return NULL;
}

static bool lists_option_word(const struct run_app_words *words, const char *name)
{
    for (unsigned i = 0; i < words->count; i++)
        if (strcmp(words->word[i].name, name) == 0)
            return true;
    return false;
}

unsigned run_values_add(struct run_app_words *words, struct poptOption *table)
{
    for (const struct run_application *const *a = run_applications; *a; a++)
        for (const struct run_option *o = (*a)->options; o && o->name; o++) {
            struct run_word *word = &words->word[words->count];
            bool is_flag = o->kind == RUN_FLAG;

            if (lists_option_word(words, o->name) || words->count == RUN_WORDS_MAX)
                continue;
            word->name = o->name;
            table[words->count++] = (struct poptOption){
                .longName = o->name,
                .argInfo = is_flag ? POPT_ARG_NONE : POPT_ARG_STRING,
                .arg = is_flag ? (void *)&word->flag : (void *)&word->text,
            };
        }
    return words->count;
}

struct text run_values_list(const char *option, const char *before_last)
{
    struct text names = {0};
    const char *last = NULL;

    for (const struct run_application *const *a = run_applications; *a; a++) {
        if (option && !find_option(*a, option))
            continue;
        if (last)
            text_print(&names, "%s%s", names.length ? ", " : "", last);
        last = (*a)->name;
    }
    if (last)
        text_print(&names, "%s%s", names.length ? before_last : "", last);
    return names;
}

/* "--size is for jacobi", with all applications that have the option. */
static int refuse_word(const struct run_word *word)
{
    struct text owners = run_values_list(word->name, " and ");
    int code = usage_error("run", "--%s is for %s", word->name, owners.data);

    text_clear(&owners);
    return code;
}

static int take_real_value(const struct run_option *option, const char *word, double *out)
{
    char *end = NULL;
    double value = strtod(word, &end);

    if (end == word || *end || !isfinite(value) || value < option->least ||
        value > option->most)
        return usage_error("run", "--%s: expected a number from %g to %g, found '%s'",
                           option->name, option->least, option->most, word);
    *out = value;
    return EXIT_FINE;
}

static int take_choice(const struct run_option *option, const char *word, unsigned *out)
{
    size_t length = strlen(word);
    unsigned number = 0;

    for (const char *c = option->choices; c; number++) {
        size_t bytes = strcspn(c, "|");

        if (bytes == length && strncmp(c, word, length) == 0) {
            *out = number;
            return EXIT_FINE;
        }
        c = c[bytes] ? c + bytes + 1 : NULL;
    }
    return usage_error("run", "--%s: expected %s, found '%s'", option->name,
                       option->choices, word);
}

static int take_value(const struct run_option *option, const struct run_word *word,
                      struct run_value *out)
{
    struct run_value value = {.given = true, .text = word->text};
    const struct option_range range = {"run", option->name, option->low, option->high};
    int code = EXIT_FINE;

    if (option->kind == RUN_WHOLE)
        code = option_integer(&range, word->text, &value.whole);
    else if (option->kind == RUN_REAL)
        code = take_real_value(option, word->text, &value.real);
    else if (option->kind == RUN_CHOICE)
        code = take_choice(option, word->text, &value.choice);
    *out = value;
    return code;
}

int run_values_take(const struct run_app_words *words,
                    const struct run_application *application, struct run_request *request)
{
    int code = EXIT_FINE;

    for (unsigned i = 0; i < words->count && !code; i++) {
        const struct run_word *word = &words->word[i];
        const struct run_option *option = find_option(application, word->name);

        if (!word->text && !word->flag)
            continue;
        code = option ? take_value(option, word,
                                   &request->value[option - application->options])
                      : refuse_word(word);
    }
    return code;
}

void run_values_clear(struct run_app_words *words)
{
    for (unsigned i = 0; i < words->count; i++)
        free(words->word[i].text);
}
