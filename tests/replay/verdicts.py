#!/usr/bin/python3
"""Plants causes of failures of all kinds, in traces, configuration, bus and RTL, and asks who disagrees with whom. Of each kind nine of ten must
be named, none that is called certain may be wrong, and no engine of the RTL may be accused where it is right.

usage: verdicts.py BUILD [PER_KIND [DEBUGGED [SEED]]]     default: 6 of each kind, 2 of them with nvcosim debug; needs the step "planted"
"""
import collections
import glob
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys

BUILD = sys.argv[1]
PER_KIND, DEBUGGED, SEED = (int(word) for word in (sys.argv[2:5] + ["6", "2", "43"][len(sys.argv) - 2:]))
NVCOSIM, FOLDER = f"{BUILD}/nvcosim", f"{BUILD}/tests/verdicts"
BUS_FAULTS = ("swapped", "narrow", "repeated-beat:16", "lost-beat:16", "address:12", "same-id:4", "stale:2000", "interrupt-edge", "repeated-beat:7")
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


def damage(lines, rng):
    """What a bad capture does: a register access is lost, changes places with the next, is there twice, or has a wrong digit."""
    at = rng.choice([i for i, line in enumerate(lines[:-1]) if line.startswith("reg_write")])
    kind = rng.randrange(4)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines[at:at + 2] = lines[at + 1], lines[at]
    elif kind == 2:
        lines.insert(at, lines[at])
    else:
        digit = rng.randrange(lines[at].rindex("0x") + 2, len(lines[at]))
        lines[at] = f"{lines[at][:digit]}{int(lines[at][digit], 16) ^ 1 << rng.randrange(4):x}{lines[at][digit + 1:]}"
    return True


KINDS = {
    "golden": lambda lines, rng: flip_byte(lines, "mem_check", rng),
    "crc": lambda lines, rng: flip_value(lines, r"(mem_crc \S+ \S+ \S+ )(0x[0-9a-f]+)(.*)", rng),
    "check": lambda lines, rng: flip_value(lines, r"(read_check \S+ == )(0x[0-9a-f]+)( end|$)", rng),
    "memory": lambda lines, rng: flip_byte(lines, "mem_load", rng),
    "programming": program,
    "damage": damage,
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
        if len(made) < (5 if kind == "damage" else 2) * PER_KIND and KINDS[kind](lines, rng):
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
        yield from found[:max(1, PER_KIND // len(faults))]


def planted_bus():
    """What traces say of a bus that is broken on purpose."""
    for i, fault in enumerate(BUS_FAULTS * (1 + PER_KIND // len(BUS_FAULTS))):
        found = results(["--bus-fault", fault], traces()[3 * i:3 * i + 3])
        yield from ({**result, "fault": fault} for result in found[:1])


def of_another_map():
    """Traces that read what only the map of small has are refused where their header names full, and no one is accused."""
    right = total = 0
    for path in traces():
        with gzip.open(path, "rt") as file:
            text = file.read()
        if "CFGROM" not in text or total == PER_KIND:
            continue
        name = f"{FOLDER}/full.nvt"
        with open(name, "w", encoding="utf-8") as file:
            file.write(text.replace("\nconfig small\n", "\nconfig full\n", 1))
        done = subprocess.run([NVCOSIM, "run", name], capture_output=True, text=True, check=False)
        right += done.returncode == 2 and "configuration full has none" in done.stderr and "is to blame" not in done.stderr
        total += 1
    print(f"{'ok  ' if right == total > 0 else 'FAIL'}  configuration: {right} of {total} refused")
    return right == total > 0


def of_another_simulator():
    """A simulator of another configuration, of another RTL, or one that has lost a part: refused with its name, and no one is accused."""
    strangers = (("nvcosim-large-stranger", f"{NVCOSIM}-small", "large", "simulates configuration small, but large is needed"),
                 ("nvcosim-small-stranger", f"{NVCOSIM}-small", "small", "of configuration small, but rtl:stranger of small is needed"),
                 ("nvcosim-small-stranger", f"{NVCOSIM}-small-planted", "small", "rtl:planted+model of configuration small, but rtl:stranger of small is needed"),
                 ("nvcosim-small-stranger", "/bin/false", "small", "and gave no verdict"))
    right, paths = 0, traces()[:PER_KIND]
    for i, path in enumerate(paths):
        name, source, config, message = strangers[i % len(strangers)]
        shutil.copy(source, f"{BUILD}/{name}")
        done = subprocess.run([NVCOSIM, "run", "--config", config, "--dut", "rtl:stranger", path], capture_output=True, text=True, check=False)
        os.remove(f"{BUILD}/{name}")
        said = done.stdout + done.stderr
        is_right = done.returncode in (2, 4) and message in said and "is to blame" not in said and "likely" not in said
        right += is_right
        print(f"{'right' if is_right else 'WRONG'}: simulator, {path}: {said.splitlines()[:1]}")
    print(f"{'ok  ' if right == len(paths) > 0 else 'FAIL'}  simulator: {right} of {len(paths)} refused")
    return right == len(paths) > 0


def debugged(result):
    """The verdict of nvcosim debug."""
    fault = [f"--bus-fault={result['fault']}"] if "fault" in result else []
    subprocess.run([NVCOSIM, "debug", "--still", "20000", *fault, "--out", f"{FOLDER}/debug", "--", result["path"]], capture_output=True, check=False)
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


def debug(found):
    """nvcosim debug of some of them accuses no one, and says the same."""
    for result in found[:DEBUGGED]:
        report = debugged(result)
        accused = report.get("verdict", {}).get("engine")
        good = accused is None and report["disagrees"]["who"] == result["disagrees"]["who"]
        print(f"{'right' if good else 'FAIL  wrong'}: debug of {result['trace']}: {accused}, {report['disagrees']['sentence']}")
        yield good


def main():
    os.makedirs(FOLDER, exist_ok=True)
    rng, good = random.Random(SEED), [of_another_map(), of_another_simulator()]
    for kind in KINDS:
        found = results([], plant(kind, traces(), rng))[:PER_KIND]
        good.append(judge(kind, ("trace",) if kind not in ("programming", "damage") else ("trace", "nothing"), found))
        good.extend(debug(found))
    found = list(planted_bus())
    good.append(judge("bus", ("rtl", "all"), found) and all("--bus-fault" in result["disagrees"]["sentence"] for result in found))
    good.extend(debug(found))
    good.append(judge("rtl", ("rtl",), list(planted_rtl())))
    print(f"{sum(good)} passed, {len(good) - sum(good)} failed")
    return 0 if all(good) else 1


sys.exit(main())
