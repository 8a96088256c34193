"""nvcosim registers: looks registers up, decodes values, writes the map for other tools."""
import dataclasses
import json
import sys
import typing

from nvcosim import configurations, options, text
from nvcosim.options import Parser
from nvcosim.pages.page import write_file
from nvcosim.regmap import lookup, model, page, rdl, schemas, source
from nvcosim.regmap.lookup import Hit
from nvcosim.regmap.model import Field, Map, Register
from nvcosim.table import Column, Table
from nvcosim.tool import EXIT_DIFFERENT, EXIT_OK, complain

FORMS = ("html", "rdl", "svd", "ipxact", "header", "dts")
_IN_FULL = 6  # of so many registers all fields are shown, of more a line each
DOC = ("Looks up registers of NVDLA, decodes their values, and writes the register map for other "
       "tools.")
AFTER = """\
NAME is UNIT.REGISTER, UNIT.REGISTER.FIELD, either alone, a unit, or a part of a name, in upper or \
lower case; the spellings of traces and headers (NVDLA_CDMA.D_MISC_CFG_0) are known. ADDRESS is a \
byte address from NVDLA's base, a CSB word address, a word of input.txn (0xffff1401), or with \
--base an address in the SoC; a number that can mean several is shown as each. VALUE is what was \
read or written.
FORM is html, a page with a search; rdl, SystemRDL 2.0, of which PeakRDL makes UVM's register \
model; svd, CMSIS-SVD for gdb, OpenOCD and Renode; ipxact, IEEE 1685-2014; header, C99 macros; \
dts, the node of a device tree.
Examples:
  nvcosim registers CDMA.D_MISC_CFG=0x1001100
  nvcosim registers 0xffff1401
  nvcosim registers --config small --base 0x10200000 0x10203014=0x1001100
  nvcosim registers --search 'line stride'
  nvcosim registers --config small --to html -o registers.html

Exit status: 0 found or written; 1 something was not found; 2 wrong usage, or the output cannot be \
written."""


def _of(names: typing.Iterable[str], what: str) -> options.Kind:
    def take(word: str) -> str:
        if word not in names:
            raise options.Wrong(f"{what.format(word)}; expected one of {', '.join(names)}")
        return word
    return take


def _parser() -> Parser:
    parser = Parser("registers", "NAME|ADDRESS[=VALUE]...", "--search=WORDS", "--to=FORM",
                    doc=DOC, after=AFTER)
    parser.add("config", arg="NAME",
               kind=configurations.named,
               help="NVDLA configuration (default: full and small; small for a map that is "
                    "written)")
    parser.add("base", arg="ADDRESS", kind=options.number(0, (1 << 64) - model.SPACE), default=0,
               help="Where the SoC has NVDLA's registers (default 0)")
    parser.add("csb", help="Numbers are CSB word addresses")
    parser.add("search", arg="WORDS", kind=options.text("words"),
               help="Find the fields whose names and descriptions have all these words")
    parser.add("json", help="Print JSON")
    parser.add("to", arg="FORM", kind=_of(FORMS, "found '{}'"),
               help="Write the register map as html, rdl, svd, ipxact, header or dts")
    parser.add("irq", arg="N", kind=options.number(0, 1019),
               help="Number of the interrupt, for dts and svd")
    parser.add("output", short="o", arg="FILE", kind=options.text("the name of a file"),
               help="File to write (default: standard output)")
    return parser


# ---- one map for other tools ----

def _form(name: str, regmap: Map, irq: int | None) -> str:
    forms: dict[str, typing.Callable[[], str]] = {
        "html": lambda: page.page(regmap), "rdl": lambda: rdl.rdl(regmap),
        "svd": lambda: schemas.svd(regmap, irq), "ipxact": lambda: schemas.ipxact(regmap),
        "header": lambda: source.header(regmap), "dts": lambda: source.dts(regmap, irq or 0)}
    return forms[name]()


# ---- queries ----

