#!/usr/bin/python3
"""Makes logs of the driver on broken devices, with networks and forms of its own, and has nvcosim doctor read them: layer and class.

usage: logs_made.py NVCOSIM [--seeds N] [--first SEED] [--keep DIR] [NETWORK.nvdla...]

Each network (default: those of traces/loadables, the samples of traces/networks compiled, and lenet_small of NVDLA_CONFORMANCE) meets each fault
once per seed (default 1). Causes that leave the same log of a network count as equal. --keep writes logs that are judged wrong to DIR.
Prints how often the class comes first, and "N passed, N failed".
"""
import argparse
import collections
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from in_process import ROOT, diagnose
from driver_model import CONV, PDP, SDP, UNITS, BDMA, RUBIK, CDP, Driver, read_tasks

NOISE = ["usb 1-1: new high-speed USB device number 2 using xhci_hcd", "random: crng init done", "mmc0: new high speed SDHC card at address aaaa",
         "IPv6: ADDRCONF(NETDEV_CHANGE): eth0: link becomes ready", "audit: type=1400 audit(1.2:3): apparmor=\"STATUS\"",
         "macb ff0e0000.ethernet eth0: link up (1000/Full)", "systemd[1]: Started Session 2 of user root.", "EXT4-fs (mmcblk0p2): re-mounted",
         "nvdla_dev 40000000.nvdla: assigned reserved memory node"]
BLOCKED = ["INFO: task nvdla_runtime:{pid} blocked for more than 120 seconds.", "      Not tainted 4.19.0-xilinx #3",
           "\"echo 0 > /proc/sys/kernel/hung_task_timeout_secs\" disables this message.", "Call trace:", " __switch_to+0x94/0xd0",
           " dla_task_submit+0x60/0x100 [opendla]"]
STALL = ["rcu: INFO: rcu_sched self-detected stall on CPU", "rcu:     0-....: (5250 ticks this GP) idle=fe2/1/0x4000000000000002",
         "Task dump for CPU 0:", "nvdla_runtime   R  running task        0   {pid}"]
UNCLAIMED = ["irq {irq}: nobody cared (try booting with the \"irqpoll\" option)", "CPU: 0 PID: 0 Comm: swapper/0 Tainted: G           O      4.14.0",
          "handlers:", "[<ffffff8000a5e0f8>] nvdla_engine_isr [opendla]", "Disabling IRQ #{irq}"]
ABORT = ["Unhandled fault: synchronous external abort (0x96000210) at 0xffffff800a200004",
         "Internal error: synchronous external abort: 96000210 [#1] PREEMPT SMP", "SError Interrupt on CPU0, code 0xbf000002 -- SError"]


def faults(operations, small, rng):
    """(class, faults of the device, lines that the kernel adds) that suit a task."""
    of = {u: [o for o in operations if o.kind == u] for u in range(6)}
    some = lambda u: rng.choice(of[u]).index
    since = lambda u: (lambda k: {i for i in range(k, len(operations))} if rng.random() < 0.5 else {k})(some(u))
    all_ = range(len(operations))
    yield "good", {}, []
    yield "harmless", {"fetch-bits": True}, []
    yield "interrupt-never", {"interrupts": 0}, rng.choice([[], BLOCKED])
    yield "interrupt-lost", {"interrupts": 1}, rng.choice([[], BLOCKED])
    yield "interrupt-lost", {"interrupts": rng.randint(2, 5)}, []
    yield "interrupt-stuck", {"interrupts": 0}, rng.choice([STALL, UNCLAIMED])
    yield "interrupt-stuck", {"interrupts": rng.randint(1, 3)}, UNCLAIMED
    yield "status-zero", {"status-zero": True}, []
    yield "reads-zero", {"zeros": True, "status-zero": True}, rng.choice([[], STALL])
    yield "environment", {"dead-read": some(rng.choice([u for u in of if of[u]]))}, [rng.choice(ABORT)]
    yield "environment", {"dead-read": 0}, STALL
    yield "environment", {"dead-write": 0}, rng.choice([STALL, [rng.choice(ABORT)]])
    for u in (CONV, SDP, PDP):
        if of[u]:
            yield "pointer-stuck", {"pointer": u}, []
            yield "status-sticky", {"sticky": u}, []
            yield "done-lost", {"done": (UNITS[u], since(u))}, rng.choice([[], BLOCKED])
    if of[CONV]:
        yield "reads-ones", {"ones": True}, []
        yield "reads-ones", {"ones-from": rng.randint(1, 6)}, []
        for part in ("CDMA", "CSC", "CMAC_A", "CACC"):
            yield "arming-lost", {"arming": (part, since(CONV))}, rng.choice([[], BLOCKED])
        yield "flush", {"flush": set(all_)}, rng.choice([[], STALL])
        yield "reads-zero", {"zeros-from": rng.randint(1, 6)}, []
        if small:
            yield "configuration", {"flush": set(all_), "compatible": "nvidia,nvdla_os_initial"}, []
            yield "configuration", {"fetch": ("data", set(all_)), "compatible": "nvidia,nvdla_os_initial"}, []
        yield "configuration", {"stride": rng.choice(of[CONV]).index}, []
        yield "busy", {"still-busy": some(CONV)}, []
    for u, parts in ((SDP, ("SDP", "SDP_RDMA")), (PDP, ("PDP", "PDP_RDMA")), (CDP, ("CDP", "CDP_RDMA"))):
        if of[u]:
            for part in parts:
                yield "arming-lost", {"arming": (part, since(u))}, []
    if of[BDMA] or of[RUBIK]:
        yield "configuration", {"compatible": "nvidia,nv_small"}, []


