#!/usr/bin/env python3
"""Writes the file list that Verilator needs for NVIDIA's own RTL, for `nvcosim build --nvidia`.

Two layouts of their repository are supported. Branch master (the configurable generation) generates the RTL of a project into
outdir/PROJECT/vmod. Branch nvdlav1 has one configuration, full, checked in under vmod.

usage: nvidia_list.py CONFIG CHECKOUT OUT [RAMS]      writes OUT/vmod.f, and patched copies of files that Verilator cannot read to OUT/resolved
RAMS: the source of RAM models: a folder of them, a vmod, or a checkout of branch master. Required for full, whose own do not work under Verilator.
Exit status: 0; 2 with a message that names what is missing and how to make it.
"""
import os
import pathlib
import re
import sys

OWN = pathlib.Path(__file__).resolve().parent.parent / "tb/nvidia"  # modules that are used instead of those of vlibs
MANUAL = "(docs/other-rtl.md)"
AGAIN = f"./tools/bin/tmake -build vmod {MANUAL}"
LIBRARIES = ("nvdla/nocif/NV_NVDLA_XXIF_libs.v", "vlibs/RANDFUNC.vlib", "vlibs/nv_assert_no_x.vlib")
DEFINES = ("NO_PLI_OR_EMU", "NO_PLI", "DESIGNWARE_NOEXIST", "SYNTHESIS", "FPGA")
FULL_DEFINES = ("NV_FPGA_FIFOGEN", "FIFOGEN_MASTER_CLK_GATING_DISABLED", "VLIB_BYPASS_POWER_CG")


class Failure(Exception):
    """What is missing, and how to make it."""


def entries(folder, suffix=""):
    """Names in a folder, sorted, without those that begin with a dot; none if it cannot be read."""
    try:
        return sorted((name for name in os.listdir(folder) if not name.startswith(".") and name.endswith(suffix)), key=os.fsencode)
    except OSError:
        return []


def find_vmod(config, checkout):
    """The vmod folder of a configuration."""
    if not checkout.is_dir():
        why = "not a folder" if checkout.exists() else "No such file or directory"
        raise Failure(f"--nvidia: {checkout}: {why}; expected a checkout of NVIDIA's repository")
    top, generated, checked_in = "nvdla/top/NV_nvdla.v", checkout / f"outdir/nv_{config}/vmod", checkout / "vmod"
    for vmod in [generated, checked_in] if config == "full" else [generated]:
        if (vmod / top).is_file():
            return vmod
    if config == "full":
        raise Failure(f"--nvidia: {checked_in}/{top} does not exist; full is on branch nvdlav1: git -C {checkout} checkout nvdlav1 {MANUAL}")
    others = ", ".join(name for name in entries(checkout / "outdir") if (checkout / "outdir" / name / "vmod" / top).is_file())
    raise Failure(f"--nvidia: {generated}/{top} does not exist{others and '; there is RTL of '}{others}; generate it on branch master, with a tree.make "
                  f"that names project nv_{config}: cd {checkout} && {AGAIN}")


def find_rams(vmod, rams, full):
    """The folder of RAM models: vmod's, or the one that `rams` names."""
    if not rams and full:
        raise Failure("--nvidia: the RAM models of branch nvdlav1 do not work under Verilator; use --nvidia-rams DIR with those of branch master "
                      "(vmod/rams/fpga/model of a checkout)")
    for place in ("", "rams/fpga/model", "vmod/rams/fpga/model") if rams else ("rams/fpga/model",):
        if entries((rams or vmod) / place, ".v"):
            return (rams or vmod) / place
    if rams:
        raise Failure(f"--nvidia-rams: {rams} holds no RAM models (*.v); expected the folder vmod/rams/fpga/model of a checkout of branch master, or that "
                      "checkout")
    raise Failure(f"--nvidia: {vmod}/rams/fpga/model holds no RAM models (*.v); generate vmod again: {AGAIN}")


