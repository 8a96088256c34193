"""NVDLA from Python: a device whose registers have names, memory as bytes or numpy arrays, traces
that Python writes, and what `nvcosim` says of a run. docs/python.md has examples.

The rest of the package plans, runs, keeps and compares what the C program plays and explains."""
import typing

_PUBLIC = {
    "Device": "device", "DeviceError": "device", "Memory": "device", "Registers": "registers",
    "Trace": "trace", "Failure": "tool", "play": "playing", "run_network": "playing",
    "cube_bytes": "layout", "cube_array": "layout", "weight_bytes": "layout",
}
__all__ = list(_PUBLIC)


def __getattr__(name: str) -> typing.Any:
    """Loads a part when it is asked for: commands of nvcosim need none of them."""
    if name not in _PUBLIC:
        raise AttributeError(f"nvcosim has no '{name}'; it has {', '.join(_PUBLIC)}")
    import importlib
    return getattr(importlib.import_module(f"nvcosim.{_PUBLIC[name]}"), name)
