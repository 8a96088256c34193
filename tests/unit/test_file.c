/* Files: gzip by content, errors that say what is wrong, nothing half-written. Works in a directory of its own. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "memory/file.h"
#include "tests/unit/test.h"

static void leave(void *directory) {
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", (char *)directory);
    assert_true(chdir("..") == 0 && system(command) == 0);
    free(directory);
}

/* Enters a new empty directory, which is removed with its content. */
static int enter(void **state) {
    const char *parent = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/nvcosim-file-XXXXXX", parent && *parent ? parent : P_tmpdir);
    char *directory = strdup(path);
    *state = directory;
    test_keep(directory, leave);
    return directory && mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static void put_raw(const char *path, const void *bytes, size_t n) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static char *get(const char *path, size_t expected) {
    struct error err = {.text = ""};
    char *bytes;
    size_t n;
    if (!file_read(path, &bytes, &n, &err))
        fail_msg("%s", err.text);
    assert_int_equal(n, expected);
    assert_int_equal(bytes[n], 0);
    return kept(bytes);
}

static void expect_failure(const char *path, const char *message) {
    struct error err = {.text = ""};
    char *bytes = (char *)1;
    size_t n = 1;
    assert_false(file_read(path, &bytes, &n, &err));
    assert_null(bytes);
    if (!strstr(err.text, path) || !strstr(err.text, message))
        fail_msg("\"%s\" does not name %s and say \"%s\"", err.text, path, message);
}

static int entries(void) {
    int count = 0;
    DIR *directory = opendir(".");
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

/* Bytes that do not pack well. */
static uint8_t *noise(size_t n) {
    uint8_t *bytes = test_new(n);
    uint32_t x = 1;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(x >> 24);
    }
    return bytes;
}

TEST_WITH(plain_and_gzip_files_come_back, enter) {
    static const size_t sizes[] = {0, 1, 2, 16383, 16384, 16385, 300000};
    static const char *const names[] = {"plain.dat", "packed.dat.gz"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int k = 0; k < 2; k++) {
            uint8_t *bytes = noise(sizes[i]);
            struct error err;
            assert_true(file_write(names[k], bytes, sizes[i], &err));
            char *back = get(names[k], sizes[i]);
            assert_memory_equal(back, bytes, sizes[i]);
        }
    assert_int_equal(entries(), 2);
}

TEST_WITH(gzip_is_recognized_by_content, enter) {
    struct error err;
    assert_true(file_write("a.gz", "hello", 5, &err));
    assert_int_equal(rename("a.gz", "a.txt"), 0);
    char *bytes = get("a.txt", 5);
    assert_string_equal(bytes, "hello");
    put_raw("plain.gz", "hello", 5);
    bytes = get("plain.gz", 5);
    assert_string_equal(bytes, "hello");
    put_raw("one", "\x1f", 1);
    get("one", 1);
    put_raw("almost", "\x1f\x8c\x08", 3);
    get("almost", 3);
}

TEST_WITH(gzip_has_neither_time_nor_name, enter) {
    struct error err;
    uint8_t header[10];
    assert_true(file_write("first.gz", "same bytes", 10, &err));
    assert_true(file_write("second.gz", "same bytes", 10, &err));
    FILE *file = fopen("first.gz", "rb");
    assert_non_null(file);
    assert_int_equal(fread(header, 1, sizeof header, file), sizeof header);
    fclose(file);
    assert_memory_equal(header, "\x1f\x8b\x08\x00\x00\x00\x00\x00", 8); /* no flags, no time */
    /* Hidden from recognition by one byte in front, the packed bytes themselves can be read and compared. */
    assert_int_equal(system("(printf x; cat first.gz) > a; (printf x; cat second.gz) > b"), 0);
    assert_int_equal(system("cmp a b"), 0);
}

TEST_WITH(gzip_of_several_members_is_one_file, enter) {
    struct error err;
    assert_true(file_write("1.gz", "first ", 6, &err));
    assert_true(file_write("2.gz", "", 0, &err));
    assert_true(file_write("3.gz", "third", 5, &err));
    assert_int_equal(system("cat 1.gz 2.gz 3.gz > all.gz"), 0);
    char *bytes = get("all.gz", 11);
    assert_string_equal(bytes, "first third");
}

TEST_WITH(truncated_gzip_is_told_at_every_length, enter) {
    struct error err;
    uint8_t *bytes = noise(40000), packed[60000];
    assert_true(file_write("whole.gz", bytes, 40000, &err));
    FILE *file = fopen("whole.gz", "rb");
    assert_non_null(file);
    const size_t n = fread(packed, 1, sizeof packed, file);
    fclose(file);
    assert_in_range(n, 100, sizeof packed - 1);
    static const size_t kept[] = {2, 3, 9, 10, 11, 20, 16384, 20000};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        put_raw("cut.gz", packed, kept[i]);
        expect_failure("cut.gz", "truncated gzip stream");
    }
    for (size_t missing = 1; missing <= 9; missing++) {
        put_raw("cut.gz", packed, n - missing);
        expect_failure("cut.gz", "truncated gzip stream");
    }
    memcpy(packed + n, packed, 12); /* the second member is cut */
    put_raw("cut.gz", packed, n + 12);
    expect_failure("cut.gz", "truncated gzip stream");
}

