#!/usr/bin/python3
"""What `make synth` (scripts/synth.sh) reads and writes beside Yosys: netlists, and the table of rtl/README.md.

usage: synth.py engines PACKAGE         modules of the configuration that nvdla_pkg.sv describes, one a line
       synth.py share NETLIST           modules of the same contents become one, so that it is mapped once. NETLIST: of Yosys' front end
                                        (write_rtlil), in which each instance is a module of its own; the result goes to standard output
       synth.py head                    the two lines above the rows
       synth.py row LOG NETLIST COARSE TOP TARGET HOW
                                        one row of the table, from what Yosys left of a module. LOG: of Yosys; NETLIST: the module mapped,
                                        with the modules in it, as write_json has them, or -; COARSE: the same before multiplications are
                                        mapped, or -; HOW: flat, by module, or memories (nothing else): how it was mapped, for the table
       synth.py write CONFIG PAGE ROW   puts the rows of a file into the page, in place of those of the same module and target. The page
                                        has, for each configuration, a line `<!-- synth: CONFIG -->` before its table

Of row: cells are counted in the netlist; a look-up table that is used as memory counts as one. The longest path is counted in cells (a
look-up table, four bits of a carry chain or two of ECP5's, a DSP), from a flip-flop, a memory or an input to the next. (`ltp -noff` does not
know the flip-flops of the targets: it goes through them, and in loops it does not end.)
Exit status 1 if an array of more than 2,048 bits became flip-flops, with a message for each.
"""
import contextlib
import graphlib
import inspect
import itertools
import json
import os
import re
import sys

HEAD = """| module | target, mapped | LUTs | flip-flops | block RAMs | DSPs | in a row | path | its ends |
|---|---|---|---|---|---|---|---|---|"""
ENGINES = ["cdma", "cbuf", "csc", "cmac", "cacc", "sdp", "pdp", "cdp", "bdma", "rubik", "mif", "csb", "glb"]
NOT_IN_ALL = ["pdp", "cdp", "bdma", "rubik"]  # of these the configuration's package says -1 as RdSlotNAME where they are absent
TARGETS = ["xilinx7", "ecp5"]

ARRAY_LIMIT = 2048  # bits
FLIP_FLOP = re.compile(r"FD[RSCP]E(_1)?$|TRELLIS_FF$|LD[CP]E$|LATCH$")  # a latch counts as one
TABLE = re.compile(r"(LUT\d|SRL\w+)$")
TABLE_RAM = re.compile(r"RAM(\d+)(M|X1[SD])|TRELLIS_DPR16X4$")
BLOCK_RAM = re.compile(r"RAMB\d+|DP16KD$|PDPW16KD$")
MULTIPLIER = re.compile(r"DSP48E1$|MULT\w+$")
NO_LOGIC = re.compile(r"\$_?[as]?dff|\$sdff|\$[a-z]*ff|\$scopeinfo|\$print|\$check|\$memwr|\$meminit_v2$")  # before mapping
CONSTANTS = {"0", "1", "x", "z"}
CLOCK = re.compile(r"(CLK|C|G|WCLK|WCK|CLKARDCLK|CLKBWRCLK|CLK\w)$")


# ---- the table ----

def print_engines(package_path):
    with open(package_path, encoding="utf-8") as f:
        package = f.read()
    print(*(f"nvdla_{e}" for e in ENGINES if e not in NOT_IN_ALL or f"localparam int RdSlot{e.title()} = -1;" not in package), sep="\n")


def print_head():
    print(HEAD)


def place(row):
    """Where a row stands: its engine and its target."""
    module, target = re.match(r"\| `?nvdla_(\w+)`? \| (\w+)", row).groups()
    return ENGINES.index(module), TARGETS.index(target)


