#!/usr/bin/python3
"""Copies the RTL of one configuration: the generated package, and of rtl/ the files that it uses, with a list, nvdla.f.

usage: rtl_files.py BUILD CONFIG OUT     as make rtl CONFIG=... OUT=DIR does; OUT is made, or empty

Verilator says which modules the configuration has; a file is named after its module or package (docs/style.md).
Exit status: 0; 2 with a message, and no OUT.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOP = "NV_nvdla"
TREE = ("--xml-only", "--xml-output"), ("--json-only", "--json-only-output")  # Verilator up to 5.034, and later


def fail(message):
    print(f"rtl: {message}", file=sys.stderr)
    sys.exit(2)


def listed():
    """The files of nvdla.f, in its order."""
    lines = (ROOT / "rtl/nvdla.f").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith(("//", "+"))]


def modules(generated):
    """Names of the modules that are left once the design is elaborated."""
    options = ["-Wno-fatal", "-Wno-lint", "--top-module", TOP, "-f", f"{generated}/config.f", f"{generated}/nvdla_pkg.sv", "-F", f"{ROOT}/rtl/nvdla.f"]
    for only, output in TREE:
        done = subprocess.run(["verilator", only, output, f"{generated}/tree", *options], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            tree = pathlib.Path(generated, "tree").read_text(encoding="utf-8")
            return set(re.findall(r'\borigName"?[=:]"(\w+)"', tree))
    fail(f"verilator has failed: {done.stderr.strip().splitlines()[0]}")


def used(names, own):
    """The files of these modules, and the packages and headers that they name. own: text of the generated package."""
    files = listed()
    text = {file: (ROOT / "rtl" / file).read_text(encoding="utf-8") for file in files}
    chosen = {file for file in files if file.endswith(".svh") or pathlib.Path(file).stem in names}
    while True:
        said = own + "".join(text[file] for file in chosen)
        packages = {file for file in files if file.endswith("_pkg.sv") and re.search(rf"\b{pathlib.Path(file).stem}::", said)}
        if packages <= chosen:
            return [file for file in files if file in chosen]
        chosen |= packages


def main():
    if len(sys.argv) != 4 or not sys.argv[3]:
        fail("expected OUT=DIR, a folder for the files")
    config, out = sys.argv[2], pathlib.Path(sys.argv[3])
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        fail(f"{out}: found a file, or a folder with files, expected an empty one or none")
    generated = pathlib.Path(sys.argv[1], "gen", config)
    with tempfile.TemporaryDirectory() as work:
        shutil.copytree(generated, f"{work}/rtl", ignore=lambda _, names: [name for name in names if not name.endswith((".sv", ".svh", ".f"))])
        files = used(modules(f"{work}/rtl"), pathlib.Path(work, "rtl/nvdla_pkg.sv").read_text(encoding="utf-8"))
        pathlib.Path(work, "rtl/config.f").unlink()
        pathlib.Path(work, "rtl/tree").unlink()
        for file in files:
            pathlib.Path(work, "rtl", file).parent.mkdir(exist_ok=True)
            shutil.copyfile(ROOT / "rtl" / file, f"{work}/rtl/{file}")
        heading = f"// RTL of configuration {config}, relative to this folder. Top: {TOP}."
        pathlib.Path(work, "rtl/nvdla.f").write_text("\n".join([heading, "+incdir+common", "nvdla_unused.svh", "nvdla_pkg.sv", *files, ""]), encoding="utf-8")
        if out.exists():
            out.rmdir()
        shutil.move(f"{work}/rtl", out)
    print(f"{out}: {len(files) + 2} of {len(listed()) + 2} files; list: {out}/nvdla.f; top: {TOP}")


if __name__ == "__main__":
    main()