class Log:
    """A log, what is true of it, and what decides whether another cause leaves the same."""

    def __init__(self, cause, device_faults, extra, read_task, seed, before):
        rng = random.Random(seed)
        full = any(o.kind in (BDMA, RUBIK) for o in read_task()[1])
        compatible = device_faults.get("compatible", "nvidia,nvdla_os_initial" if full else "nvidia,nv_small")
        self.cause = cause
        driver = Driver({}, seed, compatible, rng.random() < 0.3)
        driver.probe()
        before = before and not {"compatible", "pointer", "dead-write", "fetch-bits", "zeros"} & set(device_faults)
        if before:
            driver.run(read_task())
        driver.break_device({k: v for k, v in device_faults.items() if k != "compatible"})
        driver.run(read_task())
        self.driver = driver
        pid, irq = rng.randint(400, 2000), rng.randint(20, 90)
        driver.now += 0.2
        for line in extra:
            driver.say(line.format(pid=pid, irq=irq))
        self.lines = driver.lines
        outcome = driver.outcome
        if driver.finished and "unarmed" not in outcome:
            self.layer = None
        elif "unarmed" in outcome and "polls" not in outcome:
            self.layer = outcome["unarmed"]
        elif "polls" in outcome:
            self.layer = outcome["polls"]
        elif cause in ("environment", "busy", "configuration") and any(k in device_faults for k in ("dead-read", "dead-write", "still-busy", "stride")) or \
                driver.error or outcome["verdict"] == "error":
            self.layer = next(int(t.split(" operation index ")[1].split()[0]) for _, t in reversed(driver.lines)
                              if t.startswith(("Prepare ", "Program ")))
            if driver.error:
                at = next(i for i, (_, t) in enumerate(driver.lines) if t.startswith("Assertion"))
                self.layer = next(int(t.split(" operation index ")[1].split()[0]) for _, t in reversed(driver.lines[:at])
                                  if t.startswith("Program "))
        else:
            self.layer = driver.layer()
        texts = [t for _, t in driver.lines]
        self.mark = (tuple(t for t in texts if t.startswith(("Completed", "Enable ", "Handle cdma", "Assertion", "Unable"))),
                     self.layer, min(self.empty(texts), 4), texts[-1] if extra else "")

    @staticmethod
    def empty(texts):
        count = 0
        for text in reversed(texts):
            if text.startswith("Handle") or text.startswith("Exit: dla_initiate"):
                break
            count += text.startswith("Enter:dla_handle_events, processor:RUBIK")
        return count


def alike(log):
    """Causes that a log cannot tell apart (86-driver-log section 5) if nothing ran after the operation that stands still."""
    causes = ("arming-lost", "done-lost", "interrupt-lost")
    if log.cause not in causes or log.layer is None:
        return set()
    if log.driver.operations[log.layer].kind != CONV:
        return set(causes)
    return {"arming-lost"} if log.cause == "interrupt-lost" else set()


def dmesg(lines, rng):
    return [f"[{time:12.6f}] {text}" for time, text in lines]


def raw(lines, rng):
    return [f"<4>[{time:12.6f}] {text}" for time, text in lines]


def journal(lines, rng):
    return [f"Mar 14 09:{int(time) // 60 % 60:02}:{int(time) % 60:02} zcu102 kernel: {text}" for time, text in lines]


def syslog(lines, rng):
    return [f"Mar 14 09:{int(time) // 60 % 60:02}:{int(time) % 60:02} zcu102 kernel: [{time:12.6f}] {text}" for time, text in lines]


def bare(lines, rng):
    return [text for _, text in lines]


def serial(lines, rng):
    shown = ["root@zcu102:~# ./nvdla_runtime --loadable net.nvdla --image a.pgm --rawdump\r", "creating new runtime context...\r", "Emulator starting\r",
             "pgm2dimg 1 28 28 1 224 6272 6272\r"]
    at = next((i for i, (_, t) in enumerate(lines) if t.startswith("Enter:dla_read")), 0)
    texts = [f"[{time:12.6f}] {text}\r" for time, text in lines]
    if at < len(texts):
        texts[at] = "submitting tasks..." + texts[at]
    return texts[:at] + shown + texts[at:]


def quoted(lines, rng):
    return [f"> `{text}`" if rng.random() < 0.01 else f"> {text}" for _, text in lines]


def windows(lines, rng):
    return [f"[{time:12.6f}] {text}\r" for time, text in lines]


def tabbed(lines, rng):
    return [f"\t{text}  " for _, text in lines]


