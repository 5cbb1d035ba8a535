/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Group fixture: the tests write into a folder of their own, also if they are
   interrupted. */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char own_folder[] = "/tmp/proact_apps_XXXXXX";

static int own_folder_enter(void **state)
{
    (void)state;
    return mkdtemp(own_folder) ? chdir(own_folder) : -1;
}

static int own_folder_leave(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", own_folder);
    return chdir("/") ? -1 : system(command);
}
