#!/usr/bin/python3
"""Layout of SystemVerilog: aligns ports, connections and trailing comments, wraps lines at 120 columns, takes out trailing space.

usage: format_sv.py [--check] FILE...

Only white space and the line breaks of comments change: the tokens before and after are compared, and a file whose tokens
would differ stays as it is, with an error. With --check nothing is written: each line that would change is named. A line
that is too long and cannot be broken, and a line of several ports, are errors in both.
"""
import argparse
import re
import sys
import textwrap

COLUMNS = 120
STRING = re.compile(r'"(?:\\.|[^"\\])*"')
LINE = re.compile(rf"((?:{STRING.pattern}|/\*.*?\*/|(?!//).)*)(//.*)?")  # code, comment
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|[A-Za-z_$`\\][\w$]*|\d[\w\']*|\s+|.', re.S)
PORT = re.compile(r"^\s*(input|output|inout)\s+([A-Za-z_]\w*)\s*((?:\[[^\]]*\])*)\s*([A-Za-z_][\w, ]*?)(,?)\s*(//.*)?$")
CONNECTION = re.compile(r"^(\s*)\.(\w+)\s*\((.*)$")
# What a statement may be broken after, from the weakest binding on; the second group stays with what follows it.
BREAKS = (r",(?= )|(?<= )[?:](?= )", r"(?<= )\|\|(?= )", r"(?<= )&&(?= )", r"(?<= )(?:<=|=)(?= )", r"(?<= )[|^&](?= )",
          r"(?<= )(?:==|!=|[<>]=?|[-+*/%]|<<|>>>?)(?= )")


def split_comment(line):
    """Code and trailing comment of a line; the comment is '' if there is none."""
    code, comment = LINE.fullmatch(line).groups("")
    return (code.rstrip(), comment) if comment else (line, "")


def tokens(text):
    """Tokens of the code in order, and the words of the comments."""
    code, words = [], []
    for token in TOKEN.findall(text):
        if token.startswith("//"):
            words += [word for word in token[2:].split() if not re.fullmatch("-{5,}", word)]
        elif not token.isspace():
            code.append(token)
    return code, sorted(words)


def is_comment(line):
    return line.lstrip().startswith("//")


def continues(line, word):
    """Does a paragraph of comment continue in the line that begins with this word? It ends where a sentence ends early, and before "Spec:"."""
    return word != "Spec:" and not (line.endswith((".", ":")) and len(line) + len(word) < COLUMNS + 12)


def wrap_comments(lines):
    """Fills paragraphs of comment lines that have a line beyond the last column; lists and drawings keep their shape."""
    out, at = [], 0
    while at < len(lines):
        ruler = re.match(r"(\s*// ---- .* )-{5,}$", lines[at])
        comment = re.match(r"(\s*// *)(- )?", lines[at])
        end, paragraph = at + 1, [lines[at]]
        if ruler:
            paragraph = [lines[at][:COLUMNS] if len(ruler[1]) <= COLUMNS - 5 else ruler[1] + "-----"]
        elif comment:
            hang = comment[1] + ("  " if comment[2] else "")
            word = re.compile(re.escape(hang) + r"([^\s\-/]\S*)")
            while end < len(lines) and word.match(lines[end]) and continues(lines[end - 1], word.match(lines[end])[1]):
                end += 1
            paragraph = lines[at:end]
            if any(len(line) > COLUMNS for line in paragraph):
                text = " ".join(line.strip()[2:].strip() for line in paragraph)
                paragraph = textwrap.wrap(text, COLUMNS, initial_indent=comment[1], subsequent_indent=hang, break_long_words=False,
                                          break_on_hyphens=False)
        out += paragraph
        at = end
    return out


def align_ports(lines):
    """Ports of a list: direction, type, range, names; comments of neighbours in one column."""
    out, at = [], 0
    while at < len(lines):
        end, ports = at, {}
        while end < len(lines) and (PORT.match(lines[end]) or is_comment(lines[end]) or lines[end].startswith("`")):
            if PORT.match(lines[end]):
                ports[end] = PORT.match(lines[end]).groups("")
            end += 1
        ranges = {n: port[2][1:-1].strip() for n, port in ports.items()}
        widest = max(map(len, ranges.values()), default=0)
        column = max((len(port[1]) + (widest + 3 if widest and (ranges[n] or port[1] == "logic") else 0) for n, port in ports.items()), default=0)
        for n in range(at, max(end, at + 1)):
            if n in ports:
                direction, kind, _, names, comma, comment = ports[n]
                kind += f" [{ranges[n]:>{widest}}]" if ranges[n] else ""
                names = re.sub(r"\s*,\s*", ", ", names.strip())
                out.append(f"    {direction:<6} {kind:<{column}} {names}{comma}" + (f"  {comment}" if comment else ""))
            else:
                out.append("    " + lines[n].strip() if ports and is_comment(lines[n]) else lines[n])
        at = max(end, at + 1)
    return out


def depth_change(code):
    """Brackets that a piece of code opens beyond those that it closes."""
    plain = STRING.sub("", code)
    return sum(plain.count(c) for c in "([{") - sum(plain.count(c) for c in ")]}")


def align_connections(lines):
    """Connections of an instance, whole ones of several lines too: opening brackets in one column."""
    out, at = [], 0
    while at < len(lines):
        first = CONNECTION.match(lines[at])
        end, heads, depth = at, {}, 0
        while first and end < len(lines):
            match = CONNECTION.match(lines[end])
            if depth == 0 and match and match[1] == first[1]:
                heads[end] = match
            elif depth == 0 and not re.match(re.escape(first[1]) + r"(\.\w+,?|//.*|`\w.*)$", lines[end]) and not lines[end].startswith("`"):
                break
            depth += depth_change(split_comment(lines[end])[0])
            if depth < 0:
                break
            end += 1
        end = max(end, max(heads, default=at) + 1)
        widest, shift = max((len(head[2]) for head in heads.values()), default=0), 0
        for n in range(at, end):
            line = lines[n]
            if n in heads:
                line = f"{first[1]}.{heads[n][2]:<{widest}}({heads[n][3]}"
                shift = len(line) - len(lines[n])
            elif heads and not re.match(re.escape(first[1]) + r"(\.|//)", line) and not line.startswith("`"):
                line = " " * shift + line if shift > 0 else line[min(-shift, len(indent_of(line))) :]
            out.append(line)
        at = end
    return out


def align_comments(lines):
    """Trailing comments of neighbours in one column; those that do not fit go above their line."""
    out, at = [], 0
    while at < len(lines):
        end, pairs = at, []
        while end < len(lines) and not is_comment(lines[end]) and "\\" not in lines[end]:
            code, comment = split_comment(lines[end])
            if not comment or (pairs and indent_of(code) != indent_of(pairs[0][0])):
                break
            pairs.append((code, comment))
            end += 1
        if not pairs:
            out.append(lines[at])
            at += 1
            continue
        column = max((len(code) for code, _ in pairs), default=0) + 2
        if any(column + len(comment) > COLUMNS for _, comment in pairs):
            column = 0
        for code, comment in pairs:
            line = code.ljust(column) + comment if column else f"{code}  {comment}"
            if len(line) > COLUMNS and code.strip():
                out += wrap_comments([indent_of(code) + comment])
                line = code
            out.append(line)
        at = end
    return out


def indent_of(line):
    return line[: len(line) - len(line.lstrip())]


def best_break(line, least):
    """Where to break a line of code: after the last operator or comma of the fewest open brackets that fits, None if there is none."""
    plain, depth, depths = STRING.sub(lambda string: "_" * len(string[0]), line), 0, []
    for char in plain:
        depth -= char in ")]}"
        depths.append(depth)
        depth += char in "([{"
    places = [(depths[match.start()], rank, -match.end()) for rank, pattern in enumerate(BREAKS)
              for match in re.finditer(pattern, plain[: COLUMNS + 1]) if least < match.end() <= COLUMNS]
    return -min(places)[2] if places else None


def wrap_code(lines):
    """Breaks lines of code beyond the last column; what follows is indented by four, or as the lines that already continue are."""
    out = []
    depth = 0
    for line in lines:
        code, comment = split_comment(line)
        continues = bool(out) and depth > 0
        depth += depth_change(code)
        if len(line) <= COLUMNS or is_comment(line) or line.rstrip().endswith("\\"):
            out.append(line)
            continue
        indent = indent_of(line)
        connection = CONNECTION.match(line)
        if connection:
            more = " " * (line.index("(") + 2)
        elif line.lstrip().startswith("`"):
            more = indent + " " * (line.lstrip().index("(") + 1 if "(" in line else 4)
        else:
            more = indent + ("" if continues and not re.match(r"\s*(if|else|assign|for|function)\b", line) else "    ")
        while len(code) > COLUMNS:
            at = best_break(code, len(more) + 20)
            if at is None:
                break
            out.append(code[:at].rstrip())
            code = more + code[at:].lstrip()
        out.append(f"{code}  {comment}" if comment else code)
    return out


def layout(text):
    lines, last = [line.rstrip() for line in text.splitlines()], None
    while lines != last:
        last = lines
        for step in (wrap_comments, align_ports, align_connections, align_comments, wrap_code):
            lines = step(lines)
    return "\n".join(lines).rstrip("\n") + "\n"


def shared_lines(text):
    """Numbers of the lines in heads of modules that have more than one port."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        code = re.sub(r"\[.*?\]", "", split_comment(line)[0])
        inside = inside or code.startswith("module ")
        if inside and re.match(r"\s*(input|output|inout)\b.*,\s*\w", code):
            yield number
        inside = inside and not code.endswith(");")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="name what would change, write nothing")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    failed = False
    for path in options.files:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        new = layout(text)
        if tokens(new) != tokens(text):
            print(f"{path}: the layout would change tokens; the file stays as it is: an error of format_sv.py", file=sys.stderr)
            failed = True
            continue
        for number, line in enumerate(new.splitlines(), 1):
            if len(line) > COLUMNS:
                print(f"{path}:{number}: {len(line)} columns, at most {COLUMNS}: break this line", file=sys.stderr)
                failed = True
        for number in shared_lines(text):
            print(f"{path}:{number}: several ports, expected one in each line of a module's head", file=sys.stderr)
            failed = True
        if new == text:
            continue
        if options.check:
            old = text.splitlines()
            number = next((n for n, (a, b) in enumerate(zip(old, new.splitlines()), 1) if a != b), min(len(old), new.count("\n")) + 1)
            print(f"{path}:{number}: not in the layout of scripts/format_sv.py; run it on this file", file=sys.stderr)
            failed = True
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
    return failed


if __name__ == "__main__":
    sys.exit(main())
