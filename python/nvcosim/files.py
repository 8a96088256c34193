"""Files of a user, packed with gzip or not, read whole or piece by piece."""
import contextlib
import itertools
import os
import stat
import typing
import zlib

from nvcosim.tool import Failure

_PIECE = 1 << 20
_GZIP = b"\x1f\x8b"
_WINDOW = 15 + 16  # zlib: largest window, gzip wrapper


def _unpacked(name: str, packed: typing.Iterator[bytes], most: int) -> typing.Iterator[bytes]:
    """The content of one gzip member after another, at most so many bytes at a time."""
    stream, size, member_open, content = zlib.decompressobj(_WINDOW), 0, True, b""
    for piece in itertools.chain(packed, itertools.repeat(b"")):
        at_end = not piece
        while piece or (at_end and member_open):
            if not member_open:
                stream = zlib.decompressobj(_WINDOW)
            try:
                content = stream.decompress(piece, most)
            except zlib.error as error:
                reason = str(error).rpartition(": ")[2]
                raise Failure(f"{name}: corrupt gzip stream (zlib: {reason})") from None
            size += len(content)
            if content:
                yield content
            member_open, piece = not stream.eof, stream.unconsumed_tail or stream.unused_data
            if at_end and not content:
                break
        if at_end:
            break
    if member_open:
        raise Failure(f"{name}: truncated gzip stream (after {size} bytes of content)")


def _raw(name: str, descriptor: int, size: int) -> typing.Iterator[bytes]:
    try:
        while piece := os.read(descriptor, size):
            while len(piece) == 1 and (more := os.read(descriptor, 1)):  # of a pipe
                piece += more
            yield piece
    except OSError as error:
        raise Failure(f"{name}: cannot read: {os.strerror(error.errno or 0)}") from None


def _content(name: str, descriptor: int, size: int) -> typing.Iterator[bytes]:
    pieces = _raw(name, descriptor, size)
    first = next(pieces, b"")

    def all_of_it() -> typing.Iterator[bytes]:
        yield first
        yield from pieces
    try:
        packed = first.startswith(_GZIP)
        yield from _unpacked(name, all_of_it(), 4 * size) if packed else all_of_it()
    finally:
        os.close(descriptor)


def pieces(path: str) -> typing.Iterator[bytes]:
    """The content of a file; "-": of standard input. Failure."""
    if path == "-":
        yield from _content("standard input", os.dup(0), _PIECE)
    else:
        yield from regular_pieces(path)


def regular_pieces(path: str, size: int = _PIECE) -> typing.Iterator[bytes]:
    """The same where "-" is a name like any other: read in pieces of `size` bytes, unpacked in
    pieces of at most four times that."""
    try:
        special = not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        special = False
    if special:
        raise Failure(f"{path}: is not a regular file")
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise Failure(f"{path}: cannot open: {os.strerror(error.errno or 0)}") from None
    yield from _content(path, descriptor, size)


def read(path: str) -> bytes:
    """All of a file. Failure."""
    return b"".join(pieces(path))


def read_regular(path: str) -> bytes:
    """The same of regular_pieces()."""
    return b"".join(regular_pieces(path))


def write(path: str, content: bytes) -> None:
    """Writes a file beside its place and gives it its name at the end, so a failure leaves no part
    of it; packed if the name ends in .gz. A device or a pipe is written as it is. Failure."""
    special = os.path.exists(path) and not os.path.isfile(path)
    temporary = path if special else f"{path}.{os.getpid()}.tmp"
    if len(path) > 3 and path.endswith(".gz"):
        packer = zlib.compressobj(wbits=_WINDOW)
        content = packer.compress(content) + packer.flush()
    doing = "open for writing" if special else "create"
    try:
        with open(temporary, "wb", buffering=0) as file:
            doing = "write"
            while content:
                content = content[file.write(content):]
        doing = f"rename {temporary} to it"
        if not special:
            os.rename(temporary, path)
    except OSError as error:
        if not special:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        raise Failure(f"{path}: cannot {doing}: {os.strerror(error.errno or 0)}") from None