def noisy(lines, rng):
    shown = []
    for time, text in lines:
        shown.append(f"[{time:12.6f}] {text}")
        if rng.random() < 0.1:
            shown.append(f"[{time:12.6f}] {rng.choice(NOISE)}")
    return shown


FORMS = [dmesg, raw, journal, syslog, bare, serial, quoted, windows, tabbed, noisy]


def examine(nvcosim, path, seed, counts, keep):
    rng = random.Random(f"{path.name} {seed}")
    info = json.loads(subprocess.run([nvcosim, "info", "--json", path], capture_output=True, text=True, check=True).stdout)
    chosen = list(faults(max(read_tasks(path), key=lambda t: len(t[1]))[1], info.get("config", "small") == "small", rng))
    made, before = [], rng.random() < 0.3
    for cause, device_faults, extra in chosen:
        log = Log(cause, device_faults, extra, lambda: read_tasks(path)[0], seed, before)
        if not log.driver.finished or cause in ("good", "harmless") or "unarmed" in log.driver.outcome:
            made.append((log, device_faults))
    for number, (log, device_faults) in enumerate(made):
        cut = rng.random() < 0.3 and "pointer" not in device_faults
        loadable = path if rng.random() < 0.7 else None
        same = {other.cause for other, _ in made if other.mark == log.mark} | {log.cause}
        if log.driver.finished and log.cause == "harmless" and all(o.kind != CONV for o in log.driver.operations):
            same.add("good")
        if "polls" in log.driver.outcome and (cut or not loadable) and not log.driver.done:
            same |= {"flush", "reads-zero", "configuration"}
        same |= alike(log)
        form = rng.choice(FORMS)
        text = form(log.lines, rng)
        if cut:
            first = next(i for i, (_, t) in enumerate(log.lines) if t.startswith("Enter:dla_read"))
            text = text[rng.randint(1, max(1, min(first + 20, len(text) - 40))):]
        content = ("\n".join(text) + "\n").encode()
        answer = diagnose(nvcosim, gzip.compress(content) if rng.random() < 0.1 else content, loadable)
        classes = [c["cause"] for c in answer["causes"]]
        certain = [c["cause"] for c in answer["causes"] if c["certainty"] == "certain"]
        wrong = []
        good = log.cause in ("good", "harmless")
        if good and answer["verdict"] != "good":
            wrong.append(f"verdict {answer['verdict']}")
        if not good and answer["layer"] != log.layer:
            wrong.append(f"layer {answer['layer']}, expected {log.layer}")
        if not same & set(classes[:2]):
            wrong.append(f"classes {classes}, expected {log.cause} (the same log: {sorted(same)})")
        if any(c not in same for c in certain):
            wrong.append(f"certain {certain}, expected {log.cause}")
        counts["logs"] += 1
        counts["first"] += bool(classes) and classes[0] in same
        counts["itself"] += bool(classes) and classes[0] == log.cause
        counts["itself among two"] += log.cause in classes[:2]
        counts["failed" if wrong else "passed"] += 1
        if not wrong and not (classes and classes[0] in same) and keep:
            print(f"second: {path.parent.name}/{path.name} seed {seed} {log.cause} {device_faults}: {classes}")
        if wrong:
            print(f"FAIL {path.parent.name}/{path.name} seed {seed} {log.cause} {device_faults} {form.__name__}{' cut' if cut else ''}"
                  f"{'' if loadable else ' no loadable'}: {'; '.join(wrong)} ({answer['verdict']})")
            if keep:
                name = f"{path.parent.name}-{path.stem}-{seed}-{number}.txt"
                pathlib.Path(keep, name).write_text("\n".join(text) + "\n")
                print(f"    {name}")


def networks(nvcosim, scratch):
    """The loadables to use when none is given."""
    found = sorted((ROOT / "traces/loadables").glob("*/net.nvdla"))
    lenet = pathlib.Path(os.environ.get("NVDLA_CONFORMANCE", ROOT / "../shared/conformance")) / "loadables/lenet_small/net.nvdla"
    found += [lenet] if lenet.exists() else []
    for source in sorted((ROOT / "traces/networks/zoo").glob("*.tflite")):
        made = pathlib.Path(scratch) / f"{source.stem}.nvdla"
        subprocess.run([nvcosim, "compile", source, "-o", made], check=True, capture_output=True)
        found.append(made)
    return [path for path in found if "tasks" not in str(path)]  # the driver damages files whose tasks are linked


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nvcosim")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("networks", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for path in arguments.networks or networks(arguments.nvcosim, scratch):
            for seed in range(arguments.first, arguments.first + arguments.seeds):
                examine(arguments.nvcosim, path, seed, counts, arguments.keep)
    print(f"the class, or one that leaves the same log, comes first in {counts['first']} of {counts['logs']} (itself first in "
          f"{counts['itself']}, among the first two in {counts['itself among two']})")
    if counts["first"] < 0.9 * counts["logs"]:
        print("FAIL expected nine of ten first")
        counts["failed"] += 1
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return counts["failed"] > 0 or counts["passed"] == 0


if __name__ == "__main__":
    sys.exit(main())
