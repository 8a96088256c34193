// The main program of a Verilated simulator: owns the model, toggles its clock, and leaves everything else to
// simulator_main.
//
// Compiled with COSIM_CONFIG (configuration name), COSIM_RTL (name of another RTL, "" for this project's),
// COSIM_FOREIGN (not a copy of this project's either), COSIM_THREADS (of the compiled design), COSIM_FAULTS (number of
// planted faults, if any) and, for the variants that record, COSIM_WAVES or COSIM_COVERAGE.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "Vtb_top.h"
#include "Vtb_top___024root.h"
#include "verilated.h"
#include "verilated_syms.h"
#ifdef COSIM_WAVES
#include "tb/wave_index.h"
#include "verilated_fst_c.h"
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

namespace {

#ifdef COSIM_WAVES
struct Mark {
    std::string name;
    const uint32_t *words;
    int count;
    uint32_t code; // Verilator's number of the signal
};
#endif

// One elaborated model with its own Verilator context, new for each device. DPI functions find it through the context.
struct Simulation : VerilatedContext {
    std::unique_ptr<Vtb_top> top;
    bool has_checks = false;
    void (*check_failed)(void *arg, const char *name, const char *scope, bool of_others) = nullptr;
    void (*check_layer)(void *arg, const char *scope, int event) = nullptr;
    void *check_arg = nullptr;
#ifdef COSIM_WAVES
    std::unique_ptr<VerilatedFstC> waves;
    std::vector<Mark> marks;
    const uint64_t *mark_changes = nullptr; // counted by the testbench
    uint64_t marks_written = 0;             // as far as they were
#endif

    explicit Simulation(const char **argv) {
        Verilated::threadContextp(this);
        threads(COSIM_THREADS); // not one for each processor: a process with threads cannot be copied
        commandArgs(1, argv);   // other RTL may read plusargs: there are none
#ifdef COSIM_WAVES
        traceEverOn(true);
#endif
        top = std::make_unique<Vtb_top>(this);
        top->rootp->tb_top__DOT__clk = 0;
        top->eval();
    }
    ~Simulation() {
        top->final();
    }
};

// What outlives a device: the main program's context.
struct Main {
    std::string name;
    const char **argv;
    std::unique_ptr<Simulation> simulation;
};

void clock_design(void *context, void (*put_inputs)(void *), void *arg) {
    auto *simulation = static_cast<Simulation *>(context);
    Vtb_top *top = simulation->top.get();
    simulation->timeInc(1);
    top->rootp->tb_top__DOT__clk = 1;
    top->eval();
    put_inputs(arg);
    simulation->timeInc(1);
    top->rootp->tb_top__DOT__clk = 0;
    top->eval();
}

#ifdef COSIM_WAVES
constexpr int ALL_LEVELS = 1000; // deeper than any design

// Adds the marks as signals after those of the design.
void declare_marks(void *context, VerilatedFst *file, uint32_t code) {
    auto *simulation = static_cast<Simulation *>(context);
    file->pushNamePrefix("marks ");
    for (Mark &mark : simulation->marks) {
        mark.code = code;
        file->declArray(code, mark.name.c_str(), -1, FST_VD_IMPLICIT, FST_VT_SV_LOGIC, false, -1, 32 * mark.count - 1,
                        0);
        code += mark.count;
    }
    file->popNamePrefix();
}

void write_marks(void *context, VerilatedFst::Buffer *buffer) {
    for (const Mark &mark : static_cast<Simulation *>(context)->marks)
        buffer->fullWData(buffer->oldp(mark.code), mark.words, 32 * mark.count);
}

void change_marks(void *context, VerilatedFst::Buffer *buffer) {
    auto *simulation = static_cast<Simulation *>(context);
    if (simulation->marks_written == *simulation->mark_changes)
        return;
    simulation->marks_written = *simulation->mark_changes;
    for (const Mark &mark : simulation->marks)
        buffer->chgWData(buffer->oldp(mark.code), mark.words, 32 * mark.count);
}

// Limits the file to signals below "PREFIX" or "PREFIX:DEPTH". In Verilator's internal names, structure scopes, which
// contain no other scopes, have a suffix: any number of the last components may be structures.
void limit_scope(VerilatedFst *file, const std::string &scope) {
    constexpr char STRUCTURE = '\x86';
    const size_t colon = scope.rfind(':');
    const int depth = colon == std::string::npos ? ALL_LEVELS : std::stoi(scope.substr(colon + 1));
    std::string name = scope.substr(0, colon);
    if (name.rfind("TOP", 0) != 0)
        name = name.rfind("tb_top", 0) == 0 ? "TOP." + name : "TOP.tb_top." + name;
    file->dumpvars(depth, name);
    name += STRUCTURE;
    file->dumpvars(depth, name);
    for (size_t at = name.size(); (at = name.rfind('.', at - 1)) != std::string::npos;) {
        name.insert(at, 1, STRUCTURE);
        file->dumpvars(depth, name);
    }
}

void wave_open(void *context, const char *path, const struct wave_content *content) {
    auto *simulation = static_cast<Simulation *>(context);
    simulation->waves = std::make_unique<VerilatedFstC>();
    VerilatedFst *file = simulation->waves->spTrace();
    simulation->top->trace(simulation->waves.get(), ALL_LEVELS);
    simulation->marks.clear();
    simulation->mark_changes = content->changes;
    for (size_t i = 0; i < content->mark_count; i++)
        simulation->marks.push_back({content->marks[i].name, content->marks[i].words, content->marks[i].count, 0});
    file->addInitCb(declare_marks, simulation);
    file->addFullCb(write_marks, simulation);
    file->addChgCb(change_marks, simulation);
    for (const char *const *scope = content->scopes; scope && *scope; scope++)
        limit_scope(file, *scope);
    if (content->scopes && content->scopes[0])
        file->dumpvars(ALL_LEVELS, "marks");
    simulation->waves->set_time_unit("1ns");
    simulation->waves->set_time_resolution("1ps");
    simulation->waves->open(path);
}

void wave_dump(void *context, uint64_t time) {
    static_cast<Simulation *>(context)->waves->dump(time);
}

void wave_close(void *context) {
    auto *simulation = static_cast<Simulation *>(context);
    simulation->waves->close();
    simulation->waves.reset();
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

struct device *open_rtl(void *context, const struct nvdla_config *config, const struct rtl_options *options,
                        struct error *err) {
    auto *main = static_cast<Main *>(context);
    main->simulation.reset();
#ifdef COSIM_FAULTS
    for (size_t i = 0; i < options->fault_count; i++)
        if (options->faults[i] <= COSIM_FAULTS)
            nvdla_faults_chosen[options->faults[i]] = 1;
#endif
    main->simulation = std::make_unique<Simulation>(main->argv);
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
#endif
#ifdef COSIM_COVERAGE
    simulator.coverage_write = coverage_write;
#endif
#ifdef COSIM_FAULTS
    simulator.faults_met = nvdla_faults_met;
    simulator.fault_count = COSIM_FAULTS;
#endif
    if (main->simulation->has_checks)
        simulator.checks_connect = checks_connect;
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
    return simulator_main(argc, argv, COSIM_CONFIG, COSIM_RTL, COSIM_FOREIGN, COSIM_PINS, simulator_made(), open_rtl,
                          &main_context);
}
