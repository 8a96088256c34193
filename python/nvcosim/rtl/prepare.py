"""What `nvcosim build` does before Verilator: writes the list of files of a tree, and says what the
RTL is, which memory its build needs and whether that is free.

usage: python3 -m nvcosim.rtl.prepare OPTION CONFIG PATH OUT TOP RAMS PRINT BUS MAP [NAME=VALUE...]
OPTION is --vmod or --nvidia: PATH is a tree, whose list becomes OUT/vmod.f. Or --filelist: PATH is
a list. If the top has another register BUS than NVDLA, a MAP of its ports, or inputs that values
are given of, OUT/adapter.f is a list with an adapter around it. Output: lines for the user; if
PRINT is not empty, the list. Exit status: 0; 2: the last line says why."""
import os
import pathlib
import sys

from nvcosim.rtl import adapter, filelist, tree, verilate
from nvcosim.tool import Failure

# Of NVIDIA's full, measured with Verilator 5.006: with the RAM models of rams/fpga, and with those
# of rams/synth, which are made of macros.
_FULL_MEMORY, _FULL_MEMORY_MACROS = 8.5e9, 13.3e9
_MACRO = b"module RAMPDP_"


def _defines(entries: list[filelist.Entry], text: bytes) -> bool:
    """A file of the list has the beginning of that module, whatever the file's name."""
    return any(text in pathlib.Path(entry.path).read_bytes()
               for entry in entries if os.path.isfile(entry.path))


def _check_memory(option: str, entries: list[filelist.Entry]) -> None:
    """Failure if NVIDIA's full needs more memory than is free."""
    free, needed, less = verilate.free_memory(), _FULL_MEMORY, ""
    if _defines(entries, _MACRO):
        needed = _FULL_MEMORY_MACROS
        less = (f", because its RAMs are macros; {_FULL_MEMORY / 1e9:.1f} GB with --vmod DIR "
                "--nvidia-rams DIR and the RAM models of branch master")
    print(f"NVIDIA's full needs {needed / 1e9:.1f} GB of memory{less}", flush=True)
    if free.limited and free.size < needed:
        raise Failure(f"{option}: found a limit of {free.size / 1e9:.1f} GB of memory, expected "
                      f"{needed / 1e9:.1f} GB; raise it (ulimit -v)")
    if free.size < needed:
        raise Failure(f"{option}: found {free.size / 1e9:.1f} GB of free memory and swap space, "
                      f"expected {needed / 1e9:.1f} GB; build on a machine with more, or end "
                      "what else runs")


def _adapt(adapter_list: pathlib.Path, rtl_list: str, top: str, bus: str, config: str,
           port_map: str, pins: dict[str, str]) -> None:
    """Writes the adapter's list if the top needs an adapter; else there is none."""
    if not (bus or port_map or set(pins) - set(adapter.STATIC_INPUTS)):
        adapter_list.unlink(missing_ok=True)
        return
    made = adapter.write(adapter_list, rtl_list, top, bus or "csb", config, port_map or None, pins)
    print(f"an adapter connects {top}: {adapter_list.with_suffix('.sv')}")
    if made.open:
        print(f"ports of {top} that stay open, inputs of them are 0 (--pin NAME=VALUE sets one): "
              f"{', '.join(made.open)}")


def main(argv: list[str]) -> int:
    """Prepares the build; returns the exit status."""
    option, config, path, out, top, rams, printed, bus, port_map, *pins = argv
    entries: list[filelist.Entry] = []
    if option == "--filelist":
        entries = list(filelist.read(path))
        slow = next((e for e in entries if tree.is_slow(pathlib.Path(e.path))), None)
        if slow:
            print(f"warning: {slow.place}: the RAM models in {os.path.dirname(slow.path)} fail "
                  "under Verilator, or compile for hours; those in rams/fpga work")
        nvidias = config == "full" and _defines(entries, b"module NV_NVDLA_partition_m")
    else:
        found = tree.file_list(tree.Request(option, config, path, pathlib.Path(out), rams, top))
        text = "".join(f"{line}\n" for line in (f"// {found.title}", *found.lines))
        tree.write(pathlib.Path(out, "vmod.f"), os.fsencode(text))
        if printed:
            print(text, end="")
            return 0
        print(found.title, *(f"warning: {warning}" for warning in found.warnings), sep="\n")
        nvidias = found.branch == "nvdlav1"
        path = os.path.join(out, "vmod.f")
        entries = list(filelist.read(path))
    _adapt(pathlib.Path(out, "adapter.f"), path, top, bus, config, port_map,
           dict(pin.split("=", 1) for pin in pins))
    if nvidias:
        _check_memory(option, entries)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (Failure, OSError) as failure:
        sys.stdout.flush()
        print(failure if isinstance(failure, Failure)
              else f"{failure.filename}: {failure.strerror}", file=sys.stderr)
        sys.exit(2)
