#!/usr/bin/python3
"""Generates the C tables and the SystemVerilog package from the CSV tables of csrc/nvdla.

usage: gen_tables.py c    OUTDIR                 writes nvdla_tables.c, nvdla_names.h, nvdla_offsets.h and tap_streams.h
       gen_tables.py sv   OUTDIR CONFIG          writes nvdla_pkg.sv and config.f for one configuration; of rtl/unused_fields.csv, the
                                                 fields that no module uses, a macro for each struct that lists them, which
                                                 nvdla_unused.svh has alone, too
       gen_tables.py registers full|small        prints ADDRESS UNIT REGISTER of each register of a map
       gen_tables.py taps OUTDIR CONFIG TABLE SCOPE [STREAM...]
                                                 writes taps.svh: where the RTL of a table of taps (rtl/taps.csv) has its streams, in names
                                                 below the instance SCOPE (dut), without each STREAM, which this RTL has not

The CSV files are the only source of the register map, its enumerated values, the engines, the clients of the memory
interfaces and the configuration parameters, for C and SystemVerilog. tb/streams.csv is the only source of the streams.
"""
import ast
import csv
import dataclasses
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
ACCESS = ["RW", "RO", "RW1C", "WO", "RW1S", "RWI", "RWT"]
KINDS = ("address", "address_high", "table_port", "weight", "wait", "volatile")  # of registers; volatile: of fields
STORED = ("RW", "RWT")  # accesses whose written value is kept and read back
LAUNCHES = ("D_OP_ENABLE", "CFG_LAUNCH0")  # registers whose writes launch a layer
WAVE_COLOURS = ("RED", "ORANGE", "YELLOW", "GREEN", "VIOLET")


# ---- tables ----

class Row(dict):
    """A row of a table: its cells by column; where: FILE:LINE."""
    where = ""


# A name in a table of taps: a hierarchical name below the design. Numbers (8'd0, 'h1f), functions ($signed) and names of a package
# (nvdla_pkg::MemAtom) are none.
NAME = re.compile(r"(?<![\w$.':])(?:[A-Za-z_][\w$]*)(?:\.[A-Za-z_][\w$]*)*(?!\s*::)(?![\w$.])")
BRACES = "[^{}]*"
for _ in range(4):
    BRACES = rf"(?:[^{{}}]|\{{{BRACES}\}})*"  # text with as many levels of braces
LANES = re.compile(rf"\{{i=(\d+)\.\.0:({BRACES})\}}")
COUNT = re.compile(r"\$\(([i\d+*/%]+)\)|\$i\b")


def lanes(cell):
    """A cell of a table of taps with its repetitions written out: {i=127..0: lane$i[$(8*i)]} is {lane127[1016], lane126[1008], ... lane0[0]}.
    Raises ValueError or another error of Python's for what is no repetition or no sum of whole numbers and i."""
    def number(match, i):
        return str(eval((match[1] or "i").replace("/", "//"), {"__builtins__": {}}, {"i": i}))  # numbers, i and operators: see COUNT

    def written_out(match):
        return "{" + ", ".join(COUNT.sub(lambda m: number(m, i), match[2].strip()) for i in range(int(match[1]), -1, -1)) + "}"
    cell = LANES.sub(written_out, cell)
    if "{i=" in cell or "$(" in cell:
        raise ValueError
    return cell


def spread(where, cells):
    """The rows that one of a table of taps or waits stands for, each as cells: `READ_@ for SDP u_partition_o.RUBIK=rbk` is a row for each
    client. @ is its name, in the other columns that of its signals, and % the instance that has them. where: FILE:LINE or the like."""
    for n, cell in enumerate(cells):
        try:
            cells[n] = lanes(cell)
        except (ValueError, ArithmeticError, SyntaxError):
            sys.exit(f"{where}: found {cell!r}, expected repetitions like {{i=7..0: lane$i[$(8*i+7):$(8*i)]}}")
    first, _, clients = cells[0].partition(" for ") if cells else ("", "", "")
    for client in clients.split():
        instance, dot, name = client.rpartition(".")
        name, _, signals = name.partition("=")
        yield [first.replace("@", name), *(c.replace("%", instance + dot).replace("@", signals or name.lower()) for c in cells[1:])]
    if not clients:
        yield cells


def expand(rows):
    """The rows of a table, each (where, cells), written out: spread(), and in the rows below one of `path NAME,PATH` NAME. stands for PATH."""
    paths = {}
    for where, cells in rows:
        if paths:
            cells = [re.sub(r"(?<![\w$.'])(\w+)(?=\.)", lambda m: paths.get(m[1], m[1]), cell) for cell in cells]
        if not cells or not cells[0].startswith("path "):
            yield from ((where, each) for each in spread(where, cells))
        elif re.fullmatch(r"path [A-Za-z]\w*", cells[0]) and len(cells) > 1 and NAME.fullmatch(cells[1]) and not any(cells[2:]):
            paths[cells[0][5:]] = cells[1]
        else:
            sys.exit(f"{where}: found {','.join(cells)!r}, expected path NAME,PATH: PATH is an instance below the top module")


def read_csv(path):
    """Rows of a table, by its path below the root of the sources."""
    with open(os.path.join(ROOT, path), newline="", encoding="utf-8") as f:
        reader = csv.reader(f)
        head = next(reader)
        for where, cells in expand((f"{os.path.basename(path)}:{reader.line_num}", cells) for cells in reader):
            row = Row(zip(head, cells))
            row.where = where
            if len(cells) != len(head):
                sys.exit(f"{row.where}: {len(cells)} columns, expected {len(head)}: {','.join(head)}")
            yield row


def check_word(where, column, word, words):
    if word and word not in words:
        sys.exit(f"{where}: {column} {word!r}, expected one of {', '.join(words)}")


def load_configs():
    """name -> parameters of a configuration, in the order of the columns; all but name and map are numbers."""
    return {row["name"]: {k: int(v) if v.isdigit() else v for k, v in row.items()} for row in read_csv("csrc/nvdla/configurations.csv")}


def find_config(name):
    """A row, or, of a configuration by values, what nvcosim reads from its name."""
    configs = load_configs()
    if name not in configs and not re.search("[,+]", name):
        sys.exit(f"gen_tables.py: unknown configuration {name!r}, expected one of: {', '.join(configs)}")
    if name not in configs:
        nvcosim = os.path.join(ROOT, os.environ.get("B") or "build", "nvcosim")
        if not os.path.exists(nvcosim):
            sys.exit(f"gen_tables.py: found no {nvcosim}, which reads a configuration by values; `make build` makes it")
        done = subprocess.run([nvcosim, "info", "--json", "--brief", "--config", name], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr.split("\n")[0])
        configs[name] = {key: value for key, value in json.loads(done.stdout)["configurations"][-1].items() if key in configs["small"]}
    return configs[name]


def has(cfg, row):
    """Whether a configuration has what a row stands for."""
    return not row["condition"] or cfg[row["condition"]] != 0


