#!/usr/bin/python3
"""The README and the pages say what is true: every command that they show runs, every output that they show is what the command
prints, and the files, sections, targets of make and options that they name exist.

usage: readme.py BUILD [--write] [--only PATTERN] [PAGE...]
  --write          put the outputs into the pages instead of comparing them
  --only PATTERN   only commands and outputs that match this regular expression
  PAGE             only these pages; default: README.md, CONTRIBUTING.md, docs/*.md and all other pages but the specification in docs/nvdla

An indented block holds commands, one a line (a line that ends in \\ continues in the next), unless a comment precedes it. An empty line
separates the two. The comment applies to the next blocks too if only empty lines separate them:
  <!-- output | FILTER -->   what the command above it prints, on stdout and stderr; `| FILTER` may be left out
  <!-- output: COMMAND -->   what COMMAND prints to stdout
  <!-- not run: REASON -->   commands that cannot run here
  <!-- text -->              neither commands nor their output
Long lines of output are broken at 96 columns. Commands run in a folder of their own, BUILD/tests/readme, from top to bottom; the tables below
say what stands for TRACE, where files come from, and which commands another test runs. Without X server (Xvfb) or jq the commands that
need them are only checked for their files.
"""
import argparse
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys

import counts

SMALL = "traces/conformance/small"
WIDTH = 100  # columns of a page
# What stands for what in a command, in this order.
WORDS = [
    (r"TRACE\.\.\.", f"{SMALL}/rand_sdp_000.nvt.gz {SMALL}/rand_pdp_001.nvt.gz"),
    (r"TRACE", f"{SMALL}/rand_sdp_000.nvt.gz"),
    (r"--cube \.\.\.", "--cube base=0x80010000,w=8,h=1,c=8,line=64,surf=64,atom=8"),
    (r"--count 1000\b", "--count 30"),
    (r"^python3 ", "PYTHONPATH=$TREE/python NVCOSIM_PROGRAM=$PWD/build/nvcosim /usr/bin/python3 "),  # which has Debian's numpy
    (r"--filelist vmod\.f --name mine( --verilator-option=-DSYNTHESIS)?", "--filelist mine/nvdla.f --name mine"),
]
# The RTL with a bug of docs/debug.md. Its simulators need not be fast.
MINE = ("cp -r rtl mine; sed -i 's/ - \\$signed({offset/ + $signed({offset/' mine/sdp/nvdla_sdp_pkg.sv; "
        "build/nvcosim build --filelist mine/nvdla.f --name mine")
# What commands need: a pattern in the command, a file, and how to make it, as a shell command in the folder; $TREE is the repository. The
# files of these commands are made first.
FILES = [
    (r"\bt\.cfg", "t.cfg", 'export NVCOSIM="$PWD/build/nvcosim"; mkdir cli; cd cli; . "$TREE/tests/cli/traces.sh"; cp good/good.cfg ../t.cfg; cp good/in.dat ..'),
    (r"cases/\*", "cases", "build/nvcosim gen --config small --engine mix --seed 1 --count 3 --out cases"),
    (r"cases/small_mix_30\.", "cases/small_mix_30.nvt.gz", "build/nvcosim gen --config small --engine mix --seed 30 --count 1 --out cases"),
    *((rf"\b{name}\.py", file, f"""awk '/^```/ {{ on = 0 }} $0 == "# {file}" {{ on = 1 }} on' "$TREE/docs/python.md" >{file}""")
      for name, file in (("(layer|sweep|trace)", "layer.py"), ("sweep", "sweep.py"), ("trace", "trace.py"))),
    (r"\bfirst\.py", "first.py", """awk '/^```/ { on = 0 } $0 == "# first.py" { on = 1 } on' "$TREE/docs/first-trace.md" >first.py"""),
    *((rf"\b{name}\.nvt", f"{name}.nvt", f"""awk '/^```/ {{ on = 0 }} $0 == "nvt 1" {{ on = 1 }} on' "$TREE/{page}" >{name}.nvt""")
      for name, page in (("first", "docs/first-trace.md"), ("copy", "traces/FORMAT.md"))),
    (r"\ba\.bin", "a.bin", "head -c 64 /dev/zero >a.bin"),
    (r"\bb\.bin\.gz", "b.bin.gz", "head -c 64 /dev/zero | gzip >b.bin.gz"),
    (r"import .*\bdmesg\.log", "dmesg.log", "cp traces/captures/synth_small_rand_dc_000/dmesg.log ."),
    (r"--merge tuesday\.txt", "tuesday.txt", f"build/nvcosim coverage {SMALL}/rand_cdp_009.nvt.gz -o tuesday.txt"),
    (r"nvcosim (history|regress --compare)", "nvcosim-nights/nights.db",
     'mkdir nvcosim-nights && "$TREE/tests/cli/nights.py" "$TREE/python/nvcosim/store/schema.sql" nvcosim-nights/nights.db'),
    (r"rtl:mine|mine/nvdla\.f --name", "mine/nvdla.f", MINE),
    (r"\br\.jsonl'?$", "r.jsonl", f"build/nvcosim run -q --results r.jsonl {SMALL}/rand_sdp_000.nvt.gz"),
]
# Commands that end with another status than 0, and how.
STATUS = [(r"gen --config small,macs=8x16$", 2), (r"^build/nvcosim diff .* other\.log", 1), (r"^build/nvcosim doctor ", 1), (r"--dut rtl:mine ", 1), (r"^build/nvcosim run .* partner\.nvt", 3),
          (r"--bus-fault same-id --outputs", 1), (r"\b(run (eleven|wrong)|lint unarmed)\.nvt", 1)]
