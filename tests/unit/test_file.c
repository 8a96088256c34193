/* Files: gzip by content, errors that say what is wrong, nothing half-written. The cases of file.txt, and what they
 * cannot say. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nvdla/text.h"
#include "tests/unit/folder.h"
#include "tests/unit/steps.h"
#include "tests/unit/test.h"

static char *in(const char *folder, const char *name) {
    return kept(xprintf("%s/%s", folder, name));
}

/* Bytes that do not pack well. */
static char *noise(size_t n) {
    char *bytes = test_new(n);
    uint32_t x = 1;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        bytes[i] = (char)(x >> 24);
    }
    return bytes;
}

/* ---- cases of file.txt ---- */

static void *begin(const char *title) {
    (void)title;
    return folder_new();
}

static bool read_back(const char *path, FILE *found, struct error *err) {
    char *bytes = (char *)1;
    size_t n = 1;
    if (!file_read(path, &bytes, &n, err)) {
        assert_null(bytes);
        return false;
    }
    kept(bytes);
    assert_int_equal(bytes[n], 0);
    if (n > 20)
        assert_memory_equal(bytes, noise(n), n);
    fprintf(found, n > 20 ? "%zu of noise" : "%zu:%s", n, kept(text_shown(bytes)));
    return true;
}

/* What a command of the shell says in the folder. */
static void shell(const char *command, FILE *found) {
    FILE *out = popen(kept(xprintf("(%s) 2>&1", command)), "r");
    assert_non_null(out);
    for (int c; (c = fgetc(out)) != EOF;)
        fputc(c == '\n' ? '.' : c, found);
    assert_int_not_equal(pclose(out), -1);
}

/* Changes bits of a byte of a file as it is on disk; the place is one from the end on if it is below 0. */
static void change(const char *path, long at, int bits) {
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    const int byte = fgetc(file);
    assert_int_equal(fseek(file, -1, SEEK_CUR), 0);
    assert_int_equal(fputc(byte ^ bits, file), byte ^ bits);
    assert_int_equal(fclose(file), 0);
}

static bool act(void *context, const struct step *step, FILE *found) {
    const char *folder = context, *path = step->word[1], *text = step->word[2];
    struct error err = {.text = ""};
    bool fine = true, known = true;
    const int home = open(".", O_RDONLY | O_DIRECTORY);
    assert_true(home >= 0 && chdir(folder) == 0);
    if (step_is(step, "write"))
        fine = file_write(path, text, strlen(text), &err);
    else if (step_is(step, "noise"))
        fine = file_write(path, noise(step_number(step, 2)), step_number(step, 2), &err);
    else if (step_is(step, "make"))
        fine = directory_make(path, &err);
    else if (step_is(step, "read"))
        fine = read_back(path, found, &err);
    else if (step_is(step, "change"))
        change(path, atol(text), (int)step_number(step, 3));
    else if (step_is(step, "sh"))
        shell(step->text, found);
    else
        known = false;
    const char *after = strstr(err.text, " (after "); /* how far a stream was read */
    if (!fine)
        fprintf(found, "%.*s", (int)(after ? (size_t)(after - err.text) : strlen(err.text)), err.text);
    assert_true(fchdir(home) == 0 && close(home) == 0);
    return known;
}

TEST(cases_find_what_they_say) {
    steps_play("tests/unit/file.txt", &(struct steps_player){begin, act});
}

/* ---- more than a case can say ---- */

TEST_ON(a_full_disk_keeps_the_old_file, const char *folder, folder_new()) {
    static const char *const names[] = {"file", "file.gz"};
    const char *bytes = noise(100000);
    struct error err[2] = {{.text = ""}, {.text = ""}};
    struct rlimit limit; /* on the size of files stands for the full disk */
    bool written[2];
    char *back;
    size_t n;
    assert_true(file_write(in(folder, "file"), "old", 3, err));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const struct rlimit small = {.rlim_cur = 20000, .rlim_max = limit.rlim_max};
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < 2; i++)
        written[i] = file_write(in(folder, names[i]), bytes, 100000, &err[i]);
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, handler);
    for (int i = 0; i < 2; i++) {
        assert_false(written[i]);
        assert_string_equal(err[i].text, kept(xprintf("%s: cannot write: File too large", in(folder, names[i]))));
    }
    assert_true(file_read(in(folder, "file"), &back, &n, err));
    assert_string_equal(kept(back), "old");
    assert_true(unlink(in(folder, "file")) == 0 && rmdir(folder) == 0); /* nothing else is left */
}

TEST_ON(a_pipe_is_written_and_not_replaced, const char *folder, folder_new()) {
    struct error err = {.text = ""};
    const char *path = in(folder, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    const int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_int_not_equal(reader, -1);
    assert_true(file_write(path, "through", 7, &err));
    char bytes[16];
    assert_int_equal(read(reader, bytes, sizeof bytes), 7);
    assert_memory_equal(bytes, "through", 7);
    close(reader);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    assert_false(file_read("nothing.dat", &(char *){NULL}, &(size_t){0}, NULL));
}

TEST_ON(a_memory_dump_is_the_region, const char *folder, folder_new()) {
    static const char *const names[] = {"dump.bin", "dump.bin.gz"};
    const size_t n = 50000;
    struct error err = {.text = ""};
    struct memory *mem = memory_new();
    char *back;
    size_t size;
    memory_write(mem, 0x100fff, noise(n), n, NULL, NULL);
    for (int k = 0; k < 2; k++) {
        assert_true(memory_dump(mem, 0x100ffd, n + 4, in(folder, names[k]), &err));
        assert_true(file_read(in(folder, names[k]), &back, &size, &err) && size == n + 4);
        assert_memory_equal(kept(back), "\0\0", 2);
        assert_memory_equal(back + 2, noise(n), n);
        assert_memory_equal(back + 2 + n, "\0\0", 2);
    }
    assert_true(memory_dump(mem, 0, 0, in(folder, "empty"), &err));
    assert_true(file_read(in(folder, "empty"), &back, &size, &err) && size == 0);
    kept(back);
    assert_true(memory_dump(mem, UINT64_MAX - 7, 8, in(folder, "end"), &err));
    assert_true(file_read(in(folder, "end"), &back, &size, &err) && size == 8);
    kept(back);
    assert_false(memory_dump(mem, UINT64_MAX - 7, 9, in(folder, "beyond"), &err));
    assert_non_null(strstr(err.text, "beyond: "));
    assert_int_equal(access(in(folder, "beyond"), F_OK), -1);
    assert_true(directory_make(in(folder, "absolute/way"), &err) && directory_exists(in(folder, "absolute/way")));
    memory_free(mem);
}
