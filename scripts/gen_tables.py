#!/usr/bin/env python3
"""Generates the C tables and the SystemVerilog package from the CSV tables of csrc/nvdla.

usage: gen_tables.py c    OUTDIR                 writes nvdla_tables.c, nvdla_names.h, nvdla_offsets.h and tap_streams.h
       gen_tables.py sv   OUTDIR CONFIG          writes nvdla_pkg.sv and config.f for one configuration; of rtl/unused_fields.csv, the
                                                 fields that no module uses, a macro for each struct that lists them, which
                                                 nvdla_unused.svh has alone, too
       gen_tables.py taps OUTDIR CONFIG TABLE    writes taps.svh: where the RTL of a table of taps (rtl/taps.csv) has its streams

The CSV files are the only source of the register map, its enumerated values, the engines, the clients of the memory
interfaces and the configuration parameters, for C and SystemVerilog. tb/streams.csv is the only source of the streams.
"""
import csv
import os
import re
import sys
from collections import OrderedDict

TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "csrc", "nvdla")
RTL = os.path.join(TABLES, "..", "..", "rtl")
UNUSED_FIELDS = os.path.join(RTL, "unused_fields.csv")
TAPS = os.path.join(RTL, "taps.csv")
STREAMS = os.path.join(TABLES, "..", "..", "tb", "streams.csv")
ACCESS = ["RW", "RO", "RW1C", "WO", "RW1S", "RWI", "RWT"]
KINDS = ("address", "address_high", "table_port", "weight", "wait", "volatile")  # of registers; volatile: of fields
STORED = ("RW", "RWT")  # accesses whose written value is kept and read back


class Row(dict):
    """A row of a table: its cells by column; where: FILE:LINE."""
    where = ""


def read_csv(name):
    with open(os.path.join(TABLES, name), newline="", encoding="utf-8") as f:
        # The description is free text and may hold commas: everything past the last column belongs to it.
        reader = csv.reader(f)
        head = next(reader)
        for cells in reader:
            row = Row(zip(head, cells[:len(head) - 1] + [",".join(cells[len(head) - 1:])]))
            row.where = f"{os.path.basename(name)}:{reader.line_num}"
            if len(row) != len(head):
                sys.exit(f"{row.where}: {len(cells)} columns, expected {len(head)}: {','.join(head)}")
            yield row


def load_registers():
    """map name -> list of registers {unit, name, offset, group, fields, where}, by address."""
    enums = {}
    for r in read_csv("enums.csv"):
        enums.setdefault((r["config"], r["unit"], r["register"], r["field"]), []).append((r["name"], int(r["value"], 0)))
    maps = {}
    for r in read_csv("registers.csv"):
        regs = maps.setdefault(r["config"], OrderedDict())
        key = (r["unit"], r["register"])
        reg = regs.setdefault(key, dict(unit=r["unit"], name=r["register"], offset=int(r["byte_offset"], 16),
                                        group=r["group"] == "D", fields=[], where=r.where, kinds=set(), pair=r["pair"]))
        kinds = set(r["kind"].split())
        if not kinds <= set(KINDS):
            sys.exit(f"{r.where}: {r['unit']}.{r['register']}: kind {r['kind']!r}, expected words of {', '.join(KINDS)}")
        reg["kinds"] |= kinds
        field = dict(name=r["field"], msb=int(r["msb"]), lsb=int(r["lsb"]), access=r["access"],
                     reset=int(r["reset_hex"], 16), text=r["description"], volatile="volatile" in kinds,
                     enums=enums.get((r["config"], r["unit"], r["register"], r["field"]), []))
        if field["access"] not in ACCESS:
            sys.exit(f"{r.where}: {r['unit']}.{r['register']}.{r['field']}: access {r['access']!r}, expected one of {ACCESS}")
        reg["fields"].append(field)
    for regs in maps.values():
        for reg in regs.values():
            reg["fields"].sort(key=lambda f: f["lsb"])
            if reg["pair"] and (reg["unit"], reg["pair"]) not in regs:
                sys.exit(f"{reg['where']}: {reg['unit']}.{reg['name']}: there is no register {reg['pair']} in the unit")
    return {m: sorted(regs.values(), key=lambda r: r["offset"]) for m, regs in maps.items()}


def unit_names(maps):
    """All units, in the order of their windows in the full map; first those that only the small map has."""
    windows = {}
    for name in sorted(maps):  # full before small
        for reg in maps[name]:
            windows.setdefault(reg["unit"], (name == "full", reg["offset"] >> 12))
    return sorted(windows, key=windows.get)


# Registers whose writes launch a layer.
LAUNCHES = ("D_OP_ENABLE", "CFG_LAUNCH0")


