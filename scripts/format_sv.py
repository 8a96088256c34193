#!/usr/bin/env python3
"""Layout of SystemVerilog: aligns ports, connections and trailing comments, wraps lines at 120 columns, takes out trailing space.

usage: format_sv.py [--check] FILE...

Only white space and the line breaks of comments change: the tokens before and after are compared, and a file whose tokens
would differ stays as it is, with an error. With --check nothing is written: each line that would change is named. A line
that is too long and cannot be broken is an error in both.
"""
import argparse
import re
import sys
import textwrap

COLUMNS = 120
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|[A-Za-z_$`\\][\w$]*|\d[\w\']*|\s+|.', re.S)
PORT = re.compile(r"^\s*(input|output|inout)\s+([A-Za-z_]\w*)\s*(\[[^\]]*\])?\s*([A-Za-z_][\w, ]*?)(,?)\s*(//.*)?$")
CONNECTION = re.compile(r"^(\s*)\.(\w+)\s*\((.*)$")
# What a statement may be broken after, from the weakest binding on; the second group stays with what follows it.
BREAKS = (r",(?= )|(?<= )[?:](?= )", r"(?<= )\|\|(?= )", r"(?<= )&&(?= )", r"(?<= )(?:<=|=)(?= )", r"(?<= )[|^&](?= )", r"(?<= )(?:==|!=|[<>]=?|[-+*/%]|<<|>>>?)(?= )")


def split_comment(line):
    """Code and trailing comment of a line; the comment is '' if there is none."""
    at = 0
    while at < len(line):
        token = TOKEN.match(line, at)
        if token.group().startswith("//"):
            return line[:at].rstrip(), token.group()
        at = token.end()
    return line, ""


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
        if ruler:
            out.append(lines[at][:COLUMNS] if len(ruler[1]) <= COLUMNS - 5 else ruler[1] + "-----")
            at += 1
            continue
        if not is_comment(lines[at]):
            out.append(lines[at])
            at += 1
            continue
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        end = at + 1
        item = re.match(r"\s*//( *)(- )?", lines[at])
        hang = indent + "//" + item[1] + ("  " if item[2] else "")
        while end < len(lines) and re.match(re.escape(hang) + r"[^\s\-/]", lines[end]) and continues(lines[end - 1], lines[end][len(hang) :].split()[0]):
            end += 1
        paragraph = lines[at:end]
        if any(len(line) > COLUMNS for line in paragraph):
            text = " ".join(line.strip()[2:].strip() for line in paragraph)
            first = indent + "//" + item[1]
            paragraph = textwrap.wrap(text, COLUMNS, initial_indent=first, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False)
        out += paragraph
        at = end
    return out


def align_ports(lines):
    """Ports of a list: direction, type, range, names; comments of neighbours in one column."""
    out, at = [], 0
    while at < len(lines):
        end, ports = at, {}
        while end < len(lines):
            match = PORT.match(lines[end])
            if match:
                ports[end] = match
            elif not (is_comment(lines[end]) or lines[end].startswith("`")):
                break
            end += 1
        if not ports:
            out += lines[at : max(end, at + 1)]
            at = max(end, at + 1)
            continue
        ranges = {n: (m[3] or "")[1:-1].strip() for n, m in ports.items()}
        types = {n: m[2] for n, m in ports.items()}
        widest = max(map(len, ranges.values()))
        column = max(len(t) + ((widest + 3) if ranges[n] or t == "logic" else 0) for n, t in types.items()) if widest else max(map(len, types.values()))
        for n in range(at, end):
            if n not in ports:
                out.append("    " + lines[n].strip() if is_comment(lines[n]) else lines[n])
                continue
            match = ports[n]
            kind = types[n] + (f" [{ranges[n]:>{widest}}]" if ranges[n] else "")
            names = re.sub(r"\s*,\s*", ", ", match[4].strip())
            out.append(f"    {match[1]:<6} {kind:<{column}} {names}{match[5]}" + (f"  {match[6]}" if match[6] else ""))
        at = end
    return out


def depth_change(code):
    """Brackets that a piece of code opens beyond those that it closes."""
    plain = re.sub(r'"(?:\\.|[^"\\])*"', "", code)
    return sum(plain.count(c) for c in "([{") - sum(plain.count(c) for c in ")]}")


def align_connections(lines):
    """Connections of an instance, whole ones of several lines too: opening brackets in one column."""
    out, at = [], 0
    while at < len(lines):
        if not CONNECTION.match(lines[at]):
            out.append(lines[at])
            at += 1
            continue
        indent = CONNECTION.match(lines[at])[1]
        end, heads, open_at = at, [], 0
        while end < len(lines):
            match = CONNECTION.match(lines[end])
            if open_at == 0 and match and match[1] == indent:
                heads.append(end)
            elif open_at == 0 and not re.match(re.escape(indent) + r"(\.\w+,?|//.*|`\w.*)$", lines[end]) and not lines[end].startswith("`"):
                break
            open_at += depth_change(split_comment(lines[end])[0])
            if open_at < 0:
                break
            end += 1
        if end <= heads[-1]:
            end = heads[-1] + 1
        widest = max(len(CONNECTION.match(lines[n])[2]) for n in heads)
        shift = 0
        for n in range(at, end):
            if n in heads:
                match = CONNECTION.match(lines[n])
                new = f"{indent}.{match[2]:<{widest}}({match[3]}"
                shift = len(new) - len(lines[n])
                out.append(new)
            elif re.match(re.escape(indent) + r"(\.|//)", lines[n]) or lines[n].startswith("`"):
                out.append(lines[n])
            elif shift > 0:
                out.append(" " * shift + lines[n])
            else:
                out.append(lines[n][min(-shift, len(lines[n]) - len(lines[n].lstrip())) :])
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
    depth, depths = 0, []
    in_string = False
    for char in line:
        in_string ^= char == '"'
        if not in_string:
            depth -= char in ")]}"
        depths.append(99 if in_string else depth)
        if not in_string:
            depth += char in "([{"
    found = None
    for rank, pattern in enumerate(BREAKS):
        for match in re.finditer(pattern, line[: COLUMNS + 1]):
            if least < match.end() <= COLUMNS:
                key = (depths[match.start()], rank, -match.end())
                if found is None or key < found[0]:
                    found = (key, match.end())
    return found and found[1]


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
