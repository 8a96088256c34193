"""Helpers of the scripts that send signals: simulators of tests/cli/source_tree.sh write their process numbers to the file pids."""
import os
import sys
import time


def wait_for(condition, what="the simulators do not start or do not end"):
    end = time.monotonic() + 30
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"nothing happens: {what}")
        time.sleep(0.02)


def pids():
    if not os.path.exists("pids"):
        return []
    with open("pids", encoding="ascii") as f:
        return [int(number) for number in f.read().split()]


def gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            return f.read().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):  # before or while it is read
        return True


def all_gone():
    return all(gone(pid) for pid in pids())