@dataclasses.dataclass
class Field:
    name: str
    msb: int
    lsb: int
    access: str
    reset: int
    text: str
    volatile: bool
    enums: list  # (name, value)
    place: tuple = ()  # (lsb, msb) in structs

    def __post_init__(self):
        self.mask = (1 << self.msb + 1) - (1 << self.lsb)
        self.place = (self.lsb, self.msb)


@dataclasses.dataclass
class Register:
    unit: str
    name: str
    offset: int
    group: bool
    pair: str  # the register with the upper half
    where: str
    fields: list = dataclasses.field(default_factory=list)
    kinds: set = dataclasses.field(default_factory=set)

    def mask(self, accesses):
        return sum(f.mask for f in self.fields if f.access in accesses)

    def reset(self):
        return sum(f.reset << f.lsb for f in self.fields)


def each_map(rows):
    """Rows with the map that they are of, both of each row of both."""
    for row in rows:
        check_word(row.where, "map", row["map"] or "nothing", ("full", "small", "both"))
        for name in ("full", "small") if row["map"] == "both" else (row["map"],):
            yield name, row


def load_values(row):
    """[(name, number)] of the named values of a field: a cell of words NAME=NUMBER."""
    words = [word.split("=") for word in row["values"].split()]
    for word in words:
        if len(word) != 2 or not word[1].isdigit():
            sys.exit(f"{row.where}: value {'='.join(word)!r}, expected NAME=NUMBER")
    return [(name, int(number)) for name, number in words]


def load_registers():
    """map name -> its registers, by address: that of the window of the unit in the map (units.csv), and the offset in the window. A
    field that is the same in both maps, or in several units, has one row."""
    maps = {}
    windows = {r["unit"]: r for r in read_csv("csrc/nvdla/units.csv")}
    for name, r in each_map(read_csv("csrc/nvdla/registers.csv")):
        values, kinds = load_values(r), set(r["kind"].split())
        for unit in r["unit"].split():
            window = windows.get(unit, {}).get(name)
            if not window:
                sys.exit(f"{r.where}: units.csv has no window of unit {unit!r} in the map {name}")
            full_name = f"{unit}.{r['register']}"
            if not kinds <= set(KINDS):
                sys.exit(f"{r.where}: {full_name}: kind {r['kind']!r}, expected words of {', '.join(KINDS)}")
            if r["access"] not in ACCESS:
                sys.exit(f"{r.where}: {full_name}.{r['field']}: access {r['access']!r}, expected one of {ACCESS}")
            register = maps.setdefault(name, {}).setdefault(
                full_name, Register(unit, r["register"], int(window, 16) + int(r["offset"], 16), r["group"] == "D", r["pair"], r.where))
            register.kinds |= kinds
            register.fields.append(Field(r["field"], int(r["msb"]), int(r["lsb"]), r["access"], int(r["reset_hex"], 16), r["description"],
                                         "volatile" in kinds, values))
    for registers in maps.values():
        for r in registers.values():
            r.fields.sort(key=lambda f: f.lsb)
            if r.pair and f"{r.unit}.{r.pair}" not in registers:
                sys.exit(f"{r.where}: {r.unit}.{r.name}: there is no register {r.pair} in the unit")
    return {m: sorted(registers.values(), key=lambda r: r.offset) for m, registers in maps.items()}


def unit_names(maps):
    """All units, in the order of their windows in the full map; first those that only the small map has."""
    windows = {}
    for name in sorted(maps):  # full before small
        for r in maps[name]:
            windows.setdefault(r.unit, (name == "full", r.offset >> 12))
    return sorted(windows, key=windows.get)


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
    units, rows, seen = unit_names(maps), list(read_csv("csrc/nvdla/engines.csv")), {}
    registers = [r for regs in maps.values() for r in regs]
    status = {f.name.removesuffix("_DONE_STATUS0"): f.lsb for r in registers if (r.unit, r.name) == ("GLB", "S_INTR_STATUS")
              for f in r.fields if f.name.endswith("_DONE_STATUS0")}
    launching = {r.unit: None for r in registers if r.name in LAUNCHES}
    stream_taps = {(s["unit"], s["tap"]) for s in load_streams(units) if s["order"]}
    words = {"unit": units, "condition": next(iter(load_configs().values())), "interrupt": status, "lane": units, "wave": WAVE_COLOURS}

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
        for column, known in words.items():
            check_word(row.where, column, row[column], known)
        if row["instances"] and not os.path.isdir(os.path.join(ROOT, "rtl", row["folder"])):
            sys.exit(f"{row.where}: folder {row['folder']!r}, but there is no such folder in rtl/: expected that of the sources of {row['engine']}")
        for unit in row["ends"]:
            check_word(row.where, "ends", unit, units)
        for tap in row["taps"]:
            if (row["unit"], tap) not in stream_taps:
                sys.exit(f"{row.where}: tap {tap!r}, but streams.csv has no stream with an order of unit {row['unit'] or 'none'} and that tap: "
                         f"expected one of {', '.join(t for u, t in sorted(stream_taps) if u == row['unit']) or 'none'}")
        for column, several in (("ends", row["ends"]), ("engine", [row["engine"]]), ("name", [row["name"]]), ("interrupt", [row["interrupt"]]),
                                ("instance", row["instances"]), ("tap", [f"{row['unit']}.{tap}" for tap in row["taps"]])):
            for word in several:
                once(row, column, word)
        if row["ends"] and (not row["interrupt"] or row["ends"][0] != row["unit"]):
            sys.exit(f"{row.where}: ends {' '.join(row['ends'])}, expected its own unit first, and an interrupt")
        if row["lane"] and row["lane"] not in launching:
            sys.exit(f"{row.where}: lane {row['lane']!r} has no launches: expected one of {', '.join(u for u in units if u in launching)}")
        row["launches"] = row["unit"] in launching
        row["bit"] = status.get(row["interrupt"])
    answering = unit_engines(rows)
    for r in registers:
        if r.unit not in answering:
            sys.exit(f"{r.where}: unit {r.unit!r} is in no row of engines.csv: add a row for its engine")
        if r.name in LAUNCHES and ("ends", r.unit) not in seen:
            sys.exit(f"{answering[r.unit].where}: unit {r.unit} has launches (its register {r.name}), but no interrupt ends them: "
                     "add the unit to the ends of the engine whose interrupt does")
    for source in status:
        if ("interrupt", source) not in seen:
            sys.exit(f"engines.csv: no engine has the interrupt {source!r} of GLB.S_INTR_STATUS: add it to the engine that raises it")
    for unit, tap in sorted(stream_taps):
        if ("tap", f"{unit}.{tap}") not in seen:
            sys.exit(f"engines.csv: no engine has the tap {tap} of unit {unit}, which streams.csv names: add it to the engine that makes the stream")
    return rows


def unit_engines(engines):
    """unit -> the row that answers for it."""
    return {row["unit"]: row for row in reversed(engines) if row["unit"]}


