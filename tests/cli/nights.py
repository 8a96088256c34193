#!/usr/bin/python3
"""Writes a database of invented nights of regressions, for tests of what reads it.

usage: nights.py SCHEMA DATABASE
"""
import os
import sqlite3
import sys

APPLICATION = 0x6E76636F
# key, config, memory, cycles of each night (None: not run), verdicts by letter, reasons
TESTS = [
    ("conformance/rand_sdp_000", "", [13043, 13043, 13043, 13100, 13043, 13043, None, 12001], "PPPPFP-P"),
    ("conformance/rand_sdp_000@slow", "slow", [23043, 23043, 24043, 25100, 26043, 27043, None, 29001], "PPPPPPPP"),
    ("conformance/rand_pdp_001", "", [9043] * 8, "PPHPPPP-"),
    ("random-mix/0017", "", [100000 + 7000 * i for i in range(8)], "KKKKPPKC"),
]
VERDICTS = {"P": "PASS", "F": "FAIL", "H": "HANG", "C": "CRASH", "K": "FAIL", "-": None}
REASONS = {
    "F": ("value:SDP", "128 bytes differ between rtl and model, first at primary 0xa0000000: SDP #0 surface 0, line 0, column 0, channel 0; written by SDP #0 at cycle 8339"),
    "H": ("hang:pdp", "nothing moved for 100000 clocks (limit of --still): trace does not continue"),
    "C": ("crash:SIGSEGV", "the simulator was ended by signal 11 (Segmentation fault)"),
    "K": ("check", "a check failed"),
}


def main(schema, path):
    db = sqlite3.connect(path)
    with open(schema, encoding="utf-8") as f:
        db.executescript(f.read() + f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = 2; PRAGMA journal_mode = WAL;")
    for i in range(8):
        state = "running" if i == 7 else "interrupted" if i == 6 else "done"
        db.execute(
            "INSERT INTO night (kind, plan, plan_path, plan_text, seed, state, started, ended, seconds, host, cores, pid, birth, version, directory, revision,"
            " dirty, engine, command, folder) VALUES ('regress', 'nightly', 'nightly.yml', '', 7, ?, ?, NULL, ?, ?, 2, 999999, 'gone', '0.2.0', '/rtl', ?, ?, 'local',"
            " 'nvcosim regress nightly.yml', ?)",
            (state, f"2026-01-{10 + i:02}T01:30:00Z", 3600 + 61 * i, os.uname().nodename, f"{i:040x}"[::-1], i % 2, f"/nights/{i + 1}"))
        for number, (key, memory, cycles, letters) in enumerate(TESTS):
            letter, clocks = letters[i], cycles[i]
            signature, reason = REASONS.get(letter, (None, ""))
            random = key.startswith("random")
            db.execute(
                "INSERT INTO result (night, number, key, test, item, trace, path, config, dut, memory, seed, layer_seed, tags, known, verdict, reason, signature,"
                " cycles, seconds, cpu_seconds, coverage) VALUES (?, ?, ?, '{}', ?, ?, ?, ?, 'both', ?, ?, ?, ' fast ', ?, ?, ?, ?, ?, ?, ?, x'00ff')",
                (i + 1, number, key, key.split("/")[0], key.split("/")[1].split("@")[0], f"traces/{key.split('/')[1].split('@')[0]}.nvt.gz",
                 "large" if random and i > 5 else "small", memory, -1 if random else 1, i // 4 if random else None, "issue 123" if letter in "K" else None,
                 VERDICTS[letter], reason, signature, clocks if letter != "-" else None, 0.04 * (number + 1), 0.02 * (number + 1)))
    db.commit()
    db.close()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
