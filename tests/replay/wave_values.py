#!/usr/bin/python3
"""Checks values in waves.

usage: wave_values.py mark WAVES.fst NAME TEXT...   the mark has shown these texts, in this order
       wave_values.py same WHOLE.fst PART.fst       a part, of the time or of the signals, has the values of the whole
       wave_values.py below WAVES.fst SCOPE...      it has marks and signals of every SCOPE ("tb_top.dut.u_x"; with ":1" only of
                                                    that level), and no others
"""
import subprocess
import sys

from vcd import signals


class Waves:
    """names: of signals, to their codes; changes: of a code, [(time, value)] as text of 0 and 1; first, last: times"""

    def __init__(self, path):
        lines = iter(subprocess.run(["fst2vcd", path], check=True, capture_output=True, text=True).stdout.splitlines())
        self.names, self.changes, self.first, self.last = signals(lines), {}, None, 0
        for line in lines:
            words = line.split()
            if line.startswith("#"):
                self.last = int(line[1:])
                self.first = self.last if self.first is None else self.first
            elif line[:1] == "b":
                self.changes.setdefault(words[1], []).append((self.last, words[0][1:].lstrip("0")))
            elif line and line[0] in "01":
                self.changes.setdefault(line[1:], []).append((self.last, line[0].lstrip("0")))

    def at(self, name, time):
        """Value at a time, "" if there was none yet."""
        value = ""
        for when, what in self.changes.get(self.names[name], []):
            if when > time:
                break
            value = what
        return value

    def texts(self, mark):
        for _, bits in self.changes.get(self.names["marks." + mark], []):
            bits = bits.zfill((len(bits) + 7) // 8 * 8)
            yield bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8)).decode().strip()


def mark(path, name, *wanted):
    texts = list(Waves(path).texts(name))
    at = 0
    for text in wanted:
        if text not in texts[at:]:
            print(f"mark {name}: '{text}' not found after {texts[:at][-3:]}, but {texts[at:at + 20]}")
            return False
        at = texts.index(text, at) + 1
    return True


def same(whole_path, part_path):
    whole, part = Waves(whole_path), Waves(part_path)
    wrong = [n for n in part.names if any(part.at(n, t) != whole.at(n, t) for t in (part.first, part.last))]
    print(f"{len(part.names)} signals, {part.first} to {part.last}, differing: {wrong[:5]}")
    return len(part.names) > 10 and not wrong


def below(path, *scopes):
    waves, good = Waves(path), True
    unclaimed = {n for n in waves.names if not n.startswith("marks.")}
    good = len(unclaimed) < len(waves.names)
    for scope in scopes:
        prefix, _, depth = scope.partition(":")
        inside = {n for n in waves.names if n.startswith(f"TOP.{prefix}.")}
        inside = {n for n in inside if not depth or n.count(".") - f"TOP.{prefix}".count(".") <= int(depth)}
        print(f"{scope}: {len(inside)} signals")
        good = good and len(inside) > 0
        unclaimed -= inside
    print("not asked for:", sorted(unclaimed)[:5])
    return good and not unclaimed


sys.exit(0 if {"mark": mark, "same": same, "below": below}[sys.argv[1]](*sys.argv[2:]) else 1)
