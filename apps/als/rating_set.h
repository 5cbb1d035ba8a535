/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Ratings divided into a training set and a validation set, both relative to the mean of
   the training set. */

#include "als/ratings.h"

/* Training ratings by row: those of row r are first[r] .. first[r + 1] - 1. The rows are
   users and `index` has items, or the other way round; indices of a row ascend. */
struct rating_rows {
    uint32_t row_count;
    uint32_t *first, *index;
    double *value;
};

/* Starts zeroed. The validation set has each rating with probability 0.1, by a hash of its
   user and item. */
struct rating_set {
    uint32_t user_count, item_count;
    size_t training_count, validation_count;
    struct rating *training, *validation; /* in the order of users, then items */
    struct rating_rows by_user, by_item;
    double mean; /* of the training ratings, subtracted from all ratings */
    double training_deviation, validation_deviation; /* RMSE of the mean alone */
    /* Users with validation ratings but no training ratings, and these ratings. Training
       does not learn their factors, which stay small: about the mean is predicted. */
    uint32_t unknown_users;
    size_t unknown_ratings;
};

/* PROACT_EINVAL with a message that starts with `name`: two ratings of one user for one
   item, a value that is no finite number, no training ratings, or more than ENTRIES_MAX
   ratings, users or items. */
enum proact_status rating_set_create(const char *name, const struct ratings *ratings,
                                     struct rating_set *out, struct proact_error *err);

/* Number of training ratings of a row. */
uint32_t rating_rows_degree(const struct rating_rows *rows, uint32_t row);
uint32_t rating_rows_degree_max(const struct rating_rows *rows);
void rating_set_clear(struct rating_set *s);
