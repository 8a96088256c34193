#!/usr/bin/env python3
"""One row of the table of `make synth`, from what Yosys left of a module.

usage: synth_row.py LOG NETLIST COARSE TOP TARGET HOW
  LOG      log of Yosys
  NETLIST  the module mapped, with the modules in it, as write_json has them, or -
  COARSE   the same before multiplications are mapped, or -
  HOW      flat, by module, or memories (nothing else): how it was mapped, for the table

Cells are counted in the netlist; a look-up table that is used as memory counts as one. The longest path is counted in cells (a look-up
table, four bits of a carry chain or two of ECP5's, a DSP), from a flip-flop, a memory or an input to the next. (`ltp -noff` does not
know the flip-flops of the targets: it goes through them, and in loops it does not end.)
Exit status 1 if an array of more than 2,048 bits became flip-flops, with a message for each.
"""
import collections
import itertools
import json
import re
import sys

ARRAY_LIMIT = 2048  # bits

FLIP_FLOP = re.compile(r"FD[RSCP]E(_1)?$|TRELLIS_FF$|LD[CP]E$|LATCH$")  # a latch counts as one
TABLE = re.compile(r"(LUT\d|INV|SRL\w+)$")
TABLE_RAM = re.compile(r"RAM\d+(M|X1[SD])|TRELLIS_DPR16X4$")
BLOCK_RAM = re.compile(r"RAMB\d+|DP16KD$|PDPW16KD$")
MULTIPLIER = re.compile(r"DSP48E1$|MULT\w+$")
CONSTANTS = {"0", "1", "x", "z"}
CLOCK = re.compile(r"(CLK|C|G|WCLK|WCK|CLKARDCLK|CLKBWRCLK|CLK\w)$")


