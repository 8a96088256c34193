/* Files, whole or piece by piece, gzip or not. See file.h. */
#include "memory/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "nvdla/xalloc.h"

enum { BUFFER = 16 * 1024, GZIP_WINDOW = 15 + 16 /* zlib: largest window, gzip wrapper */, FILES_OPEN = 16 };

struct file_reader {
    char *path;
    int fd;
    bool gzip, member_open, at_end; /* at_end: of the file itself */
    z_stream stream;
    uint64_t unpacked; /* bytes of content so far, for messages */
    uint8_t *buffer;   /* BUFFER bytes */
    size_t at, count;  /* of a plain file: the part of the buffer not yet returned */
};

/* Fills the buffer from the file. False with a message. */
static bool refill(struct file_reader *reader, struct error *err) {
    for (;;) {
        const ssize_t got = read(reader->fd, reader->buffer, BUFFER);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(err, "%s: cannot read: %m", reader->path);
        reader->at = 0;
        reader->count = (size_t)got;
        reader->at_end = got == 0;
        return true;
    }
}

struct file_reader *file_reader_open(const char *path, struct error *err) {
    struct stat info;
    const bool special = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    const int fd = special ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (special)
        error_set(err, "%s: is not a regular file", path);
    else if (fd < 0)
        error_set(err, "%s: cannot open: %m", path);
    return fd < 0 ? NULL : file_reader_take(fd, path, err);
}

struct file_reader *file_reader_take(int fd, const char *path, struct error *err) {
    struct file_reader *reader = xcalloc(1, sizeof *reader);
    reader->path = xstrdup(path);
    reader->fd = fd;
    reader->buffer = xmalloc(BUFFER);
    if (!refill(reader, err)) {
        file_reader_close(reader);
        return NULL;
    }
    /* A pipe may deliver the first byte alone. */
    while (reader->count == 1 && reader->buffer[0] == 0x1f) {
        const ssize_t got = read(fd, reader->buffer + 1, 1);
        if (got < 0 && errno == EINTR)
            continue;
        reader->count += got > 0;
        break;
    }
    reader->gzip = reader->count >= 2 && reader->buffer[0] == 0x1f && reader->buffer[1] == 0x8b;
    if (reader->gzip && inflateInit2(&reader->stream, GZIP_WINDOW) != Z_OK)
        xexhausted();
    reader->member_open = reader->gzip;
    return reader;
}

void file_reader_close(struct file_reader *reader) {
    if (!reader)
        return;
    if (reader->gzip)
        inflateEnd(&reader->stream);
    close(reader->fd);
    free(reader->buffer);
    free(reader->path);
    free(reader);
}

/* Unpacks up to n bytes, n >= 1; 0 after the last member. */
static ssize_t unpack(struct file_reader *reader, void *bytes, size_t n, struct error *err) {
    z_stream *stream = &reader->stream;
    stream->next_out = bytes;
    stream->avail_out = n < UINT_MAX ? (uInt)n : UINT_MAX;
    const uInt room = stream->avail_out;
    while (stream->avail_out == room) {
        if (reader->at == reader->count && !reader->at_end && !refill(reader, err))
            return -1;
        if (reader->at == reader->count && !reader->member_open)
            return 0;
        if (!reader->member_open) {
            inflateReset(stream);
            reader->member_open = true;
        }
        stream->next_in = reader->buffer + reader->at;
        stream->avail_in = (uInt)(reader->count - reader->at);
        const bool starved = stream->avail_in == 0;
        const int status = inflate(stream, Z_NO_FLUSH);
        reader->at = reader->count - stream->avail_in;
        if (status == Z_STREAM_END)
            reader->member_open = false;
        if (status == Z_MEM_ERROR)
            xexhausted();
        if (status != Z_OK && status != Z_BUF_ERROR && status != Z_STREAM_END) {
            error_set(err, "%s: corrupt gzip stream (zlib: %s)", reader->path,
                      stream->msg ? stream->msg : zError(status));
            return -1;
        }
        if (starved && status != Z_STREAM_END && stream->avail_out == room) {
            error_set(err, "%s: truncated gzip stream (after %" PRIu64 " bytes of content)", reader->path,
                      reader->unpacked);
            return -1;
        }
    }
    reader->unpacked += room - stream->avail_out;
    return (ssize_t)(room - stream->avail_out);
}

ssize_t file_reader_read(struct file_reader *reader, void *bytes, size_t n, struct error *err) {
    if (n == 0)
        return 0;
    if (reader->gzip)
        return unpack(reader, bytes, n, err);
    if (reader->at == reader->count && !reader->at_end && !refill(reader, err))
        return -1;
    const size_t piece = n < reader->count - reader->at ? n : reader->count - reader->at;
    memcpy(bytes, reader->buffer + reader->at, piece);
    reader->at += piece;
    return (ssize_t)piece;
}