def load_clients(maps):
    """Clients of the memory interfaces, as the rows of clients.csv with id as a number, slot by map (None: the map has no
    such client), and lsb: bit of the arbiter weight in MCIF's window."""
    clients, taken, units = [], set(), unit_names(maps)
    conditions = next(iter(load_configs().values()))
    for row in read_csv("csrc/nvdla/clients.csv"):
        where = f"{row.where}: {row['direction']} client {row['name']}"
        if row["direction"] not in ("read", "write"):
            sys.exit(f"{where}: direction {row['direction']!r}, expected read or write")
        check_word(where, "unit", row["unit"], units)
        if row["condition"] and row["condition"] not in conditions:
            sys.exit(f"{where}: condition {row['condition']!r} is no column of configurations.csv")
        for column in ["id"] + [f"slot_{m}" for m in maps]:
            place = (row["direction"], column, row[column])
            if row[column] and place in taken:
                sys.exit(f"{where}: {column} {row[column]} belongs to another client")
            taken.add(place)
        row["id"] = int(row["id"])
        row["slot"] = {m: int(row[f"slot_{m}"]) if row[f"slot_{m}"] else None for m in maps}
        for m in maps:
            if row["slot"][m] is not None:
                find_field(where, maps[m], row["unit"], row["ram_type"])
                register, field = find_field(where, maps[m], "MCIF", row["weight"])
                row["lsb"] = (register.offset & 0xFFF) * 8 + field.lsb
        clients.append(row)
    return clients


def find_field(where, registers, unit, name):
    """Register and field of unit that REGISTER.FIELD names."""
    found = [(r, f) for r in registers if r.unit == unit for f in r.fields if f"{r.name}.{f.name}" == name]
    return found[0] if found else sys.exit(f"{where}: registers.csv has no field {unit}.{name}")


# ---- C ----

def c_string(s):
    return '"' + s.replace("\\", "\\\\").replace('"', '\\"') + '"'


def c_bool(value):
    return "true" if value else "false"


def condition_offset(row):
    return f"offsetof(struct nvdla_config, {row['condition']})" if row["condition"] else "NVDLA_ALWAYS"


def client_stream(client):
    return f"{client['direction'].upper()}_{client['name']}"


def by_bit(engines):
    """Those with interrupts, in the order of their bits."""
    return sorted((e for e in engines if e["interrupt"]), key=lambda e: e["bit"])


def client_engine(client, engines):
    """The engine that a client serves: of those of its unit the one that is called like it, else the first."""
    own = [e for e in engines if e["unit"] == client["unit"]]
    return next((e for e in own if e["engine"] == client["name"]), own[0])


def generate_c(outdir):
    maps, configs = load_registers(), load_configs()
    units, engines, clients = unit_names(maps), load_engines(maps), load_clients(maps)
    out = ["/* Generated by scripts/gen_tables.py from the tables in csrc/nvdla. */", '#include "nvdla/registers.h"',
           '#include "nvdla/clients.h"', '#include "nvdla/config.h"', '#include "nvdla/engines.h"', '#include "nvdla_offsets.h"',
           "#include <stddef.h>", ""]
    for m, registers in maps.items():
        emit_map(out, m, registers)
    out.append("const struct nvdla_register_map nvdla_register_maps[NVDLA_MAP_COUNT] = {")
    out += [f"    [NVDLA_MAP_{m.upper()}] = {{{c_string(m)}, {m}_registers, {len(registers)}}}," for m, registers in maps.items()]
    out += ["};", f"const char *const nvdla_unit_names[NVDLA_UNIT_COUNT] = {{{', '.join(map(c_string, units))}}};",
            "const struct nvdla_config nvdla_configs[] = {"]
    for c in configs.values():
        values = {**c, "name": c_string(c["name"]), "map": f"NVDLA_MAP_{c['map'].upper()}"}
        out.append("    {" + ", ".join(f".{k} = {v}" for k, v in values.items()) + "},")
    out += ["};", f"const int nvdla_config_count = {len(configs)};", "const struct nvdla_client_facts nvdla_clients[NVDLA_CLIENT_COUNT] = {"]
    for c in clients:
        (ram, ram_field), (weight, weight_field) = c["ram_type"].split("."), c["weight"].split(".")
        facts = [c_string(c["name"]), c["id"], c_bool(c["direction"] == "write"), f"NVDLA_{c['unit']}",
                 f"ENGINE_{client_engine(c, engines)['engine']}", f"{c['unit']}_{ram}", f"{c['unit']}_{ram}__{ram_field}_MASK", f"MCIF_{weight}",
                 f"MCIF_{weight}__{weight_field}_LSB", condition_offset(c),
                 f"{{{', '.join(str(-1 if slot is None else slot) for slot in c['slot'].values())}}}"]
        out.append(f"    [NVDLA_{client_stream(c)}] = {{{', '.join(map(str, facts))}}},")
    out.append("};")
    emit_engines(out, engines, maps, units)
    write(outdir, "nvdla_tables.c", out)
    write(outdir, "nvdla_names.h", names_header(maps, units, engines, clients))
    write(outdir, "nvdla_offsets.h", offsets_header(maps))
    write(outdir, "tap_streams.h", streams_header(configs, engines, load_streams(units)))


def emit_map(out, m, registers):
    """The registers of a map, their fields and the names of values."""
    fields = [f for r in registers for f in r.fields]
    out.append(f"static const struct nvdla_enum {m}_enums[] = {{")
    out += [f"    {{{c_string(n)}, {v}u}}," for f in fields for n, v in f.enums]
    out += ["};", f"static const struct nvdla_field {m}_fields[] = {{"]
    at = 0
    for f in fields:
        enums = f"&{m}_enums[{at}], {len(f.enums)}" if f.enums else "NULL, 0"
        at += len(f.enums)
        out.append(f"    {{{c_string(f.name)}, {f.msb}, {f.lsb}, NVDLA_ACCESS_{f.access}, {f.reset:#x}u, {enums}, {c_string(f.text)}}},")
    out += ["};", f"static const struct nvdla_register {m}_registers[] = {{"]
    index, at = {(r.unit, r.name): i for i, r in enumerate(registers)}, 0
    for r in registers:
        volatile = sum(f.mask for f in r.fields if f.volatile)
        kinds = " | ".join(f"REGISTER_{k.upper()}" for k in sorted(r.kinds - {"volatile"})) or "0"
        high = f"&{m}_registers[{index[r.unit, r.pair]}]" if r.pair else "NULL"
        out.append(f"    {{NVDLA_{r.unit}, {c_string(r.name)}, {r.offset:#x}u, {c_bool(r.group)}, {r.reset():#010x}u, {r.mask(STORED):#010x}u, "
                   f"{volatile:#010x}u, {kinds}, {high}, &{m}_fields[{at}], {len(r.fields)}}},")
        at += len(r.fields)
    out.append("};")