def _find(maps: list[Map], query: str, csb: bool, before: str) -> list[Hit]:
    """Of NAME or ADDRESS, with or without =VALUE; a message and none if there is none. before: the
    query before it."""
    name, equals, given = query.partition("=")
    value, address = lookup.number(given), lookup.number(name)
    hits = [hit for regmap in maps for hit in lookup.find(regmap, name, csb)]
    if any(hit.how == lookup.TXN and hit.regmap.kind == "full" for hit in hits) and len(maps) > 1:
        hits = [hit for hit in hits if hit.regmap.kind == "full"]  # whose traces have that form
    if not hits:
        what, reason = "register or field", lookup.suggestion(maps, name)
        if address is not None:
            what, reason = "address", "".join(
                f"; {m.config}: {lookup.nothing_at(m, address, csb)}" for m in maps)
            if before and "=" not in before and lookup.number(before) is None:
                reason += f"; the value of {before} is written {before}={name}"
        complain(f"{'/'.join(m.config for m in maps)}: no {what} '{name}'{reason}", "registers")
    return [dataclasses.replace(hit, value=value) for hit in hits] if equals else hits


def _check(parser: Parser, words: list[str], maps: list[Map], csb: bool) -> None:
    """Ends the program with a usage error if what a query gives a value to is not a register or a
    field, or has not as many bits."""
    for word in words:
        name, equals, value = word.partition("=")
        if not name:
            parser.error(f"found '{word}', expected NAME or ADDRESS, or either with =VALUE")
        if not equals:
            continue
        number = lookup.number(value)
        if number is None:
            parser.error(f"{name}: found '{value}', expected a number, decimal or 0x...")
        for hit in (hit for regmap in maps for hit in lookup.find(regmap, name, csb)):
            if not hit.exact:
                parser.error(f"{name}: a unit or a part of a name, expected the register or the "
                             f"field that has the value {value}")
            lookup.decode(dataclasses.replace(hit, value=number))  # complains of too large a one


# ---- as text ----

def _addresses(hit: Hit) -> str:
    register = hit.register
    soc = f", 0x{hit.regmap.base + register.address:x} in the SoC" if hit.regmap.base else ""
    how = f" (found by its {hit.how})" if hit.how else ""
    return (f"  {hit.regmap.config + ':':7} 0x{register.address:05x}, CSB word "
            f"0x{register.word:04x}, input.txn 0x{register.token:08x}{soc}{how}")


def _fields(style: text.Style, hit: Hit) -> None:
    """A row for each field; of a value also what it means."""
    names = ["bits", "field", "access", "reset", "meaning"]
    if hit.value is not None:
        names[3:4] = ["value", "name"]
    table = Table(style, [Column("  " + names[0])] + [
        Column(name, right=name in ("reset", "value"), least=20 if name == "meaning" else 0)
        for name in names[1:]])
    parts = {part.field.name: part for part in lookup.decode(hit)} if hit.value is not None else {}
    for field in hit.register.fields:
        part = parts.get(field.name)
        head = (f"  {field.bits}", field.name, field.access)
        if part:
            table.add(*head, f"0x{part.value:x}", field.named(part.value), field.text,
                      note="  " + part.wrong if part.wrong else "")
        elif hit.value is None and hit.field in (None, field):
            values = ", ".join(f"{number} {name}" for name, number in field.values.items())
            table.add(*head, f"0x{field.reset:x}", field.text, note=values and "  " + values)
    table.print()
    if hit.value is not None:
        bits = lookup.surplus(hit)
        wrong = [p.field.name for p in parts.values() if p.wrong]
        print("  " + ("; ".join([*([f"bits 0x{bits:x} do not exist: they read 0, writes are "
                                    "ignored"] if bits else []),
                                 *(f"{name} has no such value" for name in wrong)])
                      or "every bit and value is legal"))


def _print_in_full(hits: list[Hit]) -> None:
    """Registers that are the same in several maps are shown once, with their addresses."""
    style = text.Style.of(sys.stdout)
    alike: dict[str, list[Hit]] = {}
    for hit in hits:
        alike.setdefault(repr((hit.register.full, hit.register.fields, hit.field)), []).append(hit)
    for place, same in enumerate(alike.values()):
        hit = same[0]
        value = "" if hit.value is None else f" = 0x{hit.value:x}"
        field = f".{hit.field.name}" if hit.field else ""
        print(f"{chr(10) * bool(place)}{hit.register.full}{field}{value}")
        for each in same:
            print(_addresses(each))
        print(f"  reset 0x{hit.register.reset:08x}"
              + (f"; {hit.register.about}" if hit.register.about else ""))
        _fields(style, hit)
        used = dict.fromkeys(f.access for f in hit.register.fields
                             if hit.field in (None, f) and f.access not in ("RW", "RO"))
        for access in used:
            read, written = model.ACCESS[access]
            print(f"  {access}: reads {read}; written: {written}")


