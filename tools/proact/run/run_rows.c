/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/pages.h"
#include "run/run_study.h"
#include "runtime/kernel/used_plans.h"

void run_copies_note(const struct proact *p, char out[RUN_COPIES_BYTES])
{
    const char *copies = proact_plan_copies(p);

    snprintf(out, RUN_COPIES_BYTES, "%s", copies ? copies : "");
}

/* "inline" or "fused, 64 kB chunks". */
static void plan_words(const struct transfer_plan *plan, struct text *out)
{
    text_print(out, "%s", plan->method->name);
    if (plan->tail)
        text_print(out, "+%s", plan->tail->name);
    if (plan->method->takes_chunks && plan->chunk_bytes)
        text_print(out, ", %llu kB chunks", (unsigned long long)plan->chunk_bytes >> 10);
}

void run_plan_note(const struct proact *p, char out[RUN_PLAN_BYTES])
{
    struct text one = {0}, all = {0};
    bool differ = false;
    size_t count;
    const struct used_plan *plans = used_plans_list(p, &count);

    for (size_t i = 0; i < count; i++) {
        struct text words = {0};

        plan_words(&plans[i].plan, &words);
        differ |= one.data && strcmp(one.data, words.data) != 0;
        text_print(&all, "%s%s by %s", i ? "; " : "", plans[i].kernel, words.data);
        text_clear(&one);
        one = words;
    }
    snprintf(out, RUN_PLAN_BYTES, "%s",
             !count   ? "no launch had one"
             : differ ? all.data
                      : one.data);
    text_clear(&one);
    text_clear(&all);
}

const char *run_hint_name(enum proact_unified hint)
{
    return pages_hint_names[hint - PROACT_UNIFIED_NO_HINT];
}

bool run_study_differs(const struct run_study *s)
{
    for (unsigned i = 0; i < s->row_count; i++)
        if (!s->row[i].equal)
            return true;
    return false;
}
