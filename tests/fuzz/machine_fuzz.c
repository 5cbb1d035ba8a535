/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a machine file: refused with a message, or a valid machine. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "topology/machine_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct topology t, again;
    struct proact_error err = {""};

    if (machine_file_parse("fuzz.json", (const char *)data, size, &t, &err)) {
        check(strncmp(err.text, "fuzz.json:", 10) == 0);
        check(!strpbrk(err.text, "\n\r\t"));
        return 0;
    }
    check(err.text[0] == '\0');
    check(t.device_count >= 1 && t.device_count <= TOPOLOGY_DEVICES_MAX);
    for (unsigned i = 0; i < t.device_count; i++) {
        for (unsigned j = 0; j < t.device_count; j++) {
            check(t.link_gbps[i][j] == t.link_gbps[j][i]);
            check(isfinite(model_copy_ns(&t, i, j, 1000)));
        }
    }
    for (uint64_t run = 1; run < 1000; run = run * 2 + 1) {
        check(isfinite(model_goodput_gbps(&t.fabric, MODEL_SM, run)));
        check(model_wire_bytes(&t.fabric, MODEL_SM, 4096, run) >= 4096);
        check(model_packets(&t.fabric, MODEL_SM, 4096, run) > 0);
    }
    char *text = topology_print(&t);

    check(!machine_file_parse("fuzz.json", text, strlen(text), &again, &err));
    free(text);
    return 0;
}
