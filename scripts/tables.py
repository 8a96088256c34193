"""The tables of csrc/nvdla and tb/streams.csv, read and checked: registers, configurations, engines, clients of memory, streams. What
does not fit ends the program with FILE:LINE. gen_tables.py and other scripts make files of them.
"""
import csv
import dataclasses
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


def client_stream(client):
    return f"{client['direction'].upper()}_{client['name']}"


FIELD_WORDS = {"address": 2, "select": 2, "index": 1, "flags": 1}  # what a stream may show beside its lanes, and the words it takes
MOST_STREAM_WORDS = 128


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
