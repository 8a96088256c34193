#!/usr/bin/python3
"""Logs of the driver with a known cause, in every form that people paste: nvcosim doctor has to name layer and class.

usage: logs.py NVCOSIM [FOLDER...]

FOLDER (default: traces/driver-logs, and driver-logs in NVDLA_CONFORMANCE) holds NAME/log.txt and NAME/cause.json; the
networks are in loadables beside it. Each log is diagnosed as it is, without times, as a journal, with lines of other programs in
between, quoted, without its first and its last lines, and without the network; as it is, by the program too. Prints "N passed, N failed".
"""
import json
import os
import pathlib
import re
import subprocess
import sys

from in_process import ROOT, diagnose

STAMP = re.compile(r"^\[ *\d+\.\d+\] ", re.M)
# Words of same_log in a cause.json that stand for a class.
SAME = {"engine-hung": ["done-lost", "arming-lost"], "registers read 0": ["reads-zero"], "flush never done": ["flush"],
        "interrupt-lost": ["interrupt-lost"], "configuration": ["configuration"], "good": ["good"],
        "CACC busy": ["busy"], "interrupt line stuck": ["interrupt-stuck"]}
NOISE = ["usb 1-1: new high-speed USB device number 2 using xhci_hcd", "random: crng init done",
         "audit: type=1400 apparmor=\"STATUS\"", "eth0: link becomes ready"]


def noisy(text):
    lines = text.split("\n")
    return "\n".join(line + (f"\n[    9.{n:06}] {NOISE[n % len(NOISE)]}" if n % 7 == 3 else "") for n, line in enumerate(lines))


def journal(text):
    return "\n".join(f"Nov 23 10:00:{n % 60:02} board kernel: {line}" for n, line in enumerate(STAMP.sub("", text).split("\n")))


FORMS = {
    "as it is": lambda text: text,
    "without times": lambda text: STAMP.sub("", text),
    "journal": journal,
    "other lines": noisy,
    "quoted": lambda text: "\n".join("> " + line.replace("\t", " ") + "\r" for line in text.split("\n")),
    "cut at the start": lambda text: "\n".join(text.split("\n")[12:]),
    "cut at both ends": lambda text: "\n".join(text.split("\n")[12:-2]),
}


def by_program(nvcosim, log, loadable):
    """The answer of the program; the status that is not its verdict's, or what it complains of, is the verdict."""
    done = subprocess.run([nvcosim, "doctor", "--json", log, "--loadable", loadable], capture_output=True, text=True, check=False)
    answer = json.loads(done.stdout) if done.returncode in (0, 1) else {}
    return answer if (answer.get("verdict") == "good") == (done.returncode == 0) else {"verdict": f"status {done.returncode}: {done.stderr}"}


def accepted(cause):
    classes = {cause["cause"]}
    for word, same in SAME.items():
        if any(text.startswith(word) for text in cause.get("same_log", [])):
            classes.update(same)
    return classes


def faults(answer, cause):
    """What is wrong with an answer, and whether the class comes first."""
    classes = [entry["cause"] for entry in answer["causes"]]
    good = cause["cause"] in ("good", "data", "harmless")
    wrong = []
    if not good and answer["layer"] != cause["layer"]:
        wrong.append(f"layer {answer['layer']}, expected {cause['layer']}")
    if good and answer["verdict"] in ("hang", "error"):
        wrong.append(f"verdict {answer['verdict']} of a good log")
    if not accepted(cause) & set(classes[:2]):
        wrong.append(f"classes {classes}, expected {cause['cause']} among the first two")
    return wrong, bool(classes) and classes[0] in accepted(cause)


def examine(nvcosim, folder, counts):
    for log in sorted(folder.glob("*/log.txt")):
        text = log.read_text()
        cause = json.loads((log.parent / "cause.json").read_text())
        loadable = folder.parent / "loadables" / cause["loadable"] / "net.nvdla"
        if not loadable.exists():
            loadable = next(loadable.parent.glob("*.nvdla"), None)
        for name, form in FORMS.items():
            for net in {loadable, None}:
                answer = diagnose(nvcosim, form(text).encode(), net)
                wrong, is_first = faults(answer, cause)
                if name == "as it is" and net and not wrong and set(answer["armed"]) != set(cause.get("armed", [])):
                    wrong = [f"armed {answer['armed']}, expected {cause.get('armed', [])}"]
                if name == "as it is" and net and (said := by_program(nvcosim, log, net)) != answer:
                    wrong.append(f"the program: {said['verdict']}, and another answer than python/nvcosim/doctor")
                counts["first"] += is_first
                counts["failed" if wrong else "passed"] += 1
                if wrong:
                    print(f"FAIL {log.parent.name}, {name}{'' if net else ', no loadable'}: {'; '.join(wrong)} ({answer['verdict']})")


def main():
    nvcosim = sys.argv[1]
    own = ROOT / "traces/driver-logs"
    conformance = pathlib.Path(os.environ.get("NVDLA_CONFORMANCE", "../shared/conformance")) / "driver-logs"
    folders = [pathlib.Path(a) for a in sys.argv[2:]] or [own, conformance]
    counts = {"first": 0, "passed": 0, "failed": 0, "skipped": 0}
    for folder in folders:
        if folder.is_dir():
            examine(nvcosim, folder, counts)
            continue
        print(f"SKIPPED: {folder} does not exist; NVDLA_CONFORMANCE names the folder of conformance data")
        counts["failed" if os.environ.get("REQUIRE_CONFORMANCE") else "skipped"] += 1
    print(f"the class comes first in {counts['first']} of {counts['passed'] + counts['failed']}")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return counts["failed"] > 0 or counts["passed"] == 0


sys.exit(main())