TEST_WITH(corrupt_gzip_is_told, enter) {
    struct error err;
    uint8_t *bytes = noise(5000), packed[8000];
    assert_true(file_write("good.gz", bytes, 5000, &err));
    FILE *file = fopen("good.gz", "rb");
    assert_non_null(file);
    const size_t n = fread(packed, 1, sizeof packed, file);
    fclose(file);
    packed[n / 2] ^= 0x10; /* contents: the check sum fails */
    put_raw("bad.gz", packed, n);
    expect_failure("bad.gz", "corrupt gzip stream (zlib: ");
    packed[n / 2] ^= 0x10;
    packed[n - 6] ^= 1; /* check sum */
    put_raw("bad.gz", packed, n);
    expect_failure("bad.gz", "corrupt gzip stream (zlib: incorrect data check)");
    packed[n - 6] ^= 1;
    packed[2] = 7; /* method */
    put_raw("bad.gz", packed, n);
    expect_failure("bad.gz", "corrupt gzip stream (zlib: unknown compression method)");
    packed[2] = 8;
    memcpy(packed + n, "rubbish", 7);
    put_raw("bad.gz", packed, n + 7);
    expect_failure("bad.gz", "corrupt gzip stream (zlib: incorrect header check)");
}

TEST_WITH(missing_and_unreadable_files_are_told, enter) {
    expect_failure("nothing.dat", "cannot open: No such file or directory");
    expect_failure("no/such/directory.dat", "cannot open: No such file or directory");
    assert_int_equal(mkdir("directory", 0777), 0);
    expect_failure("directory", "is not a regular file");
    expect_failure("/dev/zero", "is not a regular file");
    assert_false(file_read("nothing.dat", &(char *){NULL}, &(size_t){0}, NULL));
}

TEST_WITH(a_failed_write_leaves_nothing, enter) {
    struct error err = {.text = ""};
    assert_false(file_write("no/such/file.gz", "x", 1, &err));
    assert_non_null(strstr(err.text, "no/such/file.gz: cannot create: No such file or directory"));
    assert_int_equal(mkdir("target", 0777), 0);
    assert_false(file_write("target", "x", 1, &err));
    assert_non_null(strstr(err.text, "target"));
    assert_int_equal(entries(), 1);
}

