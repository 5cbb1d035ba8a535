/* SPDX-License-Identifier: Apache-2.0 */
/* Messages, text, memory, and files that are complete or absent. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* the test uses the library's fail() */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/short_name.h"
#include "base/text.h"

static void fail_writes_the_sentence(void **state)
{
    struct proact_error err = {"old"};
    char numbers[2000];

    (void)state;
    assert_int_equal(fail(&err, PROACT_EINVAL, "%s: %d", "chunk", 3), PROACT_EINVAL);
    assert_string_equal(err.text, "chunk: 3");
    assert_int_equal(fail(NULL, PROACT_ENODEV, "nobody listens"), PROACT_ENODEV);
    memset(numbers, '7', sizeof numbers);
    numbers[sizeof numbers - 1] = '\0';
    fail(&err, PROACT_EINVAL, "kernel '%s', line %d: why not", numbers, 12);
    assert_memory_equal(err.text, "kernel '777", 11);
    assert_non_null(strstr(err.text, "7...7"));
    assert_non_null(strstr(err.text, "777', line 12: why not"));
    for (size_t i = 5; i < sizeof numbers - 1; i += 6)
        numbers[i] = ' ';
    fail(&err, PROACT_EINVAL, "%s", numbers);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_memory_equal(err.text, numbers, sizeof err.text - 1);
}

static void text_grows(void **state)
{
    struct text t = {0};

    (void)state;
    text_add(&t, "", 0);
    assert_string_equal(t.data, "");
    for (int i = 0; i < 1000; i++)
        text_print(&t, "%d,", i);
    text_add(&t, "end", 2);
    assert_int_equal(t.length, 10 * 2 + 90 * 3 + 900 * 4 + 2);
    assert_int_equal(strlen(t.data), t.length);
    assert_string_equal(t.data + t.length - 6, "999,en");
    text_clear(&t);
    assert_null(t.data);
    assert_int_equal(t.capacity, 0);
}

static void long_names_lose_their_middle(void **state)
{
    enum { MOST = sizeof(struct short_name) - 1 };
    char name[2000];

    (void)state;
    memset(name, 'n', sizeof name);
    memcpy(name, "first", 5);
    name[MOST] = '\0';
    assert_string_equal(name_shorten(name).text, name);
    memcpy(name + MOST - 4, "last1", 6);
    struct short_name cut = name_shorten(name);
    assert_int_equal(strlen(cut.text), MOST);
    assert_memory_equal(cut.text, "firstnn", 7);
    assert_non_null(strstr(cut.text, "n...n"));
    assert_string_equal(cut.text + MOST - 6, "nlast1");
    assert_string_equal(name_shorten("").text, "");
}

static void grow_keeps_content_and_makes_room(void **state)
{
    uint32_t *numbers = NULL;
    size_t capacity = 0;

    (void)state;
    for (uint32_t i = 0; i < 5000; i++) {
        numbers = must_grow(numbers, i, &capacity, sizeof *numbers);
        assert_true(capacity > i);
        numbers[i] = i;
    }
    for (uint32_t i = 0; i < 5000; i++)
        assert_int_equal(numbers[i], i);
    free(numbers);
}

static void arena_is_zeroed_and_aligned(void **state)
{
    struct arena a = {0};
    static const size_t sizes[] = {1, 15, 16, 17, 1000, 65536, 65537, 300000, 3};

    (void)state;
    for (int round = 0; round < 50; round++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            unsigned char *p = arena_alloc(&a, sizes[i]);

            assert_int_equal((uintptr_t)p % 16, 0);
            for (size_t b = 0; b < sizes[i]; b++)
                assert_int_equal(p[b], 0);
            memset(p, 0xff, sizes[i]);
        }
    }
    arena_clear(&a);
    assert_null(a.blocks);
    arena_clear(&a);
}

/* Rewinds within a block, to a block before it, and to the start. */
static void arena_rewinds_to_a_mark(void **state)
{
    struct arena a = {0};
    const struct arena_mark start = arena_mark(&a);

    (void)state;
    for (unsigned round = 0; round < 3; round++) {
        unsigned char *kept = arena_alloc(&a, 40), *first = NULL;
        const struct arena_mark mark = arena_mark(&a);

        memset(kept, 7, 40);
        for (unsigned n = 0; n < 5000; n++) {
            unsigned char *p = arena_alloc(&a, 100);

            first = first ? first : p;
            for (unsigned k = 0; k < 100; k++)
                assert_int_equal(p[k], 0);
            memset(p, 255, 100);
            if (n % 1000 < 900 || n > 4000)
                arena_rewind(&a, mark);
        }
        assert_ptr_equal(arena_alloc(&a, 100), first);
        for (unsigned k = 0; k < 40; k++)
            assert_int_equal(kept[k], 7);
        arena_rewind(&a, start);
    }
    assert_int_equal(*(unsigned char *)arena_alloc(&a, 1), 0);
    arena_clear(&a);
}

