/* Fuzzes the reader of loadables, the decoding of their tasks and the scheduler; what the engines would compute is left
 * out: wild layers are legal, but slow. */
#include "loadable/cpu_task.h"
#include "loadable/scheduler.h"
#include "tests/fuzz/fuzz.h"

static void fail_without_message(const struct error *err) {
    if (!err->text[0])
        abort();
}

static void run_dla(const struct loadable *loadable, size_t number, const struct nvdla_config *config) {
    struct error err = {.text = ""};
    struct dla_task task;
    if (!dla_task_read(loadable, number, &task, &err)) {
        fail_without_message(&err);
        return;
    }
    struct dla_needs needs = {0};
    struct program *prog = program_new(config, "fuzz");
    struct scheduler scheduler = {.emitter = {.prog = prog, .config = config}};
    const struct scheduler_host host = {0};
    prog->sequential = true;
    program_stream(prog, "main");
    dla_task_needs(&task, &needs);
    if (!dla_task_check(&task, config, &err) || !schedule_task(&scheduler, &task, &host, &err))
        fail_without_message(&err);
    program_free(prog);
    dla_task_free(&task);
}

static void run_cpu(const struct loadable *loadable, size_t number) {
    enum { MOST = 1 << 20 };
    struct error err = {.text = ""};
    struct cpu_task task;
    if (!cpu_task_read(loadable, number, &task, &err)) {
        fail_without_message(&err);
        return;
    }
    struct memory *memories[SPACE_COUNT] = {memory_new(), memory_new()};
    for (size_t i = 0; i < task.count; i++)
        if (task.operations[i].source.bytes < MOST && task.operations[i].destination.bytes < MOST &&
            task.operations[i].source.memory->size < MOST)
            cpu_operation_run(&task.operations[i], memories);
    memory_free(memories[0]);
    memory_free(memories[1]);
    cpu_task_free(&task);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static const char *const configs[] = {"full", "small", "large"};
    enum { TASKS = 16 };
    struct error err = {.text = ""};
    /* A copy of its own: reading behind its end is found. */
    uint8_t *bytes = malloc(n ? n : 1);
    memcpy(bytes, data, n);
    struct loadable *loadable = loadable_parse("fuzz.nvdla", bytes, n, &err);
    if (!loadable || !loadable_place(loadable, UINT64_C(0x80000000), UINT64_C(0x50000000), 40, &err)) {
        fail_without_message(&err);
        loadable_free(loadable);
        free(bytes);
        return 0;
    }
    for (size_t i = 0; i < loadable->order_count && i < TASKS; i++)
        if (loadable->tasks[loadable->order[i]].interface == INTERFACE_CPU)
            run_cpu(loadable, i);
        else
            run_dla(loadable, i, nvdla_config_find(configs[n % 3]));
    loadable_free(loadable);
    free(bytes);
    return 0;
}
