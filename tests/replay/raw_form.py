#!/usr/bin/python3
"""Rewrites an exported trace-player folder in the raw form (80-trace-formats section 2.2): input.txn and its memory files become input.txn.raw
and files of words.

usage: raw_form.py FOLDER
"""
import pathlib
import sys

RELATIONS = {"==": 0, "<=": 1, ">=": 2}


def words(path, size):
    data = bytes(int(token, 16) for line in path.read_text().splitlines() if line.startswith((" 0x", "0x")) for token in line.split())[:size]
    return "".join(f"{int.from_bytes(data[i:i + 4], 'little'):08x}\n" for i in range(0, size, 4))


def memory(folder, operation, kept, named, address, size, dat):
    """Writes the file `kept`; the line names it `named`."""
    (folder / kept).write_text(words(folder / dat, int(size, 16)))
    return f"{named.encode().hex()}_{operation:02x}_{int(address, 16):016x}_{int(size, 16):08x}_00_0000"


def main(name):
    folder, lines, counts = pathlib.Path(name), [], {"load_mem": 0, "dump_mem": 0}
    for line in (folder / "input.txn").read_text().splitlines():
        match line.partition("#")[0].split():
            case ["write_reg", address, value]:
                lines.append(f"00{int(address, 16):08x}{int(value, 16):08x}{0:014x}")
            case ["read_reg", address, mask, expected]:
                lines.append(f"01{int(address, 16):08x}{int(expected, 16):08x}{int(mask, 16):08x}00c350")
            case ["read_reg", address, mask, relation, expected, *polls]:
                lines.append(f"01{int(address, 16):08x}{int(expected, 16):08x}{int(mask, 16):08x}{RELATIONS[relation]:02x}"
                             f"{int(polls[0], 0) if polls else 50000:04x}")
            case ["wait"]:
                lines.append("06" + "0" * 30)
            case ["load_mem", *place]:
                n = counts["load_mem"]
                lines.append(memory(folder, 4, f"mem-in-{n}.hex", f"mem-in-{n}.hex", *place))
                counts["load_mem"] += 1
            case ["dump_mem", *place]:
                n = counts["dump_mem"]
                lines.append(memory(folder, 5, f"mem-expect-{n}.hex", f"mem-dump-{n}.hex", *place))
                counts["dump_mem"] += 1
            case []:
                pass
            case other:
                sys.exit(f"raw_form.py: {name}/input.txn: found {other}, which the raw form has not")
    (folder / "input.txn.raw").write_text("\n".join([*lines, "FF" + "0" * 30]) + "\n")
    (folder / "input.txn").unlink()


main(sys.argv[1])