/* Kept memory stays valid after any rewind. */
static void arena_keeps_memory_across_rewinds(void **state)
{
    struct arena a = {0};
    const struct arena_mark start = arena_mark(&a);
    unsigned char *kept[300];

    (void)state;
    for (unsigned n = 0; n < 300; n++) {
        kept[n] = arena_keep(&a, 1 + n * 3);
        for (unsigned k = 0; k < 1 + n * 3; k++)
            assert_int_equal(kept[n][k], 0);
        memset(kept[n], (int)(n % 256), 1 + n * 3);
        memset(arena_alloc(&a, 50 * n), 255, 50 * n);
        arena_rewind(&a, start);
    }
    for (unsigned n = 0; n < 300; n++)
        for (unsigned k = 0; k < 1 + n * 3; k++)
            assert_int_equal(kept[n][k], n % 256);
    arena_clear(&a);
    assert_null(a.kept);
}

/* Repeated allocations and rewinds across the end of a block reuse the spare block. */
static void arena_reuses_its_spare_block(void **state)
{
    struct arena a = {0};
    struct arena_mark mark;

    (void)state;
    arena_alloc(&a, 1);
    const struct arena_block *first = a.blocks;

    do {
        mark = arena_mark(&a);
        memset(arena_alloc(&a, 1000), 1, 1000);
    } while (a.blocks == first);
    const struct arena_block *second = a.blocks;

    arena_rewind(&a, mark);
    assert_ptr_equal(a.blocks, first);
    assert_ptr_equal(a.spare, second);
    assert_int_equal(*(unsigned char *)arena_alloc(&a, 1000), 0);
    assert_ptr_equal(a.blocks, second);
    assert_null(a.spare);
    arena_rewind(&a, mark);
    arena_clear(&a);
    assert_null(a.spare);
}

/* Creates a folder for one test and enters it. */
static void enter_scratch(char *name)
{
    assert_non_null(mkdtemp(name));
    assert_int_equal(chdir(name), 0);
}

static int entries(const char *folder)
{
    DIR *d = opendir(folder);
    int count = 0;

    assert_non_null(d);
    while (readdir(d))
        count++;
    closedir(d);
    return count - 2; /* . and .. */
}

static void check_content(const char *path, const char *expected)
{
    char *data = NULL;
    size_t bytes = 0;

    assert_int_equal(file_read(path, &data, &bytes, NULL), PROACT_OK);
    assert_int_equal(bytes, strlen(expected));
    assert_string_equal(data, expected);
    free(data);
}