def emit_engines(out, engines, maps, units):
    out.append("const struct nvdla_engine_facts nvdla_engines[ENGINE_COUNT] = {")
    for e in engines:
        facts = dict(name=c_string(e["name"]), folder=c_string(e["folder"]), unit=f"NVDLA_{e['unit'] if e['launches'] else 'UNIT_COUNT'}",
                     waits=c_bool(e["waits"]), interrupt=f"INTERRUPT_{e['interrupt'] or 'COUNT'}",
                     lane=c_string(e["folder"].upper()) if e["lane"] else "NULL", lane_unit=f"NVDLA_{e['lane'] or 'UNIT_COUNT'}",
                     wave=f"WAVE_{e['wave'] or 'NONE'}")
        out.append(f"    [ENGINE_{e['engine']}] = {{" + ", ".join(f".{k} = {v}" for k, v in facts.items()) + "},")
    out += ["};", "const struct nvdla_unit_facts nvdla_units[NVDLA_UNIT_COUNT] = {"]
    answering, ended_by = unit_engines(engines), {unit: e["interrupt"] for e in engines for unit in e["ends"]}
    for unit in units:
        windows = [next((f"{r.offset >> 12:#x}" for r in maps[m] if r.unit == unit), "NVDLA_NO_WINDOW") for m in maps]
        out.append(f"    [NVDLA_{unit}] = {{ENGINE_{answering[unit]['engine']}, INTERRUPT_{ended_by.get(unit, 'COUNT')}, "
                   f"{{{', '.join(f'[NVDLA_MAP_{m.upper()}] = {w}' for m, w in zip(maps, windows))}}}, {condition_offset(answering[unit])}}},")
    out += ["};", "const struct nvdla_interrupt_facts nvdla_interrupts[INTERRUPT_COUNT] = {"]
    for e in by_bit(engines):
        ends = " | ".join(f"UINT32_C(1) << NVDLA_{unit}" for unit in e["ends"]) or "0"
        name = e["interrupt"]
        out.append(f'    [INTERRUPT_{name}] = {{{{"{name}_0", "{name}_1"}}, {e["bit"]}, ENGINE_{e["engine"]}, NVDLA_{e["unit"]}, {ends}}},')
    instances = [f"    {{{c_string(instance)}, ENGINE_{e['engine']}}}," for e in engines for instance in e["instances"]]
    out += ["};", "const struct nvdla_instance nvdla_instances[] = {", *instances, "};", f"const size_t nvdla_instance_count = {len(instances)};", ""]


def c_enum(name, values):
    return [f"enum {name} {{", *(f"    {v}," for v in values), "};"]


def c_list(comment, name, macro, items):
    """A macro that calls another one for each of some things, which have its arguments."""
    head = ["", f"/* {comment} */"] if comment else [""]
    return [*head, f"#define {name}({macro}) \\", *(f"    {macro}({', '.join(item)}) \\" for item in items)]


def names_header(maps, units, engines, clients):
    grouped = {r.unit for registers in maps.values() for r in registers if r.name == "D_OP_ENABLE"}
    out = ["/* Generated by scripts/gen_tables.py: the names that the tables in csrc/nvdla are indexed by. */",
           "#ifndef NVDLA_NAMES_H", "#define NVDLA_NAMES_H", "",
           *c_enum("nvdla_unit", [f"NVDLA_{u}" for u in units] + ["NVDLA_UNIT_COUNT"]),
           *c_enum("nvdla_access", [f"NVDLA_ACCESS_{a}" for a in ACCESS]),
           *c_enum("nvdla_engine", [f"ENGINE_{e['engine']}" for e in engines] + ["ENGINE_COUNT"]),
           *c_enum("nvdla_interrupt", [f"INTERRUPT_{e['interrupt']}" for e in by_bit(engines)] + ["INTERRUPT_COUNT"]),
           *c_enum("nvdla_client", [f"NVDLA_{client_stream(c)}" for c in clients] + ["NVDLA_CLIENT_COUNT"])]
    for direction in ("read", "write"):
        served = sorted(((client_engine(c, engines), c) for c in clients if c["direction"] == direction), key=lambda pair: pair[0]["index"])
        comment = "Of each client in the order of the data path: CLIENT(name, unit, engine)." if direction == "read" else ""
        out += c_list(comment, f"FOR_{direction.upper()}_CLIENTS", "CLIENT", [(c["name"], c["unit"], e["engine"]) for e, c in served])
    out += c_list("Of each unit with register groups: UNIT(name).", "FOR_GROUPED_UNITS", "UNIT", [(unit,) for unit in units if unit in grouped])
    out += c_list("Of each interrupt: INTERRUPT(name, unit).", "FOR_INTERRUPTS", "INTERRUPT", [(e["interrupt"], e["unit"]) for e in by_bit(engines)])
    return out + ["", "", "#endif", ""]


def offsets_header(maps):
    """Word offsets inside a unit's window are the same in both maps, so one set of names serves both. Fields that are wider in
    one map have the bits of both: registers only ever hold the bits of their own map."""
    offsets, fields = {}, {}
    for r in (r for registers in maps.values() for r in registers):
        name = f"{r.unit}_{r.name}"
        if offsets.setdefault(name, r.offset & 0xFFF) != r.offset & 0xFFF:
            sys.exit(f"registers.csv: {name} has different offsets in the two maps")
        for f in r.fields:
            lsb, bits = fields.setdefault(name, {}).get(f.name, (f.lsb, 0))
            fields[name][f.name] = (min(lsb, f.lsb), bits | f.mask)
    out = ["/* Generated by scripts/gen_tables.py: byte offsets of registers inside their unit's 4-KiB window, and their fields. */",
           "#ifndef NVDLA_OFFSETS_H", "#define NVDLA_OFFSETS_H", ""]
    for name, offset in offsets.items():
        out.append(f"#define {name} {offset:#05x}u")
        for field, (lsb, bits) in fields[name].items():
            out += [f"#define {name}__{field}_LSB {lsb}u", f"#define {name}__{field}_MASK {bits:#010x}u"]
    return out + ["", "#endif", ""]


# ---- streams inside an RTL ----

FIELD_WORDS = {"address": 2, "select": 2, "index": 1, "flags": 1}  # what a stream may show beside its lanes, and the words it takes
MOST_STREAM_WORDS = 128
# The links between the engines (tb/signals.c), as streams, each the first of its names that a design has.
ENGINE_LINKS = ["CBUF_DAT CBUF_DAT_WIDE", "CBUF_WT", "CSC_DAT", "CSC_WT", "CMAC_SUM_A", "CACC_SAT", "PDP_IN_SDP", "CBUF_RD_DAT", "CBUF_RD_WT"]


def load_streams(units):
    """Rows of tb/streams.csv with fields as a list, then two for each client of the memory interfaces, with the client's row:
    what it asks for (data: atoms less one; select: 1 primary, 0 secondary memory), and the atoms (flags: how many a word has at most,
    which the width of the data in a table of taps says)."""
    rows = list(read_csv("tb/streams.csv"))
    for r in rows:
        where = f"streams.csv: {r['stream']}"
        check_word(where, "unit", r["unit"], units)
        r["fields"], r["client"] = r["fields"].split(), None
        for field in r["fields"]:
            if field not in FIELD_WORDS:
                sys.exit(f"{where}: field {field!r}, expected one of {list(FIELD_WORDS)}")
    for client in read_csv("csrc/nvdla/clients.csv"):
        row = dict(unit=client["unit"], tap="MIF_" + client["direction"].upper(), format="INT8", width=0, order=None, client=client)
        rows.append(dict(row, stream=client_stream(client) + "_ASK", bits=32, lanes="1", fields=["address", "select"]))
        rows.append(dict(row, stream=client_stream(client), bits=8, lanes="mem_atom * (2 if int16 or fp16 else 1)", fields=["flags"]))
    return rows


