/* SPDX-License-Identifier: Apache-2.0 */
/* Functions in the place of their calls. With a file's name as argument: prints what becomes
   of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "instrument/instrument.h"

static int print_file(const char *path)
{
    struct proact_error err = {""};
    size_t bytes = 0;
    char *text = NULL;
    int status = file_read(path, &text, &bytes, &err) ||
                 instrument_inline(path, &text, &bytes, &err);

    printf("%s", status ? err.text : text);
    free(text);
    return status;
}

int main(int argc, char **argv)
{
    return argc > 1 ? print_file(argv[1]) : 0;
}
