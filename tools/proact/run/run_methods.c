/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_methods.h"

#include <proact/proact.h>
#include <string.h>

#include "base/text.h"
#include "command.h"
#include "transfer/transfer.h"

const char run_baseline[] = "bulk", run_auto[] = "auto", run_unified[] = "unified";

const char *run_method_name(const char *name)
{
    return !name || strcmp(name, run_auto) == 0 ? NULL : name;
}

static int methods_check(const char *name)
{
    struct transfer_plan plan;
    struct proact_error err = {""};
    struct text known = {0};

    if (strcmp(name, run_unified) == 0 || strcmp(name, run_auto) == 0)
        return EXIT_FINE;
    if (strcmp(name, "all") == 0)
        return usage_error("run", "--method: 'all' is not part of a list");
    if (strchr(name, '+'))
        return transfer_methods_read(name, &plan, &err)
                   ? usage_error("run", "--method: %s", err.text)
                   : EXIT_FINE;
    for (const char *const *method = proact_method_names(); *method; method++) {
        if (strcmp(*method, name) == 0) {
            text_clear(&known);
            return EXIT_FINE;
        }
        text_print(&known, "%s, ", *method);
    }
    int code = usage_error("run", "no method '%s': there are %s%s, %s and all", name,
                           known.data, run_unified, run_auto);

    text_clear(&known);
    return code;
}

static int methods_append(struct run_methods *methods, const char *name)
{
    if (methods->count == RUN_METHODS_MAX)
        return usage_error("run", "--method: '%s' is one of more than %d methods", name,
                           RUN_METHODS_MAX);
    methods->name[methods->count++] = name;
    return EXIT_FINE;
}

static int methods_append_all(struct run_methods *methods)
{
    int code = EXIT_FINE;

    methods->all = true;
    for (const char *const *method = proact_method_names(); *method && !code; method++)
        if (strcmp(*method, run_baseline) != 0)
            code = methods_append(methods, *method);
    if (!code)
        code = methods_append(methods, run_auto);
    return code ? code : methods_append(methods, run_unified);
}

static int methods_append_named(struct run_methods *methods, const char *name)
{
    int code = methods_check(name);

    if (code || strcmp(name, run_baseline) == 0)
        return code;
    for (unsigned i = 1; i < methods->count; i++)
        if (strcmp(methods->name[i], name) == 0)
            return usage_error("run", "--method names '%s' twice", name);
    return methods_append(methods, name);
}

int run_methods_parse(char *list, struct run_methods *out)
{
    struct run_methods methods = {.count = 1, .name = {run_baseline}};
    int code = EXIT_FINE;

    if (!list || strcmp(list, "all") == 0) {
        code = methods_append_all(&methods);
    } else {
        for (char *name = list; name && !code;) {
            char *comma = strchr(name, ',');

            if (comma)
                *comma = '\0';
            code = methods_append_named(&methods, name);
            name = comma ? comma + 1 : NULL;
        }
    }
    *out = methods;
    return code;
}