/* A write through a dangling link creates the target of the link, like fopen(). */
static void a_dangling_link_stays_a_link(void **state)
{
    char folder[] = "/tmp/proact-text-XXXXXX";
    struct proact_error err = {""};
    struct stat link;

    (void)state;
    enter_scratch(folder);
    assert_int_equal(mkdir("there", 0777), 0);
    assert_int_equal(symlink("there/second", "first"), 0);
    assert_int_equal(symlink("../made", "there/second"), 0);
    assert_int_equal(file_write("first", "news", 4, NULL), PROACT_OK);
    check_content("made", "news");
    assert_int_equal(lstat("first", &link), 0);
    assert_true(S_ISLNK(link.st_mode));
    assert_int_equal(lstat("there/second", &link), 0);
    assert_true(S_ISLNK(link.st_mode));
    assert_int_equal(entries("."), 3);

    assert_int_equal(symlink("nowhere/a", "far") | symlink("ring", "ring"), 0);
    assert_int_equal(file_write("far", "news", 4, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "far: cannot be written: No such file or directory");
    assert_int_equal(file_write("ring", "news", 4, &err), PROACT_EINVAL);
    assert_non_null(strstr(err.text, "ring: cannot be written: Too many"));
    assert_int_equal(entries("."), 5);
    assert_int_equal(unlink("first") | unlink("there/second") | unlink("made"), 0);
    assert_int_equal(unlink("far") | unlink("ring") | rmdir("there") | rmdir(folder), 0);
}

static void write_replaces_the_whole_file(void **state)
{
    char folder[] = "/tmp/proact-text-XXXXXX";
    struct stat link;

    (void)state;
    enter_scratch(folder);
    assert_int_equal(file_write("a", "first, longer", 13, NULL), PROACT_OK);
    check_content("a", "first, longer");
    assert_int_equal(file_write("a", "second", 6, NULL), PROACT_OK);
    check_content("a", "second");
    assert_int_equal(entries("."), 1);

    assert_int_equal(symlink("a", "link"), 0);
    assert_int_equal(file_write("link", "third", 5, NULL), PROACT_OK);
    check_content("a", "third");
    assert_int_equal(lstat("link", &link), 0);
    assert_true(S_ISLNK(link.st_mode));
    assert_int_equal(entries("."), 2);
    assert_int_equal(unlink("link") | unlink("a"), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void a_write_that_fails_leaves_nothing(void **state)
{
    char folder[] = "/tmp/proact-text-XXXXXX";
    struct proact_error err = {""};

    (void)state;
    enter_scratch(folder);
    assert_int_equal(mkdir("there", 0777), 0);
    assert_int_equal(mkdir("there/full", 0777), 0);
    assert_int_equal(file_write("there", "x", 1, &err), PROACT_EINVAL);
    assert_non_null(strstr(err.text, "there: cannot be written: "));
    assert_int_equal(entries("."), 1);
    assert_int_equal(file_write("nowhere/a", "x", 1, &err), PROACT_EINVAL);
    assert_string_equal(err.text,
                        "nowhere/a: cannot be written: No such file or directory");
    assert_int_equal(entries("."), 1);
    assert_int_equal(file_write("/dev/full", "x", 1, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "/dev/full: cannot be written: No space left on device");
    assert_int_equal(file_write("/dev/null", "x", 1, &err), PROACT_OK);
    assert_int_equal(rmdir("there/full") | rmdir("there") | rmdir(folder), 0);
}

/* A process that is killed while it writes leaves neither a file nor a part of one. */
static void an_interrupted_write_leaves_nothing(void **state)
{
    static const char piece[100000];
    char folder[] = "/tmp/proact-text-XXXXXX";
    int how = 0;

    (void)state;
    enter_scratch(folder);
    pid_t child = fork();

    if (!child) {
        struct file_output f;

        file_open("a", &f, NULL);
        file_add(&f, piece, sizeof piece);
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
    assert_int_equal(entries("."), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* Pieces of a long text are written like one text, also to targets that are not files. */
static void pieces_are_written_like_one_text(void **state)
{
    char folder[] = "/tmp/proact-text-XXXXXX", got[8] = "";
    struct file_output f;
    struct text all = {0};

    (void)state;
    enter_scratch(folder);
    assert_int_equal(
        file_write("a", "old", 3, NULL) | file_write("a.part", "mine", 4, NULL), PROACT_OK);
    assert_int_equal(symlink("a", "link"), 0);
    assert_int_equal(file_open("link", &f, NULL), PROACT_OK);
    for (unsigned i = 0; i < 30000; i++) {
        size_t before = all.length;

        text_print(&all, "%u,", i);
        file_add(&f, all.data + before, all.length - before);
    }
    check_content("a", "old");
    assert_int_equal(file_finish(&f, NULL), PROACT_OK);
    check_content("a", all.data);
    check_content("link", all.data);
    check_content("a.part", "mine");
    assert_int_equal(file_open("a", &f, NULL), PROACT_OK);
    file_add(&f, "half", 4);
    file_discard(&f);
    check_content("a", all.data);
    text_clear(&all);
    assert_int_equal(mkfifo("pipe", 0600), 0);

    int reader = open("pipe", O_RDONLY | O_NONBLOCK);

    assert_int_equal(file_write("pipe", "hello", 5, NULL), PROACT_OK);
    assert_int_equal(read(reader, got, sizeof got), 5);
    assert_string_equal(got, "hello");
    close(reader);
    assert_int_equal(entries("."), 4);
    assert_int_equal(unlink("pipe") | unlink("link") | unlink("a.part") | unlink("a"), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void read_reports_errors(void **state)
{
    struct proact_error err = {""};
    char *data = NULL;
    size_t bytes = 7;

    (void)state;
    assert_int_equal(file_read("/nowhere/a", &data, &bytes, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "/nowhere/a: No such file or directory");
    assert_int_equal(file_read("/tmp", &data, &bytes, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "/tmp: cannot be read: Is a directory");
    assert_null(data);
    assert_int_equal(bytes, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_writes_the_sentence),
        cmocka_unit_test(text_grows),
        cmocka_unit_test(long_names_lose_their_middle),
        cmocka_unit_test(grow_keeps_content_and_makes_room),
        cmocka_unit_test(arena_is_zeroed_and_aligned),
        cmocka_unit_test(arena_rewinds_to_a_mark),
        cmocka_unit_test(arena_keeps_memory_across_rewinds),
        cmocka_unit_test(arena_reuses_its_spare_block),
        cmocka_unit_test(write_replaces_the_whole_file),
        cmocka_unit_test(a_dangling_link_stays_a_link),
        cmocka_unit_test(a_write_that_fails_leaves_nothing),
        cmocka_unit_test(pieces_are_written_like_one_text),
        cmocka_unit_test(an_interrupted_write_leaves_nothing),
        cmocka_unit_test(read_reports_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
