/* Entry of the testbench as a VPI module of Icarus Verilog (or another simulator that owns time).
 *
 * The program runs in a coroutine with its own stack: where a Verilated simulator evaluates the model, the coroutine
 * yields, and callbacks of the simulator resume it. tb_top's clock source makes rising edges at times 5, 15, 25, ...;
 * inputs are put 1 after a rising edge, outputs are read 1 before the next. Nothing is written before time 1: what is
 * put at the start of simulation may stay unknown.
 *
 * The arguments come from the plusarg +nvcosim=ARGUMENTS or the environment variable NVCOSIM_ARGS, the configuration's
 * name from +config=NAME (default small). The exit status is that of simulator_main. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <vpi_user.h>

#include "run/session/simulator.h"
#include "tb/rtl_open.h"

enum { STACK_BYTES = 8 << 20, ARGUMENTS = 64 };

/* Time units from time 1 to the first put, from a put to the reading before the next edge, and from there to the next
 * put. */
enum { FIRST_PUT = 5, PUT_TO_READ = 8, READ_TO_PUT = 2 };

/* Icarus only: sets the exit status of vvp. */
extern void vpip_set_return_value(int value) __attribute__((weak));

struct coroutine {
    ucontext_t simulator, program;
    void *stack;
    int status;
    bool ended;
    PLI_UINT32 to_put; /* delay to the next put */
    void (*put_inputs)(void *arg);
    void *put_arg;
};

static void later(struct coroutine *co, PLI_INT32 (*routine)(p_cb_data), PLI_UINT32 delay) {
    s_vpi_time time = {.type = vpiSimTime, .low = delay};
    s_cb_data callback = {.reason = cbAfterDelay, .cb_rtn = routine, .time = &time, .user_data = (PLI_BYTE8 *)co};
    vpi_register_cb(&callback);
}

static PLI_INT32 at_put(p_cb_data data);

/* Runs the program until it waits for a clock or ends. */
static PLI_INT32 resume(p_cb_data data) {
    struct coroutine *co = (struct coroutine *)(void *)data->user_data;
    swapcontext(&co->simulator, &co->program);
    if (!co->ended) {
        later(co, at_put, co->to_put);
        co->to_put = READ_TO_PUT;
        return 0;
    }
    fflush(stdout);
    if (vpip_set_return_value)
        vpip_set_return_value(co->status);
    free(co->stack);
    free(co);
    vpi_control(vpiFinish, 0);
    return 0;
}

static PLI_INT32 at_put(p_cb_data data) {
    struct coroutine *co = (struct coroutine *)(void *)data->user_data;
    co->put_inputs(co->put_arg);
    later(co, resume, PUT_TO_READ);
    return 0;
}

static void clock_design(void *context, void (*put_inputs)(void *arg), void *arg) {
    struct coroutine *co = context;
    co->put_inputs = put_inputs;
    co->put_arg = arg;
    swapcontext(&co->program, &co->simulator);
}

static struct device *open_rtl(void *context, const struct nvdla_config *config, const struct rtl_options *options,
                               struct error *err) {
    const struct simulator simulator = {.context = context, .clock = {clock_design, context}, .four_state = true};
    return rtl_device_new(config, options, &simulator, "rtl", err);
}

/* Value of a plusarg such as "+config=", NULL if it was not given. */
static const char *plusarg(const char *prefix) {
    s_vpi_vlog_info info;
    if (!vpi_get_vlog_info(&info))
        return NULL;
    for (int i = 1; i < info.argc; i++)
        if (info.argv[i] && !strncmp(info.argv[i], prefix, strlen(prefix)))
            return info.argv[i] + strlen(prefix);
    return NULL;
}

/* Body of the coroutine; makecontext passes the pointer as two ints. */
static void program(unsigned high, unsigned low) {
    struct coroutine *co = (struct coroutine *)((uintptr_t)high << 16 << 16 | low);
    const char *text = plusarg("+nvcosim=");
    const char *config = plusarg("+config=");
    if (!text)
        text = getenv("NVCOSIM_ARGS");
    char *copy = strdup(text ? text : "");
    char name[] = "nvcosim-icarus";
    char *argv[ARGUMENTS + 1] = {name};
    int argc = 1;
    char *rest = copy;
    for (char *word = copy ? strtok_r(copy, " \t\n", &rest) : NULL; word && argc < ARGUMENTS;
         word = strtok_r(NULL, " \t\n", &rest))
        argv[argc++] = word;
    const struct simulator_facts facts = {config ? config : "small", "", false, "", "", open_rtl, co};
    co->status = simulator_main(argc, argv, &facts);
    free(copy);
    co->ended = true;
}

static PLI_INT32 start(p_cb_data data) {
    (void)data;
    struct coroutine *co = calloc(1, sizeof *co);
    if (co)
        co->stack = malloc(STACK_BYTES);
    if (!co || !co->stack || getcontext(&co->program)) {
        fprintf(stderr, "nvcosim: no memory for the program's stack\n");
        free(co);
        vpi_control(vpiFinish, 0);
        return 0;
    }
    co->to_put = FIRST_PUT;
    co->program.uc_stack.ss_sp = co->stack;
    co->program.uc_stack.ss_size = STACK_BYTES;
    co->program.uc_link = &co->simulator;
    const uintptr_t pointer = (uintptr_t)co;
    makecontext(&co->program, (void (*)(void))program, 2, (unsigned)(pointer >> 16 >> 16), (unsigned)pointer);
    later(co, resume, 1);
    return 0;
}

static void boot(void) {
    s_cb_data callback = {.reason = cbStartOfSimulation, .cb_rtn = start};
    vpi_register_cb(&callback);
}

extern void (*vlog_startup_routines[])(void);
__attribute__((visibility("default"))) void (*vlog_startup_routines[])(void) = {boot, NULL};
