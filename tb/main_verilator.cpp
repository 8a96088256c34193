// The main program of a Verilated simulator: owns the model, toggles its clock, and leaves everything else to
// simulator_main.
//
// Compiled with COSIM_CONFIG (configuration name), COSIM_RTL (name of another RTL, "" for this project's),
// COSIM_FOREIGN (not a copy of this project's either), COSIM_THREADS (of the compiled design), COSIM_FAULTS (number of
// planted faults, if any), COSIM_INNER_EVAL if the design needs nothing else in a clock and, for the variants that
// record, COSIM_WAVES or COSIM_COVERAGE.
#include <climits>
#include <cstdlib>
#include <memory>
#include <string>

#include "Vtb_top.h"
#include "Vtb_top___024root.h"
#include "verilated.h"
#include "verilated_syms.h"
#ifdef COSIM_WAVES
#include "tb/wave_file.h"
#include "tb/wave_index.h"
#include "tb/wave_saif.h"
#endif
#ifdef COSIM_COVERAGE
#include "verilated_cov.h"
#endif

extern "C" {
#include "run/session/simulator.h"
#include "tb/rtl_open.h"
const char *simulator_made(); // made.cpp
}

#ifdef COSIM_FAULTS
// Of the whole process: the design reads it during elaboration, too.
uint8_t nvdla_faults_chosen[COSIM_FAULTS + 1];
uint8_t nvdla_faults_met[COSIM_FAULTS + 1];
#endif

#ifdef COSIM_INNER_EVAL
void Vtb_top___024root___eval(Vtb_top___024root *design);
#endif

namespace {

// One elaborated model with its own Verilator context, new for each device. DPI functions find it through the context.
struct Simulation : VerilatedContext {
    std::unique_ptr<Vtb_top> top;
    bool has_checks = false;
    void (*check_failed)(void *arg, const char *name, const char *scope, bool of_others) = nullptr;
    void (*check_layer)(void *arg, const char *scope, int event) = nullptr;
    void *check_arg = nullptr;
#ifdef COSIM_WAVES
    std::unique_ptr<WaveFile> waves;
#endif