def sdp_lanes(cfg):
    """Elements a clock of SDP's pipe: those of its first stage."""
    return cfg["sdp_bs_throughput"] or cfg["sdp_bn_throughput"] or cfg["sdp_ew_throughput"] or 1


def built(cfg):
    """The parameters as the RTL sees them: what is absent has no 0, which nothing could be divided by; it has no client and no window."""
    return dict(cfg, sdp_bs_throughput=sdp_lanes(cfg), **{name: cfg[name] or 1 for name in ("pdp_throughput", "cdp_throughput")})


def stream_layout(stream, cfg):
    """Lanes of a stream in a configuration (0: it lacks the stream), bits of an element and of a lane, first word of each of its fields,
    and words of all. The lanes come first, without gaps."""
    lanes, width, bits = (eval(str(stream[column]), {"__builtins__": {}}, dict(cfg, sdp_lanes=sdp_lanes(cfg))) for column in ("lanes", "width", "bits"))
    words, places = (lanes * bits + 31) // 32, {}
    for field in stream["fields"]:
        places[field] = words
        words += FIELD_WORDS[field]
    if lanes < 0 or words > MOST_STREAM_WORDS:
        sys.exit(f"streams.csv: {stream['stream']}: {lanes} lanes, {words} words in configuration {cfg['name']}; "
                 f"expected at least 0 lanes and at most {MOST_STREAM_WORDS} words")
    return lanes, width, bits, places, words


C_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Or: "||", ast.And: "&&"}


def c_expression(text):
    """An expression of tb/streams.csv in C, of `config`."""
    def c(node):
        if isinstance(node, ast.IfExp):
            return f"({c(node.test)} ? {c(node.body)} : {c(node.orelse)})"
        if isinstance(node, ast.BoolOp):
            return f"({f' {C_OPERATORS[type(node.op)]} '.join(map(c, node.values))})"
        if isinstance(node, ast.BinOp):
            return f"({c(node.left)} {C_OPERATORS[type(node.op)]} {c(node.right)})"
        if isinstance(node, ast.Name):
            return "nvdla_sdp_lanes(config)" if node.id == "sdp_lanes" else f"config->{node.id}"
        if isinstance(node, ast.Call):  # x.bit_length()
            return f"(32 - __builtin_clz((unsigned){c(node.func.value)}))"
        return str(ast.literal_eval(node))
    return c(ast.parse(str(text), mode="eval").body)


def c_patterns(names):
    return ", ".join('"dut/' + name.replace(".", "/") + '"' for name in names)


def nvidia_groups(engines):
    """The groups of tb/nvidia/waves.csv. Its columns: engine, group, scope (of the signals, below the top module), signals: NAME: LABEL; ..."""
    known, groups = {e["engine"]: e["name"] for e in engines}, {}
    for row in read_csv("tb/nvidia/waves.csv"):
        check_word(row.where, "engine", row["engine"], known)
        for signal in row["signals"].split("; "):
            name, _, label = signal.partition(": ")
            scope = row["scope"] + "." if row["scope"] else ""
            groups.setdefault((row["engine"], row["group"]), []).append((scope + name, label or name))
    out = []
    for (engine, group), signals in groups.items():
        labels = ", ".join('"' + label + '"' for _, label in signals)
        out.append(f'    {{.title = "{known[engine]}: {group}", .engine = ENGINE_{engine}, .nvidia = true, '
                   f'.patterns = {{{c_patterns(name for name, _ in signals)}}}, .labels = {{{labels}}}}}')
    comment = "/* Initialisers of struct group of tb/observers/wave_save.c for NVIDIA's RTL, in the order of the data. */"
    return ["", comment, "#define NVIDIA_GROUPS \\", *", \\\n".join(out).split("\n")]


def streams_header(configs, engines, streams):
    for c in configs.values():
        for s in streams:
            stream_layout(s, c)  # which ends here with what no simulator could show
    ordered = [s for s in streams if s["order"]]
    makers = {(e["unit"], tap): e["engine"] for e in engines for tap in e["taps"]}
    signals = {}  # by tap, each once
    nvidia = sorted(glob.glob("tb/nvidia/taps_*.csv", root_dir=ROOT))
    for row in (row for table in ["rtl/taps.csv", *nvidia] for row in read_csv(table)):
        for s in ordered:
            if s["stream"] == row["stream"]:  # the lanes of NVIDIA's are numbered signals
                names = [re.sub(r"(?<=[a-z_])\d+$", "*", name) for name in NAME.findall(row["valid"]) + NAME.findall(row["data"])]
                signals.setdefault(s["tap"], {}).update(dict.fromkeys(names))
    out = ["/* Generated by scripts/gen_tables.py: the streams of tb/streams.csv, and how tb_top's vectors hold them. */",
           "#ifndef TAP_STREAMS_H", "#define TAP_STREAMS_H", "",
           "enum rtl_stream {", *(f"    STREAM_{s['stream']}," for s in streams), "    STREAM_COUNT", "};",
           f"enum {{ STREAM_WORDS = {MOST_STREAM_WORDS} /* most of one stream */ }};",
           f"enum {{ MOVE_WORDS = {(len(streams) + 31) // 32} /* of a bit for each stream */ }};",
           *c_list("STREAM(name, unit, tap, format, order) for each.", "FOR_STREAMS", "STREAM",
                   [[s[column] for column in ("stream", "unit", "tap", "format", "order")] for s in ordered]),
           *c_list("PASSAGE(unit, tap, engine): the streams in the order in which values pass through them, and the engine that makes them.",
                   "FOR_PASSAGES", "PASSAGE", [(*tap, makers[tap]) for tap in dict.fromkeys((s["unit"], s["tap"]) for s in ordered)]),
           *c_list("SIGNALS(tap, ...): patterns of those of handshake and data that the tables of taps name, with / for '.'.", "FOR_TAP_SIGNALS", "SIGNALS",
                   [[tap, c_patterns(names)] for tap, names in signals.items()]),
           *nvidia_groups(engines),
           *c_list("CLIENT(name): the clients of the memory interfaces; NAME has the streams STREAM_NAME_ASK and STREAM_NAME.",
                   "FOR_CLIENTS", "CLIENT", [(client_stream(c),) for c in read_csv("csrc/nvdla/clients.csv")]),
           *c_list("LAYOUT(name, lanes, width, bits, address, select, index, flags) for each, of `config`; the last four: the words that a field "
                   "takes.", "FOR_LAYOUTS", "LAYOUT",
                   [[s["stream"], *(c_expression(s[column]) for column in ("lanes", "width", "bits")),
                     *(str(FIELD_WORDS[f] * (f in s["fields"])) for f in FIELD_WORDS)] for s in streams])]
    return out + ["", "#endif", ""]


