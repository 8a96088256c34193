"""`python3 -m nvcosim.captures FORMAT LEAST [NAME=VALUE...] -- FILE...`: the records of a capture
(source.py). FORMAT "": the most likely one, if that is at least LEAST (0 to 100) likely."""
import os
import signal
import sys

from nvcosim import files
from nvcosim.captures import kmd, mmiotrace, rwmmio, table, vp
from nvcosim.captures.source import Options, Refused, Source
from nvcosim.tool import Failure

_FORMATS = {"mmiotrace": mmiotrace, "rwmmio": rwmmio, "kmd": kmd, "vp": vp, "csv": table}
_HEAD, _PIECE = 1 << 16, 1 << 14


def _recognise(path: str, least: int) -> str:
    """The format of a file, empty if others are more likely."""
    head = b""
    try:
        for piece in files.regular_pieces(path, _PIECE):
            head += piece
            if len(head) >= _HEAD:
                break
    except Failure:
        pass  # damage is reported when it is reached
    head = head[:_HEAD]
    scores: dict[str, int] = {name: reader.likely(head) for name, reader in _FORMATS.items()}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] >= max(least, 1) else ""


def main(words: list[str]) -> None:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # C reads until an error
    end = words.index("--")
    pairs = dict(word.split("=", 1) for word in words[2:end])
    name = words[0] or _recognise(words[end + 1], int(words[1]))
    if not words[0] and name == "csv" and "signal" in pairs:
        name = "samples"
    options = Options("force" in pairs, int(pairs["base"]) if "base" in pairs else None,
                      int(pairs.get("size", 0)),
                      {key: os.fsencode(value) for key, value in pairs.items()})
    source = Source(name, words[end + 1:], options)
    try:
        if name == "pattern":  # not one that is recognised
            from nvcosim.captures import pattern
            pattern.read(source)
        elif name in _FORMATS:
            _FORMATS[name].read(source)
        else:
            source.begin()
        source.records.append(b"e %x %x" % (source.outside, source.layers))
    except Refused as refused:
        source.records.append(refused.record)
    except MemoryError:
        source.records.append(b"X found no memory for the lines of the capture, expected some")
    source.flush()


main(sys.argv[1:])
