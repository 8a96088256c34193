#!/usr/bin/python3
"""Compiles every loadable of folders that have a catalogue.csv, and compares the result with the files next to it: register accesses with
writes.txt.gz, the output memory with output.bin and golden.dimg. Then plays the trace on the model, and on RTL on request.

usage: samples.py NVCOSIM [--rtl=small,large] FOLDER...
Ends with "N passed, N failed".
"""
import csv
import gzip
import pathlib
import struct
import sys

from counts import check, finish, run, scratch


def words_of(lines, start):
    """The content of the blob whose head is line `start` of a trace, and the line behind it."""
    content = bytearray()
    at = start + 1
    while lines[at] != "end":
        for word in lines[at].split():
            if word[0] == "@":
                content.extend(bytes(int(word[1:], 0) - len(content)))
            elif "*" in word:
                byte, count = word.split("*")
                content.extend(bytes([int(byte, 16)]) * int(count, 0))
            else:
                content.extend(bytes.fromhex(word))
        at += 1
    return bytes(content), at + 1


def output_of(trace):
    """The bytes that the check of the network's first output has."""
    lines = gzip.open(trace, "rt").read().split("\n")
    return words_of(lines, next(i for i, line in enumerate(lines) if line.startswith("# network output ")) + 1)[0]


def golden_differences(path, memory):
    """Elements of a DIMG file that are not in the memory (80-trace-formats section 8; 87-loadables section 14)."""
    data = path.read_bytes()
    form, width, height, channels, line, surface, _ = struct.unpack_from("<7I", data, 8)
    lanes, element = {40: (32, 1), 41: (16, 2), 42: (16, 2)}.get(form, (None, None))
    if lanes is None:
        return 0 if len(data) - 36 <= 1 else -1  # BDMA's holds a byte
    wrong = 0
    at = 36
    for c in range(channels):
        for y in range(height):
            for x in range(width):
                place = c // lanes * surface + y * line + (x * lanes + c % lanes) * element
                wrong += data[at:at + element] != memory[place:place + element]
                at += element
    return wrong


def fault(nvcosim, row, folder, rtl, work):
    """What is wrong with a sample, None if nothing is."""
    name, config = row["name"], row["config"]
    trace, writes = work / f"{name}.nvt.gz", work / f"{name}.txt"
    command = [nvcosim, "compile", "--config", config, str(folder / "net.nvdla"), "-o", str(trace), "--writes", str(writes)]
    picture = next((folder / name for name in ("input.ppm", "input.pgm") if (folder / name).exists()), None)
    if picture:
        command += [f"--input={picture}"] + (["--norm=255"] if config == "full" else [])
    elif (folder / "input_cube.bin").exists():
        command.append(f"--input=raw:{folder / 'input_cube.bin'}")
    done = run(*command)
    if done.returncode:
        return f"compile: exit status {done.returncode}: {done.stderr.strip()}"
    expected = gzip.open(folder / "writes.txt.gz", "rt").read().splitlines()
    found = writes.read_text().splitlines()
    if found != expected:
        at = next((i for i, (a, b) in enumerate(zip(found, expected)) if a != b), min(len(found), len(expected)))
        return f"access {at}: found {found[at:at + 1]}, expected {expected[at:at + 1]} ({len(found)} and {len(expected)} accesses)"
    output, wanted = output_of(trace), (folder / "output.bin").read_bytes()
    if output[:len(wanted)] != wanted:
        return f"output: found {output[:16].hex()}..., expected {wanted[:16].hex()}..."
    if (folder / "golden.dimg").exists():
        wrong = golden_differences(folder / "golden.dimg", output)
        if wrong:
            return f"golden.dimg: {wrong} elements differ"
    for dut in ["model"] + (["both"] if config in rtl else []):
        outputs = work / "outputs"
        done = run(nvcosim, "run", "-q", "--strict", "--dut", dut, "--out", str(work / "reports"), "--outputs", str(outputs), "--dimg", trace)
        if done.returncode:
            return f"run --dut {dut}: exit status {done.returncode}: {done.stdout}{done.stderr}"
        if next(outputs.glob("*.bin")).read_bytes()[:len(wanted)] != wanted:
            return f"run --dut {dut} --outputs: another output than {wanted[:16].hex()}..."
        if (folder / "golden.dimg").exists() and next(outputs.glob("*.dimg")).read_bytes() != (folder / "golden.dimg").read_bytes():
            return f"run --dut {dut} --dimg: another file than golden.dimg"
    return None


def main(nvcosim, *arguments):
    rtl = arguments[0][6:].split(",") if arguments[0].startswith("--rtl=") else []
    for folder in map(pathlib.Path, arguments[1:] if rtl else arguments):
        for row in csv.DictReader((folder / "catalogue.csv").open()):
            with scratch() as work:
                reason = fault(str(pathlib.Path(nvcosim).resolve()), row, folder / row["name"], rtl, work)
            check(row["name"], not reason, reason)
    finish()


main(*sys.argv[1:])