def read_taps(table, streams, cfg, scope):
    """stream -> where the design has it, of a table of taps: expressions by column, in names below the instance scope; whether its stripes are
    those of chapter 40."""
    columns = ["stream", "valid", "end", "data", *FIELD_WORDS, "late"]
    try:
        with open(table, newline="", encoding="utf-8") as f:
            rows = [r for r in csv.reader(f) if r and not r[0].startswith("#")]
    except (OSError, UnicodeDecodeError, csv.Error) as e:
        sys.exit(f"{table}: cannot be read: {e}")
    head = rows[0] if rows else []
    if head[:4] != columns[:4] or any(c not in columns for c in head):
        sys.exit(f"{table}: its first line is {','.join(head)!r}, expected {','.join(columns)!r} (those behind data may be left out)")
    found, known = {}, {s["stream"]: s for s in streams}
    stripes = [row for row in rows[1:] if row[0] == "stripes"]
    if any([cell for cell in row if cell] != ["stripes", "specified"] for row in stripes):
        sys.exit(f"{table}: a row is {','.join(stripes[0])!r}, expected 'stripes,specified' (those of chapter 40) or none (those of rtl/)")
    for place, row in expand((f"{table}: row {n}", row) for n, row in enumerate(rows[1:], 2)):
        if row in stripes:
            continue
        entry = dict(zip(head, (cell.strip() for cell in row)))
        where = f"{place}, stream {row[0]!r}"
        if row[0] not in known:
            sys.exit(f"{where}: there is no such stream; expected one of {', '.join(known)}")
        if row[0] in found:
            sys.exit(f"{where}: is in the table twice")
        stream = known[row[0]]
        if stream["client"] and "flags" in stream["fields"]:
            entry["flags"] = f"$bits({entry['data']}) / {8 * cfg['mem_atom']}"
        missing = [c for c in ["valid", "data"] + stream["fields"] if not entry.get(c)]
        if not re.fullmatch("|[0-9]|1[0-6]", entry.get("late", "")):
            sys.exit(f"{where}: late is {entry['late']!r}, expected at most 16 (clocks by which the data come after valid and the fields) or nothing")
        if len(row) != len(head) or missing:
            sys.exit(f"{where}: has " + (f"{len(row)} columns, expected {len(head)}" if len(row) != len(head) else f"no {' and no '.join(missing)}"))
        found[row[0]] = {c: e if c == "late" else NAME.sub(lambda m: f"{scope}.{m.group(0)}", e) for c, e in entry.items() if c != "stream"}
    return found, bool(stripes)


def generate_taps(outdir, name, table, scope, *absent):
    cfg = find_config(name)
    streams = load_streams(unit_names(load_registers()))
    taps, stripes = read_taps(table, streams, cfg, scope)
    # A configuration lacks those without lanes, and those of clients that it lacks.
    here = {s["stream"] for s in streams if stream_layout(s, cfg)[0] and not (s["client"] and not has(cfg, s["client"]))} - set(absent)
    found = [taps[s["stream"]] if s["stream"] in taps and s["stream"] in here else None for s in streams]
    places = {s["stream"]: i for i, s in enumerate(streams)}
    names = [link.split() for link in ENGINE_LINKS]
    links = [places[next((name for name in link if found[places[name]]), link[0])] for link in names]
    words = (len(streams) + 31) // 32
    out = [f"// Generated by scripts/gen_tables.py from {os.path.basename(table)} for configuration {name}: where the design has its streams.",
           "// tap_moves: a bit for each stream that moves; tap_ends: with it the launch ends. tN: the lanes of stream N, then its fields.",
           "/* verilator tracing_off */", f"localparam int TapW = {2 * 32 * words};",
           f"localparam logic [7:0] TapsBuilt = 8'h{0x20 | (0x10 if stripes else 0) | (0x40 if all(found[i] for i in links) else 0):x};"]
    for i, (s, row) in enumerate(zip(streams, found)):
        late = int(row and row.get("late") or 0)
        for c in [c for c in ["valid", "end"] + s["fields"] if late and row.get(c)]:
            width = 32 * FIELD_WORDS.get(c, 0) or 1
            out += [f"logic [{late - 1}:0][{width - 1}:0] t{i}_{c}_q;  // {s['stream']}, some clocks late",
                    f"always_ff @(posedge clk) t{i}_{c}_q <= {late * width}'({{t{i}_{c}_q, {width}'({row[c]})}});  // {s['stream']}"]
            row[c] = f"t{i}_{c}_q[{late - 1}]"
    for vector, column in (("tap_moves", "valid"), ("tap_ends", "end")):
        out.append(f"wire [{words * 32 - 1}:0] {vector};")
        for i, (s, row) in enumerate(zip(streams, found)):
            bit = row and row.get(column) or "1'b0"
            out.append(f"assign {vector}[{i}] = {bit};  // {s['stream']}")
        if len(streams) % 32:
            out.append(f"assign {vector}[{words * 32 - 1}:{len(streams)}] = '0;")
    out += ["`ifndef TB_LINKS", f"wire [{len(links) - 1}:0] tap_links = {{{', '.join(f'tap_moves[{i}]' for i in reversed(links))}}};", "`endif"]
    for i, (s, row) in enumerate(zip(streams, found)):
        if row:
            lanes, _, bits, _, size = stream_layout(s, cfg)
            parts = [f"{(lanes * bits + 31) // 32 * 32}'({lanes * bits}'({row['data']}))"]
            parts += [f"{FIELD_WORDS[f] * 32}'({row[f]})" for f in s["fields"]]
            out += [f"wire [{size * 32 - 1}:0] t{i} /*verilator public_flat_rd*/;  // {s['stream']}",
                    f"assign t{i} = {{{', '.join(reversed(parts))}}};  // {s['stream']}"]
    write(outdir, "taps.svh", out + ["/* verilator tracing_on */", ""])


# ---- SystemVerilog ----

def camel(name):
    return "".join(p.capitalize() for p in name.lower().split("_"))


def flat_vector(words):
    """Type and literal of a packed vector of 32-bit words, word 0 in the low bits."""
    return f"[{len(words) * 32 - 1}:0]", f"{len(words) * 32}'h" + "_".join(f"{w:08x}" for w in reversed(words))


def packed(bits, values):
    """Literal of a packed vector, value 0 in the low bits."""
    digits = "_".join(f"{v:0{bits // 4}x}" if bits % 4 == 0 else f"{v:0{bits}b}" for v in reversed(values))
    return f"{bits * len(values)}'{'b' if bits % 4 else 'h'}{digits}"


def integers(**values):
    """Constants of the package, named in CamelCase or with_underscores."""
    return [f"  localparam int {name if name[0].isupper() else camel(name)} = {value};" for name, value in values.items()]


