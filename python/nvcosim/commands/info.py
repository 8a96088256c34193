"""nvcosim info of a network: a table of its layers, memories and tensors, or a graph for Graphviz,
with the clocks of a report. What is shown is what `nvcosim info --json` says. With --build: of
simulators. csrc/cli/info.c explains and checks the options."""
import csv
import json
import types
import typing

from nvcosim import build_info, tool
from nvcosim.options import Parser
from nvcosim.text import shown
from nvcosim.tool import EXIT_OK, Failure

Json: typing.TypeAlias = dict[str, typing.Any]
_CPU_FILL = "#f4cccc"
_CONTENTS = 5  # names of a memory's content that are printed
_TABLES = {
    "layers": ("layer", "type", "", "in", "out", "precision", "from", "multiplications",
               "least clocks"),
    "report": ("clocks", "MACs used"),
    "origin": ("operator and tensor",),
    "memories": ("memory", "bytes", "address", "", "content"),
    "tensors": ("tensor", "memory", "n c h w", "type", "format", "strides"),
}
_RIGHT = ("multiplications", "least clocks", "clocks", "MACs used", "bytes", "address")


def _add_report(network: Json, path: str) -> None:
    """Adds what each layer took in a run."""
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except (OSError, ValueError) as error:
        raise Failure(f"{path}: found {error}; expected report.json of a run") from None
    rows = report.get("layers") if isinstance(report, dict) else None
    if not isinstance(rows, list):
        raise Failure(f"{path}: found no list of layers; expected report.json of a run")
    found = {(row.get("unit"), row.get("launch")): row for row in rows if isinstance(row, dict)}
    for layer in network["layers"]:
        launch = layer.get("launch", {})
        row = found.get((launch.get("unit"), launch.get("number")), {})
        layer.update({name: row[name] for name in ("clocks", "utilisation") if row.get(name)})
    if not any(layer.get("clocks") for layer in network["layers"]):
        raise Failure(f"{path}: found no clocks of a layer; expected the report of a run of this "
                      "network on RTL, with --html")


# ---- the table ----


def _size(size: list[int] | None) -> str:
    return "x".join(map(str, size or ()))


def _number(value: int | None) -> str:
    return f"{value:,}" if value else ""


def _used(layer: Json) -> str:
    return f"{100 * layer['utilisation']:.1f} %" if "utilisation" in layer else ""


def _print(names: typing.Sequence[str], rows: list[list[str]]) -> None:
    table = [list(names), *rows]
    widths = [max(map(len, column)) for column in zip(*table)]
    for row in table:
        cells = (cell.rjust(width) if name in _RIGHT else cell.ljust(width)
                 for name, cell, width in zip(names, row, widths))
        print("  ".join(cells).rstrip(" "))


def _layer(layer: Json, report: bool, origins: bool) -> list[str]:
    sources = [f"{source['task']}.{source['layer']}{'*' * source['on_the_fly']}"
               for source in layer["from"]]
    row = [f"{layer['task']}.{layer['layer']}", layer["type"], layer["description"],
           _size(layer["in"]), _size(layer["out"]) + "*" * layer["out_on_the_fly"],
           layer["precision"], " ".join(sources + ["input"] * len(layer["inputs"])),
           _number(layer["multiplications"]), _number(layer.get("least_clocks"))]
    row += [_number(layer.get("clocks")), _used(layer)] if report else []
    return row + ([layer.get("origin", "")] if origins else [])


def _content(names: list[str]) -> str:
    if len(names) > _CONTENTS:
        names = [*names[:_CONTENTS - 1], f"and {len(names) - _CONTENTS + 1} more"]
    return " ".join(map(shown, names))