def load_engines(maps):
    """Rows of engines.csv, checked against the registers and the streams; with index, the columns of several words as lists, launches
    (the unit has launches), and bit: of group 0 of the interrupt. Columns:
    engine     ENGINE_... in C; in the order of the data path. Engines that share a unit have a row each
    name       for reports
    unit       whose registers it works by; the first row of a unit answers for it
    folder     of its sources below rtl/
    instances  of its modules, in the design's top or inside other engines
    condition  column of configurations.csv: configurations with 0 there lack it; empty: all have it
    waits      1: it can be in a chain of waits when a run hangs
    interrupt  NAME of GLB.S_INTR_STATUS.NAME_DONE_STATUS0
    ends       units whose launches are over with the interrupt, its own first
    taps       the streams of tb/streams.csv that it makes, as taps
    lane       the unit whose launches say when it has work, for its lane in the page's chart; empty: no lane
    wave       colour of its group in GTKWave; fill: of its layers in the graph of a network
    chapters   of docs/nvdla that describe it, the main one first"""
    units, rows, seen, streamed = unit_names(maps), list(read_csv("engines.csv")), {}, {}
    conditions = next(read_csv("configurations.csv")).keys()
    registers = [r for regs in maps.values() for r in regs]
    status = {f["name"]: f["lsb"] for r in registers if (r["unit"], r["name"]) == ("GLB", "S_INTR_STATUS") for f in r["fields"]}
    launching = {r["unit"] for r in registers if r["name"] in LAUNCHES}
    sources = [f[:-len("_DONE_STATUS0")] for f in status if f.endswith("_DONE_STATUS0")]
    stream_taps = {(s["unit"], s["tap"]) for s in load_streams(units) if s["order"]}

    def one_of(row, column, word, words):
        if word and word not in words:
            sys.exit(f"{row.where}: {column} {word!r}, expected one of {', '.join(words)}")

    def once(row, column, word):
        if word and seen.setdefault((column, word), row.where) != row.where:
            sys.exit(f"{row.where}: {column} {word!r} is also in {seen[column, word]}: take it out of one of them")

    for index, row in enumerate(rows):
        row["index"] = index
        for column in ("instances", "ends", "taps", "chapters"):
            row[column] = row[column].split()
        for column in ("engine", "name", "folder"):
            if not row[column]:
                sys.exit(f"{row.where}: no {column}: every engine needs one")
        for column, words in (("unit", units), ("condition", conditions), ("interrupt", sources), ("lane", units), ("wave", WAVE_COLOURS)):
            one_of(row, column, row[column], words)
        if row["instances"] and not os.path.isdir(os.path.join(RTL, row["folder"])):
            sys.exit(f"{row.where}: folder {row['folder']!r}, but there is no such folder in rtl/: expected that of the sources of {row['engine']}")
        for unit in row["ends"]:
            one_of(row, "ends", unit, units)
            once(row, "ends", unit)
        for column in ("engine", "name", "interrupt"):
            once(row, column, row[column])
        for instance in row["instances"]:
            once(row, "instance", instance)
        for tap in row["taps"]:
            if (row["unit"], tap) not in stream_taps:
                sys.exit(f"{row.where}: tap {tap!r}, but streams.csv has no stream with an order of unit {row['unit'] or 'none'} and that tap: "
                         f"expected one of {', '.join(t for u, t in sorted(stream_taps) if u == row['unit']) or 'none'}")
            once(row, "tap", row["unit"] + "." + tap)
            streamed[row["unit"], tap] = row
        if row["ends"] and (not row["interrupt"] or row["ends"][0] != row["unit"]):
            sys.exit(f"{row.where}: ends {' '.join(row['ends'])}, expected its own unit first, and an interrupt")
        if row["lane"] and row["lane"] not in launching:
            sys.exit(f"{row.where}: lane {row['lane']!r} has no launches: expected one of {', '.join(u for u in units if u in launching)}")
        row["launches"] = row["unit"] in launching
        row["bit"] = status[row["interrupt"] + "_DONE_STATUS0"] if row["interrupt"] else None
    answering, ended = unit_engines(rows), {unit for row in rows for unit in row["ends"]}
    for reg in registers:
        if reg["unit"] not in answering:
            sys.exit(f"{reg['where']}: unit {reg['unit']!r} is in no row of engines.csv: add a row for its engine")
        if reg["name"] in LAUNCHES and reg["unit"] not in ended:
            sys.exit(f"{answering[reg['unit']].where}: unit {reg['unit']} has launches (its register {reg['name']}), but no interrupt ends them: "
                     "add the unit to the ends of the engine whose interrupt does")
    for source in sources:
        if ("interrupt", source) not in seen:
            sys.exit(f"engines.csv: no engine has the interrupt {source!r} of GLB.S_INTR_STATUS: add it to the engine that raises it")
    for unit, tap in sorted(stream_taps):
        if (unit, tap) not in streamed:
            sys.exit(f"engines.csv: no engine has the tap {tap} of unit {unit}, which streams.csv names: add it to the engine that makes the stream")
    return rows


WAVE_COLOURS = ("RED", "ORANGE", "YELLOW", "GREEN", "VIOLET")


def unit_engines(engines):
    """unit -> the row that answers for it."""
    return {row["unit"]: row for row in reversed(engines) if row["unit"]}


def client_engine(client, engines):
    """The engine that a client serves: of those of its unit the one that is called like it, else the first."""
    own = [e for e in engines if e["unit"] == client["unit"]]
    return next((e for e in own if e["engine"] == client["name"]), own[0])


def load_clients(maps):
    """Clients of the memory interfaces, as the rows of clients.csv with id and slots as numbers (slot None: the map has no
    such client), and lsb: bit of the arbiter weight in MCIF's window."""
    clients, taken, units = [], set(), unit_names(maps)
    conditions = next(read_csv("configurations.csv")).keys()
    for row in read_csv("clients.csv"):
        where = f"{row.where}: {row['direction']} client {row['name']}"
        if row["direction"] not in ("read", "write"):
            sys.exit(f"{where}: direction {row['direction']!r}, expected read or write")
        if row["unit"] not in units:
            sys.exit(f"{where}: unit {row['unit']!r}, expected one of {', '.join(units)}")
        if row["condition"] and row["condition"] not in conditions:
            sys.exit(f"{where}: condition {row['condition']!r} is no column of configurations.csv")
        row["id"] = int(row["id"])
        for column in ["id"] + [f"slot_{m}" for m in maps]:
            place = (row["direction"], column, int(row[column])) if row[column] != "" else None
            if place in taken:
                sys.exit(f"{where}: {column} {row[column]} belongs to another client")
            if place:
                taken.add(place)
        row["slot"] = {m: int(row[f"slot_{m}"]) if row[f"slot_{m}"] else None for m in maps}
        for m in maps:
            if row["slot"][m] is not None:
                find_field(where, maps[m], row["unit"], row["ram_type"])
                reg, field = find_field(where, maps[m], "MCIF", row["weight"])
                row["lsb"] = (reg["offset"] & 0xFFF) * 8 + field["lsb"]
        clients.append(row)
    return clients


def find_field(where, regs, unit, name):
    """Register and field of unit that REGISTER.FIELD names."""
    register, field = name.split(".")
    for reg in regs:
        if (reg["unit"], reg["name"]) == (unit, register):
            for f in reg["fields"]:
                if f["name"] == field:
                    return reg, f
    sys.exit(f"{where}: registers.csv has no field {unit}.{name}")


def config_clients(clients, direction, cfg):
    """Clients of one direction that a configuration has, in the order of their arbiter slots."""
    found = []
    for c in clients:
        if c["direction"] == direction and (not c["condition"] or int(cfg[c["condition"]])):
            if c["slot"][cfg["map"]] is None:
                sys.exit(f"{c.where}: {direction} client {c['name']}: configuration {cfg['name']} has it, but there is no slot_{cfg['map']}")
            found.append(c)
    return sorted(found, key=lambda c: c["slot"][cfg["map"]])


