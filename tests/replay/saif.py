#!/usr/bin/python3
"""Checks a SAIF file against the waves that it was counted from, read by another program: for each bit of each net, the time at 0 and at 1,
and the changes. Verilator's own files number the bits of a net from the right, whatever its range is, and count a bit that is 1 at first as
changed.

usage: saif.py WAVES.fst FILE.saif [REPORT]    REPORT: folder of a report.json and report.html, which have the sums of each instance
"""
import json
import re
import subprocess
import sys

SKIPPED = {"event", "parameter", "real", "real_parameter", "string"}  # types of VCD that have no activity


def counted(path, own):
    """Of each name in hierarchy, "tb_top.dut.x[3]": (time at 0, at 1, changes), as in own files or Verilator's; the nets that have no activity; and
    the first and last time."""
    text = subprocess.run(["fst2vcd", path], check=True, capture_output=True, text=True).stdout
    head, body = text.split("$enddefinitions", 1)
    scopes, names, skipped = [], [], set()
    for line in head.splitlines():
        words = line.split()
        if line.startswith("$scope"):
            scopes.append("" if words[1] == "sv_array" else words[2])  # its elements have its name
        elif line.startswith("$upscope"):
            scopes.pop()
        elif line.startswith("$var") and scopes[1:2] == ["tb_top"]:
            name = ".".join(filter(None, scopes[1:] + [words[4]]))
            if words[1] in SKIPPED:
                skipped.add(name)
                continue
            span = re.fullmatch(r"\[(-?\d+):(-?\d+)\]", words[5])
            indices = [""] if not span else [f"[{i}]" for i in span_of(int(span[1]), int(span[2]))]
            names.append((name, indices, words[3]))
    values, first, now, sums = {}, None, 0, {}
    for line in body.splitlines():
        if line[:1] == "#":
            now = int(line[1:])
            first = now if first is None else first
        elif line[:1] == "b":
            value, code = line[1:].split()
            change(values, sums, code, value, now)
        elif line[:1] in ("0", "1", "x"):
            change(values, sums, line[1:], line[0], now)
    for code, (_, value) in list(values.items()):
        change(values, sums, code, value, now)
    table = {}
    for name, indices, code in names:
        for place, index in enumerate(indices):
            zero, one, changes, begins = sums[code][place]
            if own:
                table[name + index] = zero, one, changes
            else:
                table[name + (f"[{len(indices) - 1 - place}]" if len(indices) > 1 else "")] = zero, one, changes + begins
    return table, skipped, first, now


def span_of(left, right):
    return range(left, right - 1, -1) if left >= right else range(left, right + 1)


def change(values, sums, code, value, now):
    """A signal has a value from now on; sums: of each bit, time at 0, time at 1, changes, and what it is at first."""
    if code in values:
        since, old = values[code]
        value = value.rjust(len(sums[code]), "0")
        for bit, before, after in zip(sums[code], old, value):
            bit["01".index(before)] += now - since
            bit[2] += before != after
    else:
        sums[code] = [[0, 0, 0, int(bit)] for bit in value]
    values[code] = (now, value)


def written(path):
    """The same of a SAIF file; its duration; of each instance in the design's top, and "" for the top itself: bits and changes; is it own?"""
    table, scopes, duration, sums, own = {}, [], None, {}, True
    with open(path, encoding="utf-8") as f:
        for line in map(str.strip, f):
            net = re.fullmatch(r"\((\S+) \(T0 (\d+)\) \(T1 (\d+)\) (?:\(TZ 0\) )?\(TX (\d+)\) (?:\(TB 0\) )?\(TC (\d+)\)\)", line)
            if line.startswith("(INSTANCE"):
                scopes.append(line.split()[1].replace("\\", ""))
            elif line == "(NET":
                scopes.append(None)
            elif line == ")" and scopes:
                scopes.pop()
            elif line.startswith("(DURATION"):
                duration = int(line[10:-1])
            elif net:
                zero, one, unknown, changes = map(int, net.groups()[1:])
                inside = [*filter(None, scopes), ""]
                if not own:
                    inside = inside[inside.index("tb_top"):] if "tb_top" in inside else ["", ""]
                if inside[1] == "dut":
                    bits, toggles = sums.get(inside[2], (0, 0))
                    sums[inside[2]] = (bits + 1, toggles + changes)
                assert zero + one + unknown == duration and unknown == 0, line
                if inside[0]:
                    table[".".join(inside[:-1]) + "." + net[1].replace("\\", "")] = (zero, one, changes)
            elif line.startswith("(PROGRAM_NAME"):
                own = "nvcosim" in line
            else:
                assert line == ")" or not net and re.match(r"//|\((SAIFILE|SAIFVERSION|DIRECTION|DESIGN|DIVIDER|TIMESCALE)", line), line
    return table, duration, sums, own


def reported(folder, sums):
    """Are the sums of the instances in both reports those of the SAIF file?"""
    with open(f"{folder}/report.json", encoding="utf-8") as f:
        activity = json.load(f)["activity"]
    found = {part["instance"]: (part["bits"], part["toggles"]) for part in activity["parts"]}
    with open(f"{folder}/report.html", encoding="utf-8") as f:
        page = json.loads(f.read().split('id="data">', 1)[1].split("</script>")[0])
    shown = {part["instance"]: (part["bits"], part["toggles"]) for part in page["activity"]["parts"]}
    clocks = activity["clocks"]
    good = len(sums) > 5 and found == sums and shown == sums and clocks > 0
    print(f"{len(found)} instances in {clocks} clocks, {'as' if good else 'NOT as'} in the SAIF file")
    return good


def main(waves, saif, report=None):
    have, duration, sums, own = written(saif)
    want, skipped, first, last = counted(waves, own)
    wrong = [name for name in want if have.get(name) != want[name]]
    wrong += [name for name in have if name not in want and (own or name.rsplit("[", 1)[0] not in skipped)]
    for name in wrong[:5]:
        print(f"{name}: {have.get(name)}, expected {want.get(name)} (time at 0, at 1, changes)")
    print(f"{len(have)} bits, {sum(c for _, _, c in have.values())} changes, {len(wrong)} wrong")
    return 0 if have and not wrong and duration == last - first and (report is None or reported(report, sums)) else 1


if len(sys.argv) not in (3, 4):
    sys.exit(__doc__)
sys.exit(main(*sys.argv[1:]))