TEST_WITH(a_full_disk_keeps_the_old_file, enter) {
    /* A limit on the size of files stands for the full disk. */
    struct error err = {.text = ""};
    uint8_t *bytes = noise(100000);
    put_raw("file", "old", 3);
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const struct rlimit small = {.rlim_cur = 20000, .rlim_max = limit.rlim_max};
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const bool plain = file_write("file", bytes, 100000, &err);
    struct error packed_err = {.text = ""};
    const bool packed = file_write("file.gz", bytes, 100000, &packed_err);
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, handler);
    assert_false(plain);
    assert_string_equal(err.text, "file: cannot write: File too large");
    assert_false(packed);
    assert_string_equal(packed_err.text, "file.gz: cannot write: File too large");
    char *back = get("file", 3);
    assert_string_equal(back, "old");
    assert_int_equal(entries(), 1);
}

TEST_WITH(a_pipe_is_written_and_not_replaced, enter) {
    struct error err = {.text = ""};
    assert_int_equal(mkfifo("pipe", 0600), 0);
    const int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    assert_int_not_equal(reader, -1);
    assert_true(file_write("pipe", "through", 7, &err));
    char bytes[16];
    assert_int_equal(read(reader, bytes, sizeof bytes), 7);
    assert_memory_equal(bytes, "through", 7);
    close(reader);
    struct stat status;
    assert_int_equal(stat("pipe", &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    assert_int_equal(entries(), 1);
}

TEST_WITH(a_write_replaces_the_old_file, enter) {
    struct error err;
    put_raw("file", "old and longer", 14);
    assert_true(file_write("file", "new", 3, &err));
    char *bytes = get("file", 3);
    assert_string_equal(bytes, "new");
    assert_int_equal(entries(), 1);
    struct stat status;
    assert_int_equal(stat("file", &status), 0);
    const mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(status.st_mode & 0777, 0666 & ~mask);
}

TEST_WITH(a_memory_dump_is_the_region, enter) {
    struct error err = {.text = ""};
    struct memory *mem = memory_new();
    const size_t n = 50000;
    uint8_t *bytes = noise(n);
    memory_write(mem, 0x100fff, bytes, n, NULL, NULL);
    static const char *const names[] = {"dump.bin", "dump.bin.gz"};
    for (int k = 0; k < 2; k++) {
        assert_true(memory_dump(mem, 0x100ffd, n + 4, names[k], &err));
        char *back = get(names[k], n + 4);
        assert_memory_equal(back, "\0\0", 2);
        assert_memory_equal(back + 2, bytes, n);
        assert_memory_equal(back + 2 + n, "\0\0", 2);
    }
    assert_true(memory_dump(mem, 0, 0, "empty", &err));
    get("empty", 0);
    assert_true(memory_dump(mem, UINT64_MAX - 7, 8, "end", &err));
    get("end", 8);
    assert_false(memory_dump(mem, UINT64_MAX - 7, 9, "beyond", &err));
    assert_non_null(strstr(err.text, "beyond: "));
    assert_int_equal(access("beyond", F_OK), -1);
    memory_free(mem);
}

TEST_WITH(directories_are_made_with_their_parents, enter) {
    struct error err = {.text = ""};
    struct stat status;
    assert_true(directory_make("a/b//c/", &err));
    assert_true(stat("a/b/c", &status) == 0 && S_ISDIR(status.st_mode));
    assert_true(directory_make("a/b/c", &err));
    assert_true(directory_make("a", &err));
    assert_true(directory_make("/", &err));
    assert_true(directory_make(".", &err));
    char *here = realpath(".", NULL), path[512];
    snprintf(path, sizeof path, "%s/absolute/way", here);
    free(here);
    assert_true(directory_make(path, &err));
    assert_true(stat("absolute/way", &status) == 0 && S_ISDIR(status.st_mode));
    put_raw("file", "x", 1);
    assert_false(directory_make("file", &err));
    assert_non_null(strstr(err.text, "file: cannot create the directory: File exists"));
    assert_false(directory_make("file/below", &err));
    assert_non_null(strstr(err.text, "file"));
    assert_false(directory_make("", &err));
}