def mask(field):
    return ((1 << (field["msb"] - field["lsb"] + 1)) - 1) << field["lsb"]


def reg_mask(reg, accesses):
    return sum(mask(f) for f in reg["fields"] if f["access"] in accesses)


def reg_reset(reg):
    return sum(f["reset"] << f["lsb"] for f in reg["fields"])


def c_string(s):
    return '"' + s.replace("\\", "\\\\").replace('"', '\\"') + '"'


def generate_c(outdir):
    maps = load_registers()
    units, engines = unit_names(maps), load_engines(maps)
    configs = list(read_csv("configurations.csv"))
    out = ["/* Generated by scripts/gen_tables.py from the tables in csrc/nvdla. */", '#include "nvdla/registers.h"',
           '#include "nvdla/clients.h"', '#include "nvdla/config.h"', '#include "nvdla/engines.h"', '#include "nvdla_offsets.h"', "#include <stddef.h>", ""]
    for m, regs in maps.items():
        fields, enums = [], []
        for reg in regs:
            reg["first"] = len(fields)
            for f in reg["fields"]:
                f["enum_first"] = len(enums)
                enums += f["enums"]
                fields.append(f)
        out.append(f"static const struct nvdla_enum {m}_enums[] = {{")
        out += [f"    {{{c_string(n)}, {v}u}}," for n, v in enums] + ["};"]
        out.append(f"static const struct nvdla_field {m}_fields[] = {{")
        for f in fields:
            e = f"&{m}_enums[{f['enum_first']}], {len(f['enums'])}" if f["enums"] else "NULL, 0"
            out.append(f"    {{{c_string(f['name'])}, {f['msb']}, {f['lsb']}, NVDLA_ACCESS_{f['access']}, {f['reset']:#x}u, {e}, {c_string(f['text'])}}},")
        out.append("};")
        index = {(r["unit"], r["name"]): i for i, r in enumerate(regs)}
        out.append(f"static const struct nvdla_register {m}_registers[] = {{")
        for r in regs:
            volatile = sum(mask(f) for f in r["fields"] if f["volatile"])
            kinds = " | ".join(f"REGISTER_{k.upper()}" for k in sorted(r["kinds"] - {"volatile"})) or "0"
            high = f"&{m}_registers[{index[r['unit'], r['pair']]}]" if r["pair"] else "NULL"
            out.append(f"    {{NVDLA_{r['unit']}, {c_string(r['name'])}, {r['offset']:#x}u, {'true' if r['group'] else 'false'}, "
                       f"{reg_reset(r):#010x}u, {reg_mask(r, STORED):#010x}u, {volatile:#010x}u, {kinds}, {high}, &{m}_fields[{r['first']}], "
                       f"{len(r['fields'])}}},")
        out.append("};")
    out.append("const struct nvdla_register_map nvdla_register_maps[NVDLA_MAP_COUNT] = {")
    for m, regs in maps.items():
        out.append(f"    [NVDLA_MAP_{m.upper()}] = {{{c_string(m)}, {m}_registers, {len(regs)}}},")
    out.append("};")
    out.append("const char *const nvdla_unit_names[NVDLA_UNIT_COUNT] = {" + ", ".join(c_string(u) for u in units) + "};")
    out.append("const struct nvdla_config nvdla_configs[] = {")
    for c in configs:
        items = []
        for k, v in c.items():
            items.append(f".{k} = " + (c_string(v) if k == "name" else f"NVDLA_MAP_{v.upper()}" if k == "map" else v))
        out.append("    {" + ", ".join(items) + "},")
    out += ["};", f"const int nvdla_config_count = {len(configs)};"]
    clients = load_clients(maps)
    out.append("const struct nvdla_client_facts nvdla_clients[NVDLA_CLIENT_COUNT] = {")
    for c in clients:
        ram, weight = (f"{unit}_{c[key].replace('.', '__')}" for unit, key in ((c["unit"], "ram_type"), ("MCIF", "weight")))
        out.append(f"    [{client_constant(c)}] = {{{c_string(c['name'])}, {c['id']}, {'true' if c['direction'] == 'write' else 'false'}, "
                   f"NVDLA_{c['unit']}, ENGINE_{client_engine(c, engines)['engine']}, {ram.split('__')[0]}, {ram}_MASK, {weight.split('__')[0]}, "
                   f"{weight}_LSB, {condition_offset(c)}, {{{', '.join(str(-1 if slot is None else slot) for slot in c['slot'].values())}}}}},")
    out.append("};")
    emit_engines(out, engines, maps, units)
    write(outdir, "nvdla_tables.c", out)
    interrupts = by_bit(engines)

    names = ["/* Generated by scripts/gen_tables.py: the names that the tables in csrc/nvdla are indexed by. */",
             "#ifndef NVDLA_NAMES_H", "#define NVDLA_NAMES_H", ""]
    for enum, values in (("nvdla_unit", [f"NVDLA_{u}" for u in units] + ["NVDLA_UNIT_COUNT"]),
                         ("nvdla_access", [f"NVDLA_ACCESS_{a}" for a in ACCESS]),
                         ("nvdla_engine", [f"ENGINE_{e['engine']}" for e in engines] + ["ENGINE_COUNT"]),
                         ("nvdla_interrupt", [f"INTERRUPT_{e['interrupt']}" for e in interrupts] + ["INTERRUPT_COUNT"]),
                         ("nvdla_client", [client_constant(c) for c in clients] + ["NVDLA_CLIENT_COUNT"])):
        names += [f"enum {enum} {{"] + [f"    {v}," for v in values] + ["};"]
    names += ["", "/* Of each client in the order of the data path: CLIENT(name, unit, engine). */"]
    for direction in ("read", "write"):
        names += [f"#define FOR_{direction.upper()}_CLIENTS(CLIENT) \\"]
        here = sorted((c for c in clients if c["direction"] == direction), key=lambda c: client_engine(c, engines)["index"])
        names += [f"    CLIENT({c['name']}, {c['unit']}, {client_engine(c, engines)['engine']}) \\" for c in here] + [""]
    names += ["/* Of each unit with register groups: UNIT(name). */", "#define FOR_GROUPED_UNITS(UNIT) \\"]
    grouped = {r["unit"] for regs in maps.values() for r in regs if r["name"] == "D_OP_ENABLE"}
    names += [f"    UNIT({unit}) \\" for unit in units if unit in grouped] + [""]
    names += ["/* Of each interrupt: INTERRUPT(name, unit). */", "#define FOR_INTERRUPTS(INTERRUPT) \\"]
    names += [f"    INTERRUPT({e['interrupt']}, {e['unit']}) \\" for e in interrupts] + [""]
    names += ["", "#endif", ""]
    write(outdir, "nvdla_names.h", names)

    # Word offsets inside a unit's window are the same in both maps, so one set of names serves both. Fields that are wider in
    # one map have the bits of both: registers only ever hold the bits of their own map.
    h = ["/* Generated by scripts/gen_tables.py: byte offsets of registers inside their unit's 4-KiB window, and their fields. */",
         "#ifndef NVDLA_OFFSETS_H", "#define NVDLA_OFFSETS_H", ""]
    offsets, fields = OrderedDict(), {}
    for regs in maps.values():
        for r in regs:
            name = f"{r['unit']}_{r['name']}"
            if offsets.setdefault(name, r["offset"] & 0xFFF) != r["offset"] & 0xFFF:
                sys.exit(f"registers.csv: {name} has different offsets in the two maps")
            for f in r["fields"]:
                lsb, bits = fields.setdefault(name, OrderedDict()).get(f["name"], (f["lsb"], 0))
                fields[name][f["name"]] = (min(lsb, f["lsb"]), bits | mask(f))
    for name, offset in offsets.items():
        h.append(f"#define {name} {offset:#05x}u")
        for field, (lsb, bits) in fields[name].items():
            h.append(f"#define {name}__{field}_LSB {lsb}u")
            h.append(f"#define {name}__{field}_MASK {bits:#010x}u")
    h += ["", "#endif", ""]
    write(outdir, "nvdla_offsets.h", h)
    generate_streams(outdir, configs, engines, units)


