#!/usr/bin/python3
"""Has `nvcosim debug` look at each planted fault that some trace notices: at least nine in ten must be named by the folder they are in, and all
that it is certain of.

usage: debug_faults.py NVCOSIM FAULTS FOLDER TRACE...     FAULTS: the table of scripts/plant.py; reports go to FOLDER, by the fault's number
"""
import collections
import json
import os
import re
import subprocess
import sys

nvcosim, faults, folder, traces = *sys.argv[1:4], sys.argv[4:]


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def noticed_by(chosen):
    """The result of the first trace that does not pass with the fault."""
    subprocess.run([nvcosim, "run", "-q", "--dut", "rtl:planted", "--still", "20000", "--max-seconds", "20", chosen, "--out", f"{folder}/run",
                    "--results", f"{folder}/results", *traces], capture_output=True, check=False)
    results = map(json.loads, read(f"{folder}/results").splitlines())
    return next((r for r in results if r["verdict"] in ("FAIL", "HANG")), None)


def check_waves(save, verdict):
    """The first group holds the stream that is wrong first, its handshake and data, expected and got."""
    first = save[save.index("-What went wrong\n"):save.rindex("-What went wrong\n")]
    assert save.index("-What went wrong") < save.index("-Marks"), "not the first group"
    assert f"-{verdict['tap']}\n" in first, first
    if re.search(rf"^{verdict['tap']},", read("rtl/taps.csv"), re.MULTILINE):
        assert "valid} TOP.tb_top.dut." in first and f"-expected {verdict['expected'][:24]}, got {verdict['got'][:24]}\n" in first, first
    if verdict["tap"].startswith("check-"):
        assert f"[markername] A{verdict['tap']}\n" in save, save


def check_page(place, fault, verdict, output):
    for file in ("report.txt", "wave.fst", "wave.gtkw", "taps/rtl", "taps/model"):
        assert os.path.exists(f"{place}/{file}"), file
    assert verdict["tap"] and verdict["cycle"] and verdict["walk"], verdict
    assert verdict["element"] or verdict["tap"].startswith("AXI_WRITE"), verdict  # a write outside of all cubes
    rows = verdict["beats"]["rows"] if "beats" in verdict else []
    beats = [beat for row in rows if row["tap"] == verdict["tap"] for beat in row["beats"]]  # CMAC_SUM has a row for each unit
    absent = verdict["got"] == "no read"  # no beat is wrong
    assert not beats or verdict["cycle"] in [beat["cycle"] for beat in beats if beat["expected"] or absent], verdict
    check_waves(read(f"{place}/wave.gtkw"), verdict)
    assert f"{fault['folder']} is to blame" in read(f"{place}/report.html") and f"{fault['folder']} is to blame" in output


def main():
    noticed = named = 0
    levels = collections.Counter()
    for fault in json.loads(read(faults))["faults"]:
        chosen = f"--fault={fault['number']}"
        failed = noticed_by(chosen)
        if not failed:
            continue
        noticed += 1
        out = f"{folder}/{fault['number']}"
        done = subprocess.run([nvcosim, "debug", "--dut", "rtl:planted", "--still", "20000", "--max-seconds", "60", chosen, "--out", out,
                               failed["path"]], capture_output=True, text=True, check=False)
        place = f"{out}/{failed['trace']}"
        try:
            verdict = json.loads(read(f"{place}/report.json"))["verdict"]
        except (OSError, KeyError) as error:
            verdict = {"engine": None, "kind": str(error), "sentence": done.stderr[-300:]}
        right = verdict["engine"] == fault["folder"] and done.returncode in (1, 3)
        named += right
        levels[verdict.get("certainty"), right] += 1
        print(f"{'named' if right else 'WRONG'}: fault {fault['number']} in {fault['file']}:{fault['line']} "
              f"({fault['original']} -> {fault['changed']}), {failed['trace']}: {verdict['engine']}, {verdict['kind']}: {verdict['sentence']}")
        if right and verdict["kind"] == "value":
            check_page(place, fault, verdict, done.stderr)
    print(f"{named} of {noticed} faults that the traces notice are named by their folder")
    print(", ".join(f"{count} {level} {'right' if right else 'WRONG'}" for (level, right), count in sorted(levels.items(), key=str)))
    return not (noticed >= 4 and named >= 0.9 * noticed and levels["certain", False] == 0)


sys.exit(main())