def write(config, page, row_path):
    with open(page, encoding="utf-8") as f:
        lines = f.read().splitlines()
    mark = f"<!-- synth: {config} -->"
    if mark not in lines:
        sys.exit(f"synth.py: {page} has no line {mark}, expected one before the table of {config}: add it")
    begin = end = lines.index(mark) + 1
    while end < len(lines) and (not lines[end] or lines[end].startswith("|")):
        end += 1
    with open(row_path, encoding="utf-8") as f:
        rows = {place(row): row for row in [line for line in lines[begin:end] if line.startswith("| `")] + f.read().splitlines()}
    lines[begin:end] = ["", *HEAD.splitlines(), *(rows[p] for p in sorted(rows)), ""]
    with open(page + ".new", "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    os.replace(page + ".new", page)


# ---- modules of the same contents ----

def share(path):
    """Contents are compared without attributes and without the numbers that Yosys gives in the order of the file."""
    with open(path, encoding="utf-8") as f:
        parts = re.split(r"^((?:attribute .*\n)*module (\S+)\n(?:.*\n)*?end\n)", f.read(), flags=re.M)
    bodies = dict(zip(parts[2::3], parts[1::3]))
    stands, known = {}, {}

    def with_shared(text):
        """The text with the modules that stand for those of its instances."""
        return re.sub(r"^(  cell )(\\\S+)(?= )", lambda m: m[1] + (visit(m[2]) if m[2] in bodies else m[2]), text, flags=re.M)

    def visit(name):
        """The module that stands for this one."""
        if name not in stands:
            numbers = {}
            text = re.sub(r"^(\s*attribute|module) .*\n", "", with_shared(bodies[name]), flags=re.M)
            text = re.sub(r"(?<=\$procmux\$)\d+", lambda m: str(numbers.setdefault(m[0], len(numbers))), text)
            stands[name] = known.setdefault(text, name)
        return stands[name]

    sys.stdout.write("".join(parts[0::3][:1] + [with_shared(body) for name, body in bodies.items() if visit(name) == name]))
    print(f"synth.py: {len(known)} of {len(bodies)} modules differ", file=sys.stderr)


# ---- a row ----

def read_module(path, top):
    """Module top of a netlist, flattened: 512 lanes that are alike lie there once, and Yosys needs an hour to flatten them."""
    with open(path, encoding="utf-8") as f:
        modules = json.load(f)["modules"]
    flat = {"ports": modules[top]["ports"], "cells": {}, "netnames": {}}
    outer = {b: b for port in flat["ports"].values() for b in port["bits"] if b not in CONSTANTS}
    fresh = itertools.count(1 + max(outer, default=1))

    def add(module, prefix, known):
        """known: bits of the module that have a number outside."""
        known.update((b, b) for b in CONSTANTS)

        def outside(bits):
            return [known[b] if b in known else known.setdefault(b, next(fresh)) for b in bits]

        for name, net in module["netnames"].items():
            flat["netnames"][prefix + name] = {**net, "bits": outside(net["bits"])}
        for name, cell in module["cells"].items():
            connections = {port: outside(bits) for port, bits in cell["connections"].items()}
            if cell["type"] in modules:
                inner = modules[cell["type"]]
                add(inner, f"{prefix}{name}.", {b: c for port, bits in connections.items() for b, c in zip(inner["ports"][port]["bits"], bits)})
            else:
                flat["cells"][prefix + name] = {**cell, "connections": connections}

    add(modules[top], "", outer)
    return flat


def ports_of(cell, output):
    return {port: bits for port, bits in cell["connections"].items() if (cell["port_directions"].get(port) == "output") == output}


def joined(ports):
    return [b for bits in ports.values() for b in bits]


def drop_unused(module):
    """Takes away the cells that nothing follows from which leaves the module: outputs of modules in it that are not connected."""
    driver = {b: name for name, cell in module["cells"].items() for b in joined(ports_of(cell, True))}
    used, wanted = set(), [b for port in module["ports"].values() if port["direction"] == "output" for b in port["bits"]]
    while wanted:
        name = driver.get(wanted.pop())
        if name is not None and name not in used:
            used.add(name)
            wanted += joined(ports_of(module["cells"][name], False))
    module["cells"] = {name: cell for name, cell in module["cells"].items() if name in used}


def tables_of(kind):
    """Look-up tables that a cell takes."""
    if TABLE_RAM.match(kind):
        if kind.endswith("M") or kind == "TRELLIS_DPR16X4":
            return 4
        return max(1, int(TABLE_RAM.match(kind)[1]) // 64) * (2 if kind.endswith("D") else 1)
    return 2 if kind == "CCU2C" else int(bool(TABLE.match(kind)))


def sizes(module):
    """Columns of the table: look-up tables, flip-flops, block RAMs, multipliers."""
    kinds = [cell["type"] for cell in module["cells"].values()]
    counts = [sum(bool(pattern.match(kind)) for kind in kinds) for pattern in (FLIP_FLOP, BLOCK_RAM, MULTIPLIER)]
    return [f"{n:,}" for n in (sum(map(tables_of, kinds)), *counts)]


def arcs(cell):
    """Groups (inputs, outputs) of a cell whose outputs follow the inputs in the same clock; none if it keeps what it knows."""
    kind, inputs, outputs = cell["type"], ports_of(cell, False), ports_of(cell, True)
    if FLIP_FLOP.match(kind) or BLOCK_RAM.match(kind) or kind.startswith("SRL") or kind == "$scopeinfo":
        return []
    if TABLE_RAM.match(kind):
        reads = [("RAD", "DO")] + [("ADDR" + x, "DO" + x) for x in "ABCD"] + [("DPRA", "DPO"), ("A", "SPO"), ("A", "O")]
        return [([b for p, bits in inputs.items() if p.rstrip("0123456789") == read for b in bits], outputs[data])
                for read, data in reads if data in outputs]
    if MULTIPLIER.match(kind):
        number = lambda value: int(value, 2) if isinstance(value, str) and value else int(value or 0)
        registers = {name for name, value in cell.get("parameters", {}).items() if re.match(r"[ABCDMP]REG$", name) and number(value)}
        if registers & {"MREG", "PREG"}:
            return []
        return [([b for p, bits in inputs.items() if p[0] + "REG" not in registers and p[0] in "ABCDP" for b in bits], joined(outputs))]
    if kind == "CARRY4":
        chain, groups = inputs.get("CI", []) + inputs.get("CYINIT", []), []
        for i in range(4):
            chain = chain + inputs["S"][i:i + 1] + inputs["DI"][i:i + 1]
            groups.append((chain, [b for p in ("O", "CO") for b in outputs.get(p, [])[i:i + 1]]))
        return groups
    return [(joined(inputs), joined(outputs))]


def in_order(groups):
    """The groups (inputs, outputs, ...), those that drive inputs of others before these, and without those in loops."""
    driver = {b: i for i, (_, out, *_) in enumerate(groups) for b in out}
    sorter = graphlib.TopologicalSorter({i: {driver[b] for b in came if b in driver} for i, (came, *_) in enumerate(groups)})
    with contextlib.suppress(graphlib.CycleError):
        sorter.prepare()
    while sorter.is_active():
        for i in sorter.get_ready():
            yield groups[i]
            sorter.done(i)


def longest(module):
    """Length of the longest path in cells, with the names of its ends."""
    names = {}
    for name, net in module["netnames"].items():
        for at, bit in enumerate(net["bits"]):
            rank = (net.get("hide_name", 0), "$" in name, len(name))
            if bit not in names or rank < names[bit][0]:
                names[bit] = (rank, name if len(net["bits"]) == 1 else f"{name}[{at}]")

    def label_of(name, cell):
        """Of a cell: the name of the net that it keeps, or its own, else where it is written."""
        if FLIP_FLOP.match(cell["type"]):
            found = min((names[b] for b in joined(ports_of(cell, True)) if b in names), default=None)
            if found and not found[0][1]:
                return found[1]
        elif "$" not in name:
            return name
        written = re.search(r"([^/|]+\.sv:\d+)", cell.get("attributes", {}).get("src", ""))
        return written[1] if written else name

    paths, ends, groups = {}, [], []  # paths: length and source by bit
    for name, cell in module["cells"].items():
        passing, label = arcs(cell), label_of(name, cell)
        groups += passing
        inside, through = ({b for group in passing for b in group[i]} for i in (0, 1))
        paths.update((b, (0, label)) for b in joined(ports_of(cell, True)) if b not in through)
        ends += [(b, label) for port, bits in ports_of(cell, False).items() if not CLOCK.match(port)
                 for b in bits if b not in CONSTANTS and b not in inside]
    for name, port in module["ports"].items():
        if port["direction"] == "input":
            paths.update((b, (0, name)) for b in port["bits"])
        else:
            ends += [(b, name) for b in port["bits"] if b not in CONSTANTS]
    length = lambda bit: paths[bit][0]
    for came, out in in_order(groups):
        last = max((b for b in came if b in paths), key=length, default=None)
        if last is not None:  # else a constant, where no path begins
            paths.update((b, (length(last) + 1, paths[last][1])) for b in out)
    end, label = max((e for e in ends if e[0] in paths), key=lambda e: length(e[0]), default=(None, "-"))
    return (*paths.get(end, (0, "-")), label)


def in_a_row(module):
    """Most multiplications that stand one behind the other between two registers."""
    cells, level = [], {}
    for cell in module["cells"].values():
        if not NO_LOGIC.match(cell["type"]):
            inputs = {port: bits for port, bits in ports_of(cell, False).items() if not port.startswith("WR_")}
            constant = any(CONSTANTS.issuperset(cell["connections"].get(p, [None])) for p in "AB")
            cells.append((joined(inputs), joined(ports_of(cell, True)), int(cell["type"] == "$mul" and not constant)))
    for came, out, weight in in_order(cells):
        level.update(dict.fromkeys(out, weight + max((level[b] for b in came if b in level), default=0)))
    return max(level.values(), default=0)


def print_row(log_path, netlist, coarse, top, target, how):
    with open(log_path, encoding="utf-8", errors="replace") as f:
        log = f.read()
    row = "-" if coarse == "-" else str(in_a_row(read_module(coarse, top)))
    counts, path = ["-"] * 4, ["-", "-"]
    if netlist != "-":
        module = read_module(netlist, top)
        drop_unused(module)
        counts = sizes(module)
        length, first, last = longest(module)
        path = [str(length), f"`{first}` to `{last}`"]
    print("| " + " | ".join([f"`{top}`", f"{target}, {how}", *counts, row, *path]) + " |")
    wrong = 0
    for name, words, width in re.findall(r"Mapping memory (\S+) in module \S+:\s+created (\d+) \$dff cells and \d+ static cells of width (\d+)", log):
        bits = int(words) * int(width)
        if bits > ARRAY_LIMIT:
            wrong = 1
            print(f"synth.py: {top}: array {name} of {bits} bits became flip-flops, expected at most {ARRAY_LIMIT}: read and written as "
                  "rtl/common/nvdla_ram.sv is, it becomes a memory", file=sys.stderr)
    return wrong


def main(arguments):
    commands = {"engines": print_engines, "share": share, "head": print_head, "row": print_row, "write": write}
    command = commands.get(arguments[0]) if arguments else None
    if not command or len(arguments) != 1 + len(inspect.signature(command).parameters):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    return command(*arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