# Commands that other tests run: a file, and a word in it.
ELSEWHERE = [
    (r"^\(cd hw && ", "tests/replay/nvidia_checkout.sh", "outdir/nv_small/vmod"),
    (r"build --config small --vmod hw$", "tests/replay/nvidia_checkout.sh", "build --nvidia"),
    (r"--dut rtl:nvidia\b", "tests/replay/nvidia_checkout.sh", "--dut rtl:nvidia"),
    (r"nvcosim build .*--profile", "tests/replay/compilers.sh", "--profile"),
    (r"--taps mine\.csv$|--dut rtl:mine --tap ", "tests/replay/foreign_taps.sh", "--taps"),
    (r"--nvidia-rams ", "tests/python/test_rtl.py", "rams"),
    (r"--dut rtl:full ", "tests/replay/foreign_full.sh", "full"),
    (r" hw/verif/.*/\*\.cfg$", "tests/cli/run_model.sh", ".cfg"),
    (r" hw-nvdlav1/verif/.*/input\.txn$", "tests/cli/txn.sh", "input.txn"),
    (r"nvcosim qualify ", "tests/regress/qualify.sh", "qualify --filelist"),
    (r"--dut rtl:qualify ", "tests/regress/qualify.sh", "--fault"),
    (r"--engine slurm ", "tests/regress/slurm.sh", "--engine slurm"),
    (r"regress plans/nightly\.yml$", "tests/regress/nightly.sh", "plans/nightly.yml"),
    (r"tests/run\.py build$", "tests/groups.py", "command line"),
    (r"^build/tests/test_", "tests/unit/run.sh", "test_"),
    (r"^make (check|test)\b", "tests/groups.py", "tests/readme.py"),
    (r"^make (coverage|nightly|bench|benches|fuzz|lint)\b", "tests/groups.py", "make"),
    (r"^make (un)?install\b", "tests/replay/install.sh", "make -s install"),
    (r"^make rtl ", "tests/rtl/files.sh", "make -s rtl"),
    (r"nvcosim sweep --size ", "tests/python/test_sizes.py", "sizes.make"),
    (r"^make synth ", "tests/rtl/synth/synth.sh", "scripts/synth.sh"),
    (r"^make (deb|dist)$", "tests/package.sh", "make deb"),
]
# Commands with a simulator that other groups of tests build, up to minutes of compiling: run if it exists, or with NIGHTLY=1.
COSTLY = [
    (r"--coverage-kind toggle", "build/nvcosim-small-toggle"),
    (r"run --coverage ", "build/nvcosim-small-coverage"),
    (r"run --checks ", "build/nvcosim-small-checks"),
    (r"run --tap all ", "build/nvcosim-small-taps"),
]
# Options that the pages name and no --help of nvcosim knows: of other programs, and of simulators; then commands of other programs.
OTHERS = {
    "docs/export.md": "--uio --dev-mem --mem-device --sram --poll",  # of an exported program
    "docs/slurm.md": "--account --cpus-per-task --exclude --qos --time",  # of sbatch
    "docs/plans.md": "--debug",
    "docs/results.md": "--functional-coverage",
    "tests/rtl/README.md": "--seeds",
}
FOREIGN = r"verilator|sbatch|cc|git|tests/|scripts/|build/benches|make|apt-get|help2man"


