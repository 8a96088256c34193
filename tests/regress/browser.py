"""A page in a headless Chromium of any width: inside a frame, whose window has to be wider than a telephone's."""
import html.parser
import json
import pathlib
import subprocess
import tempfile

FRAME = """<!DOCTYPE html><body><iframe src="page.html" style="width:%dpx;height:900px;border:0"></iframe><pre></pre>
<script>addEventListener("message", (event) => { document.querySelector("pre").textContent = event.data; });</script>"""


class Pre(html.parser.HTMLParser):
    """The text of <pre>."""

    def __init__(self, text):
        super().__init__()
        self.text = ""
        self.feed(text)

    def handle_data(self, data):
        if self.lasttag == "pre":
            self.text += data


def browse(source, reader, width):
    """What the reader, a script that goes into the page, has posted to the frame as JSON; what the browser's console said."""
    with tempfile.TemporaryDirectory() as place:
        pathlib.Path(place, "page.html").write_text(source.replace("<style>", reader + "<style>", 1), encoding="utf-8")
        pathlib.Path(place, "frame.html").write_text(FRAME % width, encoding="utf-8")
        run = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0", f"--user-data-dir={place}/profile", "--window-size=1400,1000",
                              "--virtual-time-budget=8000", "--dump-dom", f"file://{place}/frame.html"], capture_output=True, text=True, timeout=120, check=False)
    text = Pre(run.stdout).text.strip()
    seen = json.loads(text[:text.rindex("}") + 1]) if "}" in text else {"errors": [run.stdout[-500:] + run.stderr[-500:]]}
    return seen, [line for line in run.stderr.splitlines() if ":CONSOLE" in line]
