#!/usr/bin/env python3
"""The README and its companions say what is true: every command that they show runs, every output that they show is what the command
prints, and the files, targets of make and options that they name exist.

usage: readme.py BUILD [--write] [PATTERN]
  --write   puts the outputs into the documents instead of comparing them
  PATTERN   only commands and outputs that match this regular expression

An indented block holds commands, one a line, unless a comment stands on the line before it (and an empty one after that); what such a
comment says of a block it says of those too that only empty lines part from it:
  <!-- output: COMMAND -->   it is what COMMAND prints to stdout, without blanks at the ends of its lines
  <!-- text -->              neither
Commands run in a folder of their own, BUILD/tests/readme, from top to bottom; the tables below say what stands for TRACE, where t.cfg
comes from, and which commands another test runs. Without X server (Xvfb) or jq the commands that need them are only checked for their files.
"""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys

SMALL = "traces/conformance/small"
# What stands for what in a command, in this order.
WORDS = [
    (r"TRACE\.\.\.", f"{SMALL}/rand_sdp_000.nvt.gz {SMALL}/rand_pdp_001.nvt.gz"),
    (r"TRACE", f"{SMALL}/rand_sdp_000.nvt.gz"),
    (r"--cube \.\.\.", "--cube base=0x80010000,w=8,h=1,c=8,line=64,surf=64,atom=8"),
    (r"--count 1000\b", "--count 30"),
]
# What commands need: a pattern in the command, a file, and how to make it, as a shell command in the folder; $TREE is the repository. The
# files of these commands are made first.
FILES = [
    (r"\bt\.cfg", "t.cfg", 'export NVCOSIM="$PWD/build/nvcosim"; mkdir cli; cd cli; . "$TREE/tests/cli/traces.sh"; cp good/good.cfg ../t.cfg; cp good/in.dat ..'),
    (r"\bbad\.cfg", "bad.cfg", 'sed "s/D_CVT_OFFSET_0, 0x0/D_CVT_OFFSET_0, 0x1/" t.cfg >bad.cfg'),
    (r"\bodd\.cfg", "odd.cfg", 'sed "s/D_BRDMA_CFG_0, 0x1/D_BRDMA_CFG_0, 0x24/" t.cfg >odd.cfg'),
    (r"cases/\*", "cases", "build/nvcosim gen --config small --engine mix --seed 1 --count 3 --out cases"),
    (r"cases/small_mix_30\.", "cases/small_mix_30.nvt.gz", "build/nvcosim gen --config small --engine mix --seed 30 --count 1 --out cases"),
    (r"\ba\.bin", "a.bin", "head -c 64 /dev/zero >a.bin"),
    (r"\bb\.bin\.gz", "b.bin.gz", "head -c 64 /dev/zero | gzip >b.bin.gz"),
    (r"import .*\bdmesg\.log", "dmesg.log", "cp traces/captures/synth_small_rand_dc_000/dmesg.log ."),
    (r"--merge tuesday\.txt", "tuesday.txt", f"build/nvcosim coverage {SMALL}/rand_cdp_009.nvt.gz -o tuesday.txt"),
    (r"nvcosim (history|regress --compare)", "nvcosim-nights/nights.db", 'mkdir nvcosim-nights && "$TREE/tests/cli/nights.py" "$TREE/csrc/regress/store/schema.sql" nvcosim-nights/nights.db'),
    (r"digits/report\.json", "nvcosim-out/digits/report.json",
     "build/nvcosim run --html -q traces/networks/digits/digits.nvdla --input traces/networks/digits/7.png"),
    # An RTL as a user has it: a copy of ours with one bug.
    (r"\bvmod\.f\b", "vmod.f", '"$TREE/tests/replay/buggy_rtl.sh" build mine && cp mine/buggy.f vmod.f'),
    (r"rtl:mine", "mine.built", "build/nvcosim build --config small --filelist vmod.f --name mine --verilator-option=-DSYNTHESIS && touch mine.built"),
]
# Commands that end with another status than 0, and how.
STATUS = [(r"run bad\.cfg", 1), (r"--dut rtl:mine ", 1)]
# Commands that other tests run: a file, and what stands in it.
ELSEWHERE = [
    (r"^\(cd hw && ", "tests/replay/nvidia_checkout.sh", "outdir/nv_small/vmod"),
    (r"build --config small --nvidia hw$", "tests/replay/nvidia_checkout.sh", "build --nvidia"),
    (r"--dut rtl:nvidia ", "tests/replay/nvidia_checkout.sh", "--dut rtl:nvidia"),
    (r"nvcosim build .*--profile", "tests/replay/compilers.sh", "--profile"),
    (r"--taps mine\.csv$", "tests/replay/foreign_taps.sh", "--taps"),
    (r"--nvidia-rams ", "tests/unit/test_nvidia.c", "rams"),
    (r"--dut rtl:full ", "tests/replay/foreign_full.sh", "full"),
    (r" hw/verif/.*/\*\.cfg$", "tests/cli/run_model.sh", ".cfg"),
    (r" hw-nvdlav1/verif/.*/input\.txn$", "tests/cli/txn.sh", "input.txn"),
    (r"nvcosim qualify ", "tests/regress/qualify.sh", "qualify --filelist"),
    (r"--dut rtl:qualify ", "tests/regress/qualify.sh", "--fault"),
    (r"--engine slurm ", "tests/regress/slurm.sh", "--engine slurm"),
    (r"regress plans/nightly\.yml$", "tests/regress/nightly.sh", "plans/nightly.yml"),
    (r"^make test$", "tests/groups.py", "tests/readme.py"),
    (r"^make (coverage|nightly|bench|fuzz|lint)\b", "tests/groups.py", "make"),
    (r"^make (un)?install\b", "tests/replay/install.sh", "make -s install"),
]
# Commands with a simulator that nothing else needs, minutes of compiling: run if it is there already, or with NIGHTLY=1.
COSTLY = [(r"--coverage-kind toggle", "build/nvcosim-small-toggle")]


