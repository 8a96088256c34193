#include "memory/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "nvdla/xalloc.h"

enum { BUFFER = 16 * 1024, GZIP_WINDOW = 15 + 16 /* zlib: largest window, gzip wrapper */ };

/* A growing byte string; one byte more than `room` is always allocated for the closing 0. */
struct bytes {
    char *data;
    size_t count, room;
};

static bool bytes_reserve(struct bytes *bytes, size_t extra) {
    if (bytes->data && bytes->room - bytes->count >= extra)
        return true;
    size_t room = bytes->room ? bytes->room * 2 : BUFFER;
    while (room - bytes->count < extra)
        room *= 2;
    char *data = realloc(bytes->data, room + 1);
    if (!data)
        return false;
    bytes->data = data;
    bytes->room = room;
    return true;
}

static bool read_all(int fd, const char *path, struct bytes *raw, struct error *err) {
    struct stat status;
    const bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    if (!bytes_reserve(raw, regular ? (size_t)status.st_size + 1 : 1))
        return error_set(err, "%s: out of memory while reading", path);
    for (;;) {
        if (!bytes_reserve(raw, 1))
            return error_set(err, "%s: out of memory while reading", path);
        const ssize_t got = read(fd, raw->data + raw->count, raw->room - raw->count);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(err, "%s: cannot read: %s", path, strerror(errno));
        if (got == 0)
            return true;
        raw->count += (size_t)got;
    }
}

/* Unpacks all members of a gzip file. */
static bool unpack(const char *path, const struct bytes *raw, struct bytes *out, struct error *err) {
    z_stream stream = {0};
    if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK)
        return error_set(err, "%s: out of memory while unpacking", path);
    size_t fed = 0;
    bool member_open = true, fine = true;
    while (fine && (member_open || stream.avail_in > 0 || fed < raw->count)) {
        if (stream.avail_in == 0 && fed < raw->count) {
            const size_t piece = raw->count - fed < UINT_MAX ? raw->count - fed : UINT_MAX;
            stream.next_in = (Bytef *)raw->data + fed;
            stream.avail_in = (uInt)piece;
            fed += piece;
        }
        if (!member_open) {
            inflateReset(&stream);
            member_open = true;
        }
        if (!bytes_reserve(out, BUFFER)) {
            fine = error_set(err, "%s: out of memory while unpacking", path);
            break;
        }
        const size_t room = out->room - out->count < UINT_MAX ? out->room - out->count : UINT_MAX;
        stream.next_out = (Bytef *)out->data + out->count;
        stream.avail_out = (uInt)room;
        const int status = inflate(&stream, Z_NO_FLUSH);
        out->count += room - stream.avail_out;
        if (status == Z_STREAM_END)
            member_open = false;
        else if (status == Z_BUF_ERROR ||
                 (status == Z_OK && stream.avail_in == 0 && fed == raw->count && stream.avail_out > 0))
            fine = error_set(err, "%s: truncated gzip stream (after %zu bytes of content)", path, out->count);
        else if (status == Z_MEM_ERROR)
            fine = error_set(err, "%s: out of memory while unpacking", path);
        else if (status != Z_OK)
            fine = error_set(err, "%s: corrupt gzip stream (zlib: %s)", path, stream.msg ? stream.msg : zError(status));
    }
    inflateEnd(&stream);
    return fine;
}

bool file_read(const char *path, char **bytes, size_t *n, struct error *err) {
    *bytes = NULL;
    *n = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(err, "%s: cannot open: %s", path, strerror(errno));
    struct bytes raw = {0}, out = {0};
    bool fine = read_all(fd, path, &raw, err);
    close(fd);
    if (fine && raw.count >= 2 && raw.data[0] == '\x1f' && raw.data[1] == '\x8b') {
        fine = unpack(path, &raw, &out, err);
        free(raw.data);
        raw = out;
    }
    if (!fine || !raw.data) { /* after success there always are bytes: room for the closing 0 */
        free(raw.data);
        return false;
    }
    raw.data[raw.count] = '\0';
    *bytes = raw.data;
    *n = raw.count;
    return true;
}

/* A file being written: under a temporary name beside the target, through deflate if the target's name ends in .gz. */
struct writer {
    const char *path;
    char *temporary; /* NULL: the target is a device or a pipe and is written directly */
    int fd;
    bool gzip;
    z_stream stream;
};