    // seed: of what registers begin with, where the design is compiled for it (build_simulator.sh).
    Simulation(const char **argv, uint64_t seed) {
        Verilated::threadContextp(this);
        threads(COSIM_THREADS); // not one for each processor: a process with threads cannot be copied
        commandArgs(1, argv);   // other RTL may read plusargs: there are none
#ifdef COSIM_WAVES
        traceEverOn(true);
#endif
        if (!COSIM_FOREIGN) {
            randReset(2);
            randSeed(static_cast<int>(1 + seed % INT_MAX));
        }
        top = std::make_unique<Vtb_top>(this);
        top->rootp->tb_top__DOT__clk = 0;
        top->eval();
    }
    ~Simulation() {
        check_failed = nullptr;
        top->final();
    }
};

// What outlives a device: the main program's context.
struct Main {
    std::string name;
    const char **argv;
    std::unique_ptr<Simulation> simulation;
};

// An evaluation after the first.
void evaluate(Vtb_top *top) {
#ifdef COSIM_INNER_EVAL
    Vtb_top___024root___eval(top->rootp);
#else
    top->eval();
#endif
}

void clock_design(void *context, void (*put_inputs)(void *), void *arg) {
    auto *simulation = static_cast<Simulation *>(context);
    Vtb_top *top = simulation->top.get();
    simulation->timeInc(1);
    top->rootp->tb_top__DOT__clk = 1;
    evaluate(top);
    put_inputs(arg);
    simulation->timeInc(1);
    top->rootp->tb_top__DOT__clk = 0;
    evaluate(top);
}

#ifdef COSIM_WAVES
void wave_open(void *context, const char *path, const struct wave_content *content) {
    auto *simulation = static_cast<Simulation *>(context);
    simulation->waves = std::make_unique<WaveFile>(simulation->top.get(), path, content);
}

void wave_dump(void *context, uint64_t time) {
    static_cast<Simulation *>(context)->waves->dump(time);
}

void wave_close(void *context) {
    static_cast<Simulation *>(context)->waves.reset();
}
#endif

#ifdef COSIM_COVERAGE
void coverage_write(void *context, const char *path) {
    static_cast<Simulation *>(context)->coveragep()->write(path);
}
#endif

// The vectors of tb_top are whole words, which Verilator stores as such; vectors of 64 bits too on a little-endian CPU.
uint32_t *find_signal(void *context, const char *name) {
    const VerilatedScope *scope = static_cast<Simulation *>(context)->scopeFind("TOP.tb_top");
    const VerilatedVar *var = scope ? scope->varFind(name) : nullptr;
    return var ? static_cast<uint32_t *>(var->datap()) : nullptr;
}

void checks_connect(void *context, void (*failed)(void *, const char *, const char *, bool),
                    void (*layer)(void *, const char *, int), void *arg) {
    auto *simulation = static_cast<Simulation *>(context);
    simulation->check_failed = failed;
    simulation->check_layer = layer;
    simulation->check_arg = arg;
}

void checks_final(void *context) {
    static_cast<Simulation *>(context)->top->final();
}

struct device *open_rtl(void *context, const struct nvdla_config *config, const struct rtl_options *options,
                        struct error *err) {
    auto *main = static_cast<Main *>(context);
    main->simulation.reset();
#ifdef COSIM_FAULTS
    for (size_t i = 0; i < options->fault_count; i++)
        if (options->faults[i] <= COSIM_FAULTS)
            nvdla_faults_chosen[options->faults[i]] = 1;
#endif
    main->simulation = std::make_unique<Simulation>(main->argv, options->axi.seed);
    struct simulator simulator = {};
    simulator.context = main->simulation.get();
    simulator.clock = {clock_design, simulator.context};
    simulator.signal = find_signal;
#ifdef COSIM_WAVES
    simulator.wave_open = wave_open;
    simulator.wave_dump = wave_dump;
    simulator.wave_close = wave_close;
    simulator.wave_index_read = wave_index_read;
    simulator.wave_index_moves = wave_index_moves;
    simulator.wave_index_free = wave_index_free;
    simulator.wave_saif_write = wave_saif_write;
#endif
#ifdef COSIM_COVERAGE
    simulator.coverage_write = coverage_write;
#endif
#ifdef COSIM_FAULTS
    simulator.faults_met = nvdla_faults_met;
    simulator.fault_count = COSIM_FAULTS;
#endif
    if (main->simulation->has_checks) {
        simulator.checks_connect = checks_connect;
        simulator.checks_final = checks_final;
    }
    return rtl_device_new(config, options, &simulator, main->name.c_str(), err);
}

} // namespace

// Called by the design (rtl/common/nvdla_check.svh).
extern "C" void nvdla_check_failed(const char *name, const char *scope) {
    auto *simulation = static_cast<Simulation *>(Verilated::threadContextp());
    if (simulation->check_failed)
        simulation->check_failed(simulation->check_arg, name, scope, false);
}

extern "C" void nvdla_check_others_failed(const char *name, const char *scope) {
    auto *simulation = static_cast<Simulation *>(Verilated::threadContextp());
    if (simulation->check_failed)
        simulation->check_failed(simulation->check_arg, name, scope, true);
}

extern "C" void nvdla_check_layer(const char *scope, int event_kind) {
    auto *simulation = static_cast<Simulation *>(Verilated::threadContextp());
    simulation->has_checks = true;
    if (simulation->check_layer)
        simulation->check_layer(simulation->check_arg, scope, event_kind);
}

int main(int argc, char **argv) {
    const std::string rtl = COSIM_RTL;
    Main main_context{rtl.empty() ? "rtl" : "rtl:" + rtl, const_cast<const char **>(argv), nullptr};
    const simulator_facts facts{COSIM_CONFIG,     COSIM_RTL, COSIM_FOREIGN, COSIM_PINS,
                                simulator_made(), open_rtl,  &main_context};
    return simulator_main(argc, argv, &facts);
}
