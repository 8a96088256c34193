// Reads FST files with the reader that comes with the writer in Verilator's library; see wave_index.h.
#include "tb/wave_index.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "gtkwave/fstapi.h"

extern "C" {
#include "nvdla/xalloc.h"
}

namespace {

struct Reading {
    struct wave_index *index;
    std::vector<std::string> scopes;
    bool enumeration = false; // the next variable is one
};

// A variable is named "x", "x [31:0]", or "x[3] [31:0]" if it is part of an array.
void take_variable(Reading &reading, const struct fstHier *entry) {
    struct wave_index *index = reading.index;
    std::string name;
    for (const std::string &scope : reading.scopes)
        name += scope + ".";
    name += entry->u.var.name;
    std::string range;
    const size_t space = name.find(' ');
    if (space != std::string::npos) {
        range = name.substr(space + 1);
        name.resize(space);
    }
    index->signals = static_cast<struct wave_signal *>(xgrow(index->signals, index->count, sizeof *index->signals));
    struct wave_signal *to = &index->signals[index->count++];
    *to = {};
    to->name = xstrdup(name.c_str());
    strncpy(to->range, range.c_str(), sizeof to->range - 1);
    to->bits = static_cast<int>(entry->u.var.length);
    to->enumeration = reading.enumeration;
    to->constant = entry->u.var.typ == FST_VT_VCD_PARAMETER;
    to->handle = entry->u.var.handle;
    reading.enumeration = false;
}

void take(Reading &reading, const struct fstHier *entry) {
    switch (entry->htyp) {
    case FST_HT_SCOPE:
        reading.scopes.emplace_back(entry->u.scope.name);
        break;
    case FST_HT_UPSCOPE:
        reading.scopes.pop_back();
        break;
    case FST_HT_ATTRBEGIN:
        // With a name it is the table of the names itself.
        if (entry->u.attr.typ == FST_AT_MISC && entry->u.attr.subtype == FST_MT_ENUMTABLE)
            reading.enumeration = entry->u.attr.name_length == 0;
        break;
    case FST_HT_VAR:
        take_variable(reading, entry);
        break;
    default:
        break;
    }
}

// The first value of each signal, and whether it had another.
struct Values {
    std::vector<std::string> first;
    std::vector<bool> seen, moves;
};

void look(void *context, uint64_t, fstHandle handle, const unsigned char *value) {
    auto *values = static_cast<Values *>(context);
    const char *text = reinterpret_cast<const char *>(value);
    if (!values->seen[handle]) {
        values->seen[handle] = true;
        values->first[handle] = text;
    } else if (!values->moves[handle]) {
        values->moves[handle] = values->first[handle] != text;
    }
}

} // namespace

extern "C" struct wave_index *wave_index_read(const char *path) {
    auto *file = fstReaderOpen(path);
    if (!file)
        return nullptr;
    Reading reading;
    reading.index = static_cast<struct wave_index *>(xcalloc(1, sizeof *reading.index));
    while (const struct fstHier *entry = fstReaderIterateHier(file))
        take(reading, entry);
    reading.index->first = fstReaderGetStartTime(file);
    reading.index->last = fstReaderGetEndTime(file);
    fstReaderClose(file);
    return reading.index;
}

extern "C" void wave_index_moves(const char *path, struct wave_index *index) {
    auto *file = fstReaderOpen(path);
    if (!file)
        return;
    const size_t handles = static_cast<size_t>(fstReaderGetMaxHandle(file)) + 1;
    Values values = {std::vector<std::string>(handles), std::vector<bool>(handles), std::vector<bool>(handles)};
    for (size_t i = 0; i < index->count; i++)
        if (index->signals[i].wanted)
            fstReaderSetFacProcessMask(file, index->signals[i].handle);
    fstReaderIterBlocks(file, look, &values, nullptr);
    for (size_t i = 0; i < index->count; i++)
        index->signals[i].moves = values.moves[index->signals[i].handle];
    fstReaderClose(file);
}

extern "C" void wave_index_free(struct wave_index *index) {
    if (!index)
        return;
    for (size_t i = 0; i < index->count; i++)
        free(index->signals[i].name);
    free(index->signals);
    free(index);
}
