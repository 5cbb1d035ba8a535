/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/traffic/arrivals.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

enum { WORD_BITS = 64, WORDS_FIRST = 4 };

static uint64_t *word_of(const struct arrivals *a, uint64_t number)
{
    return &a->later[number / WORD_BITS % a->words];
}

static bool is_noted(const struct arrivals *a, uint64_t number)
{
    return *word_of(a, number) >> number % WORD_BITS & 1;
}

static void note(struct arrivals *a, uint64_t number)
{
    *word_of(a, number) |= (uint64_t)1 << number % WORD_BITS;
}

static void widen(struct arrivals *a)
{
    struct arrivals wide = {.all_up_to = a->all_up_to,
                            .words = a->words ? 2 * a->words : WORDS_FIRST};

    wide.later = must_calloc(wide.words, sizeof *wide.later);
    for (uint64_t i = 0; i < a->words * WORD_BITS; i++)
        if (is_noted(a, a->all_up_to + i))
            note(&wide, a->all_up_to + i);
    free(a->later);
    a->later = wide.later;
    a->words = wide.words;
}

void arrivals_note(struct arrivals *a, uint64_t number)
{
    while (number - a->all_up_to >= a->words * WORD_BITS)
        widen(a);
    note(a, number);
    while (is_noted(a, a->all_up_to + 1)) {
        a->all_up_to++;
        *word_of(a, a->all_up_to) &= ~((uint64_t)1 << a->all_up_to % WORD_BITS);
    }
}

void arrivals_clear(struct arrivals *a)
{
    free(a->later);
    *a = (struct arrivals){0};
}