def generate_sv(outdir, name):
    cfg, maps = find_config(name), load_registers()
    units, engines = unit_names(maps), load_engines(maps)
    answering, registers = unit_engines(engines), maps[cfg["map"]]
    out = [f"// Generated by scripts/gen_tables.py for configuration {name}: parameters (chapter 10 section 1) and register map.",
           "// Literal values only.",
           "// A configuration's engines use a part of the common list of parameters and registers: unused ones are no mistake.",
           "/* verilator lint_off UNUSEDPARAM */", "package nvdla_pkg;", "",
           *integers(**{k: v for k, v in built(cfg).items() if k not in ("name", "map")}), *integers(AtomBits=cfg["mem_atom"] * 8),
           "  // CBUF as it is built (chapter 30 section 4.1): an entry is one atom of the widest precision, LaneBytes a lane.",
           *integers(LaneBytes=lane_bytes(cfg), EntryBytes=entry_bytes(cfg), BankEntries=bank_entries(cfg)), ""]
    emit_clients(out, load_clients(maps), cfg)
    emit_links(out, cfg)
    if cfg["map"] == "full":
        widen_fields(registers, maps["small"], cfg["mem_atom"] != 32 or entry_bytes(cfg) != 128)
    unused = [(row["struct"], row["field"]) for row in read_csv("rtl/unused_fields.csv")]
    windows = {}  # of the units that exist
    for unit in units:
        mine = [r for r in registers if r.unit == unit]
        if mine and has(cfg, answering[unit]):
            windows[unit] = mine[0].offset >> 12
        if unit in windows or any(r.group for r in mine):  # one source serves every configuration of a map
            emit_unit(out, unit, mine, unused)
    if "CFGROM" not in windows:
        out += ["  // No configuration ROM.", "  localparam int CfgromWords = 1;", "  localparam logic [31:0] CfgromReset = 32'h0;", ""]
    out.append("  // Units on the register bus: bit of the select, windows in the same order, number 0 in the low bits.")
    out += integers(**{f"Sel{camel(unit)}": i for i, unit in enumerate(windows)})
    out += integers(**{f"Sel{camel(unit)}": -1 for unit in units if unit not in windows})
    out += ["  localparam int CsbAddrBits = 10;  // number of a word in a unit's window", f"  localparam int CsbUnits = {len(windows)};",
            f"  localparam logic [{len(windows) * 6 - 1}:0] CsbWindows = {packed(6, list(windows.values()))};", "",
            "endpackage", "/* verilator lint_on UNUSEDPARAM */", ""]
    write(outdir, "nvdla_pkg.sv", out)
    # The macros of the package once more, for a file that is compiled as a unit of its own.
    write(outdir, "nvdla_unused.svh", ["// The macros of nvdla_pkg.sv: fields that no module uses."] +
          [line for line in out if line.startswith("`define")] + [""])

    # Options that both simulators take: the port widths that tb_top needs whatever RTL it drives.
    options = [f"TB_AW={cfg['addr_bits']}", f"TB_DW={cfg['dbb_data_bits']}"]
    options += [f"TB_SRAM_DW={cfg['cvsram_data_bits']}"] if cfg["secondary_memory"] else []
    options += [f"NVDLA_{e['condition'].upper()}" for e in engines if e["condition"] in SWITCHES and has(cfg, e)]
    options += ["NVDLA_EW"] if cfg["sdp_ew_throughput"] else []
    options += [f"NVDLA_NO_{part.split('_')[-1].upper()}" for part in ("sdp_bs", "sdp_bn", "pdp", "cdp") if not cfg[part + "_throughput"]]
    write(outdir, "config.f", [f"+define+{option}" for option in options] + [""])


