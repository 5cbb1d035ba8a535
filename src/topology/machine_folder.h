/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where the machine files that we ship are found by name. */

/* Path of NAME.json in the first folder that has it; NULL for none. free() it. */
char *machine_folder_find(const char *name);

/* The names as a sentence lists them: "k40x4, p100x4". free() it. */
char *machine_folder_list(void);
