/* Loading a memory from a shared object. See library.h. */
#include "dram/library.h"

#include <dlfcn.h>
#include <string.h>

/* A function of the object. ISO C has no conversion between pointers to data and to functions. */
static bool find(void *handle, const char *path, const char *name, void *function, struct error *err) {
    void *symbol = dlsym(handle, name);
    if (!symbol)
        return error_set(err, "%s: there is no function %s; expected the five of docs/memory.md", path, name);
    memcpy(function, &symbol, sizeof symbol);
    return true;
}

static bool load(struct dram_library *library, void *(**make)(const char *parameters), const char *path,
                 struct error *err) {
    *library = (struct dram_library){.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    if (!library->handle)
        return error_set(err, "library: %s; expected a shared object with the five functions of docs/memory.md",
                         dlerror());
    return find(library->handle, path, "nvcosim_memory_new", make, err) &&
           find(library->handle, path, "nvcosim_memory_request", &library->request, err) &&
           find(library->handle, path, "nvcosim_memory_tick", &library->tick, err) &&
           find(library->handle, path, "nvcosim_memory_completion", &library->completion, err) &&
           find(library->handle, path, "nvcosim_memory_free", &library->free, err);
}

bool dram_library_check(const char *path, struct error *err) {
    struct dram_library library;
    void *(*make)(const char *);
    const bool good = load(&library, &make, path, err);
    dram_library_close(&library);
    return good;
}

bool dram_library_open(struct dram_library *library, const char *path, const char *parameters, struct error *err) {
    void *(*make)(const char *);
    if (!load(library, &make, path, err))
        return false;
    library->memory = make(parameters);
    return library->memory ||
           error_set(err, "%s: nvcosim_memory_new returned NULL for the parameters '%s'", path, parameters);
}

void dram_library_close(struct dram_library *library) {
    if (library->memory)
        library->free(library->memory);
    if (library->handle)
        dlclose(library->handle);
    *library = (struct dram_library){0};
}
