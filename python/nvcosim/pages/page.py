"""The page of a night, index.html: the Review as JSON inside a short page that night.js draws. It
is one file and needs no network; without JavaScript it shows the summary. The page of a comparison
is made of the same parts (compare_page.py)."""
import contextlib
import dataclasses
import html
import json
import os
import pathlib
import re
import typing
from urllib.parse import quote

from nvcosim.pages.review import Review, Test
from nvcosim.pages.summary import summary_text
from nvcosim.store.nights import trace_name
from nvcosim.text import duration, shown
from nvcosim.tool import Failure

Links = typing.Iterable[tuple[str, str]]  # of a page without JavaScript: address and text
_NAMED = 3   # traces that the command of a night names; of more it says how many they are
_WORTH = 8   # characters that it takes to say that a text begins like the one before
_PATHS = ("page", "shrunk", "before_page")  # members that are links
_NOT_DRAWN = ("item", "trace")              # of a test
_SEEDS = ("seed", "layer_seed")             # a number of the script has 53 bits
_FRAME = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<button id="theme" type="button" hidden>light / dark</button>
<noscript><pre>{text}</pre>{links}</noscript>
<script type="application/json" id="tests-data">{data}</script>
<script>
{script}</script>
</body>
</html>
"""


# ---- pages ----

def link(path: str) -> str:
    """The address of a file beside the page, whatever its name holds."""
    return quote(os.fsencode(path), safe="/._~-")


def data_of(value: typing.Any, name: str = "") -> typing.Any:
    """What the script gets of dataclasses, lists and values. name: of the member that it is."""
    if isinstance(value, str):
        return link(value) if name in _PATHS else shown(value)
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if name in _SEEDS and value is not None:
        return str(value & (1 << 64) - 1)
    if isinstance(value, (list, tuple)):
        return [data_of(each) for each in value]
    if dataclasses.is_dataclass(value):
        value = vars(value)
    if isinstance(value, dict):
        return {member: data_of(each, member) for member, each in value.items()}
    return value


def page_text(title: str, summary: str, links: Links, script: str, data: typing.Any) -> str:
    """A page that a script draws from the data. summary, links: shown without JavaScript."""
    def part(name: str) -> str:
        return pathlib.Path(__file__).with_name(name).read_text(encoding="utf-8")

    packed = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    packed = re.sub("[<>&]", lambda found: f"\\u{ord(found[0]):04x}", packed)
    return _FRAME.format(
        title=html.escape(shown(title)), style=part("base.css") + part("night.css"),
        text="\n".join(html.escape(shown(line)) for line in summary.split("\n")),
        links="".join(f'\n<p><a href="{address}">{html.escape(shown(text))}</a></p>'
                      for address, text in links),
        data=packed, script="".join(map(part, ("base.js", "charts.js", script))))


def write_file(path: str, text: str) -> None:
    """Writes a file; readers see the old one or all of the new one. Failure: it cannot be
    written."""
    regular = os.path.isfile(path) or not os.path.exists(path)
    temporary = f"{path}.{os.getpid()}.tmp" if regular else path
    try:
        with open(temporary, "w", encoding="utf-8") as out:
            out.write(text)
        if regular:
            os.replace(temporary, path)
    except OSError as error:
        if regular:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        raise Failure(f"{shown(path)}: cannot write: {error.strerror}") from None


# ---- the page of a night ----

def short_command(review: Review) -> str:
    """The command of the night with many traces as their number: "nvcosim qualify --count 60 (313
    traces)"."""
    names = {test.trace for test in review.tests}
    words = re.findall(r"(?:'[^']*'?|\\.|[^ '])+", review.command)
    rest = [word for word in words if trace_name(word.strip("'")) not in names]
    count = len(words) - len(rest)
    return " ".join(words if count <= _NAMED else [*rest, f"({count} traces)"])


def page_of_night(review: Review, folder: str) -> str | None:
    """Where the page of another night is, seen from this one's; None unless their folders lie side
    by side."""
    own, other = review.folder.rpartition("/"), folder.rpartition("/")
    return f"../{other[2]}/index.html" if own[:2] == other[:2] and own[1] else None


def _column(name: str, tests: list[Test]) -> list[typing.Any]:
    """A member of all tests. Texts repeat themselves: a text is 0 if it is that of the test before,
    [N, "rest"] if it begins like that one with N characters."""
    values = [data_of(getattr(test, name), name) for test in tests]
    if not any(isinstance(value, str) for value in values):
        return values
    packed: list[typing.Any] = []
    last = "\ufffe"
    for text in (value or "" for value in values):
        same = len(os.path.commonprefix([last, text])) if last.isascii() else 0
        packed.append(0 if text == last else [same, text[same:]] if same >= _WORTH else text)
        last = text
    return packed


def page_write(review: Review, path: str) -> None:
    """Writes the page. Failure: it cannot be written."""
    command = short_command(review)
    data = data_of({
        **vars(review), "tests": None, "outcome": review.outcome, "sentence": review.sentence(),
        "trends": [{**trend, "page": page_of_night(review, trend["folder"])}
                   for trend in review.trends],
        "command": command, "whole": None if command == review.command else review.command,
        "before_page": page_of_night(review, review.before_folder),
        "time": duration(review.seconds),
        "cpu_time": duration(sum(test.cpu_seconds for test in review.tests))})
    data["tests"] = {field.name: _column(field.name, review.tests)
                     for field in dataclasses.fields(Test) if field.name not in _NOT_DRAWN}
    reports = [*((bucket.page, f"debug report of bucket {bucket.number}")
                 for bucket in review.buckets),
               *((test.page, f"report of {test.key}")
                 for test in review.tests if test.state == "failed")]
    links = [(link(file), text) for file, text in reports if file]
    title = f"{review.outcome} {review.plan}, night {review.night}"
    write_file(path, page_text(title, summary_text(review), links, "night.js", data))
