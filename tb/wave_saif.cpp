// Writes SAIF from waves; see wave_saif.h.
#include "tb/wave_saif.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "gtkwave/fstapi.h"

extern "C" {
#include "device/activity.h"
#include "nvdla/error.h"
}

namespace {

using FstFile = decltype(fstReaderOpen(nullptr));

constexpr unsigned char FST_ARRAY = 22; // FST_ST_SV_ARRAY, in the headers of newer versions of Verilator

struct Net {
    std::string name; // escaped, without its range
    uint32_t bits, handle;
    long left;   // index of the leftmost bit
    int step;    // from a bit to the one on its right
    bool vector; // its bits have indices
};

enum class Kind { instance, structure, array };

struct Scope {
    std::string name;
    Kind kind = Kind::instance; // nets of the others belong to the instance around them, with their names in theirs
    std::vector<Net> nets;
    std::vector<std::unique_ptr<Scope>> inner;
};

// Brackets and dots are escaped, as they are no part of hierarchical names.
std::string escaped(const std::string &name) {
    std::string text;
    for (const char c : name) {
        if (strchr("[].", c))
            text += '\\';
        text += c;
    }
    return text;
}

bool counts(unsigned char type) {
    switch (type) {
    case FST_VT_VCD_EVENT:
    case FST_VT_VCD_PARAMETER:
    case FST_VT_VCD_REAL:
    case FST_VT_VCD_REAL_PARAMETER:
    case FST_VT_SV_SHORTREAL:
    case FST_VT_GEN_STRING:
        return false;
    default:
        return true;
    }
}

// A variable is named "x", "x [31:0]", or "x[3] [31:0]" if it is part of an array.
void take_variable(const std::vector<Scope *> &open, const struct fstHier *entry) {
    std::string name = entry->u.var.name, range;
    const size_t space = name.find(' ');
    if (space != std::string::npos) {
        range = name.substr(space + 1);
        name.resize(space);
    }
    size_t owner = open.size() - 1;
    for (; open[owner]->kind != Kind::instance; owner--)
        if (open[owner]->kind == Kind::structure)
            name = open[owner]->name + "." + name;
        else if (name[0] == '[') // else the name has the array's already
            name = open[owner]->name + name;
    long left = 0, right = 0;
    const bool vector = sscanf(range.c_str(), "[%ld:%ld]", &left, &right) == 2;
    open[owner]->nets.push_back(
        {escaped(name), entry->u.var.length, entry->u.var.handle, left, left < right ? 1 : -1, vector});
}

// A scope of which nothing was recorded is left out: some versions of Verilator write its name. So is a
// structure, whose nets are those of the scope around it.
void close_scope(std::vector<Scope *> &open) {
    const Scope *closed = open.back();
    open.pop_back();
    if (closed->nets.empty() && closed->inner.empty())
        open.back()->inner.pop_back();
}

// The scopes of a file; the outermost one has no name.
std::unique_ptr<Scope> read_scopes(FstFile file) {
    auto root = std::make_unique<Scope>();
    std::vector<Scope *> open = {root.get()};
    while (const struct fstHier *entry = fstReaderIterateHier(file)) {
        if (entry->htyp == FST_HT_SCOPE) {
            const unsigned char type = entry->u.scope.typ;
            auto scope = std::make_unique<Scope>();
            scope->name = entry->u.scope.name;
            scope->kind = type == FST_ST_VCD_STRUCT || type == FST_ST_VCD_UNION ? Kind::structure
                          : type == FST_ARRAY                                   ? Kind::array
                                                                                : Kind::instance;
            Scope *const added = scope.get();
            open.back()->inner.push_back(std::move(scope));
            open.push_back(added);
        } else if (entry->htyp == FST_HT_UPSCOPE) {
            close_scope(open);
        } else if (entry->htyp == FST_HT_VAR && counts(entry->u.var.typ)) {
            take_variable(open, entry);
        }
    }
    return root;
}

struct Bit {
    char value = 'x';
    uint64_t since = 0, zero = 0, one = 0, unknown = 0, changes = 0;

    void last(uint64_t until) {
        (value == '1' ? one : value == '0' ? zero : unknown) += until - since;
        since = until;
    }
};

// The bits of each signal, by its handle, from the left.
struct Activity {
    std::vector<std::vector<Bit>> signals;
    uint64_t first;
};

void look(void *context, uint64_t time, fstHandle handle, const unsigned char *text) {
    auto *activity = static_cast<Activity *>(context);
    for (Bit &bit : activity->signals[handle]) {
        const char value = static_cast<char>(*text++);
        if (bit.value == value)
            continue;
        if (time > activity->first)
            bit.changes++;
        bit.last(time);
        bit.value = value;
    }
}

class Writer {
  public:
    Writer(FILE *file, const Activity &activity) : m_file{file}, m_activity{activity} {
    }
    void instance(const Scope &scope, int depth) {
        fprintf(m_file, "%*s(INSTANCE %s\n", depth, "", escaped(scope.name).c_str());
        if (!scope.nets.empty()) {
            fprintf(m_file, "%*s(NET\n", depth + 1, "");
            for (const Net &net : scope.nets)
                bits(net, depth + 2);
            fprintf(m_file, "%*s)\n", depth + 1, "");
        }
        for (const auto &inner : scope.inner)
            if (inner->kind == Kind::instance)
                instance(*inner, depth + 1);
        fprintf(m_file, "%*s)\n", depth, "");
    }

