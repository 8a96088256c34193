/* Look-ups in the generated table of engines. See engines.h. */
#include "nvdla/engines.h"

#include <string.h>

enum nvdla_interrupt nvdla_interrupt_at(int bit) {
    enum nvdla_interrupt found = 0;
    while (found < INTERRUPT_COUNT && bit != (int)nvdla_interrupts[found].bit &&
           bit != (int)nvdla_interrupts[found].bit + 1)
        found++;
    return found;
}

/* True if the name of an instance may end here. */
static bool ends_name(char c) {
    return strchr("._[", c) != NULL; /* or at the end of the string */
}

bool nvdla_same_folder(enum nvdla_engine a, enum nvdla_engine b) {
    return a < ENGINE_COUNT && b < ENGINE_COUNT && strcmp(nvdla_engines[a].folder, nvdla_engines[b].folder) == 0;
}

enum nvdla_engine nvdla_instance_engine(const char *instance) {
    enum nvdla_engine engine = ENGINE_COUNT;
    const char *innermost = instance;
    for (size_t i = 0; i < nvdla_instance_count; i++) {
        const char *name = nvdla_instances[i].name;
        for (const char *at = strstr(instance, name); at; at = strstr(at + 1, name)) {
            const char *end = at + strlen(name);
            if ((at == instance || at[-1] == '.') && ends_name(*end) && end > innermost) {
                engine = nvdla_instances[i].engine;
                innermost = end;
            }
        }
    }
    return engine;
}

enum nvdla_unit nvdla_unit_of_instance(const char *instance) {
    enum nvdla_unit unit = NVDLA_UNIT_COUNT;
    size_t longest = 0;
    for (size_t i = 0; i < nvdla_instance_count; i++) {
        const enum nvdla_unit own = nvdla_engines[nvdla_instances[i].engine].unit;
        const size_t n = strlen(nvdla_instances[i].name);
        if (own != NVDLA_UNIT_COUNT && n > longest && strncmp(instance, nvdla_instances[i].name, n) == 0 &&
            ends_name(instance[n])) {
            unit = own;
            longest = n;
        }
    }
    return unit;
}