bool file_read(const char *path, char **bytes, size_t *n, struct error *err) {
    struct file_reader *reader = file_reader_open(path, err);
    size_t count = 0, room = BUFFER;
    struct stat status;
    *bytes = NULL;
    *n = 0;
    if (!reader)
        return false;
    if (!reader->gzip && fstat(reader->fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
        room = (size_t)status.st_size + 1;
    char *data = xmalloc(room + 1); /* one more for the terminating 0 */
    ssize_t got;
    while ((got = file_reader_read(reader, data + count, room - count, err)) > 0) {
        count += (size_t)got;
        if (count == room) {
            room *= 2;
            data = xrealloc(data, room + 1);
        }
    }
    file_reader_close(reader);
    if (got < 0) {
        free(data);
        return false;
    }
    data[count] = '\0';
    *bytes = data;
    *n = count;
    return true;
}

/* Writes to a temporary name beside the target, through deflate if the target's name ends in .gz. */
struct file_writer {
    char *path;
    char *temporary; /* NULL: the target is a device or a pipe and is written directly */
    int fd;
    bool gzip;
    z_stream stream;
    int strategy; /* zlib's */
};

static bool write_all(const struct file_writer *writer, const void *bytes, size_t n, struct error *err) {
    const char *from = bytes;
    while (n > 0) {
        const ssize_t put = write(writer->fd, from, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return error_set(err, "%s: cannot write: %m", writer->path);
        from += put;
        n -= (size_t)put;
    }
    return true;
}

/* Opens a new file PATH.NUMBER.tmp and stores its name. */
static bool open_temporary(struct file_writer *writer, struct error *err) {
    const size_t size = strlen(writer->path) + 32;
    writer->temporary = xmalloc(size);
    for (long number = getpid();; number++) {
        snprintf(writer->temporary, size, "%s.%ld.tmp", writer->path, number);
        writer->fd = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (writer->fd >= 0)
            return true;
        if (errno != EEXIST)
            return error_set(err, "%s: cannot create: %m", writer->path);
    }
}

struct file_writer *file_writer_open(const char *path, struct error *err) {
    struct file_writer *writer = xcalloc(1, sizeof *writer);
    const size_t length = strlen(path);
    writer->path = xstrdup(path);
    writer->gzip = length > 3 && strcmp(path + length - 3, ".gz") == 0;
    struct stat status;
    bool fine;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        writer->fd = open(path, O_WRONLY | O_CLOEXEC);
        fine = writer->fd >= 0 || error_set(err, "%s: cannot open for writing: %m", path);
    } else {
        fine = open_temporary(writer, err);
    }
    if (!fine) {
        free(writer->temporary);
        free(writer->path);
        free(writer);
        return NULL;
    }
    if (writer->gzip &&
        deflateInit2(&writer->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        xexhausted();
    return writer;
}

/* Packs the given bytes (Z_NO_FLUSH), or the end of the stream (Z_FINISH), and writes them. */
static bool pack(struct file_writer *writer, const void *bytes, size_t n, int flush, struct error *err) {
    Bytef out[BUFFER];
    const Bytef *from = bytes;
    do {
        const size_t piece = n < UINT_MAX ? n : UINT_MAX;
        writer->stream.next_in = (Bytef *)from;
        writer->stream.avail_in = (uInt)piece;
        do {
            writer->stream.next_out = out;
            writer->stream.avail_out = sizeof out;
            deflate(&writer->stream, flush);
            // cppcheck-suppress uninitvar ; deflate has filled what is written
            if (!write_all(writer, out, sizeof out - writer->stream.avail_out, err))
                return false;
        } while (writer->stream.avail_out == 0);
        from += piece;
        n -= piece;
    } while (n > 0);
    return true;
}

bool file_writer_put(struct file_writer *writer, const void *bytes, size_t n, struct error *err) {
    if (n == 0)
        return true;
    return writer->gzip ? pack(writer, bytes, n, Z_NO_FLUSH, err) : write_all(writer, bytes, n, err);
}

/* Packed size of a sample. */
static size_t packed_size(const void *sample, size_t n, int strategy) {
    z_stream stream = {.next_in = (Bytef *)sample, .avail_in = (uInt)n};
    Bytef out[BUFFER];
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8, strategy) != Z_OK)
        xexhausted();
    do {
        stream.next_out = out;
        stream.avail_out = sizeof out;
        deflate(&stream, Z_FINISH);
    } while (stream.avail_out == 0);
    const size_t size = stream.total_out;
    deflateEnd(&stream);
    return size;
}

bool file_writer_packs(const struct file_writer *writer) {
    return writer->gzip;
}

bool file_writer_like(struct file_writer *writer, const void *sample, size_t n, struct error *err) {
    if (!writer->gzip)
        return true;
    const bool repeats = n == 0 || packed_size(sample, n, Z_DEFAULT_STRATEGY) < packed_size(sample, n, Z_RLE);
    const int strategy = repeats ? Z_DEFAULT_STRATEGY : Z_RLE;
    if (strategy == writer->strategy)
        return true;
    Bytef out[BUFFER];
    int status;
    writer->strategy = strategy;
    writer->stream.avail_in = 0;
    do { /* flushes what was packed with the old settings */
        writer->stream.next_out = out;
        writer->stream.avail_out = sizeof out;
        status = deflateParams(&writer->stream, Z_DEFAULT_COMPRESSION, strategy);
        // cppcheck-suppress uninitvar ; as above
        if (!write_all(writer, out, sizeof out - writer->stream.avail_out, err))
            return false;
    } while (status == Z_BUF_ERROR || writer->stream.avail_out == 0);
    return true;
}

bool file_writer_close(struct file_writer *writer, bool fine, struct error *err) {
    if (writer->gzip) {
        static const Bytef nothing[1];
        fine = fine && pack(writer, nothing, 0, Z_FINISH, err);
        deflateEnd(&writer->stream);
    }
    if (close(writer->fd) != 0 && fine)
        fine = error_set(err, "%s: cannot write: %m", writer->path);
    if (writer->temporary) {
        if (fine && rename(writer->temporary, writer->path) != 0)
            fine = error_set(err, "%s: cannot rename %s to it: %m", writer->path, writer->temporary);
        if (!fine)
            unlink(writer->temporary);
        free(writer->temporary);
    }
    free(writer->path);
    free(writer);
    return fine;
}

bool file_write(const char *path, const void *bytes, size_t n, struct error *err) {
    struct file_writer *writer = file_writer_open(path, err);
    return writer && file_writer_close(writer, file_writer_put(writer, bytes, n, err), err);
}

bool file_write_in(const char *directory, const char *name, const void *bytes, size_t n, struct error *err) {
    autofree char *path = xprintf("%s/%s", directory, name);
    return file_write(path, bytes, n, err);
}

bool memory_dump(const struct memory *mem, uint64_t address, uint64_t n, const char *path, struct error *err) {
    if (n != 0 && n - 1 > UINT64_MAX - address)
        return error_set(err, "%s: cannot dump 0x%" PRIx64 " bytes at 0x%" PRIx64 ": the address space ends before",
                         path, n, address);
    struct file_writer *writer = file_writer_open(path, err);
    if (!writer)
        return false;
    bool fine = true;
    uint8_t bytes[BUFFER];
    while (fine && n > 0) {
        const size_t piece = n < sizeof bytes ? (size_t)n : sizeof bytes;
        memory_read(mem, address, bytes, piece);
        fine = file_writer_put(writer, bytes, piece, err);
        address += piece;
        n -= piece;
    }
    return file_writer_close(writer, fine, err);
}

/* Creates one directory; an existing one is fine. */
static bool make_one(const char *path, struct error *err) {
    struct stat status;
    if (mkdir(path, 0777) == 0)
        return true;
    const int reason = errno;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return true;
    return error_set(err, "%s: cannot create the directory: %s", path, strerror(reason));
}

bool directory_exists(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool directory_make(const char *path, struct error *err) {
    autofree char *part = xstrdup(path);
    bool fine = *path != '\0' || error_set(err, "cannot create a directory without a name");
    for (char *slash = fine && *part ? strchr(part + 1, '/') : NULL; fine && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        fine = make_one(part, err);
        *slash = '/';
    }
    fine = fine && make_one(part, err);
    return fine;
}

bool directory_temporary(char *path, size_t size, struct error *err) {
    const char *roots[] = {getenv("TMPDIR"), "/tmp", "."};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        const char *root = roots[i];
        const int n = snprintf(path, size, "%s/nvcosim_XXXXXX", root ? root : "");
        if (root && *root && n > 0 && (size_t)n < size && mkdtemp(path))
            return true;
    }
    return error_set(err, "no folder for temporary files: %m; TMPDIR names one");
}

static int remove_entry(const char *path, const struct stat *stat, int type, struct FTW *place) {
    (void)stat;
    (void)type;
    (void)place;
    return remove(path);
}

void directory_remove(const char *path) {
    nftw(path, remove_entry, FILES_OPEN, FTW_DEPTH | FTW_PHYS);
}