  private:
    FILE *m_file;
    const Activity &m_activity;

    void bits(const Net &net, int depth) {
        const std::vector<Bit> &signal = m_activity.signals[net.handle];
        for (size_t i = 0; i < signal.size(); i++) {
            const Bit &bit = signal[i];
            fprintf(m_file, "%*s(%s", depth, "", net.name.c_str());
            if (net.vector)
                fprintf(m_file, "\\[%ld\\]", net.left + net.step * static_cast<long>(i));
            fprintf(m_file, " (T0 %" PRIu64 ") (T1 %" PRIu64 ") (TX %" PRIu64 ") (TC %" PRIu64 "))\n", bit.zero,
                    bit.one, bit.unknown, bit.changes);
        }
    }
};

void size_signals(const Scope &scope, Activity &activity) {
    for (const Net &net : scope.nets)
        activity.signals[net.handle].resize(net.bits, Bit{'x', activity.first});
    for (const auto &inner : scope.inner)
        size_signals(*inner, activity);
}

// The design is below the scope of Verilator's own, which no other tool knows.
const Scope *design_of(const Scope &root) {
    for (const auto &outer : root.inner)
        for (const auto &inner : outer->inner)
            if (inner->name == "tb_top")
                return inner.get();
    return nullptr;
}

// Adds the bits and changes of a scope and of all inside it.
void add_up(const Scope &scope, const Activity &activity, uint64_t &bits, uint64_t &toggles, bool inside) {
    for (const Net &net : scope.nets)
        for (const Bit &bit : activity.signals[net.handle]) {
            bits++;
            toggles += bit.changes;
        }
    for (const auto &inner : scope.inner)
        if (inside)
            add_up(*inner, activity, bits, toggles, true);
}

// The parts of the design's top, which is the only instance of tb_top with others inside.
void sum_parts(const Scope &design, const Activity &activity, struct activity *parts) {
    for (const auto &top : design.inner) {
        if (top->name != "dut")
            continue;
        uint64_t bits = 0, toggles = 0;
        add_up(*top, activity, bits, toggles, false);
        activity_add(parts, "", bits, toggles);
        for (const auto &part : top->inner) {
            bits = toggles = 0;
            add_up(*part, activity, bits, toggles, true);
            if (bits > 0)
                activity_add(parts, part->name.c_str(), bits, toggles);
        }
    }
}

bool write_file(const std::string &path, const Scope &design, const Activity &activity, uint64_t duration) {
    FILE *file = fopen(path.c_str(), "w");
    if (!file)
        return false;
    fprintf(file,
            "(SAIFILE\n(SAIFVERSION \"2.0\")\n(DIRECTION \"backward\")\n(DESIGN \"%s\")\n(PROGRAM_NAME \"nvcosim\")\n"
            "(DIVIDER / )\n(TIMESCALE 1 ps)\n(DURATION %" PRIu64 ")\n",
            design.name.c_str(), duration);
    Writer{file, activity}.instance(design, 0);
    fprintf(file, ")\n");
    const bool good = !ferror(file);
    return fclose(file) == 0 && good;
}

} // namespace

extern "C" bool wave_saif_write(const char *waves, const char *path, struct activity *parts, struct error *err) {
    const FstFile file = fstReaderOpen(waves);
    if (!file)
        return error_set(err, "%s: cannot be read as waves", waves);
    const std::unique_ptr<Scope> root = read_scopes(file);
    const Scope *design = design_of(*root);
    const uint64_t end = fstReaderGetEndTime(file);
    Activity activity = {std::vector<std::vector<Bit>>(static_cast<size_t>(fstReaderGetMaxHandle(file)) + 1),
                         fstReaderGetStartTime(file)};
    if (design) {
        size_signals(*design, activity);
        fstReaderSetFacProcessMaskAll(file);
        fstReaderIterBlocks(file, look, &activity, nullptr);
    }
    fstReaderClose(file);
    if (!design)
        return error_set(err, "%s: has no signal of the design to count the activity of; see --wave-scope", waves);
    for (std::vector<Bit> &signal : activity.signals)
        for (Bit &bit : signal)
            bit.last(end);
    const std::string part = std::string{path} + ".new";
    if (write_file(part, *design, activity, end - activity.first) && rename(part.c_str(), path) == 0) {
        sum_parts(*design, activity, parts);
        return true;
    }
    error_set(err, "%s: %m", path);
    unlink(part.c_str());
    return false;
}