def condition_offset(row):
    return f"offsetof(struct nvdla_config, {row['condition']})" if row["condition"] else "NVDLA_ALWAYS"


def by_bit(engines):
    """Those with interrupts, in the order of their bits."""
    return sorted((e for e in engines if e["interrupt"]), key=lambda e: e["bit"])


def emit_engines(out, engines, maps, units):
    out.append("const struct nvdla_engine_facts nvdla_engines[ENGINE_COUNT] = {")
    for e in engines:
        facts = dict(name=c_string(e["name"]), folder=c_string(e["folder"]), unit=f"NVDLA_{e['unit'] if e['launches'] else 'UNIT_COUNT'}",
                     waits="true" if e["waits"] else "false", interrupt=f"INTERRUPT_{e['interrupt'] or 'COUNT'}",
                     lane=c_string(e["folder"].upper()) if e["lane"] else "NULL", lane_unit=f"NVDLA_{e['lane'] or 'UNIT_COUNT'}",
                     wave=f"WAVE_{e['wave'] or 'NONE'}", fill=c_string(e["fill"]) if e["fill"] else "NULL")
        out.append(f"    [ENGINE_{e['engine']}] = {{" + ", ".join(f".{k} = {v}" for k, v in facts.items()) + "},")
    out += ["};", "const struct nvdla_unit_facts nvdla_units[NVDLA_UNIT_COUNT] = {"]
    answering, ended_by = unit_engines(engines), {unit: e["interrupt"] for e in engines for unit in e["ends"]}
    for unit in units:
        windows = [next((f"{r['offset'] >> 12:#x}" for r in maps[m] if r["unit"] == unit), "NVDLA_NO_WINDOW") for m in maps]
        out.append(f"    [NVDLA_{unit}] = {{ENGINE_{answering[unit]['engine']}, INTERRUPT_{ended_by.get(unit, 'COUNT')}, "
                   f"{{{', '.join(f'[NVDLA_MAP_{m.upper()}] = {w}' for m, w in zip(maps, windows))}}}, {condition_offset(answering[unit])}}},")
    out += ["};", "const struct nvdla_interrupt_facts nvdla_interrupts[INTERRUPT_COUNT] = {"]
    for e in by_bit(engines):
        ends = " | ".join(f"UINT32_C(1) << NVDLA_{unit}" for unit in e["ends"]) or "0"
        out.append(f"    [INTERRUPT_{e['interrupt']}] = {{{{\"{e['interrupt']}_0\", \"{e['interrupt']}_1\"}}, {e['bit']}, ENGINE_{e['engine']}, NVDLA_{e['unit']}, {ends}}},")
    instances = [(instance, e) for e in engines for instance in e["instances"]]
    out += ["};", "const struct nvdla_instance nvdla_instances[] = {"]
    out += [f"    {{{c_string(instance)}, ENGINE_{e['engine']}}}," for instance, e in instances]
    out += ["};", f"const size_t nvdla_instance_count = {len(instances)};", ""]


# ---- streams inside an RTL ----

FIELD_WORDS = {"address": 2, "select": 2, "index": 1, "flags": 1}  # what a stream may show beside its lanes, and the words it takes
MOST_STREAM_WORDS = 128