def _print_list(hits: list[Hit]) -> None:
    table = Table(text.Style.of(sys.stdout), [Column("map"), Column("address"), Column("name"),
                                              Column("meaning", least=20)])
    for hit in hits:
        field = hit.field
        table.add(hit.regmap.config, f"0x{hit.register.address:05x}",
                  hit.register.full + (f".{field.name}" if field else ""),
                  field.text if field else ", ".join(f.name for f in hit.register.fields))
    table.print()


# ---- as JSON ----

def _json_field(field: Field) -> dict[str, typing.Any]:
    return {"name": field.name, "msb": field.msb, "lsb": field.lsb, "access": field.access,
            "reset": field.reset, "values": field.values, "text": field.text}


def _json(query: str, hit: Hit) -> dict[str, typing.Any]:
    register: Register = hit.register
    found: dict[str, typing.Any] = {
        "query": query, "config": hit.regmap.config, "unit": register.unit, "name": register.name,
        "address": register.address, "csb": register.word, "txn": register.token,
        "soc": hit.regmap.base + register.address, "groups": 2 if register.grouped else 1,
        "reset": register.reset}
    if hit.how:
        found["assumed"] = hit.how
    fields = [hit.field] if hit.field else register.fields
    found["fields"] = [_json_field(field) for field in fields]
    if hit.value is not None:
        parts = lookup.decode(hit)
        for entry, part in zip(found["fields"], parts):
            entry.update(value=part.value, value_name=part.field.named(part.value) or None,
                         legal=not part.wrong)
        bits = lookup.surplus(hit)
        found.update(value=hit.value, surplus_bits=bits,
                     legal=not bits and not any(part.wrong for part in parts))
    return found


# ---- the command ----

def _queries(given: typing.Any, maps: list[Map]) -> int:
    queries: dict[str, list[Hit]] = {}
    if given.search is not None:
        queries[given.search] = [h for regmap in maps for h in lookup.search(regmap, given.search)]
        if not queries[given.search]:
            complain(f"nothing has the words '{given.search}'", "registers")
    for before, word in zip(["", *given.words], given.words):
        queries[word] = _find(maps, word, given.csb, before)
    if given.json:
        print(json.dumps([_json(query, hit) for query, hits in queries.items() for hit in hits],
                         indent=1))
    for place, hits in enumerate(filter(None, queries.values() if not given.json else ())):
        if place:
            print()
        distinct = {hit.register.full for hit in hits}
        if hits[0].value is not None or (len(distinct) <= _IN_FULL and given.search is None):
            _print_in_full(hits)
        else:
            _print_list(hits)
    return EXIT_OK if all(queries.values()) else EXIT_DIFFERENT


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    parser = _parser()
    given = parser.parse(argv)
    asked = bool(given.words) + (given.search is not None) + (given.to is not None)
    if asked != 1:
        parser.error(f"found {'none' if not asked else 'several'} of NAME or ADDRESS, --search and "
                     "--to; expected one")
    if given.to is None:
        for name in ("irq", "output"):
            if getattr(given, name) is not None:
                parser.error(f"--{name} is for --to")
        maps = [model.load(name, given.base) for name in
                ([given.config] if given.config else ["full", "small"])]
        _check(parser, given.words, maps, given.csb)
        return _queries(given, maps)
    if given.json or given.csb:
        parser.error("--json and --csb are for look-ups")
    if given.to == "dts" and (given.irq is None or not given.base):
        parser.error("--to dts: expected --base=ADDRESS and --irq=N")
    made = _form(given.to, model.load(given.config or "small", given.base), given.irq)
    if given.output is None:
        sys.stdout.write(made)
    else:
        write_file(given.output, made)
    return EXIT_OK
