#!/usr/bin/env python3
"""Modules of the same contents become one: `make synth` maps it once.

usage: synth_share.py NETLIST      netlist of Yosys' front end (write_rtlil), in which each instance is a module of its own; the result
                                   goes to standard output

Contents are compared without attributes and without the numbers that Yosys gives in the order of the file.
"""
import re
import sys

NUMBER = re.compile(r"(?<=\$procmux\$)\d+")
INSTANCE = re.compile(r"  cell (\\\S+) ")


def read_modules(lines):
    """The lines before the modules, and the modules by name: their lines, attributes before `module` included."""
    head, modules, begin = [], {}, None
    for i, line in enumerate(lines):
        if begin is None and (line.startswith("attribute ") or line.startswith("module ")):
            begin = i
        if line == "end\n":
            body = lines[begin:i + 1]
            name = next(text for text in body if text.startswith("module ")).split()[1]
            modules[name] = body
            begin = None
        elif begin is None:
            head.append(line)
    return head, modules


def share(modules):
    """The name of the module that stands for each one."""
    stands, known = {}, {}

    def visit(name):
        if name in stands:
            return stands[name]
        numbers, contents = {}, []
        for line in modules[name]:
            if line.lstrip().startswith("attribute ") or line.startswith("module "):
                continue
            instance = INSTANCE.match(line)
            if instance and instance.group(1) in modules:
                line = line.replace(instance.group(1), visit(instance.group(1)), 1)
            contents.append(NUMBER.sub(lambda m: str(numbers.setdefault(m.group(), len(numbers))), line))
        stands[name] = known.setdefault("".join(contents), name)
        return stands[name]

    for name in modules:
        visit(name)
    return stands


def main(path):
    with open(path, encoding="utf-8") as f:
        head, modules = read_modules(f.readlines())
    stands = share(modules)
    out = sys.stdout
    out.writelines(head)
    for name, body in modules.items():
        if stands[name] != name:
            continue
        for line in body:
            instance = INSTANCE.match(line)
            if instance and instance.group(1) in stands:
                line = line.replace(instance.group(1), stands[instance.group(1)], 1)
            out.write(line)
    print(f"synth_share.py: {len(set(stands.values()))} of {len(modules)} modules differ", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        sys.exit(2)
    main(sys.argv[1])
