/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The files of a figure: FOLDER/NAME.json, .svg and .txt. */

#include "figures/figure.h"

/* PROACT_EINVAL if the folder cannot take the files. */
enum proact_status figure_file_check(const struct figure *figure, const char *folder,
                                     struct proact_error *err);

enum proact_status figure_file_write(const struct figure *figure,
                                     const struct figure_session *s,
                                     const struct figure_rows *rows, double seconds,
                                     const char *command_line, struct proact_error *err);
/* Reads the rows of the JSON file. */
enum proact_status figure_file_read(const struct figure *figure, const char *folder,
                                    struct figure_rows *out, struct proact_error *err);

/* Writes the picture and the table from the rows alone, and prints the table. */
enum proact_status figure_file_draw(const struct figure *figure, const char *folder,
                                    const struct figure_rows *rows,
                                    struct proact_error *err);