class Document:
    """A markdown file: its lines and its indented blocks (kind, command of an output, first line, lines)."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as f:
            self.lines = f.read().split("\n")
        self.blocks = []
        i, fenced = 0, False
        while i < len(self.lines):
            fenced ^= self.lines[i].lstrip().startswith("```")
            if fenced or not self.lines[i].startswith("    ") or (i and self.lines[i - 1].strip()):
                i += 1
                continue
            end = i
            while end < len(self.lines) and self.lines[end].startswith("    "):
                end += 1
            comment = re.fullmatch(r"<!-- (text|output: (.*)) -->", self.lines[i - 2]) if i > 1 else None
            follows = self.blocks and self.blocks[-1][0] == "text" and not any(self.lines[self.blocks[-1][2] + len(self.blocks[-1][3]):i])
            kind = comment.group(1).split(":")[0] if comment else "text" if follows else "commands"
            self.blocks.append((kind, comment and comment.group(2), i, self.lines[i:end]))
            i = end


class Sandbox:
    """The folder that commands run in: links to the tree, files of the table."""

    def __init__(self, build):
        self.tree = os.getcwd()
        self.path = os.path.join(build, "tests", "readme")
        shutil.rmtree(self.path, ignore_errors=True)
        os.makedirs(self.path)
        for name, target in [("build", build)] + [(n, n) for n in ("traces", "docs", "plans")]:
            os.symlink(os.path.abspath(target), os.path.join(self.path, name))
        self.environment = dict(os.environ, TREE=self.tree, PATH=os.path.abspath(build) + ":" + os.environ["PATH"], NO_COLOR="1")

    def has(self, name):
        return os.path.exists(os.path.join(self.path, name))

    def shell(self, command):
        """Runs a command, those of make in the repository; its status and what it prints to stdout and stderr."""
        done = subprocess.run(["bash", "-c", command], cwd=self.tree if command.startswith("make ") else self.path, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        return done.returncode, done.stdout

    def make_files(self, command, below=()):
        for pattern, name, recipe in FILES:
            if re.search(pattern, command) and name not in below and not self.has(name):
                self.make_files(recipe, (name, *below))
                status, text = self.shell(recipe)
                if status or not self.has(name):
                    raise RuntimeError(f"cannot make {name} (status {status}):\n{text}")

    def prepare(self, command):
        """The command with real names, and its files in place."""
        for pattern, replacement in WORDS:
            command = re.sub(pattern, replacement, command)
        self.make_files(command)
        return command

    def gtkwave(self, save):
        """The save file names signals of waves that are there; GTKWave opens it if there is a screen to be had."""
        waves = re.sub(r"\.gtkw$", ".fst", save)
        status, text = self.shell(f'fst2vcd {waves} >waves.vcd && "$TREE/tests/replay/gtkw_names.py" waves.vcd {save}')
        if status == 0 and shutil.which("Xvfb"):
            status, text = self.shell(f'"$TREE/scripts/with_screen.sh" gtkwave --exit {save}')
        return status, text


class Test:
    def __init__(self, build, write, pattern):
        self.sandbox = Sandbox(build)
        self.write, self.pattern = write, pattern
        self.passed, self.failures, self.skipped = 0, 0, 0
        database = subprocess.run(["make", "-qpRr"], capture_output=True, text=True, check=False).stdout
        self.targets = set(re.findall(r"^([^\s#:=%]+):", database, re.M))

    def result(self, title, good, text=""):
        if good:
            self.passed += 1
            print(f"ok    {title}")
        else:
            self.failures += 1
            print(f"FAIL  {title}")
            print("".join(f"    | {line}\n" for line in text.splitlines()[-25:]), end="")

    def command(self, where, command):
        title = f"{where}: {command}"
        if not re.search(self.pattern, command):
            return
        for pattern, path, word in ELSEWHERE:
            if re.search(pattern, command):
                with open(path, encoding="utf-8") as f:
                    good = word in f.read()
                self.result(f"{title}   (run by {path})", good, f"{path} does not contain '{word}': does it still run this?")
                if command.startswith("make "):
                    self.target(where, command)
                return
        for pattern, simulator in COSTLY:
            if re.search(pattern, command) and not os.environ.get("NIGHTLY") and not self.sandbox.has(simulator):
                self.target(f"{where}, needs {simulator}, which make nightly builds", f"make {simulator}")
                return
        if command.split()[0] == "jq" and not shutil.which("jq"):
            self.skipped += 1
            print(f"SKIPPED: {title}: jq is not installed")
            return
        wanted = next((status for pattern, status in STATUS if re.search(pattern, command)), 0)
        real = self.sandbox.prepare(command)
        if real.startswith("gtkwave "):
            status, text = self.sandbox.gtkwave(real.split()[1])
        else:
            status, text = self.sandbox.shell(real)
        self.result(title, status == wanted, f"{real}\n{text}\nexit status {status}, expected {wanted}; "
                    "a command that cannot run as it stands needs a line in the tables of tests/readme.py")

    def target(self, where, command):
        missing = [w for w in shlex.split(command)[1:] if "=" not in w and w not in self.targets]
        self.result(f"{where}: {command}, target of make", not missing, f"the Makefile has no target {missing}")

    def output(self, document, block):
        _, command, first, lines = block
        if not re.search(self.pattern, command):
            return
        title = f"{document.path}:{first + 1}: output of {command}"
        _, text = self.sandbox.shell("exec 2>errors; " + self.sandbox.prepare(command))  # 2>&1 in the command shows errors too
        # Other groups of tests build in the same folder.
        text = re.sub(r"(?m)^another build runs in .*\n", "", text)
        got = [("    " + line).rstrip() for line in text.rstrip("\n").split("\n")]
        if not text.strip():
            with open(os.path.join(self.sandbox.path, "errors"), encoding="utf-8") as f:
                self.result(title, False, "prints nothing\n" + f.read())
        elif self.write:
            document.lines[first:first + len(lines)] = got
        else:
            self.result(title, got == lines,
                        "expected (tests/readme.py --write puts it there):\n" + "\n".join(got) + "\nfound:\n" + "\n".join(lines))

    def names(self, document, options):
        """Links, targets of make and options in the running text."""
        text = "\n".join(document.lines)
        for target in sorted(set(re.findall(r"\]\(([^)#\s]+)[^)]*\)", text))):
            if not re.match(r"https?:", target):
                path = os.path.join(os.path.dirname(document.path), target)
                self.result(f"{document.path}: link to {target}", os.path.exists(path), f"{path} does not exist")
        for command in sorted(set(re.findall(r"`(make [a-z][\w-]*)`", text))):
            self.target(document.path, command)
        if document.path == "README.md":
            words = {w for code in re.findall(r"`([^`\n]+)`", text) if not code.startswith("verilator") for w in re.findall(r"(?<![\w-])--[a-z][\w-]*", code)}
            for option in sorted(words):
                self.result(f"{document.path}: option {option}", option in options, "no --help knows it")


def main(build, *arguments):
    write = "--write" in arguments
    pattern = next((a for a in arguments if a != "--write"), "")
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    test = Test(build, write, pattern)
    _, text = test.sandbox.shell("for c in '' $(nvcosim help | sed -n '/^Commands/,/^$/s/^  \\([a-z]*\\) .*/\\1/p' | grep -v '^help'); do nvcosim $c --help; done")
    options = set(re.findall(r"--[a-z][\w-]*", text))
    paths = ["README.md"] + sorted(p for p in glob.glob("**/*.md", recursive=True) if p != "README.md" and not p.startswith(("build", "docs/nvdla/")))
    for path in paths:
        document = Document(path)
        for block in document.blocks if not write else []:
            if block[0] == "commands":
                for i, line in enumerate(block[3]):
                    self_contained = re.sub(r"\s+# .*", "", line.strip())
                    test.command(f"{path}:{block[2] + i + 1}", self_contained)
        for block in reversed(document.blocks):  # from the end: --write may change the number of lines
            if block[0] == "output":
                test.output(document, block)
        if write:
            with open(path, "w", encoding="utf-8") as f:
                f.write("\n".join(document.lines))
        elif not pattern:
            test.names(document, options)
    if write:
        return 1 if test.failures else 0
    print(f"{test.passed} passed, {test.failures} failed" + (f", {test.skipped} skipped" if test.skipped else ""))
    return 1 if test.failures else 0


sys.stdout.reconfigure(line_buffering=True)
if len(sys.argv) < 2:
    sys.exit(__doc__)
sys.exit(main(*sys.argv[1:]))
