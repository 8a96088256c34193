/* Reads files of a trace. See side_files.h. */
#include "trace/side_files.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

char *path_beside(const char *path, struct span name) {
    const char *slash = strrchr(path, '/');
    size_t n = slash && !(name.n && name.at[0] == '/') ? (size_t)(slash - path) + 1 : 0;
    char *joined = xmalloc(n + name.n + 1);
    memcpy(joined, path, n);
    if (name.n)
        memcpy(joined + n, name.at, name.n);
    joined[n + name.n] = 0;
    return joined;
}

const struct blob *packet_files_get(struct packet_files *files, struct program *prog, const char *path, int line,
                                    struct span name, struct error *err) {
    for (size_t i = 0; i < files->count; i++)
        if (span_is(name, files->names[i]))
            return files->blobs[i];
    autofree char *side = path_beside(path, name);
    struct blob *blob = packet_file_read(side, err);
    if (!blob) {
        error_prefix(err, "%s:%d: ", path, line);
        return NULL;
    }
    free(blob->name);
    blob->name = xstrndup(name.at, name.n);
    files->names = xgrow(files->names, files->count, sizeof *files->names);
    files->names[files->count] = xstrndup(name.at, name.n);
    *xadd(files->blobs, files->count) = blob;
    return program_blob(prog, blob);
}

void packet_files_free(struct packet_files *files) {
    for (size_t i = 0; i < files->count; i++)
        free(files->names[i]);
    free(files->names);
    free(files->blobs);
}

struct blob *blob_cut(const struct blob *blob, uint64_t size) {
    struct blob *part = blob_new(blob->name);
    for (size_t i = 0; i < blob->chunk_count; i++) {
        const struct blob_chunk *chunk = &blob->chunks[i];
        if (chunk->offset < size) {
            uint64_t room = size - chunk->offset;
            blob_append(part, chunk->offset, blob->bytes + chunk->start,
                        chunk->size < room ? chunk->size : (size_t)room);
        }
    }
    return part;
}
