#!/usr/bin/python3
"""Checks that the commands for Surfer add signals that exist in the waves: those that the .gtkw does not fold away, in its order.

usage: sucl_names.py WAVES.vcd SAVE.gtkw COMMANDS.sucl
"""
import pathlib
import sys

from vcd import signals

GROUP_BEGIN, GROUP_END, CLOSED = 0x800000, 0x1000000, 0x400000


def unfolded(save):
    """Names of the signals outside of closed groups."""
    closed, flags, names = [], 0, []
    for line in save.read_text().splitlines():
        if line.startswith("@"):
            flags = int(line[1:], 16)
            if flags & GROUP_BEGIN:
                closed.append(bool(flags & CLOSED))
            elif flags & GROUP_END:
                closed.pop()
        elif line.startswith("+{") and not any(closed):
            names.append(line.split("} ", 1)[1].split("[")[0])
    return names


def main():
    vcd, save, commands = map(pathlib.Path, sys.argv[1:])
    lines = [line.split() for line in commands.read_text().splitlines()]
    added = [words[1] for words in lines if words[0] == "variable_add"]
    unknown = sorted({words[0] for words in lines} - {"variable_add", "divider_add", "cursor_set", "goto_time"})
    missing = sorted(set(added) - set(signals(vcd.read_text().splitlines())))
    wanted = unfolded(save)
    if unknown or missing or added != wanted or len(added) < 50 or any(len(words) != 2 for words in lines):
        sys.exit(f"unknown commands {unknown}; not in the waves: {missing[:5]}; {len(added)} signals, the .gtkw shows {len(wanted)}")


if __name__ == "__main__":
    main()
