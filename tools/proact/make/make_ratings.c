/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "als/ratings.h"
#include "command.h"
#include "make/make_generator.h"
#include "make/make_options.h"
#include "make/make_output.h"
#include "option_values.h"
#include "progress_bar.h"

/* The planted data of the golden values. */
enum { USERS_DEFAULT = 20000, ITEMS_DEFAULT = 5000, DRAWS_DEFAULT = 1000000 };
enum { ROWS_MAX = 1 << 26, SEED_MAX = 1 << 30, LINES_RATINGS = 1024 };

static const char ratings_help[] =
    "Usage: proact make ratings [OPTION...] -o FILE\n"
    "\n"
    "Generates ratings of items by users, for proact run als: 3 plus the product of "
    "random\n"
    "factors of rank 8 plus noise of deviation 0.5. Pairs of a user and an item are drawn\n"
    "at random; a pair that is drawn again counts once. The same options make the same\n"
    "ratings on every machine.\n"
    "\n"
    "  --users N          users, 1 to 67108864 (20000)\n"
    "  --items N          items, 1 to 67108864 (5000)\n"
    "  --draws N          drawn pairs, 1 to 4294967295 (1000000)\n"
    "  --seed S           another seed, other ratings, 0 to 1073741824 (0)\n"
    "  -o, --output FILE  a Matrix Market file, or CSV if the name ends in .csv or "
    ".csv.gz;\n"
    "                     compressed if the name ends in .gz; -: stdout\n"
    "\n"
    "Examples:\n"
    "  proact make ratings --users 2000 --items 500 --draws 50000 -o ratings.mtx\n"
    "      A small set.\n"
    "  proact run als ratings.mtx --rank 16 --iterations 10\n"
    "      Factorises it.\n"
    "  proact make ratings --users 1000 --items 300 --draws 20000 -o ratings.csv.gz\n"
    "      CSV, compressed.\n"
    "\n"
    "480189 users, 17770 items and 100000000 draws are as large as the Netflix prize. The\n"
    "generator then takes 4 GB of memory.\n";

struct ratings_words {
    char *users, *items, *draws, *seed;
};

struct ratings_request {
    struct ratings_words words;
    struct ratings_plan plan;
    const char *path;
};

static int ratings_take_values(void *request)
{
    struct ratings_request *r = request;
    const struct ratings_words *w = &r->words;
    const struct option_range users = {"make ratings", "users", 1, ROWS_MAX};
    const struct option_range items = {"make ratings", "items", 1, ROWS_MAX};
    const struct option_range draws = {"make ratings", "draws", 1, UINT32_MAX};
    const struct option_range seed = {"make ratings", "seed", 0, SEED_MAX};
    uint64_t user_count = USERS_DEFAULT, item_count = ITEMS_DEFAULT;
    uint64_t draw_count = DRAWS_DEFAULT, seed_value = 0;
    int code;

    if ((code = option_integer(&users, w->users, &user_count)) ||
        (code = option_integer(&items, w->items, &item_count)) ||
        (code = option_integer(&draws, w->draws, &draw_count)) ||
        (code = option_integer(&seed, w->seed, &seed_value)))
        return code;
    r->plan = (struct ratings_plan){(uint32_t)user_count, (uint32_t)item_count,
                                    (size_t)draw_count, seed_value};
    return EXIT_FINE;
}

static bool ratings_path_is_csv(const char *path)
{
    size_t length = strlen(path);

    if (length > 3 && strcmp(path + length - 3, ".gz") == 0)
        length -= 3;
    return length > 4 && strncmp(path + length - 4, ".csv", 4) == 0;
}

static void ratings_write_head(const struct ratings_request *request,
                               const struct ratings *r, struct text *lines)
{
    if (ratings_path_is_csv(request->path))
        text_print(lines, "user,item,rating\n");
    else
        text_print(lines,
                   "%%%%MatrixMarket matrix coordinate real general\n"
                   "%% proact make ratings --users %u --items %u --draws %zu --seed %llu\n"
                   "%u %u %zu\n",
                   r->user_count, r->item_count, request->plan.draws,
                   (unsigned long long)request->plan.seed, r->user_count, r->item_count,
                   r->count);
}

/* Nine digits: more than the noise needs. */
static void ratings_write(const struct ratings_request *request, const struct ratings *r,
                          struct progress_bar *bar, struct make_output *output)
{
    const char separator = ratings_path_is_csv(request->path) ? ',' : ' ';
    struct text lines = {0};

    ratings_write_head(request, r, &lines);
    for (size_t i = 0; i < r->count; i++) {
        text_print(&lines, "%u%c%u%c%.9g\n", r->entry[i].user + 1, separator,
                   r->entry[i].item + 1, separator, r->entry[i].value);
        if (i % LINES_RATINGS && i + 1 < r->count)
            continue;
        make_output_add(output, lines.data, lines.length);
        text_clear(&lines);
        if (progress_bar_is_due(bar))
            progress_bar_draw(bar, (double)i / (double)r->count, "writing");
    }
    text_clear(&lines);
}

static enum proact_status ratings_create(void *context, const char *path,
                                         struct proact_error *err)
{
    struct ratings_request *request = context;
    struct progress_bar bar;
    struct make_output *output;
    struct ratings ratings;
    enum proact_status status = make_output_open(path, &output, err);

    if (status)
        return status;
    request->path = path;
    progress_bar_init(&bar);
    ratings_plant(&request->plan, &ratings);
    ratings_write(request, &ratings, &bar, output);
    ratings_clear(&ratings);
    progress_bar_clear(&bar);
    return make_output_finish(output, err);
}

static int ratings_run(int argc, char **argv)
{
    struct ratings_request request = {.path = NULL};
    const struct poptOption table[] = {
        {"users", 0, POPT_ARG_STRING, &request.words.users, 0, NULL, NULL},
        {"items", 0, POPT_ARG_STRING, &request.words.items, 0, NULL, NULL},
        {"draws", 0, POPT_ARG_STRING, &request.words.draws, 0, NULL, NULL},
        {"seed", 0, POPT_ARG_STRING, &request.words.seed, 0, NULL, NULL},
        POPT_TABLEEND,
    };
    const struct make_options options = {
        "make ratings", ratings_help, table, &request, ratings_take_values, ratings_create};

    return make_options_run(&options, argc, argv);
}

const struct make_generator make_ratings = {
    .name = "ratings",
    .summary = "ratings of items by users with factors of rank 8 and noise, for als",
    .run = ratings_run,
};
