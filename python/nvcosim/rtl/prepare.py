"""What `nvcosim build` does before Verilator: writes the list of files of a tree, and says what the
RTL is, which memory its build needs and whether that is free."""
import dataclasses
import os
import pathlib

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


@dataclasses.dataclass
class Request:
    """option: --vmod or --nvidia: path is a tree, whose list becomes OUT/vmod.f. Or --filelist: it
    is a list. If the top has another register bus than NVDLA, a map of its ports, or inputs that
    values are given of, OUT/adapter.f is a list with an adapter around it. pins: NAME=VALUE."""
    option: str
    config: str
    path: str
    out: str
    top: str
    rams: str = ""
    bus: str = ""
    port_map: str = ""
    pins: tuple[str, ...] = ()


def _adapt(adapter_list: pathlib.Path, rtl_list: str, given: Request) -> None:
    """Writes the adapter's list if the top needs an adapter; else there is none."""
    pins = dict(pin.split("=", 1) for pin in given.pins)
    if not (given.bus or given.port_map or set(pins) - set(adapter.STATIC_INPUTS)):
        adapter_list.unlink(missing_ok=True)
        return
    made = adapter.write(adapter_list, rtl_list, given.top, given.bus or "csb", given.config,
                         given.port_map or None, pins)
    print(f"an adapter connects {given.top}: {adapter_list.with_suffix('.sv')}")
    if made.open:
        print(f"ports of {given.top} that stay open, inputs of them are 0 (--pin NAME=VALUE sets "
              f"one): {', '.join(made.open)}")


def prepare(request: Request, printed: bool = False) -> None:
    """Prints lines for the user; or only the list, if `printed`. Failure, OSError."""
    option, config, path, out = request.option, request.config, request.path, request.out
    entries: list[filelist.Entry] = []
    if option == "--filelist":
        entries = list(filelist.read(path))
        slow = next((e for e in entries if tree.is_slow(pathlib.Path(e.path))), None)
        if slow:
            print(f"warning: {slow.place}: the RAM models in {os.path.dirname(slow.path)} fail "
                  "under Verilator, or compile for hours; those in rams/fpga work")
        nvidias = config == "full" and _defines(entries, b"module NV_NVDLA_partition_m")
    else:
        found = tree.file_list(tree.Request(option, config, path, pathlib.Path(out), request.rams,
                                            request.top))
        text = "".join(f"{line}\n" for line in (f"// {found.title}", *found.lines))
        tree.write(pathlib.Path(out, "vmod.f"), os.fsencode(text))
        if printed:
            print(text, end="")
            return
        print(found.title, *(f"warning: {warning}" for warning in found.warnings), sep="\n")
        nvidias = found.branch == "nvdlav1"
        path = os.path.join(out, "vmod.f")
        entries = list(filelist.read(path))
    _adapt(pathlib.Path(out, "adapter.f"), path, request)
    if nvidias:
        _check_memory(option, entries)
