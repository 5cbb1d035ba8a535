/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct profile {
    struct profile_entry *entry;
    size_t count, capacity;
};

const char *const profile_reasons[PROFILE_REASONS] = {
    [PROFILE_TIMED] = "timed",         [PROFILE_PREDICTED] = "predicted",
    [PROFILE_BUDGET] = "budget",       [PROFILE_UNSUPPORTED] = "unsupported",
    [PROFILE_UNDECIDED] = "undecided",
};

struct profile *profile_create(void)
{
    return must_calloc(1, sizeof(struct profile));
}

void profile_free(struct profile *p)
{
    for (size_t i = 0; p && i < p->count; i++)
        free(p->entry[i].candidates);
    if (p)
        free(p->entry);
    free(p);
}

size_t profile_count(const struct profile *p)
{
    return p->count;
}

const struct profile_entry *profile_at(const struct profile *p, size_t index)
{
    return &p->entry[index];
}

bool profile_is_decided(const struct profile_entry *entry)
{
    return entry->is_pinned || entry->measured_ns > 0 || entry->predicted_ns > 0;
}

/* Keys from the least significant one on. The nearest entry is that whose most significant
   difference is the least significant one. */
enum key_part {
    KEY_EQUAL,
    KEY_RECORDED,
    KEY_BYTES,
    KEY_BLOCK,
    KEY_GRID,
    KEY_TEXT,
    KEY_DEVICES,
    KEY_DRIVER,
    KEY_MACHINE,
    KEY_VERSION,
    KEY_KERNEL
};

static enum key_part key_difference(const struct profile_key *a,
                                    const struct profile_key *b)
{
    if (a->text != b->text && strcmp(a->kernel, b->kernel) != 0)
        return KEY_KERNEL;
    if (strcmp(a->version, b->version) != 0)
        return KEY_VERSION;
    if (strcmp(a->machine, b->machine) != 0)
        return KEY_MACHINE;
    if (strcmp(a->driver, b->driver) != 0)
        return KEY_DRIVER;
    if (a->device_count != b->device_count)
        return KEY_DEVICES;
    if (a->text != b->text)
        return KEY_TEXT;
    if (memcmp(a->grid, b->grid, sizeof a->grid) != 0)
        return KEY_GRID;
    if (memcmp(a->threads, b->threads, sizeof a->threads) != 0)
        return KEY_BLOCK;
    if (a->bytes != b->bytes)
        return KEY_BYTES;
    return a->is_recorded != b->is_recorded ? KEY_RECORDED : KEY_EQUAL;
}

bool profile_keys_are_equal(const struct profile_key *a, const struct profile_key *b)
{
    return key_difference(a, b) == KEY_EQUAL;
}

enum { KEY_VALUE_BYTES = 96 };

static void key_value(enum key_part part, const struct profile_key *k,
                      char out[KEY_VALUE_BYTES])
{
    const uint32_t *n = part == KEY_GRID ? k->grid : k->threads;

    *out = '\0';
    if (part == KEY_VERSION)
        snprintf(out, KEY_VALUE_BYTES, "%s", k->version);
    else if (part == KEY_MACHINE)
        snprintf(out, KEY_VALUE_BYTES, "%s", k->machine);
    else if (part == KEY_DRIVER)
        snprintf(out, KEY_VALUE_BYTES, "%s", k->driver);
    else if (part == KEY_DEVICES)
        snprintf(out, KEY_VALUE_BYTES, "%u", k->device_count);
    else if (part == KEY_TEXT)
        snprintf(out, KEY_VALUE_BYTES, "%016llx", (unsigned long long)k->text);
    else if (part == KEY_GRID || part == KEY_BLOCK)
        snprintf(out, KEY_VALUE_BYTES, "%u,%u,%u", n[0], n[1], n[2]);
    else if (part == KEY_BYTES)
        snprintf(out, KEY_VALUE_BYTES, "%llu", (unsigned long long)k->bytes);
    else
        snprintf(out, KEY_VALUE_BYTES, "%d", k->is_recorded);
}

static void key_explain(enum key_part part, const struct profile_key *here,
                        const struct profile_key *there, char out[PROFILE_DIFFERS_BYTES])
{
    static const char *const names[] = {
        [KEY_VERSION] = "version", [KEY_MACHINE] = "machine", [KEY_DRIVER] = "driver",
        [KEY_DEVICES] = "devices", [KEY_TEXT] = "text",       [KEY_GRID] = "grid",
        [KEY_BLOCK] = "block",     [KEY_BYTES] = "bytes",     [KEY_RECORDED] = "recorded",
    };
    char a[KEY_VALUE_BYTES], b[KEY_VALUE_BYTES];

    key_value(part, here, a);
    key_value(part, there, b);
    snprintf(out, PROFILE_DIFFERS_BYTES, "%s (%s here, %s in the profile)", names[part], a,
             b);
}

const struct profile_entry *profile_find(const struct profile *p,
                                         const struct profile_key *key,
                                         char differs[PROFILE_DIFFERS_BYTES])
{
    const struct profile_entry *nearest = NULL;
    enum key_part least = KEY_KERNEL;

    for (size_t i = 0; i < p->count; i++) {
        const enum key_part part = key_difference(key, &p->entry[i].key);

        if (part == KEY_EQUAL)
            return &p->entry[i];
        if (part < least) {
            least = part;
            nearest = &p->entry[i];
        }
    }
    if (differs)
        *differs = '\0';
    if (differs && nearest)
        key_explain(least, key, &nearest->key, differs);
    return NULL;
}

static void entry_copy(struct profile_entry *into, const struct profile_entry *from)
{
    const size_t count = from->candidate_count;

    *into = *from;
    into->candidates = count ? must_calloc(count, sizeof *into->candidates) : NULL;
    if (count)
        memcpy(into->candidates, from->candidates, count * sizeof *into->candidates);
}

static int entry_rank(const struct profile_entry *e)
{
    return e->is_pinned ? 3 : e->measured_ns > 0 ? 2 : profile_is_decided(e) ? 1 : 0;
}

bool profile_put(struct profile *p, const struct profile_entry *entry)
{
    struct profile_entry copy;
    size_t i = 0;

    while (i < p->count && key_difference(&entry->key, &p->entry[i].key) != KEY_EQUAL)
        i++;
    if (i < p->count && entry_rank(entry) < entry_rank(&p->entry[i]))
        return false;
    entry_copy(&copy, entry);
    if (i < p->count) {
        free(p->entry[i].candidates);
    } else {
        p->entry = must_grow(p->entry, p->count, &p->capacity, sizeof *p->entry);
        p->count++;
    }
    p->entry[i] = copy;
    return true;
}

void profile_remove(struct profile *p, size_t index)
{
    free(p->entry[index].candidates);
    memmove(p->entry + index, p->entry + index + 1,
            (--p->count - index) * sizeof *p->entry);
}
