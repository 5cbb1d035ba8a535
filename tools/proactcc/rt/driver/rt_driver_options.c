/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the driver's compiler. All are hints except the log buffers. */
#include <string.h>

#include "rt/driver/rt_driver_module.h"

enum cuda_error driver_options_check(const struct driver_options *o)
{
    for (unsigned i = 0; i < o->count; i++)
        if (o->kinds[i] == DRIVER_JIT_SYMBOL_NAMES ||
            o->kinds[i] == DRIVER_JIT_SYMBOL_ADDRESSES) {
            rt_print("a module with addresses for its symbols "
                     "(CU_JIT_GLOBAL_SYMBOL_...) is not supported");
            return cudaErrorNotSupported;
        }
    return cudaSuccess;
}

static void **find(const struct driver_options *o, int kind)
{
    for (unsigned i = 0; i < o->count; i++)
        if (o->kinds[i] == kind)
            return &o->values[i];
    return NULL;
}

/* The size option contains the buffer's size on entry and the used size on return. */
static bool options_write_log(void **buffer, void **size, const char *words)
{
    unsigned room = 0;
    size_t length = 0;

    if (size)
        memcpy(&room, size, sizeof room);
    if (buffer && *buffer && room) {
        length = strnlen(words, room - 1);
        memcpy(*buffer, words, length);
        ((char *)*buffer)[length] = '\0';
        length += length > 0;
    }
    if (size)
        *size = (void *)(uintptr_t)length;
    return length > 0;
}

void driver_options_write_logs(const struct driver_options *o, const char *sentence)
{
    void **time = find(o, DRIVER_JIT_WALL_TIME);

    if (time) /* a float of value 0 */
        *time = NULL;
    options_write_log(find(o, DRIVER_JIT_INFO), find(o, DRIVER_JIT_INFO_BYTES), "");
    if (!options_write_log(find(o, DRIVER_JIT_ERROR), find(o, DRIVER_JIT_ERROR_BYTES),
                           sentence ? sentence : "") &&
        sentence)
        rt_print("%s", sentence);
}
