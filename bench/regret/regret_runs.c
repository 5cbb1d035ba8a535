/* SPDX-License-Identifier: Apache-2.0 */
/* Times of one case under several plans, for bench/regret.sh.

       regret_runs PLANS APPLICATION [INPUT] [OPTION...]     as `proact run`
       regret_runs PLANS micro --pattern P --ratio R ...     as `proact bench`

   PLANS is a list of METHOD or METHOD:CHUNK; auto is the plan that the planner selects.
   Each plan runs once, on GPUs three times if it is short. Then auto and the fastest plan
   take turns: 15 on GPUs, two of an emulated application unless they differ by 1 % at most.
   If another plan is the fastest then, it takes turns with auto as well. Each run is a
   line: plan, nanoseconds, and the text of auto's plan. Plans that the machine does not
   support are left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "regret.h"

enum { TURNS_GPU = 15, TURNS_EMULATED = 2, SEARCH_GPU = 3, SEARCHES_MAX = 3 };
static const double short_ns = 0.2e9, noise = 0.01;
static const struct regret_case *const cases[] = {&regret_micro, &regret_application};

struct regret_search {
    const struct regret_case *of;
    void *context;
    bool is_emulated;
    unsigned count;
    struct regret_plan plan[REGRET_PLANS];
};

static bool regret_read_plans(struct regret_search *s, char *list)
{
    char *rest = NULL;

    for (char *word = strtok_r(list, ", ", &rest); word;
         word = strtok_r(NULL, ", ", &rest)) {
        struct regret_plan *p = &s->plan[s->count];
        char *end = NULL;

        if (s->count == REGRET_PLANS || strlen(word) >= REGRET_NAME_BYTES)
            return false;
        strcpy(p->name, word);
        strcpy(p->method, word);
        p->method[strcspn(word, ":")] = 0;
        if (strchr(word, ':')) {
            p->chunk_bytes = strtoull(strchr(word, ':') + 1, &end, 10);
            p->chunk_bytes <<= *end == 'K' ? 10 : *end == 'M' ? 20 : 0;
        }
        s->count++;
    }
    return s->count > 0;
}

static int compare_runs(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double regret_median(const struct regret_plan *p)
{
    double ns[REGRET_RUNS];

    memcpy(ns, p->ns, p->count * sizeof *ns);
    qsort(ns, p->count, sizeof *ns, compare_runs);
    return ns[p->count / 2];
}

static bool regret_is_auto(const struct regret_plan *p)
{
    return strcmp(p->method, "auto") == 0;
}

static struct regret_plan *regret_best(struct regret_search *s)
{
    struct regret_plan *best = NULL;

    for (unsigned i = 0; i < s->count; i++) {
        struct regret_plan *p = &s->plan[i];

        if (p->count && !regret_is_auto(p) &&
            (!best || regret_median(p) < regret_median(best)))
            best = p;
    }
    return best;
}

static enum proact_status regret_search_run(struct regret_search *s, struct regret_plan *p,
                                            struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (p->is_refused || p->count == REGRET_RUNS)
        return PROACT_OK;
    status = s->of->run(s->context, p, err);
    p->is_refused = status == PROACT_EREFUSED;
    return p->is_refused ? PROACT_OK : status;
}

static enum proact_status regret_search_all(struct regret_search *s,
                                            struct proact_error *err)
{
    const unsigned runs = s->is_emulated || !s->of->has_seeds ? 1 : SEARCH_GPU;
    enum proact_status status = PROACT_OK;

    for (unsigned run = 0; run < runs; run++)
        for (unsigned i = 0; i < s->count && !status; i++)
            if (!run || s->plan[i].ns[0] < short_ns)
                status = regret_search_run(s, &s->plan[i], err);
    return status;
}

/* Turns of auto and the fastest plan, until that plan has had them. */
static enum proact_status regret_take_turns(struct regret_search *s,
                                            struct proact_error *err)
{
    const unsigned turns = !s->is_emulated    ? TURNS_GPU
                           : s->of->has_seeds ? TURNS_EMULATED
                                              : 0;
    struct regret_plan *selected = NULL;
    enum proact_status status = PROACT_OK;

    for (unsigned i = 0; i < s->count; i++)
        if (regret_is_auto(&s->plan[i]) && s->plan[i].count)
            selected = &s->plan[i];
    for (int search = 0; search < SEARCHES_MAX && selected; search++) {
        struct regret_plan *best = regret_best(s);

        if (!best || best->count > turns ||
            (s->is_emulated && regret_median(selected) < (1 + noise) * regret_median(best)))
            break;
        for (unsigned i = 0; i < turns && !status; i++)
            if (!(status = regret_search_run(s, selected, err)))
                status = regret_search_run(s, best, err);
    }
    return status;
}

static void regret_print(const struct regret_search *s)
{
    for (unsigned i = 0; i < s->count; i++)
        for (unsigned n = 0; n < s->plan[i].count; n++)
            printf("%s %.0f %s\n", s->plan[i].name, s->plan[i].ns[n], s->plan[i].text);
}

int main(int argc, char **argv)
{
    static struct regret_search s;
    struct proact_error err = {""};
    unsigned at = 0;

    if (argc < 3 || !regret_read_plans(&s, argv[1])) {
        fprintf(stderr, "usage: regret_runs PLANS APPLICATION|micro [WORD...]\n");
        return EXIT_USAGE;
    }
    while (cases[at]->first_word && strcmp(cases[at]->first_word, argv[2]) != 0)
        at++;
    s.of = cases[at];
    int code = s.of->open(argc - 1, argv + 1, &s.context, &s.is_emulated);

    if (!code && (regret_search_all(&s, &err) || regret_take_turns(&s, &err)))
        code = failure_exit(&err);
    if (!code)
        regret_print(&s);
    s.of->close(s.context);
    return code;
}