static bool write_all(const struct writer *writer, const void *bytes, size_t n, struct error *err) {
    const char *from = bytes;
    while (n > 0) {
        const ssize_t put = write(writer->fd, from, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return error_set(err, "%s: cannot write: %s", writer->path, strerror(errno));
        from += put;
        n -= (size_t)put;
    }
    return true;
}

/* Opens a new file PATH.NUMBER.tmp and keeps its name. */
static bool open_temporary(struct writer *writer, struct error *err) {
    const size_t size = strlen(writer->path) + 32;
    writer->temporary = malloc(size);
    if (!writer->temporary)
        return error_set(err, "%s: out of memory while writing", writer->path);
    for (long number = getpid();; number++) {
        snprintf(writer->temporary, size, "%s.%ld.tmp", writer->path, number);
        writer->fd = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (writer->fd >= 0)
            return true;
        if (errno != EEXIST)
            return error_set(err, "%s: cannot create: %s", writer->path, strerror(errno));
    }
}

static bool writer_open(struct writer *writer, const char *path, struct error *err) {
    const size_t length = strlen(path);
    *writer = (struct writer){.path = path, .fd = -1};
    writer->gzip = length > 3 && strcmp(path + length - 3, ".gz") == 0;
    struct stat status;
    bool fine;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        writer->fd = open(path, O_WRONLY | O_CLOEXEC);
        fine = writer->fd >= 0 || error_set(err, "%s: cannot open for writing: %s", path, strerror(errno));
    } else {
        fine = open_temporary(writer, err);
    }
    if (fine && writer->gzip &&
        deflateInit2(&writer->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        fine = error_set(err, "%s: out of memory while packing", path);
        close(writer->fd);
        if (writer->temporary)
            unlink(writer->temporary);
    }
    if (!fine)
        free(writer->temporary);
    return fine;
}

/* Packs what is given (flush Z_NO_FLUSH) or the end of the stream (Z_FINISH) and writes it. */
static bool pack(struct writer *writer, const void *bytes, size_t n, int flush, struct error *err) {
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
            if (!write_all(writer, out, sizeof out - writer->stream.avail_out, err))
                return false;
        } while (writer->stream.avail_out == 0);
        from += piece;
        n -= piece;
    } while (n > 0);
    return true;
}

static bool writer_put(struct writer *writer, const void *bytes, size_t n, struct error *err) {
    if (n == 0)
        return true;
    return writer->gzip ? pack(writer, bytes, n, Z_NO_FLUSH, err) : write_all(writer, bytes, n, err);
}

/* Ends the file and gives it its name if all went well so far; else removes it. Returns whether the file is there. */
static bool writer_close(struct writer *writer, bool fine, struct error *err) {
    if (writer->gzip) {
        static const Bytef nothing[1];
        fine = fine && pack(writer, nothing, 0, Z_FINISH, err);
        deflateEnd(&writer->stream);
    }
    if (close(writer->fd) != 0 && fine)
        fine = error_set(err, "%s: cannot write: %s", writer->path, strerror(errno));
    if (writer->temporary) {
        if (fine && rename(writer->temporary, writer->path) != 0)
            fine = error_set(err, "%s: cannot rename %s to it: %s", writer->path, writer->temporary, strerror(errno));
        if (!fine)
            unlink(writer->temporary);
        free(writer->temporary);
    }
    return fine;
}

bool file_write(const char *path, const void *bytes, size_t n, struct error *err) {
    struct writer writer;
    if (!writer_open(&writer, path, err))
        return false;
    return writer_close(&writer, writer_put(&writer, bytes, n, err), err);
}

bool file_write_in(const char *directory, const char *name, const void *bytes, size_t n, struct error *err) {
    char *path = xprintf("%s/%s", directory, name);
    const bool good = file_write(path, bytes, n, err);
    free(path);
    return good;
}

bool memory_dump(const struct memory *mem, uint64_t address, uint64_t n, const char *path, struct error *err) {
    struct writer writer;
    if (n != 0 && n - 1 > UINT64_MAX - address)
        return error_set(err, "%s: cannot dump 0x%" PRIx64 " bytes at 0x%" PRIx64 ": the address space ends before",
                         path, n, address);
    if (!writer_open(&writer, path, err))
        return false;
    bool fine = true;
    uint8_t bytes[BUFFER];
    while (fine && n > 0) {
        const size_t piece = n < sizeof bytes ? (size_t)n : sizeof bytes;
        memory_read(mem, address, bytes, piece);
        fine = writer_put(&writer, bytes, piece, err);
        address += piece;
        n -= piece;
    }
    return writer_close(&writer, fine, err);
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

bool directory_make(const char *path, struct error *err) {
    char *part = strdup(path);
    if (!part)
        return error_set(err, "%s: out of memory", path);
    bool fine = *path != '\0' || error_set(err, "cannot create a directory without a name");
    for (char *slash = fine && *part ? strchr(part + 1, '/') : NULL; fine && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        fine = make_one(part, err);
        *slash = '/';
    }
    fine = fine && make_one(part, err);
    free(part);
    return fine;
}