def _text(network: Json, report: bool) -> None:
    layers = network["layers"]
    config = network.get("config")
    head = (f"{network['network']}: loadable {network['version']} for "
            f"{config or 'an unknown configuration (--config)'}; {network['tasks']} tasks, "
            f"{len(layers)} layers, {sum(layer['multiplications'] for layer in layers):,} "
            "multiplications")
    if config:
        least = sum(layer.get("least_clocks", 0) for layer in layers)
        head += f", at least {least:,} clocks of the MAC array"
    if report:
        clocks = sum(layer.get("clocks", 0) for layer in layers)
        head += f"; {clocks:,} clocks by layer in the report"
    print(head, end="\n\n")
    origins = network["quantised"]
    names = _TABLES["layers"] + _TABLES["report"] * report + _TABLES["origin"] * origins
    _print(names, [_layer(layer, report, origins) for layer in layers])
    print("  * on the fly, not through memory", end="\n\n")
    _print(_TABLES["memories"], [
        [f"{memory['id']}", f"{memory['bytes']:,}", memory["address"],
         "on-chip " * memory["on_chip"] + "input" * memory["input"] + "output" * memory["output"],
         _content(memory["content"])] for memory in network["memories"]])
    print()
    _print(_TABLES["tensors"], [
        [shown(tensor["name"]), f"{tensor['memory']}", " ".join(map(str, tensor["nchw"])),
         tensor["type"], f"{tensor['format']}", " ".join(map(str, tensor["strides"]))]
        for tensor in network["tensors"]])


# ---- the graph ----


def _fills() -> dict[str, str]:
    """Colours of layers by type."""
    with open(f"{tool.sources()}/csrc/nvdla/engines.csv", newline="", encoding="utf-8") as file:
        fills = {row["name"]: row["fill"] for row in csv.DictReader(file)}
    return {**fills, "CONV": fills["CACC"], "CPU": _CPU_FILL}


def _name(layer: Json) -> str:
    return f"l{layer['task']}_{layer['layer']}"


def _node(layer: Json, fill: str) -> str:
    label = f"{layer['task']}.{layer['layer']} {layer['type']} {layer['description']}".rstrip(" ")
    label += f"\\n{_size(layer['out'])}"
    if layer["multiplications"]:
        label += f"\\n{layer['multiplications']:,} multiplications"
    if layer.get("clocks"):
        label += f"\\n{layer['clocks']:,} clocks"
    if "utilisation" in layer:
        label += f", {_used(layer)} of the MACs"
    return f'  {_name(layer)} [fillcolor="{fill}", label="{label}"];'


def _ends(network: Json) -> typing.Iterator[str]:
    """Inputs and outputs of the network, and what reads and writes them."""
    for number, memory in enumerate(network["memories"]):
        if not (memory["input"] or memory["output"]):
            continue
        name = memory.get("tensor", "?").replace("\\", "\\\\").replace('"', '\\"')
        yield f'  m{number} [shape=ellipse, label="{name}"];'
        for layer in network["layers"]:
            if memory["id"] in layer["inputs"]:
                yield f"  m{number} -> {_name(layer)};"
            if memory["id"] in layer["outputs"]:
                yield f"  {_name(layer)} -> m{number};"


def _graph(network: Json) -> None:
    fills = _fills()
    print("digraph network {\n"
          '  node [shape=box, style=filled, fillcolor=white, fontname="sans-serif"];')
    for layer in network["layers"]:
        print(_node(layer, fills[layer["type"]]))
        for source in layer["from"]:
            print(f"  {_name(source)} -> {_name(layer)}{' [style=bold]' * source['on_the_fly']};")
    print(*_ends(network), "}", sep="\n")


def _options(argv: list[str]) -> types.SimpleNamespace:
    parser = Parser("info", "NET", doc="")
    for name in ("config", "draw", "report"):
        parser.add(name, arg="TEXT")
    for name in ("json", "dot", "no-golden", "brief", "spec", "build"):
        parser.add(name)
    return parser.parse(argv)


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    given = _options(argv)
    if given.build:
        return build_info.show(given.json)
    words = [f"--{name}={value}" for name in ("config", "draw")
             if (value := getattr(given, name)) is not None]
    network = tool.run_json("info", "--json", *words, "--", *given.words)
    if given.report:
        if not network.get("config"):
            raise Failure("--report: found no configuration of the network, expected --config NAME")
        _add_report(network, given.report)
    if given.json:
        print(json.dumps(network, indent=1, ensure_ascii=False))
    elif given.dot:
        _graph(network)
    else:
        _text(network, given.report is not None)
    return EXIT_OK
