#!/usr/bin/env python3
"""Plants faults in a copy of the RTL, all in one: each fault changes one operator or one constant in the body of a module, and a static
input chooses at run time which of them is there, so that a thousand faults cost one build.

usage: plant.py OUT --count N --seed S [--config CONFIG] [--rtl DIR] [FOLDER...]
  OUT      gets the copy, faults.csv (id, folder, file, line, from, to) and faults.f, the file list of the copy
  FOLDER   folders of the RTL that get faults, by turns; default: those of all engines

An expression E with a fault becomes (nvdla_faults::selected == ID ? (E changed) : (E)). What is chosen comes in through
nvdla_pwrbus_ram_a_pd, which has no function in this RTL:

  plant.py build/planted --count 40 --seed 1
  nvcosim build --config small --name planted --filelist build/planted/faults.f
  nvcosim run --dut rtl:planted --pin nvdla_pwrbus_ram_a_pd=7 TRACE
"""
import argparse
import csv
import os
import random
import re
import shutil
import subprocess
import sys

FOLDERS = ["cacc", "cbuf", "cdma", "cdp", "cmac", "csc", "lut", "mcif", "pdp", "sdp"]
ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
SELECTED = "nvdla_faults::selected"
OPERATORS = {"+": "-", "-": "+", "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&", "&": "|",
             "|": "&", "^": "|", "<<": ">>", ">>": "<<", "!": "", "~": ""}
TOKEN = re.compile(r"\d*'s?[bodh][0-9a-fA-F_]+|'[01]|\d+|[A-Za-z_$][\w$]*|<<<|>>>|\+:|-:|<<|>>|==|!=|<=|>=|&&|\|\||[^\s\w]")
SKIPPED = re.compile(r"\b(module|import|localparam|parameter|typedef|function|package|genvar|modport|initial|int|enum)\b")


