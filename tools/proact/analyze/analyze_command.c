/* SPDX-License-Identifier: Apache-2.0 */
/* `proact analyze`: the results of the analysis of a kernel. */
#include <proact/proact.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze_json.h"
#include "analyze/analyze_pass.h"
#include "analyze/analyze_select.h"
#include "analyze/analyze_table.h"
#include "base/fail.h"
#include "base/memory.h"
#include "command.h"

static int analyze_one(const struct analyze_request *q, const struct ptx_module *m,
                       const struct ptx_function *f, struct json_writer *w)
{
    struct analyze_result r;
    int code = analyze_result_open(&r, q, m, f);

    if (q->has_launch && !code)
        code = analyze_shapes_declare(&r.kernel, &r.launch, q);
    if (!code) {
        analyze_print_kernel(&r.kernel);
        analyze_print_launch(&r.launch, &r.kernel, q);
        if (q->json) /* long for a launch of many CTAs */
            analyze_write_kernel(w, &r.kernel, &r.launch, q);
    }
    analyze_result_close(&r);
    return code;
}

static int analyze(const struct analyze_request *q, const struct analyze_modules *all,
                   const struct analyze_chosen *c)
{
    struct json_writer w = {.lines = 4};
    struct proact_error err = {""};
    int code = analyze_choice_check(all, q, c);

    if (code)
        return code;
    if (q->stop_after)
        return analyze_stop_after(q->stop_after, q->reassociate_floats, c->modules[0],
                                  c->count == 1 ? c->kernels[0] : NULL);
    json_begin(&w, NULL, JSON_OBJECT);
    json_put_text(&w, "proact", PROACT_VERSION);
    json_put_text(&w, "command", q->command_line);
    json_put_text(&w, "file", q->file);
    json_begin(&w, "kernels", JSON_ARRAY);
    for (uint32_t i = 0; i < c->count && !code; i++) {
        if (i)
            puts("");
        code = analyze_one(q, c->modules[i], c->kernels[i], &w);
    }
    json_end(&w);
    json_end(&w);
    if (!code && q->json && file_write(q->json, w.text.data, w.text.length, &err))
        code = failure_exit(&err);
    text_clear(&w.text);
    return code;
}

int command_analyze(int argc, char **argv)
{
    struct analyze_words *w = NULL;
    struct analyze_request q = {.file = NULL};
    struct analyze_modules all = {0};
    struct proact_error err = {""};
    bool help = false;
    int code = analyze_options_parse(argc, argv, &w, &q, &help);

    if (!code && help) {
        analyze_help(stdout);
    } else if (!code && analyze_source(q.file, &all, &err)) {
        code = failure_exit(&err);
    } else if (!code) {
        struct analyze_chosen c = analyze_choose(&all, q.kernel);

        code = analyze(&q, &all, &c);
        analyze_chosen_clear(&c);
        analyze_modules_clear(&all);
    }
    analyze_options_destroy(w);
    return code;
}