def emit_unit(out, unit, registers, unused):
    """A unit's window: numbers of its words, what can be written, resets, and structs of its registers without and with groups."""
    u, window = camel(unit), registers[0].offset >> 12
    by_word = {(r.offset & 0xFFF) // 4: r for r in registers}
    words = max(by_word) + 1
    out += [f"  // {unit}: window {window << 12:#x}", f"  localparam logic [5:0] {u}Window = 6'h{window:02x};", *integers(**{f"{u}Words": words})]

    def vector(what, value):
        size, literal = flat_vector([value(by_word[w]) if w in by_word else 0 for w in range(words)])
        out.append(f"  localparam logic {size} {u}{what} = {literal};")

    vector("WriteMask", lambda r: r.mask(STORED))
    vector("Reset", Register.reset)
    out += integers(**{f"{u}{camel(r.name)}": w for w, r in by_word.items()})
    if any(r.group for r in registers):
        first_d = min(w for w, r in by_word.items() if r.name == "D_OP_ENABLE")
        vector("StatMask", lambda r: 0xFFFFFFFF if r.group and r.mask(("RO",)) else 0)
        out += integers(**{f"{u}FirstD": first_d})
        emit_struct(out, f"{unit.lower()}_s_t", by_word, range(first_d), unused)
        emit_struct(out, f"{unit.lower()}_d_t", by_word, range(first_d, words), unused)
    out.append("")


def emit_clients(out, clients, cfg):
    """Slots, IDs and arbiter weights of the clients of the memory interfaces."""
    out += ["  // Clients of the memory interfaces (chapter 70 section 3) in the order of their arbiter slots, slot 0 in the low bits; slot -1: the",
            "  // configuration has no such client. WeightLsb: bit of the arbiter weight in MCIF's and CVIF's window."]
    for direction, short, bits in (("read", "Rd", 4), ("write", "Wr", 3)):
        mine = [c for c in clients if c["direction"] == direction]
        for c in mine:
            if has(cfg, c) and c["slot"][cfg["map"]] is None:
                sys.exit(f"{c.where}: {direction} client {c['name']}: configuration {cfg['name']} has it, but there is no slot_{cfg['map']}")
        here = sorted((c for c in mine if has(cfg, c)), key=lambda c: c["slot"][cfg["map"]])
        n = len(here)
        out += integers(**{f"{short}Clients": n, f"{short}IndexBits": max(1, (n - 1).bit_length()), f"{short}IdBits": bits})
        out.append(f"  localparam logic [{n * bits - 1}:0] {short}Ids = {packed(bits, [c['id'] for c in here])};")
        out.append(f"  localparam logic [{n * 8 - 1}:0] {short}WeightLsb = {packed(8, [c['lsb'] for c in here])};")
        out += integers(**{f"{short}Slot{camel(c['name'])}": here.index(c) if c in here else -1 for c in mine})
    out.append("")


def lane_bytes(cfg):
    """Bytes of an element of the widest precision."""
    return 2 if cfg["int16"] or cfg["fp16"] else 1


def entry_bytes(cfg):
    return cfg["cbuf_bank_bytes"] * lane_bytes(cfg)


def bank_entries(cfg):
    return cfg["cbuf_bank_depth"] // lane_bytes(cfg)


# Columns of configurations.csv with 1 for an engine that a macro brings in.
SWITCHES = ("secondary_memory", "sdp_lut", "bdma", "rubik")

# Words that go between modules, one for each direction of a link: name, text, members. A width is a number of bits or a word of emit_links.
LINKS = [
    ("mif_rd_req", "read client to memory interface: a piece of len + 1 beats; ram 1 primary, 0 secondary",
     "valid 1, ram 1, addr address, len burst"),
    ("mif_rd_rsp", "memory interface to read client: the piece is taken; a beat arrives, never refused", "ready 1, valid 1, data beat"),
    ("mif_wr_req", "write client to memory interface: a piece as above, and its beats one by one, with the atoms that count",
     "valid 1, ram 1, addr address, len burst, dat_valid 1, dat_mask atoms, dat_data beat"),
    ("mif_wr_rsp", "memory interface to write client: the piece is taken; the beat is taken; the oldest piece has been written",
     "ready 1, dat_ready 1, done 1"),
    ("axi_req", "what a memory interface drives at its AXI port",
     "arvalid 1, arid 8, arlen burst, araddr address, awvalid 1, awid 8, awlen burst, awaddr address, wvalid 1, wlast 1, wmask atoms, wdata beat"),
    ("axi_rsp", "what it gets there; rready and bready are constantly 1",
     "arready 1, rvalid 1, rid 8, rdata beat, awready 1, wready 1, bvalid 1, bid 8"),
    ("cbuf_wr", "CDMA to CBUF: atoms, the first one in the low bits of each member; with clear the slots above one become 0",
     "valid taken, addr taken_entries, slot taken_slots, clear taken, data taken_data"),
    ("cbuf_rd", "CSC to CBUF: read of an entry", "valid 1, addr entry"),
    ("cdma2csc", "account of CBUF, CDMA to CSC: data and weights that have arrived; answers to CSC's requests while banks change",
     "dat_valid 1, dat_entries entries, dat_slices size, wt_valid 1, wt_kernels size, wt_entries entries, dat_pending_ack 1, wt_pending_ack 1"),
    ("csc2cdma", "account of CBUF, CSC to CDMA: what is released; requests to empty data and weights while banks change",
     "dat_valid 1, dat_entries entries, dat_slices size, wt_valid 1, wt_entries entries, mask_valid 1, mask_entries entries, dat_pending_req 1, "
     "wt_pending_req 1"),
]


def emit_links(out, cfg):
    atom, beat = cfg["mem_atom"] * 8, cfg["dbb_data_bits"]
    atoms = max(1, beat // atom)  # of a beat
    taken = lane_bytes(cfg)  # atoms that a write port of CBUF takes in a clock
    entry = (cfg["cbuf_banks"] * bank_entries(cfg) - 1).bit_length()  # number of a CBUF entry
    slot = max(1, (entry_bytes(cfg) // cfg["mem_atom"] - 1).bit_length())
    widths = dict(address=cfg["addr_bits"], burst=4, atoms=atoms, beat=beat, entry=entry, taken=taken, taken_data=taken * atom,
                  taken_entries=taken * entry, taken_slots=taken * slot, size=14, entries=15)
    pieces = [256 * 8 // beat if cfg["map"] == "full" and beat == 512 else max(1, cfg[beats]) for beats in ("dbb_burst_beats", "cvsram_burst_beats")]
    out += ["  // Widths: a size or a part of one (lines, slices, kernels, ...; registers hold it minus 1, in 13 bits), and a number of CBUF "
            "entries.",
            *integers(SizeBits=widths["size"], EntryCountBits=widths["entries"]),
            "  // A beat of the memory interfaces; the longest pieces that clients ask for, in beats: with beats of several atoms they are lines of "
            "256 bytes.",
            *integers(MifAtoms=atoms, MifBits=beat, DbbPieceBeats=pieces[0], CvsramPieceBeats=pieces[1]),
            "  // Atoms that a write port of CBUF takes in a clock, each to a place of its own: what a beat brings.",
            *integers(CbufWrAtoms=taken)]
    for name, text, members in LINKS:
        out += [f"  // Link: {text}.", "  typedef struct packed {"]
        bits = 0
        for member, width in (word.split() for word in members.split(", ")):
            width = widths.get(width) or int(width)
            bits += width
            out.append(f"    logic {f'[{width - 1}:0] ' if width > 1 or member.endswith('mask') else ''}{member};")
        out += [f"  }} {name}_t;", *integers(**{f"{name}_bits": bits})]
    out.append("")


def widen_fields(registers, others, stored):
    """Fields whose place differs between the maps (chapter 10 section 4.3) get the place that holds both in structs, so that one source
    serves every map. Bits that a map does not have are never written and read 0, unless they are stored, too (section 1.1): with atoms or
    entries of CBUF that are smaller than those of full. Resets keep the map's own."""
    other = {(r.unit, r.name, f.name): f for r in others for f in r.fields}
    for r in registers:
        for f in r.fields:
            o = other.get((r.unit, r.name, f.name), f)
            f.place = min(f.lsb, o.lsb), max(f.msb, o.msb)
            f.mask |= o.mask if stored else 0


def emit_struct(out, type_name, by_word, words, unused):
    """Packed struct of some words, the first one in the low bits. Members are the fields, gaps are unused_*. If fields of it
    are among those that no module uses, a macro lists these and the gaps, for a wire unused_*."""
    members, used, gaps = [], set(), []  # members: (width, name) from bit 0 upwards

    def gap(width):
        if width > 0:
            gaps.append(f"unused_{len(gaps)}")
            members.append((width, gaps[-1]))

    for w in words:
        bit = 0
        for f in by_word[w].fields if w in by_word else []:
            lsb, msb = f.place
            gap(lsb - bit)
            n = f.name.lower()
            if n in used:
                n = by_word[w].name.lower() + "_" + n
            used.add(n)
            if lsb < bit:
                sys.exit(f"gen_tables.py: {by_word[w].unit}.{by_word[w].name}: the place of {f.name} in both maps overlaps another field")
            members.append((msb - lsb + 1, n))
            bit = msb + 1
        gap(32 - bit)
    out += ["  typedef struct packed {", *(f"    logic [{width - 1}:0] {n};" for width, n in reversed(members)), f"  }} {type_name};"]
    left = [field for struct, field in unused if struct == type_name]
    for field in set(left) - used:
        sys.exit(f"gen_tables.py: rtl/unused_fields.csv: {type_name} has no field {field}")
    if left:
        out.append(f"`define NVDLA_{type_name[:-2].upper()}_UNUSED(d) {', '.join('d.' + n for n in left + gaps)}")


def write(outdir, name, lines):
    os.makedirs(outdir, exist_ok=True)
    with open(os.path.join(outdir, name), "w", encoding="utf-8") as f:
        f.write("\n".join(lines))


def main(argv):
    if len(argv) == 3 and argv[1] == "c":
        generate_c(argv[2])
    elif len(argv) == 4 and argv[1] == "sv":
        generate_sv(argv[2], argv[3])
    elif len(argv) >= 6 and argv[1] == "taps":
        generate_taps(*argv[2:])
    elif len(argv) == 3 and argv[1] == "registers":
        for r in load_registers()[argv[2]]:
            print(f"0x{r.offset:05x} {r.unit} {r.name}")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv)