class Code:
    """A source file: finds the expressions of its statements."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        blank = lambda m: re.sub(r"[^\n]", " ", m.group())
        # What is not code of the design, by blanks of the same length.
        self.code = re.sub(r"//[^\n]*|/\*.*?\*/", blank, self.text, flags=re.S)
        self.code = re.sub(r"`ifdef NVDLA_CHECKS\b.*?`endif", blank, self.code, flags=re.S)
        self.code = re.sub(r"`NVDLA_\w+\(", lambda m: m.group().replace("`NVDLA", " nvdla"), self.code)
        self.sites = []
        self.statement(0)

    def close(self, at):
        """Behind the bracket that closes the one at `at`."""
        depth = 0
        for i in range(at, len(self.code)):
            depth += (self.code[i] in "([{") - (self.code[i] in ")]}")
            if depth == 0:
                return i + 1
        raise ValueError(f"no bracket closes that at {at}")

    def until(self, at, stops):
        """The first of the stops at depth 0."""
        while at < len(self.code):
            if self.code[at] in "([{":
                at = self.close(at)
                continue
            for stop in stops:
                if self.code.startswith(stop, at):
                    return at, stop
            at += 1
        return at, ""

    def statement(self, at):
        word = re.compile(r"\s*(?:(if|case|casez|unique|assign|return|begin|end|else|endcase|always_comb|always_ff|endmodule|endfunction|"
                          r"endpackage|generate|endgenerate|for|default)\b|`(?:ifdef|ifndef|define|include)[^\n]*|`\w+|([;:)}]))")
        while at < len(self.code):
            match = word.match(self.code, at)
            if match:
                at = match.end()
                kind = match.group(1)
                if kind in ("if", "case", "casez", "for"):
                    start = self.code.index("(", at)
                    at = self.close(start)
                    if kind != "for" and "genvar" not in self.code[start:at]:
                        self.site(start + 1, at - 1)
                elif kind == "always_ff":
                    at = self.close(self.code.index("(", at))
                elif kind == "begin" or kind == "end":
                    name = re.compile(r"\s*:\s*\w+").match(self.code, at)
                    at = name.end() if name else at
                elif kind == "assign":
                    at = self.assignment(at)
                elif kind == "return":
                    end, _ = self.until(at, ";")
                    self.site(at, end)
                    at = end
                continue
            if at >= len(self.code.rstrip()):
                return
            at = self.other(at)

    def assignment(self, at):
        equals, _ = self.until(at, "=")
        end, _ = self.until(equals + 1, ";")
        self.site(equals + 1, end)
        return end

    def other(self, at):
        end, stop = self.until(at, [";", "<=", ":", "="])
        head = self.code[at:end]
        if re.search(r"\b(module|function|package|typedef|import)\b", head):
            return self.until(at, ";")[0] + 1
        if stop in ("<=", "="):
            close, _ = self.until(end + len(stop), ";")
            if not SKIPPED.search(head) and not ("logic" in head and "automatic" not in head and stop == "=" and "wire" not in head):
                self.site(end + len(stop), close)
            return close
        if stop == ":":
            return end + 1
        if re.match(r"\s*\w+\s*(#\s*\(|\w+\s*\()", head) and not re.match(r"\s*nvdla_[A-Z]", head):
            for port in re.finditer(r"\.(\w+)\s*\(", head):
                start = at + port.end() - 1
                if port.group(1).endswith("_i") and not port.group(1).startswith(("clk", "rst")):
                    self.site(start + 1, self.close(start) - 1)
        return end + 1

    def site(self, start, end):
        """Conditions of elaboration, resets and waivers of lint are no places for faults."""
        text = self.code[start:end]
        if re.search(r"\b[a-z]", re.sub(r"\d*'s?[bodh]\w+", "", text)) and "rst_n" not in text and not text.strip().startswith("&{1'b0,"):
            self.sites.append((start, end))

    def faults(self):
        """(start, end of the expression, start, end of the token, what takes its place)"""
        for start, end in self.sites:
            tokens = [(m.start() + start, m.end() + start, m.group()) for m in TOKEN.finditer(self.code[start:end])]
            depth = []
            for i, (a, b, token) in enumerate(tokens):
                if token == "[":
                    depth.append(i)
                elif token == "]" and depth:
                    depth.pop()
                before = tokens[i - 1][2] if i else "("
                operand = re.match(r"[\w$)\]}']", before[-1]) is not None
                new = None
                if token in ("!", "~"):
                    new = ""
                elif token in OPERATORS and operand and not depth:
                    new = OPERATORS[token]
                elif re.fullmatch(r"(\d+)'(s?)([bdh])([0-9a-fA-F_]+)", token):
                    width, sign, base, digits = re.fullmatch(r"(\d+)'(s?)([bdh])([0-9a-fA-F_]+)", token).groups()
                    value = (int(digits.replace("_", ""), {"b": 2, "d": 10, "h": 16}[base]) + 1) % (1 << int(width))
                    new = f"{width}'{sign}d{value}"
                elif token in ("'0", "'1"):
                    new = "'1" if token == "'0" else "'0"
                elif token.isdigit() and before not in (".", "'") and not depth and not (i + 1 < len(tokens) and tokens[i + 1][2] in ("'", "{")):
                    new = str(int(token) + 1)
                if new is not None and "'" not in before[-1:]:
                    yield start, end, a, b, new


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("folders", nargs="*", metavar="FOLDER")
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--config", default="small", help="configuration of the copy")
    parser.add_argument("--rtl", default=os.path.join(ROOT, "rtl"))
    options = parser.parse_intermixed_args()
    rng = random.Random(options.seed)
    folders = options.folders or FOLDERS
    candidates = {}
    codes = {}
    for folder in folders:
        candidates[folder] = []
        if not os.path.isdir(os.path.join(options.rtl, folder)):
            sys.exit(f"plant: {options.rtl} has no folder {folder}")
        for name in sorted(os.listdir(os.path.join(options.rtl, folder))):
            if name.endswith(".sv"):
                code = codes[f"{folder}/{name}"] = Code(os.path.join(options.rtl, folder, name))
                candidates[folder] += [(f"{folder}/{name}", *fault) for fault in code.faults()]
        rng.shuffle(candidates[folder])
    chosen = []
    while len(chosen) < options.count and any(candidates.values()):
        folder = folders[len(chosen) % len(folders)]
        if not candidates[folder]:
            folder = max(candidates, key=lambda f: len(candidates[f]))
        chosen.append(candidates[folder].pop())
    shutil.rmtree(os.path.join(options.out, "rtl"), ignore_errors=True)
    shutil.copytree(options.rtl, os.path.join(options.out, "rtl"))
    with open(os.path.join(options.out, "faults.csv"), "w", newline="", encoding="utf-8") as f:
        table = csv.writer(f, lineterminator="\n")
        table.writerow(["id", "folder", "file", "line", "from", "to", "statement"])
        for number, (file, start, end, a, b, new) in enumerate(chosen, 1):
            text = codes[file].text
            line = text.count("\n", 0, a) + 1
            table.writerow([number, file.split("/")[0], file, line, text[a:b], new,
                            " ".join(f"{text[start:a]}[[{text[a:b]} -> {new}]]{text[b:end]}".split())])
    for file, code in codes.items():
        mine = [(number, *fault[1:]) for number, fault in enumerate(chosen, 1) if fault[0] == file]
        text = code.text
        # From the last expression to the first; of one expression's faults each is chosen by its own number.
        for start, end in sorted({(m[1], m[2]) for m in mine}, reverse=True):
            original = text[start:end]
            whole = f"({original})"
            for number, s, e, a, b, new in mine:
                if (s, e) == (start, end):
                    whole = f"({SELECTED} == {number} ? ({original[:a - start]}{new}{original[b - start:]}) : {whole})"
            text = f"{text[:start]} {whole}{text[end:]}"
        with open(os.path.join(options.out, "rtl", file), "w", encoding="utf-8") as f:
            f.write(text)
    top = os.path.join(options.out, "rtl", "NV_nvdla.sv")
    with open(top, encoding="utf-8") as f:
        text = f.read()
    with open(top, "w", encoding="utf-8") as f:
        f.write(text.replace("endmodule", f"  always_comb {SELECTED} = nvdla_pwrbus_ram_a_pd;\nendmodule"))
    with open(os.path.join(options.out, "rtl", "nvdla_faults.sv"), "w", encoding="utf-8") as f:
        f.write("// Which fault is there; 0: none.\npackage nvdla_faults;\n  logic [31:0] selected;\nendpackage\n")
    with open(os.path.join(options.out, "rtl", "nvdla.f"), encoding="utf-8") as f:
        names = [line.strip() for line in f if line.strip() and not line.startswith("//")]
    with open(os.path.join(options.out, "faults.f"), "w", encoding="utf-8") as f:
        f.write("nvdla_pkg.sv\nrtl/nvdla_faults.sv\n" + "".join(f"rtl/{name}\n" for name in names))
    subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "gen_tables.py"), "sv", options.out, options.config], check=True)
    print(f"plant: {len(chosen)} faults in {options.out}, seed {options.seed}, out of {sum(map(len, candidates.values())) + len(chosen)} places")


if __name__ == "__main__":
    main()