def load_streams(units):
    """Rows of tb/streams.csv with fields as a list, then two for each client of the memory interfaces:
    what it asks for (data: atoms less one; select: 1 primary, 0 secondary memory), and the atoms (flags: how many a word has at most,
    which the width of the data in a table of taps says)."""
    with open(STREAMS, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    for r in rows:
        where = f"streams.csv: {r['stream']}"
        if r["unit"] not in units:
            sys.exit(f"{where}: unit {r['unit']!r}, expected one of {', '.join(units)}")
        r["fields"] = r["fields"].split()
        for field in r["fields"]:
            if field not in FIELD_WORDS:
                sys.exit(f"{where}: field {field!r}, expected one of {list(FIELD_WORDS)}")
    for client in client_rows():
        row = dict(unit=client["unit"], tap="MIF_" + client["direction"].upper(), format="INT8", width=0, order=None)
        rows.append(dict(row, stream=client_stream(client) + "_ASK", bits=32, lanes="1", fields=["address", "select"]))
        rows.append(dict(row, stream=client_stream(client), bits=8, lanes="dbb_data_bits // 8", fields=["flags"]))
    return rows


def client_rows():
    return list(read_csv("clients.csv"))


def client_stream(client):
    return f"{client['direction'].upper()}_{client['name']}"


def stream_layout(stream, cfg):
    """Lanes of a stream in a configuration (0: it lacks the stream), bits of an element and of a lane, first word of each of its fields,
    and words of all. The lanes come first, without gaps."""
    known = {k: int(v) for k, v in cfg.items() if v.isdigit()}
    lanes, width, bits = (eval(str(stream[column]), {"__builtins__": {}}, known) for column in ("lanes", "width", "bits"))
    words = (lanes * bits + 31) // 32
    places = {}
    for field in stream["fields"]:
        places[field] = words
        words += FIELD_WORDS[field]
    if lanes < 0 or words > MOST_STREAM_WORDS:
        sys.exit(f"streams.csv: {stream['stream']}: {lanes} lanes, {words} words in configuration {cfg['name']}; "
                 f"expected at least 0 lanes and at most {MOST_STREAM_WORDS} words")
    return lanes, width, bits, places, words


def generate_streams(outdir, configs, engines, units):
    streams = load_streams(units)
    h = ["/* Generated by scripts/gen_tables.py: the streams of tb/streams.csv, and how tb_top's vectors hold them. */",
         "#ifndef TAP_STREAMS_H", "#define TAP_STREAMS_H", ""]
    h += ["enum rtl_stream {"] + [f"    STREAM_{s['stream']}," for s in streams] + ["    STREAM_COUNT", "};"]
    h += [f"enum {{ STREAM_WORDS = {MOST_STREAM_WORDS} /* most of one stream */ }};",
          f"enum {{ MOVE_WORDS = {(len(streams) + 31) // 32} /* of a bit for each stream */ }};",
          f"enum {{ STREAM_CONFIGS = {len(configs)} }};", ""]
    h.append("/* STREAM(name, unit, tap, format, order) for each. */")
    h.append("#define FOR_STREAMS(STREAM) \\")
    h += [f"    STREAM({s['stream']}, {s['unit']}, {s['tap']}, {s['format']}, {s['order']}) \\" for s in streams if s["order"]]
    h += ["", "/* PASSAGE(unit, tap, engine): the streams in the order in which values pass through them, and the engine that makes them. */",
          "#define FOR_PASSAGES(PASSAGE) \\"]
    makers = {(e["unit"], tap): e["engine"] for e in engines for tap in e["taps"]}
    passages = OrderedDict.fromkeys((s["unit"], s["tap"]) for s in streams if s["order"])
    h += [f"    PASSAGE({unit}, {tap}, {makers[unit, tap]}) \\" for unit, tap in passages]
    signals = OrderedDict()
    with open(TAPS, newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            taps = [s["tap"] for s in streams if s["stream"] == row["stream"] and s["order"]]
            for tap in taps:
                signals.setdefault(tap, []).extend(NAME.findall(row["valid"]) + NAME.findall(row["data"]))
    h += ["", "/* SIGNALS(tap, ...): those of handshake and data that rtl/taps.csv names, with / for '.'. */", "#define FOR_TAP_SIGNALS(SIGNALS) \\"]
    h += [f"    SIGNALS({tap}, " + ", ".join('"dut/' + n.replace(".", "/") + '"' for n in OrderedDict.fromkeys(names)) + ") \\" for tap, names in signals.items()]
    h += ["", "/* CLIENT(name): the clients of the memory interfaces; NAME has the streams STREAM_NAME_ASK and STREAM_NAME. */",
          "#define FOR_CLIENTS(CLIENT) \\"]
    h += [f"    CLIENT({client_stream(c)}) \\" for c in client_rows()]
    h += ["", "/* Per configuration and stream: {lanes, words, width, bits, address, select, index, flags}; the last four are the first word of a field,",
          " * -1: none. */",
          "#define STREAM_LAYOUTS { \\"]
    for c in configs:
        rows = []
        for s in streams:
            lanes, width, bits, places, words = stream_layout(s, c)
            rows.append(f"{{{lanes}, {words}, {width}, {bits}, " + ", ".join(str(places.get(f, -1)) for f in FIELD_WORDS) + "}")
        h.append("    {" + ", ".join(rows) + "}, \\")
    h += ["}", "", "#endif", ""]
    write(outdir, "tap_streams.h", h)


# A name in a table of taps: a hierarchical name below the design. Numbers (8'd0, 'h1f), functions ($signed) and names of a package
# (nvdla_pkg::MemAtom) are none.
NAME = re.compile(r"(?<![\w$.':])(?:[A-Za-z_][\w$]*)(?:\.[A-Za-z_][\w$]*)*(?!\s*::)(?![\w$.])")


def below_design(expression):
    return NAME.sub(lambda m: "dut." + m.group(0), expression)


def generate_taps(outdir, name, table):
    cfg = find_config(name)
    streams = load_streams(unit_names(load_registers()))
    columns = ["stream", "valid", "end", "data"] + list(FIELD_WORDS) + ["late"]
    try:
        with open(table, newline="", encoding="utf-8") as f:
            rows = [r for r in csv.reader(f) if r and not r[0].startswith("#")]
    except (OSError, UnicodeDecodeError, csv.Error) as e:
        sys.exit(f"{table}: cannot be read: {e}")
    head = rows[0] if rows else []
    if head[:4] != columns[:4] or any(c not in columns for c in head):
        sys.exit(f"{table}: its first line is {','.join(head)!r}, expected {','.join(columns)!r} (those behind data may be left out)")
    found = {}
    words_of_atoms = [client_stream(c) for c in client_rows()]
    for number, row in enumerate(rows[1:], 2):
        entry = dict(zip(head, (cell.strip() for cell in row)))
        where = f"{table}: row {number}, stream {row[0]!r}"
        stream = next((s for s in streams if s["stream"] == row[0]), None)
        if not stream:
            sys.exit(f"{where}: there is no such stream; expected one of {', '.join(s['stream'] for s in streams)}")
        if row[0] in found:
            sys.exit(f"{where}: is in the table twice")
        if row[0] in words_of_atoms:
            entry["flags"] = f"$bits({entry['data']}) / {8 * int(cfg['mem_atom'])}"
        missing = [c for c in ["valid", "data"] + stream["fields"] if not entry.get(c)]
        if entry.get("late", "") not in ("", "0", "1"):
            sys.exit(f"{where}: late is {entry['late']!r}, expected 1 (the data come one clock after valid and the fields) or nothing")
        if len(row) != len(head) or missing:
            sys.exit(f"{where}: " + (f"has {len(row)} columns, expected {len(head)}" if len(row) != len(head) else f"has no {' and no '.join(missing)}"))
        found[row[0]] = {c: e if c == "late" else below_design(e) for c, e in entry.items() if c != "stream"}
    for stream in streams:
        if stream_layout(stream, cfg)[0] == 0:
            found.pop(stream["stream"], None)
    for client in client_rows():  # those that the configuration lacks have no streams
        if client["condition"] and not int(cfg[client["condition"]]):
            for stream in (client_stream(client), client_stream(client) + "_ASK"):
                found.pop(stream, None)
    words = (len(streams) + 31) // 32
    out = [f"// Generated by scripts/gen_tables.py from {os.path.basename(table)} for configuration {name}: where the design has its streams.",
           "// tap_moves: a bit for each stream that moves; tap_ends: with it the launch ends. tN: the lanes of stream N, then its fields.",
           "/* verilator tracing_off */", f"localparam int TapW = {2 * 32 * words};"]
    for i, s in enumerate(streams):
        row = found.get(s["stream"], {})
        for c in [c for c in ["valid", "end"] + s["fields"] if row.get("late") == "1" and row.get(c)]:
            width = 32 * FIELD_WORDS.get(c, 0) or 1
            out += [f"logic [{width - 1}:0] t{i}_{c}_q;  // {s['stream']}, one clock late", f"always_ff @(posedge clk) t{i}_{c}_q <= {width}'({row[c]});"]
            row[c] = f"t{i}_{c}_q"
    for vector, column in (("tap_moves", "valid"), ("tap_ends", "end")):
        out.append(f"wire [{words * 32 - 1}:0] {vector};")
        for i, s in enumerate(streams):
            out.append(f"assign {vector}[{i}] = {found.get(s['stream'], {}).get(column) or chr(49) + chr(39) + 'b0'};  // {s['stream']}")
        if len(streams) % 32:
            out.append(f"assign {vector}[{words * 32 - 1}:{len(streams)}] = '0;")
    for i, s in enumerate(streams):
        if s["stream"] in found:
            lanes, _, bits, _, size = stream_layout(s, cfg)
            row = found[s["stream"]]
            parts = [f"{(lanes * bits + 31) // 32 * 32}'({lanes * bits}'({row['data']}))"]
            parts += [f"{FIELD_WORDS[f] * 32}'({row[f]})" for f in s["fields"]]
            out.append(f"wire [{size * 32 - 1}:0] t{i} /*verilator public_flat_rd*/;  // {s['stream']}")
            out.append(f"assign t{i} = {{{', '.join(reversed(parts))}}};")
    out += ["/* verilator tracing_on */", ""]
    write(outdir, "taps.svh", out)


def client_constant(client):
    return "NVDLA_" + client_stream(client)


def camel(name):
    return "".join(p.capitalize() for p in name.lower().split("_"))


def flat_vector(words):
    """Literal of a packed vector of 32-bit words, word 0 in the low bits."""
    return f"{len(words) * 32}'h" + "_".join(f"{w:08x}" for w in reversed(words))


def find_config(name):
    configs = {c["name"]: c for c in read_csv("configurations.csv")}
    if name not in configs:
        sys.exit(f"gen_tables.py: unknown configuration {name!r}, expected one of: {', '.join(configs)}")
    return configs[name]


def generate_sv(outdir, name):
    cfg = find_config(name)
    maps = load_registers()
    regs = maps[cfg["map"]]
    out = [f"// Generated by scripts/gen_tables.py for configuration {name}: parameters (chapter 10 section 1) and register map.",
           "// Literal values only.",
           "// A configuration's engines use a part of the common list of parameters and registers: unused ones are no mistake.",
           "/* verilator lint_off UNUSEDPARAM */", "package nvdla_pkg;", ""]
    with open(UNUSED_FIELDS, newline="", encoding="utf-8") as f:
        unused = [(row["struct"], row["field"]) for row in csv.DictReader(f)]
    for k, v in cfg.items():
        if k not in ("name", "map"):
            out.append(f"  localparam int {camel(k)} = {v};")
    out.append(f"  localparam int AtomBits = {int(cfg['mem_atom']) * 8};")
    out.append("  // CBUF as it is built (chapter 30 section 4.1): an entry is one atom of the widest precision, LaneBytes a lane.")
    out.append(f"  localparam int LaneBytes = {lane_bytes(cfg)};")
    out.append(f"  localparam int EntryBytes = {entry_bytes(cfg)};")
    out.append(f"  localparam int BankEntries = {bank_entries(cfg)};")
    out.append("")
    emit_clients(out, load_clients(maps), cfg)
    emit_links(out, cfg)
    windows = []  # of the units that exist
    if cfg["map"] == "full":
        widen_fields(regs, maps["small"])
    units = unit_names(maps)
    engines = load_engines(maps)
    answering = unit_engines(engines)
    for unit in units:
        condition = answering[unit]["condition"]
        unit_regs = [r for r in regs if r["unit"] == unit]
        if not unit_regs or (condition and not int(cfg[condition])):
            continue
        windows.append((unit, (unit_regs[0]["offset"] & ~0xFFF) >> 12))
        base = unit_regs[0]["offset"] & ~0xFFF
        words = max(r["offset"] & 0xFFF for r in unit_regs) // 4 + 1
        by_word = {(r["offset"] & 0xFFF) // 4: r for r in unit_regs}
        grouped = any(r["group"] for r in unit_regs)
        first_d = min(w for w, r in by_word.items() if r["name"] == "D_OP_ENABLE") if grouped else words
        u = camel(unit)
        out.append(f"  // {unit}: window {base:#x}")
        out.append(f"  localparam logic [5:0] {u}Window = 6'h{base >> 12:02x};")
        out.append(f"  localparam int {u}Words = {words};")
        for what, value in (("WriteMask", lambda r: reg_mask(r, STORED)), ("Reset", reg_reset)):
            vec = [value(by_word[w]) if w in by_word else 0 for w in range(words)]
            out.append(f"  localparam logic [{words * 32 - 1}:0] {u}{what} = {flat_vector(vec)};")
        for w, r in by_word.items():
            out.append(f"  localparam int {u}{camel(r['name'])} = {w};")
        if grouped:
            stat = [0xFFFFFFFF if w in by_word and by_word[w]["group"] and reg_mask(by_word[w], ("RO",)) else 0 for w in range(words)]
            out.append(f"  localparam logic [{words * 32 - 1}:0] {u}StatMask = {flat_vector(stat)};")
            out.append(f"  localparam int {u}FirstD = {first_d};")
            emit_struct(out, f"{unit.lower()}_s_t", by_word, 0, first_d, unused)
            emit_struct(out, f"{unit.lower()}_d_t", by_word, first_d, words, unused)
        out.append("")
    if "CFGROM" not in dict(windows):
        out += ["  // No configuration ROM.", "  localparam int CfgromWords = 1;", "  localparam logic [31:0] CfgromReset = 32'h0;", ""]
    # The units on the register bus: number, and window of each.
    out.append("  // Units on the register bus: bit of the select, windows in the same order, number 0 in the low bits.")
    out += [f"  localparam int Sel{camel(unit)} = {i};" for i, (unit, _) in enumerate(windows)]
    out += [f"  localparam int Sel{camel(unit)} = -1;" for unit in units if unit not in dict(windows)]
    out.append("  localparam int CsbAddrBits = 10;  // number of a word in a unit's window")
    out.append(f"  localparam int CsbUnits = {len(windows)};")
    out.append(f"  localparam logic [{len(windows) * 6 - 1}:0] CsbWindows = {packed(6, [w for _, w in windows])};")
    out.append("")
    out += ["endpackage", "/* verilator lint_on UNUSEDPARAM */", ""]
    write(outdir, "nvdla_pkg.sv", out)
    # The macros of the package once more, for a file that is compiled as a unit of its own.
    write(outdir, "nvdla_unused.svh", ["// The macros of nvdla_pkg.sv: fields that no module uses."] +
          [line for line in out if line.startswith("`define")] + [""])

    # Options that both simulators take: the port widths that tb_top needs whatever RTL it drives.
    options = [f"+define+TB_AW={cfg['addr_bits']}", f"+define+TB_DW={cfg['dbb_data_bits']}"]
    if cfg["secondary_memory"] == "1":
        options += [f"+define+TB_SRAM_DW={cfg['cvsram_data_bits']}"]
    options += [f"+define+NVDLA_{e['condition'].upper()}" for e in engines if e["condition"] and cfg[e["condition"]] == "1"]
    if cfg["sdp_ew_throughput"] != "0":
        options.append("+define+NVDLA_EW")
    write(outdir, "config.f", options + [""])


def packed(bits, values):
    """Literal of a packed vector, value 0 in the low bits."""
    digits = "_".join(f"{v:0{bits // 4}x}" if bits % 4 == 0 else f"{v:0{bits}b}" for v in reversed(values))
    return f"{bits * len(values)}'{'b' if bits % 4 else 'h'}{digits}"


def emit_clients(out, clients, cfg):
    """Slots, IDs and arbiter weights of the clients of the memory interfaces."""
    out.append("  // Clients of the memory interfaces (chapter 70 section 3) in the order of their arbiter slots, slot 0 in the low bits; slot -1: the")
    out.append("  // configuration has no such client. WeightLsb: bit of the arbiter weight in MCIF's and CVIF's window.")
    for direction, short, bits in (("read", "Rd", 4), ("write", "Wr", 3)):
        here = config_clients(clients, direction, cfg)
        n = len(here)
        out.append(f"  localparam int {short}Clients = {n};")
        out.append(f"  localparam int {short}IndexBits = {max(1, (n - 1).bit_length())};")
        out.append(f"  localparam int {short}IdBits = {bits};")
        out.append(f"  localparam logic [{n * bits - 1}:0] {short}Ids = {packed(bits, [c['id'] for c in here])};")
        out.append(f"  localparam logic [{n * 8 - 1}:0] {short}WeightLsb = {packed(8, [c['lsb'] for c in here])};")
        for c in clients:
            if c["direction"] == direction:
                out.append(f"  localparam int {short}Slot{camel(c['name'])} = {here.index(c) if c in here else -1};")
    out.append("")


def lane_bytes(cfg):
    """Bytes of an element of the widest precision."""
    return 2 if int(cfg["int16"]) or int(cfg["fp16"]) else 1


def entry_bytes(cfg):
    return int(cfg["cbuf_bank_bytes"]) * lane_bytes(cfg)


def bank_entries(cfg):
    return int(cfg["cbuf_bank_depth"]) // lane_bytes(cfg)


def emit_links(out, cfg):
    """Words that go between modules, one for each direction of a link."""
    addr, atom, burst = int(cfg["addr_bits"]), int(cfg["mem_atom"]) * 8, 4
    entry = (int(cfg["cbuf_banks"]) * bank_entries(cfg) - 1).bit_length()  # number of a CBUF entry
    slot = max(1, (entry_bytes(cfg) // int(cfg["mem_atom"]) - 1).bit_length())
    size, entries = 14, 15
    out.append("  // Widths: a size or a part of one (lines, slices, kernels, ...; registers hold it minus 1, in 13 bits), and a number of CBUF entries.")
    out.append(f"  localparam int SizeBits = {size};")
    out.append(f"  localparam int EntryCountBits = {entries};")
    beat_atoms = int(cfg["dbb_data_bits"]) // atom
    out.append("  // A beat of the memory interfaces; the longest pieces that clients ask for, in beats: with beats of several atoms they are lines of 256 bytes.")
    out.append(f"  localparam int MifAtoms = {beat_atoms};")
    out.append(f"  localparam int MifBits = {beat_atoms * atom};")
    line = 256 * 8 // (beat_atoms * atom)
    for port in ("dbb", "cvsram"):
        out.append(f"  localparam int {camel(port)}PieceBeats = {line if beat_atoms > 1 else max(1, int(cfg[port + '_burst_beats']))};")
    links = OrderedDict()
    links["mif_rd_req", "read client to memory interface: a piece of len + 1 beats; ram 1 primary, 0 secondary"] = [
        ("valid", 1), ("ram", 1), ("addr", addr), ("len", burst)]
    links["mif_rd_rsp", "memory interface to read client: the piece is taken; a beat arrives, never refused"] = [
        ("ready", 1), ("valid", 1), ("data", beat_atoms * atom)]
    links["mif_wr_req", "write client to memory interface: a piece as above, and its beats one by one, with the atoms that count"] = [
        ("valid", 1), ("ram", 1), ("addr", addr), ("len", burst), ("dat_valid", 1), ("dat_mask", beat_atoms), ("dat_data", beat_atoms * atom)]
    links["mif_wr_rsp", "memory interface to write client: the piece is taken; the beat is taken; the oldest piece has been written"] = [
        ("ready", 1), ("dat_ready", 1), ("done", 1)]
    links["axi_req", "what a memory interface drives at its AXI port"] = [
        ("arvalid", 1), ("arid", 8), ("arlen", burst), ("araddr", addr), ("awvalid", 1), ("awid", 8), ("awlen", burst), ("awaddr", addr),
        ("wvalid", 1), ("wlast", 1), ("wmask", beat_atoms), ("wdata", beat_atoms * atom)]
    links["axi_rsp", "what it gets there; rready and bready are constantly 1"] = [
        ("arready", 1), ("rvalid", 1), ("rid", 8), ("rdata", beat_atoms * atom), ("awready", 1), ("wready", 1), ("bvalid", 1), ("bid", 8)]
    out.append("  // Atoms that a write port of CBUF takes in a clock, each to a place of its own: what a beat brings.")
    out.append(f"  localparam int CbufWrAtoms = {beat_atoms};")
    links["cbuf_wr", "CDMA to CBUF: atoms, the first one in the low bits of each member; with clear the slots above one become 0"] = [
        (member, beat_atoms * width) for member, width in (("valid", 1), ("addr", entry), ("slot", slot), ("clear", 1), ("data", atom))]
    links["cbuf_rd", "CSC to CBUF: read of an entry"] = [("valid", 1), ("addr", entry)]
    links["cdma2csc", "account of CBUF, CDMA to CSC: data and weights that have arrived; answers to CSC's requests while banks change"] = [
        ("dat_valid", 1), ("dat_entries", entries), ("dat_slices", size), ("wt_valid", 1), ("wt_kernels", size), ("wt_entries", entries),
        ("dat_pending_ack", 1), ("wt_pending_ack", 1)]
    links["csc2cdma", "account of CBUF, CSC to CDMA: what is released; requests to empty data and weights while banks change"] = [
        ("dat_valid", 1), ("dat_entries", entries), ("dat_slices", size), ("wt_valid", 1), ("wt_entries", entries), ("mask_valid", 1),
        ("mask_entries", entries), ("dat_pending_req", 1), ("wt_pending_req", 1)]
    for (name, text), members in links.items():
        out.append(f"  // Link: {text}.")
        out.append("  typedef struct packed {")
        out += [f"    logic {f'[{width - 1}:0] ' if width > 1 or member.endswith('mask') else ''}{member};" for member, width in members]
        out.append(f"  }} {name}_t;")
        out.append(f"  localparam int {camel(name)}Bits = {sum(width for _, width in members)};")
    out.append("")


def widen_fields(regs, others):
    """Fields whose place differs between the maps (chapter 10 section 4.3) get the place that holds both in structs, so that one source
    serves every map: bits that a map does not have are never written and read 0. Write masks and resets keep the map's own."""
    other = {(r["unit"], r["name"], f["name"]): f for r in others for f in r["fields"]}
    for r in regs:
        for f in r["fields"]:
            o = other.get((r["unit"], r["name"], f["name"]), f)
            f["place"] = min(f["lsb"], o["lsb"]), max(f["msb"], o["msb"])


def emit_struct(out, type_name, by_word, first, end, unused):
    """Packed struct of the words [first, end), word `first` in the low bits. Members are the fields, gaps are unused_*. If fields of it
    are among those that no module uses, a macro lists these and the gaps, for a wire unused_*."""
    members = []  # from bit 0 upwards
    used = set()
    gap = 0
    for w in range(first, end):
        bit = 0
        for f in by_word[w]["fields"] if w in by_word else []:
            lsb, msb = f.get("place", (f["lsb"], f["msb"]))
            if lsb > bit:
                members.append((lsb - bit, f"unused_{gap}"))
                gap += 1
            n = f["name"].lower()
            if n in used:
                n = by_word[w]["name"].lower() + "_" + n
            used.add(n)
            if lsb < bit:
                sys.exit(f"gen_tables.py: {by_word[w]['unit']}.{by_word[w]['name']}: the place of {f['name']} in both maps overlaps another field")
            members.append((msb - lsb + 1, n))
            bit = msb + 1
        if bit < 32:
            members.append((32 - bit, f"unused_{gap}"))
            gap += 1
    out.append("  typedef struct packed {")
    for width, n in reversed(members):
        out.append(f"    logic [{width - 1}:0] {n};")
    out.append(f"  }} {type_name};")
    left = [field for struct, field in unused if struct == type_name]
    for field in set(left) - used:
        sys.exit(f"gen_tables.py: rtl/unused_fields.csv: {type_name} has no field {field}")
    if left:
        left += [n for _, n in members if n not in used]
        out.append(f"`define NVDLA_{type_name[:-2].upper()}_UNUSED(d) {', '.join('d.' + n for n in left)}")


def write(outdir, name, lines):
    os.makedirs(outdir, exist_ok=True)
    with open(os.path.join(outdir, name), "w", encoding="utf-8") as f:
        f.write("\n".join(lines))


def main(argv):
    if len(argv) == 3 and argv[1] == "c":
        generate_c(argv[2])
    elif len(argv) == 4 and argv[1] == "sv":
        generate_sv(argv[2], argv[3])
    elif len(argv) == 5 and argv[1] == "taps":
        generate_taps(argv[2], argv[3], argv[4])
    else:
        sys.exit(__doc__)


main(sys.argv)
