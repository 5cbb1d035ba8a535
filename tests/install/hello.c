/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest program: opens a machine and prints its number of devices. */
#include <proact/proact.h>

#include <stdio.h>

int main(void)
{
    struct proact_error err;
    struct proact *p;

    if (proact_open(&(struct proact_options){.device_count = 2}, &p, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    printf("proact %s runs on %u devices\n", PROACT_VERSION, proact_device_count(p));
    proact_close(p);
    return 0;
}
