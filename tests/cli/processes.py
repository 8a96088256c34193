"""Helpers of the scripts that send signals: simulators of tests/cli/source_tree.sh write their process numbers to the file pids."""
import os
import sys

from counts import runs, until


def wait_for(condition, what="the simulators do not start or do not end"):
    if not until(condition, 30):
        sys.exit(f"nothing happens: {what}")


def pids():
    if not os.path.exists("pids"):
        return []
    with open("pids", encoding="ascii") as f:
        return [int(number) for number in f.read().split()]


def all_gone():
    return not any(map(runs, pids()))