def resolve(text, name):
    """Resolves conditional lines (#ifdef NAME ... #else ... #endif) as a C preprocessor does with every NAME defined."""
    kept, out, number = [True], "", 0
    for number, line in enumerate(re.findall("[^\n]*\n|[^\n]+", text), 1):
        if not line.startswith("#"):
            out += line if kept[-1] else ""
        elif line.startswith("#ifdef "):
            kept.append(kept[-1])
        elif line.startswith("#ifndef "):
            kept.append(False)
        elif line.startswith("#else") and len(kept) > 1:
            kept[-1] = kept[-2] and not kept[-1]
        elif line.startswith("#endif") and len(kept) > 1:
            kept.pop()
        else:
            kept = []
            break
    if len(kept) != 1:
        raise Failure(f"--nvidia: {name}:{number}: expected #ifdef NAME, #ifndef NAME, #else or #endif in pairs")
    return out


def resolve_top(vmod, out):
    """Copies the files of nvdla/top that have conditional lines, resolved, to OUT/resolved. Returns their names."""
    found = []
    for name in entries(vmod / "nvdla/top", ".v"):
        path = vmod / "nvdla/top" / name
        text = path.read_bytes().decode("latin-1")
        if text.startswith("#") or "\n#if" in text:
            (out / "resolved").mkdir(exist_ok=True)
            (out / "resolved" / name).write_bytes(resolve(text, path).encode("latin-1"))
            found.append(name)
    return found


def file_list(config, vmod, rams, out):
    """The lines of the list."""
    full = config == "full"
    for path in ("vlibs", "include", *LIBRARIES):
        if not (vmod / path).exists():
            raise Failure(f"--nvidia: {vmod / path} does not exist; the RTL was not generated completely: {AGAIN}")
    resolved = resolve_top(vmod, out) if full else []
    models = find_rams(vmod, rams, full)
    fifos = entries(vmod / "fifos", ".v")  # the branch of full has its FIFOs in the files of the modules that use them
    if not fifos and not full:
        raise Failure(f"--nvidia: {vmod}/fifos holds no *.v; generate vmod again: {AGAIN}")
    lines = [f"-y {out}/resolved"] if resolved else []  # before nvdla/top: the first match counts
    lines.append(f"-v {OWN}/NV_DW02_tree.sv")  # before vlibs, likewise
    for name in entries(vmod / "nvdla"):
        if (vmod / "nvdla" / name).is_dir():
            lines += [f"-y {vmod}/nvdla/{name}", f"+incdir+{vmod}/nvdla/{name}"]
    lines += [f"-y {models}", f"-y {vmod}/vlibs", f"+incdir+{vmod}/include", "+libext+.v+.vlib"]
    lines += [f"-v {vmod}/fifos/{name}" for name in fifos]  # they have several modules each, so -y does not find them
    lines += [f"-v {vmod}/{path}" for path in LIBRARIES]
    lines += [f"+define+{name}" for name in DEFINES + (FULL_DEFINES if full else ())]
    return [*lines, f"{out}/resolved/NV_nvdla.v" if "NV_nvdla.v" in resolved else f"{vmod}/nvdla/top/NV_nvdla.v"]


def main(config, checkout, out, rams=None):
    """Writes the list."""
    out = pathlib.Path(out)
    if rams and not os.path.exists(rams):
        raise Failure(f"--nvidia-rams: {rams}: No such file or directory")
    rams = rams and pathlib.Path(os.path.realpath(rams))
    vmod = find_vmod(config, pathlib.Path(os.path.realpath(checkout) if os.path.exists(checkout) else checkout))
    used = [str(path) for path in (vmod, out, rams) if path]
    if re.search("[ \t\n]", "".join(used)):
        raise Failure(f"--nvidia: Verilator's file lists take no path with spaces; rename or link one of {', '.join(used)}")
    out.mkdir(parents=True, exist_ok=True)
    lines = file_list(config, vmod, rams, out)
    (out / "vmod.f").write_bytes(os.fsencode("".join(f"{line}\n" for line in lines)))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (Failure, OSError) as failure:
        print(failure if isinstance(failure, Failure) else f"{failure.filename}: {failure.strerror}", file=sys.stderr)
        sys.exit(2)
