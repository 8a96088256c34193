/* Runs exported C programs against the model: loads each as a shared object, whose registers and memory are those of a
 * model (shim.h), plays the trace that it was made from on another model, and compares verdict and memory.
 *
 * usage: export_device PROGRAM.so TRACE CONFIG [ARGUMENT...]     ARGUMENTs are those of the program
 * Exit status: 0 equal and passed, 1 equal and failed, 3 not equal, 2 broken. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "nvdla/text.h"
#include "replay/player.h"
#include "tests/export/shim.h"
#include "trace/formats.h"

static struct device *device;
static struct error error;

static _Noreturn void broken(const char *text) {
    fprintf(stderr, "export_device: %s\n", text);
    exit(2);
}

#define VISIBLE __attribute__((visibility("default")))

VISIBLE uint32_t shim_read(uint32_t offset) {
    uint32_t value;
    if (!device->ops->csb_read(device, offset, &value, &error))
        broken(error.text);
    return value;
}

VISIBLE void shim_write(uint32_t offset, uint32_t value) {
    if (!device->ops->csb_write(device, offset, value, true, &error))
        broken(error.text);
}

VISIBLE void shim_put(int space, uint64_t address, const unsigned char *bytes, uint32_t n) {
    if (!device->memory[space])
        broken("the program uses a memory that the configuration does not have");
    memory_write(device->memory[space], address, bytes, n, NULL, NULL);
}

VISIBLE void shim_get(int space, uint64_t address, unsigned char *bytes, uint32_t n) {
    if (!device->memory[space])
        broken("the program uses a memory that the configuration does not have");
    memory_read(device->memory[space], address, bytes, n);
}

VISIBLE void shim_delay(void) {
    if (device->ops->advance(device, 4096, !device->ops->interrupt(device), &error) == DEVICE_FAILED)
        broken(error.text);
}

VISIBLE void shim_print(const char *text) {
    fputs(text, stdout);
}

static struct device *model_of(const struct program *prog) {
    const struct model_options options = {.allow_outside = true};
    struct device *dev = model_new(prog->config, &options);
    if (!dev->ops->reset(dev, &error))
        broken(error.text);
    return dev;
}

static bool same_memory(const struct device *a, const struct device *b) {
    uint64_t address;
    for (int space = 0; space < SPACE_COUNT; space++)
        if (a->memory[space] && memory_next_difference(a->memory[space], b->memory[space], 0, &address)) {
            printf("%s memory differs at 0x%" PRIx64 "\n", memory_space_name((enum memory_space)space), address);
            return false;
        }
    return true;
}

int main(int argc, char **argv) {
    if (argc < 4)
        broken("usage: export_device PROGRAM.so TRACE CONFIG [ARGUMENT...]");
    void *program = dlopen(argv[1], RTLD_NOW);
    if (!program)
        broken(dlerror());
    int (*entry)(int, char **);
    *(void **)&entry = dlsym(program, "nvdla_main");
    if (!entry)
        broken(dlerror());
    const struct trace_options read_options = {.config = nvdla_config_find(argv[3])};
    autoprogram struct program *prog = trace_read(argv[2], &read_options, &error);
    if (!prog)
        broken(error.text);
    device = model_of(prog);
    argv[3] = argv[1];
    const int status = entry(argc - 3, argv + 3);

    struct device *other = model_of(prog);
    struct play_options options;
    struct play_result result;
    play_options_default(&options);
    options.poll_attempts = 20000;
    const bool passed = play(prog, other, &options, &result) == PLAY_PASSED;
    const bool equal = same_memory(device, other);
    printf("program %s, player %s, memory %s\n", status ? "FAIL" : "PASS", passed ? "PASS" : "FAIL",
           equal ? "equal" : "differs");
    play_result_free(&result);
    other->ops->destroy(other);
    device->ops->destroy(device);
    dlclose(program);
    return !equal || passed != (status == 0) ? 3 : passed ? 0 : 1;
}
