#!/usr/bin/env python3
"""Plants causes of failures in traces and in the RTL, and asks who disagrees with whom. Of each kind nine of ten must be named, none that is
called certain may be wrong, and no engine of the RTL may be accused where golden bytes are wrong.

usage: verdicts.py BUILD [PER_KIND [DEBUGGED]]     default: 6 of each kind, 2 of them with nvcosim debug; needs the step "planted"
"""
import collections
import glob
import gzip
import json
import os
import random
import re
import subprocess
import sys

BUILD = sys.argv[1]
PER_KIND, DEBUGGED = (int(word) for word in (*sys.argv[2:4], "6", "2")[:2]) if len(sys.argv) == 3 else \
    (int(sys.argv[2]), int(sys.argv[3])) if len(sys.argv) > 3 else (6, 2)
NVCOSIM, FOLDER = f"{BUILD}/nvcosim", f"{BUILD}/tests/verdicts"
REGISTERS = re.compile(r"^reg_write \S+\.(D_CVT_OFFSET|D_DP_BS_ALU_SRC_VALUE|D_POOLING_PADDING_CFG|D_DATIN_OFFSET|D_CLIP_CFG|D_DST_BASE_ADDR_LOW|"
                       r"D_SRC_BASE_ADDR_LOW|D_DAIN_ADDR_LOW_0|D_WEIGHT_ADDR_LOW|D_CVT_SCALE|D_RECIP_KERNEL_WIDTH) (0x[0-9a-f]+)$")


def blob_lines(lines, command):
    """The numbers of lines with bytes of a blob that such a command names."""
    named = {match[1] for line in lines if line.startswith(command) and (match := re.search(r"blob=(\d+)", line))}
    inside, found = False, []
    for i, line in enumerate(lines):
        if line.startswith("blob "):
            inside = line.split()[1] in named
        elif inside and re.fullmatch(r"  [0-9a-f]+", line):
            found.append(i)
    return found


def flip_byte(lines, command, rng):
    at = rng.choice(blob_lines(lines, command) or [None])
    if at is None:
        return False
    place = 2 + 2 * rng.randrange((len(lines[at]) - 2) // 2)
    byte = int(lines[at][place:place + 2], 16) ^ 1 << rng.randrange(8)
    lines[at] = f"{lines[at][:place]}{byte:02x}{lines[at][place + 2:]}"
    return True


def flip_value(lines, pattern, rng):
    found = [i for i, line in enumerate(lines) if re.match(pattern, line)]
    if not found:
        return False
    at = rng.choice(found)
    lines[at] = re.sub(pattern, lambda match: f"{match[1]}0x{int(match[2], 16) ^ 1 << rng.randrange(4):x}{match[3]}", lines[at])
    return True


def program(lines, rng):
    found = [i for i, line in enumerate(lines) if REGISTERS.match(line)]
    if not found:
        return False
    at = rng.choice(found)
    name, value = lines[at].rsplit(" ", 1)
    address = "ADDR" in name
    lines[at] = f"{name} 0x{int(value, 16) ^ (0x4000000 if address else 1 << rng.randrange(3)):x}"
    return True


KINDS = {
    "golden": lambda lines, rng: flip_byte(lines, "mem_check", rng),
    "crc": lambda lines, rng: flip_value(lines, r"(mem_crc \S+ \S+ \S+ )(0x[0-9a-f]+)(.*)", rng),
    "check": lambda lines, rng: flip_value(lines, r"(read_check \S+ == )(0x[0-9a-f]+)( end|$)", rng),
    "memory": lambda lines, rng: flip_byte(lines, "mem_load", rng),
    "programming": program,
}


def traces():
    """Those of small, of each generator in turn."""
    by_name = collections.defaultdict(list)
    for path in sorted(glob.glob("traces/conformance/small/rand_*.nvt.gz")):
        by_name[os.path.basename(path).rsplit("_", 1)[0]].append(path)
    return [group[i] for i in range(max(map(len, by_name.values()))) for group in by_name.values() if i < len(group)]


def plant(kind, paths, rng):
    """Files with such a cause."""
    made = []
    for path in paths:
        with gzip.open(path, "rt") as file:
            lines = file.read().splitlines()
        if len(made) < 2 * PER_KIND and KINDS[kind](lines, rng):
            made.append(f"{FOLDER}/{kind}_{os.path.basename(path).removesuffix('.nvt.gz')}.nvt")
            with open(made[-1], "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
    return made


def results(words, files):
    path = f"{FOLDER}/results"
    subprocess.run([NVCOSIM, "run", "-q", "-j2", "--still", "20000", "--max-seconds", "60", "--out", f"{FOLDER}/out", "--results", path, *words, "--",
                    *files], capture_output=True, check=False)
    with open(path, encoding="utf-8") as file:
        return [result for result in map(json.loads, file) if result["verdict"] != "PASS"]


def planted_rtl():
    """What traces say of planted faults, each by the first that notices it."""
    with open(f"{BUILD}/tests/planted/faults.json", encoding="utf-8") as file:
        faults = json.load(file)["faults"]
    files = [f"traces/conformance/small/{name}.nvt.gz" for name in ("rand_mixed_000", "rand_corner_000", "rand_pdp_001", "rand_cdp_000")]
    for fault in faults[:2 * PER_KIND]:
        found = results(["--dut", "rtl:planted", f"--fault={fault['number']}"], files)
        yield from found[:1]


def debugged(result):
    """The verdict of nvcosim debug."""
    subprocess.run([NVCOSIM, "debug", "--still", "20000", "--out", f"{FOLDER}/debug", "--", result["path"]], capture_output=True, check=False)
    with open(f"{FOLDER}/debug/{result['trace']}/report.json", encoding="utf-8") as file:
        return json.load(file)


def judge(kind, expected, found):
    """Whether enough of them are right, and nothing certain is wrong."""
    right, good = 0, len(found) > 0
    for result in found:
        who = result.get("disagrees", {})
        is_right = who.get("who") in expected and (who.get("who") != "trace" or kind not in ("golden", "check") or who.get("suspect") == kind)
        right += is_right
        good = good and (is_right or who.get("certainty") != "certain" or who.get("who") in expected)
        print(f"{'right' if is_right else 'WRONG'}: {kind}, {result['trace']}: {result['verdict']}, {who.get('who')}, {who.get('certainty')}: "
              f"{who.get('sentence')} [{result['reason'][:90]}]")
    good = good and right >= 0.9 * len(found)
    print(f"{'ok  ' if good else 'FAIL'}  {kind}: {right} of {len(found)}")
    return good


def main():
    os.makedirs(FOLDER, exist_ok=True)
    rng, good = random.Random(43), []
    for kind in KINDS:
        found = results([], plant(kind, traces(), rng))[:PER_KIND]
        expected = ("trace",) if kind != "programming" else ("trace", "nothing")
        good.append(judge(kind, expected, found))
        for result in found[:DEBUGGED]:
            report = debugged(result)
            accused = report.get("verdict", {}).get("engine")
            alike = report["disagrees"]["who"] == result["disagrees"]["who"]
            good.append(accused is None and alike)
            print(f"{'right' if good[-1] else 'FAIL  wrong'}: debug of {result['trace']}: {accused}, {report['disagrees']['sentence']}")
    good.append(judge("rtl", ("rtl",), list(planted_rtl())))
    print(f"{sum(good)} passed, {len(good) - sum(good)} failed")
    return 0 if all(good) else 1


sys.exit(main())
