/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Folders with the shipped machine files. */

/* Path of NAME.json in the first folder that contains it. NULL: none. Release with
   free(). */
char *machine_folder_find(const char *name);

/* The names as a list for a sentence: "k40x4, p100x4". Release with free(). */
char *machine_folder_list(void);
