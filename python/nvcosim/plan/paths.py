"""Paths in a plan: with variables of the environment, relative to the plan's folder, with patterns.
Patterns are those of the C library, glob(3) with braces and fnmatch(3)."""
import functools
import os
import re
import typing

from nvcosim.tool import Failure

_VARIABLE = re.compile(r"\$\{(?:([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|)", re.S)
_NOSORT, _BRACE, _NOMATCH = 4, 1 << 10, 3  # of glob.h


def variables(text: str) -> str:
    """The text with ${NAME} and ${NAME:-TEXT} replaced: the value of that variable; TEXT, as it
    stands, where it is not set or empty. Failure: no such variable, no closing brace, no name."""
    def replace(found: re.Match[str]) -> str:
        name, otherwise = found.groups()
        if not name:
            raise Failure(f"found '${{{text[found.end():][:40]}', expected ${{NAME}} or "
                          "${NAME:-TEXT}, the name of a variable of the environment of letters, "
                          "digits and _")
        value = os.environ.get(name)
        if not value and otherwise is None:
            raise Failure(f"the variable {name} of the environment is "
                          f"{'not set' if value is None else 'empty'}; set it, or give a text for "
                          f"this case: ${{{name}:-TEXT}}")
        return value or otherwise or ""
    return _VARIABLE.sub(replace, text)


def seen_from(folder: str, path: str) -> str:
    """A path as it is seen from a folder, which is absolute: absolute, without "." and ".."."""
    return os.path.normpath(os.path.join(folder, path))


@functools.cache
def _libc() -> typing.Any:
    import ctypes
    return ctypes.CDLL(None)


def matches(pattern: str, name: str) -> bool:
    """fnmatch(3): "*" matches "/" too."""
    return not _libc().fnmatch(os.fsencode(pattern), os.fsencode(name), 0)


def match(folder: str, pattern: str) -> list[str]:
    """The files that a pattern matches ("*", "?", "[...]", never a leading dot; "{A,B}": A or B),
    each once, in the order of their bytes, absolute. Without these characters it matches itself, if
    it is there. Failure if a folder cannot be read: it may hide traces."""
    import ctypes
    import errno

    class Found(ctypes.Structure):
        _fields_ = [("count", ctypes.c_size_t), ("paths", ctypes.POINTER(ctypes.c_char_p)),
                    ("rest", ctypes.c_void_p * 7)]

    def unreadable(_path: bytes, reason: int) -> int:
        return reason not in (errno.ENOENT, errno.ENOTDIR)

    whole = seen_from(re.sub(r"([*?\[\]{},\\])", r"\\\1", folder), pattern)
    found = Found()
    status = _libc().glob(os.fsencode(whole), _NOSORT | _BRACE,
                          ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_int)(unreadable),
                          ctypes.byref(found))
    paths = {found.paths[i] or b"" for i in range(found.count)} if status == 0 else set()
    _libc().globfree(ctypes.byref(found))
    if status not in (0, _NOMATCH):
        raise Failure(f"{seen_from(folder, pattern)}: a folder on the way cannot be read")
    return [os.fsdecode(path) for path in sorted(paths)]