class Block:
    """An indented block: its kind (commands, output, text, not run), what its comment says, its first line and its lines."""

    def __init__(self, kind, says, first, lines):
        self.kind, self.says, self.first, self.lines = kind, says, first, lines

    def commands(self):
        """(line, command) of each; one that goes over several lines is one."""
        text, first = "", 0
        for i, line in enumerate(self.lines):
            text, first = (text + " " + line.strip(), first) if text else (line.strip(), i)
            if text.endswith("\\"):
                text = text[:-1].rstrip()
                continue
            yield self.first + first + 1, re.sub(r"\s+# .*", "", text)
            text = ""


class Document:
    """A markdown file: its lines and its indented blocks."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as f:
            self.lines = f.read().split("\n")
        self.blocks = []
        i, fenced, follows = 0, False, ("commands", "")
        while i < len(self.lines):
            line = self.lines[i]
            fenced ^= line.lstrip().startswith("```")
            if line.startswith("<!-- "):
                end = i
                while not self.lines[end].endswith("-->"):
                    end += 1
                comment = " ".join(word.strip() for word in self.lines[i:end + 1])
                found = re.fullmatch(r"<!-- (text|output|not run:)\s*(.*?)\s*-->", comment)
                follows = (found.group(1).rstrip(":"), found.group(2)) if found else ("commands", "")
                i = end + 1
                if follows[0] == "output" and not any(self.lines[i:i + 1]) and not "".join(self.lines[i + 1:i + 2]).startswith("    "):
                    self.blocks.append(Block(*follows, i + 1, []))  # which --write fills
                    follows = ("commands", "")
            elif fenced or not line.startswith("    ") or (i and self.lines[i - 1].strip()):
                if line.strip():
                    follows = ("commands", "")
                i += 1
            else:
                end = i
                while end < len(self.lines) and self.lines[end].startswith("    "):
                    end += 1
                self.blocks.append(Block(*follows, i, self.lines[i:end]))
                if follows[0] == "output":
                    follows = ("commands", "")
                i = end

    def anchors(self):
        """The names that links use for the headings."""
        names = set()
        for line in self.lines:
            if re.match(r"#+ ", line):
                title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line.lstrip("#").strip().lower())
                names.add(re.sub(r"[^\w\- ]", "", title).replace(" ", "-"))
        return names


class Sandbox:
    """The folder that commands run in: links to the tree, files of the table."""

    def __init__(self, build):
        self.tree = os.getcwd()
        self.path = os.path.join(build, "tests", "readme")
        shutil.rmtree(self.path, ignore_errors=True)
        os.makedirs(self.path)
        for name, target in [("build", build)] + [(n, n) for n in ("traces", "docs", "plans", "scripts", "tests")]:
            os.symlink(os.path.abspath(target), os.path.join(self.path, name))
        shutil.copytree("rtl", os.path.join(self.path, "rtl"))
        self.environment = dict(os.environ, TREE=self.tree, PATH=os.path.abspath(build) + ":" + os.environ["PATH"], NO_COLOR="1")

    def has(self, name):
        return os.path.exists(os.path.join(self.path, name))

    def shell(self, command):
        """Runs a command, those of make in the repository; its status and what it prints to stdout and stderr."""
        environment = dict(self.environment, OPT="-O0") if re.search(r"\bmine\b", command) else self.environment
        done = subprocess.run(["bash", "-c", command], cwd=self.tree if command.startswith("make ") else self.path, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        return done.returncode, done.stdout

    def filter(self, text, command):
        """What a command makes of a text."""
        return subprocess.run(["bash", "-c", command], cwd=self.path, env=self.environment, input=text, stdout=subprocess.PIPE, text=True, check=False).stdout

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


def folded(text):
    """The lines of an output as a page shows them."""
    for line in text.rstrip("\n").split("\n"):
        line = "    " + line.rstrip()
        while len(line) > WIDTH:
            cut = line.rfind(" ", 5, WIDTH + 1)
            cut = cut if cut > 0 else WIDTH
            yield line[:cut].rstrip()
            line = "    " + line[cut:].lstrip()
        yield line.rstrip()


class Test:
    def __init__(self, build, write, pattern):
        self.sandbox = Sandbox(build)
        self.write, self.pattern = write, pattern
        self.printed = None  # by the last command, None if it did not run
        database = subprocess.run(["make", "-qpRr"], capture_output=True, text=True, check=False).stdout
        self.targets = set(re.findall(r"^([^\s#:=%]+):", database, re.M))

    def result(self, title, good, text=""):
        counts.check(title, good, "".join(f"\n    | {line}" for line in text.splitlines()[-25:]))

    def command(self, where, command):
        self.printed = None
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
            counts.skip(f"{title}: jq is not installed")
            return
        wanted = next((status for pattern, status in STATUS if re.search(pattern, command)), 0)
        real = self.sandbox.prepare(command)
        if real.startswith("gtkwave "):
            status, text = self.sandbox.gtkwave(real.split()[1])
        else:
            status, text = self.sandbox.shell(real)
        self.printed = text
        self.result(title, status == wanted, f"{real}\n{text}\nexit status {status}, expected {wanted}; "
                    "a command that cannot run as it stands needs a line in the tables of tests/readme.py")

    def target(self, where, command):
        missing = [w for w in shlex.split(command)[1:] if "=" not in w and w not in self.targets]
        self.result(f"{where}: {command}, target of make", not missing, f"the Makefile has no target {missing}")

    def output(self, document, block):
        """The lines that the block should have; None: they are not known."""
        title = f"{document.path}:{block.first + 1}: output"
        if block.says.startswith(": "):
            command = block.says[2:]
            if not re.search(self.pattern, command):
                return None
            title += f" of {command}"
            _, text = self.sandbox.shell("exec 2>errors; " + self.sandbox.prepare(command))  # 2>&1 in the command shows errors too
        elif self.printed is None:
            return None
        else:
            text = self.sandbox.filter(self.printed, "cat " + block.says)
        # Other groups of tests build in the same folder.
        text = re.sub(r"(?m)^another build runs in .*\n", "", text)
        got = list(folded(text))
        if not text.strip():
            self.result(title, False, "prints nothing")
        elif not self.write:
            self.result(title, got == block.lines,
                        "expected (tests/readme.py --write puts it there):\n" + "\n".join(got) + "\nfound:\n" + "\n".join(block.lines))
        return got

    def play(self, document):
        """Commands and outputs from top to bottom."""
        written = []
        for block in document.blocks:
            if block.kind == "commands":
                for line, command in block.commands():
                    self.command(f"{document.path}:{line}", command)
            elif block.kind == "output":
                written.append((block, self.output(document, block)))
            elif block.kind == "text":
                shown = [line for line in block.lines if re.match(r"    ((build/)?nvcosim [a-z]|make [a-z])", line)]
                self.result(f"{document.path}:{block.first + 1}: no command in a text", not shown,
                            f"{shown}: run it, or say why not (<!-- not run: REASON -->)")
        if self.write:
            for block, lines in reversed(written):
                if lines:
                    document.lines[block.first:block.first + len(block.lines)] = lines + ([] if block.lines else [""])
            with open(document.path, "w", encoding="utf-8") as f:
                f.write("\n".join(document.lines))

    def form(self, document):
        """The length of lines and pages; a table of contents names every section."""
        path = document.path
        if path == "README.md" or (path.startswith("docs/") and path.count("/") == 1) or "/" not in path:
            wide = [i + 1 for i, line in enumerate(document.lines) if len(line) > WIDTH and not (line.startswith("|") and path != "README.md")]
            self.result(f"{path}: lines of at most {WIDTH} columns", not wide, f"too wide: lines {wide}")
            sections = [line for line in document.lines if line.startswith("## ")]
            if path != "README.md" and len(document.lines) > 60 and len(sections) > 2:
                linked = set(re.findall(r"\]\(#([^)]*)\)", "\n".join(document.lines)))
                missing = [s for s in sections if re.sub(r"[^\w\- ]", "", s[3:].lower()).replace(" ", "-") not in linked]
                self.result(f"{path}: table of contents", not missing, f"sections that it does not name: {missing}")
        if path == "README.md":
            self.result("README.md: at most 150 lines", len(document.lines) <= 151, f"{len(document.lines)} lines")

    def names(self, document, options):
        """Links, files, targets of make and options in the running text."""
        text = "\n".join(document.lines)
        for target in sorted(set(re.findall(r"\]\(([^)\s]+)[^)]*\)", text))):
            if not re.match(r"https?:", target):
                file, _, anchor = target.partition("#")
                path = os.path.normpath(os.path.join(os.path.dirname(document.path), file)) if file else document.path
                good = os.path.exists(path) and (not anchor or anchor in Document(path).anchors())
                self.result(f"{document.path}: link to {target}", good, f"{path} does not exist, or has no section of this name")
        for command in sorted(set(re.findall(r"`(make [a-z][\w-]*)`", text))):
            self.target(document.path, command)
        paths = {p.rstrip("./,") for p in re.findall(r"(?<![\w/.~$}-])(?:csrc|tb|rtl|tests|scripts|plans)/[\w./*-]+", text)}
        gone = sorted(p for p in paths if not re.search(r"NAME|CONFIG|FOLDER|ENGINE", p) and not glob.glob(p))
        self.result(f"{document.path}: files exist", not gone, f"there is no {gone}")
        words = {w for code in re.findall(r"`([^`\n]+)`", text) if not re.match(FOREIGN, code) for w in re.findall(r"(?<![\w-])--[a-z][\w-]*", code)}
        unknown = sorted(words - options - set(OTHERS.get(document.path, "").split()))
        self.result(f"{document.path}: options exist", not unknown, f"no --help knows {unknown}")


def sources_name_pages(test):
    """Pages that sources, scripts and tests name exist."""
    listed = subprocess.run(["git", "grep", "-noE", r"docs/[a-z-]+\.md", "--", "csrc", "tb", "scripts", "tests", "Makefile", "rtl", "plans"],
                            capture_output=True, text=True, check=False).stdout.split("\n")
    missing = [line for line in listed if line and not os.path.exists(line.rsplit(":", 1)[1])]
    test.result("pages that sources name exist", not missing, "\n".join(missing))


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    arguments.add_argument("build")
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--only", default="")
    arguments.add_argument("pages", nargs="*")
    given = arguments.parse_intermixed_args()
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    test = Test(given.build, given.write, given.only)
    _, text = test.sandbox.shell("for c in '' $(nvcosim help | sed -n '/^Commands/,/^$/s/^  \\([a-z-]*\\) .*/\\1/p' | grep -v '^help'); do nvcosim $c --help; done")
    options = set(re.findall(r"--[a-z][\w-]*", text)) | {f"--stall-{channel}" for channel in ("r", "aw", "w", "b")}  # "likewise" in --help
    # The page that plants a bug comes first: others use its RTL.
    first = ["docs/debug.md", "README.md"]
    pages = given.pages or first + sorted(p for p in glob.glob("**/*.md", recursive=True) if p not in first and not p.startswith(("build", "docs/nvdla/")))
    for path in pages:
        document = Document(path)
        test.play(document)
        if not given.write and not given.only:
            test.names(document, options)
            test.form(document)
    if given.write:
        sys.exit(counts.failed > 0)
    if not given.pages and not given.only:
        sources_name_pages(test)
    counts.finish()


sys.stdout.reconfigure(line_buffering=True)
main()
