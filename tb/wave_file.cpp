// Writes the waves of a Verilated design; see wave_file.h. Verilator 5.006, 5.032 and 5.048 name scopes and declare
// signals differently.
#include "tb/wave_file.h"

#include "Vtb_top.h"

namespace {

constexpr int ALL_LEVELS = 1000; // deeper than any design

#if VERILATOR_VERSION_INTEGER < 5032000
void begin_scope(VerilatedFst *file, const std::string &name) {
    file->pushNamePrefix(name + " ");
}

void end_scope(VerilatedFst *file) {
    file->popNamePrefix();
}

void declare(VerilatedFst *file, uint32_t code, const char *name, int bits) {
    file->declArray(code, name, -1, FST_VD_IMPLICIT, FST_VT_SV_LOGIC, false, -1, bits - 1, 0);
}

// Structure scopes, which contain no other scopes, have a suffix: any number of the last components may be structures.
void limit(VerilatedFst *file, int depth, std::string name) {
    constexpr char STRUCTURE = '\x86';
    file->dumpvars(depth, name);
    name += STRUCTURE;
    file->dumpvars(depth, name);
    for (size_t at = name.size(); (at = name.rfind('.', at - 1)) != std::string::npos;) {
        name.insert(at, 1, STRUCTURE);
        file->dumpvars(depth, name);
    }
}

void add_callbacks(VerilatedFst *file, void (*init)(void *, VerilatedFst *, uint32_t), uint32_t,
                   void (*full)(void *, VerilatedFst::Buffer *), void (*change)(void *, VerilatedFst::Buffer *),
                   void *context) {
    file->addInitCb(init, context);
    file->addFullCb(full, context);
    file->addChgCb(change, context);
}
#else
void begin_scope(VerilatedFst *file, const std::string &name) {
    file->pushPrefix(name.c_str(), VerilatedTracePrefixType::SCOPE_MODULE);
}

void end_scope(VerilatedFst *file) {
    file->popPrefix();
}

void declare(VerilatedFst *file, uint32_t code, const char *name, int bits) {
#if VERILATOR_VERSION_INTEGER < 5048000
    file->declArray(code, 0, name, -1, VerilatedTraceSigDirection::NONE, VerilatedTraceSigKind::VAR,
                    VerilatedTraceSigType::LOGIC, false, -1, bits - 1, 0);
#else
    file->declWide(code, name, -1, VerilatedTraceSigDirection::NONE, VerilatedTraceSigKind::VAR,
                   VerilatedTraceSigType::LOGIC, bits - 1, 0);
#endif
}

void limit(VerilatedFst *file, int depth, const std::string &name) {
    file->dumpvars(depth, name);
}

void add_callbacks(VerilatedFst *file, void (*init)(void *, VerilatedFst *, uint32_t), uint32_t codes,
                   void (*full)(void *, VerilatedFst::Buffer *), void (*change)(void *, VerilatedFst::Buffer *),
                   void *context) {
#if VERILATOR_VERSION_INTEGER < 5048000
    (void)codes;
    file->addInitCb(init, context);
#else
    file->addInitCb(init, context, "marks", false, codes);
#endif
    file->addFullCb(full, 0, context);
    file->addChgCb(change, 0, context);
}
#endif

// Limits the file to signals below "PREFIX" or "PREFIX:DEPTH".
void limit_scope(VerilatedFst *file, const std::string &scope) {
    const size_t colon = scope.rfind(':');
    const int depth = colon == std::string::npos ? ALL_LEVELS : std::stoi(scope.substr(colon + 1));
    std::string name = scope.substr(0, colon);
    if (name.rfind("TOP", 0) != 0)
        name = name.rfind("tb_top", 0) == 0 ? "TOP." + name : "TOP.tb_top." + name;
    limit(file, depth, name);
}

} // namespace

// Adds the marks as signals after those of the design.
void WaveFile::declare_marks(void *context, VerilatedFst *file, uint32_t code) {
    begin_scope(file, "marks");
    for (Mark &mark : static_cast<WaveFile *>(context)->m_marks) {
        mark.code = code;
        declare(file, code, mark.name.c_str(), 32 * mark.count);
        code += static_cast<uint32_t>(mark.count);
    }
    end_scope(file);
}

void WaveFile::write_marks(void *context, VerilatedFst::Buffer *buffer) {
    for (const Mark &mark : static_cast<WaveFile *>(context)->m_marks)
        buffer->fullWData(buffer->oldp(mark.code), mark.words, 32 * mark.count);
}

void WaveFile::change_marks(void *context, VerilatedFst::Buffer *buffer) {
    auto *waves = static_cast<WaveFile *>(context);
    if (waves->m_marks_written == *waves->m_changes)
        return;
    waves->m_marks_written = *waves->m_changes;
    for (const Mark &mark : waves->m_marks)
        buffer->chgWData(buffer->oldp(mark.code), mark.words, 32 * mark.count);
}

WaveFile::WaveFile(Vtb_top *top, const char *path, const struct wave_content *content) : m_changes{content->changes} {
    VerilatedFst *file = m_file.spTrace();
    top->trace(&m_file, ALL_LEVELS);
    uint32_t words = 0;
    for (size_t i = 0; i < content->mark_count; i++) {
        m_marks.push_back({content->marks[i].name, content->marks[i].words, content->marks[i].count, 0});
        words += static_cast<uint32_t>(content->marks[i].count);
    }
    add_callbacks(file, declare_marks, words, write_marks, change_marks, this);
    for (const char *const *scope = content->scopes; scope && *scope; scope++)
        limit_scope(file, *scope);
    if (content->scopes && content->scopes[0])
        file->dumpvars(ALL_LEVELS, "marks");
    m_file.set_time_unit("1ns");
    m_file.set_time_resolution("1ps");
    m_file.open(path);
}

WaveFile::~WaveFile() {
    m_file.close();
}

void WaveFile::dump(uint64_t time) {
    m_file.dump(time);
}
