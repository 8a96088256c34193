"""Memory in a trace of the project's own format (traces/FORMAT.md), for tests that look at what a command wrote."""


class TraceText:
    """The lines of an .nvt outside its blobs, as words; loads and checks of memory as (address, [(offset, bytes)])."""

    def __init__(self, path):
        self.lines, self.loads, self.checks = [], [], []
        blobs, label, at = {}, None, 0
        for line in open(path, encoding="utf-8"):
            words = line.split()
            if words[:1] == ["blob"]:
                label, at = words[1], 0
                blobs[label] = []
            elif label is not None and words == ["end"]:
                label = None
            elif label is not None:
                for word in words:
                    if word[0] == "@":
                        at = int(word[1:], 0)
                        continue
                    value, _, count = word.partition("*")
                    content = bytes.fromhex(value) * int(count or 1)
                    blobs[label].append((at, content))
                    at += len(content)
            elif words:
                self.lines.append(words)
                if words[0] in ("mem_load", "mem_check"):
                    where = self.loads if words[0] == "mem_load" else self.checks
                    where.append((int(words[2], 0), blobs[words[3].removeprefix("blob=")]))