def tables_of(kind):
    """Look-up tables that a memory of them takes."""
    if kind.endswith("M") or kind == "TRELLIS_DPR16X4":
        return 4
    words = int(re.match(r"RAM(\d+)", kind).group(1))
    return max(1, words // 64) * (2 if kind.endswith("D") else 1)


def number(value):
    return int(value, 2) if isinstance(value, str) and value else int(value or 0)


def arcs(kind, cell):
    """Groups (inputs, outputs) of a cell whose outputs follow the inputs in the same clock; none if it keeps what it knows."""
    inputs, outputs = collections.OrderedDict(), collections.OrderedDict()
    for port, bits in cell["connections"].items():
        (outputs if cell["port_directions"].get(port) == "output" else inputs)[port] = bits
    if FLIP_FLOP.match(kind) or BLOCK_RAM.match(kind) or kind.startswith("SRL") or kind == "$scopeinfo":
        return []
    if TABLE_RAM.match(kind):
        reads = [("RAD", "DO")] + [("ADDR" + x, "DO" + x) for x in "ABCD"] + [("DPRA", "DPO"), ("A", "SPO"), ("A", "O")]
        return [([b for p, bits in inputs.items() if p.rstrip("0123456789") == read for b in bits], outputs[data])
                for read, data in reads if data in outputs]
    if MULTIPLIER.match(kind):
        values = {k: number(v) for k, v in cell.get("parameters", {}).items() if re.match(r"[ABCDMP]REG$", k)}
        if values.get("MREG") or values.get("PREG"):
            return []
        comes = [b for p, bits in inputs.items() if not values.get(p[0] + "REG") and p[0] in "ABCDP" for b in bits]
        return [(comes, sum(outputs.values(), []))]
    if kind == "CARRY4":
        chain = inputs.get("CI", []) + inputs.get("CYINIT", [])
        groups = []
        for i in range(4):
            chain = chain + inputs["S"][i:i + 1] + inputs["DI"][i:i + 1]
            groups.append((chain, [b for p in ("O", "CO") for b in outputs.get(p, [])[i:i + 1]]))
        return groups
    return [(sum(inputs.values(), []), sum(outputs.values(), []))]


def longest(module):
    """Length of the longest path in cells, with the names of its ends."""
    names = {}
    for name, net in module["netnames"].items():
        for place, bit in enumerate(net["bits"]):
            rank = (net.get("hide_name", 0), "$" in name, len(name))
            if bit not in names or rank < names[bit][0]:
                names[bit] = (rank, name if len(net["bits"]) == 1 else f"{name}[{place}]")

    def name_of(bits, cell, otherwise):
        """Of what keeps these bits: a net's name, else where it is written, else the cell's name."""
        found = sorted(names[b] for b in bits if b in names)
        if found and not found[0][0][1]:
            return found[0][1]
        written = re.search(r"([^/|]+\.sv:\d+)", cell.get("attributes", {}).get("src", ""))
        return written.group(1) if written else otherwise

    level, source, ends = {}, {}, []
    groups, users, waits = [], collections.defaultdict(list), []
    for name, cell in module["cells"].items():
        kind = cell["type"]
        passing = arcs(kind, cell)
        outputs = [b for p, bits in cell["connections"].items() if cell["port_directions"].get(p) == "output" for b in bits]
        through = {b for _, out in passing for b in out}
        label = name_of(outputs, cell, name) if FLIP_FLOP.match(kind) else name if "$" not in name else name_of([], cell, name)
        for bit in outputs:
            if bit not in through:
                level[bit], source[bit] = 0, label
        inside = {b for came, _ in passing for b in came}
        for port, bits in cell["connections"].items():
            if cell["port_directions"].get(port) == "output" or CLOCK.match(port):
                continue
            ends.extend((b, label) for b in bits if not isinstance(b, str) and (not passing or b not in inside))
        groups.extend(passing)
    for name, port in module["ports"].items():
        for bit in port["bits"]:
            if port["direction"] == "input":
                level[bit], source[bit] = 0, name
            elif not isinstance(bit, str):
                ends.append((bit, name))

    driven = {b for _, out in groups for b in out}
    ready = []
    for index, (came, _) in enumerate(groups):
        needed = {b for b in came if b in driven}
        waits.append(len(needed))
        for bit in needed:
            users[bit].append(index)
        if not needed:
            ready.append(index)
    while ready:
        came, out = groups[ready.pop()]
        last = max((b for b in came if b in level), key=lambda b: level[b], default=None)
        for bit in out:
            if last is not None: # else a constant, where no path begins
                level[bit], source[bit] = level[last] + 1, source[last]
            for index in users[bit]:
                waits[index] -= 1
                if not waits[index]:
                    ready.append(index)
    end = max((e for e in ends if e[0] in level), key=lambda e: level[e[0]], default=None)
    return (level[end[0]], source[end[0]], end[1]) if end else (0, "-", "-")


def in_a_row(module):
    """Most multiplications that stand one behind the other between two registers."""
    cells = []
    for cell in module["cells"].values():
        kind, ports = cell["type"], cell["connections"]
        if re.match(r"\$_?[as]?dff|\$sdff|\$[a-z]*ff|\$scopeinfo|\$print|\$check", kind):
            continue
        if kind.startswith("$memwr") or kind == "$meminit_v2":
            continue
        came = [b for p, bits in ports.items() if cell["port_directions"][p] == "input" and not p.startswith("WR_") for b in bits]
        out = [b for p, bits in ports.items() if cell["port_directions"][p] == "output" for b in bits]
        constant = any(all(isinstance(b, str) for b in ports[p]) for p in ("A", "B") if p in ports)
        cells.append((int(kind == "$mul" and not constant), came, out))
    level = {}
    driver = {b: i for i, (_, _, out) in enumerate(cells) for b in out}
    users, waits, ready = collections.defaultdict(list), [], []
    for i, (_, came, _) in enumerate(cells):
        needed = {driver[b] for b in came if b in driver}
        waits.append(len(needed))
        for j in needed:
            users[j].append(i)
        if not needed:
            ready.append(i)
    while ready:
        i = ready.pop()
        weight, came, out = cells[i]
        level[i] = weight + max((level[driver[b]] for b in came if b in driver), default=0)
        for j in users[i]:
            waits[j] -= 1
            if not waits[j]:
                ready.append(j)
    return max(level.values(), default=0)


def arrays_in_flip_flops(log):
    """Names and bits of the arrays that Yosys made of flip-flops."""
    found = re.finditer(r"Mapping memory (\S+) in module \S+:\s+created (\d+) \$dff cells and \d+ static cells of width (\d+)", log)
    return [(m.group(1), int(m.group(2)) * int(m.group(3))) for m in found]


def read_module(path, top):
    """Module top of a netlist, flattened: 512 lanes that are alike lie there once, and Yosys needs an hour to flatten them."""
    with open(path, encoding="utf-8") as f:
        modules = json.load(f)["modules"]
    flat = {"ports": modules[top]["ports"], "cells": {}, "netnames": {}}
    outer = {b: b for port in flat["ports"].values() for b in port["bits"] if b not in CONSTANTS}
    fresh = itertools.count(1 + max(outer, default=1))

    def place(module, prefix, known):
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
                place(inner, f"{prefix}{name}.", {b: c for port, bits in connections.items()
                                                  for b, c in zip(inner["ports"][port]["bits"], bits)})
            else:
                flat["cells"][prefix + name] = {**cell, "connections": connections}

    place(modules[top], "", outer)
    return flat


def drop_unused(module):
    """Takes away the cells that nothing follows from which leaves the module: outputs of modules in it that are not connected."""
    driver = {b: name for name, cell in module["cells"].items() for port, bits in cell["connections"].items()
              if cell["port_directions"].get(port) == "output" for b in bits}
    used = set()
    wanted = [b for port in module["ports"].values() if port["direction"] == "output" for b in port["bits"]]
    while wanted:
        name = driver.get(wanted.pop())
        if name is not None and name not in used:
            used.add(name)
            cell = module["cells"][name]
            wanted.extend(b for port, bits in cell["connections"].items() if cell["port_directions"].get(port) != "output" for b in bits)
    module["cells"] = {name: cell for name, cell in module["cells"].items() if name in used}


def sizes(module):
    """Columns of the table: look-up tables, flip-flops, block RAMs, multipliers."""
    tables = flip_flops = rams = multipliers = 0
    for cell in module["cells"].values():
        kind = cell["type"]
        if FLIP_FLOP.match(kind):
            flip_flops += 1
        elif TABLE_RAM.match(kind):
            tables += tables_of(kind)
        elif TABLE.match(kind):
            tables += kind != "INV"
        elif BLOCK_RAM.match(kind):
            rams += 1
        elif MULTIPLIER.match(kind):
            multipliers += 1
        elif kind == "CCU2C":
            tables += 2
    return [f"{n:,}" for n in (tables, flip_flops, rams, multipliers)]


def main(log_path, netlist, coarse, top, target, how):
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
    wrong = [(name, bits) for name, bits in arrays_in_flip_flops(log) if bits > ARRAY_LIMIT]
    for name, bits in wrong:
        print(f"synth_row.py: {top}: array {name} of {bits} bits became flip-flops, expected at most {ARRAY_LIMIT}: read and written as "
              "rtl/common/nvdla_ram.sv is, it becomes a memory", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 7:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        sys.exit(2)
    sys.exit(main(*sys.argv[1:]))
