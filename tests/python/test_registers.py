"""nvcosim registers: what people ask, and the map in each form, read back by readers of its own and compared with the tables of csrc/nvdla
field by field. Nothing here uses nvcosim.regmap but the command."""
import contextlib
import csv
import html.parser
import io
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as tree

from nvcosim.commands import registers
from nvcosim.tool import Failure

CONFIGS = {"full": "full", "small": "small", "large": "small"}  # with their maps
ABSENT = {"small": ["CVIF"]}
BASE = 0x10200000


def rows(name):
    with open(f"csrc/nvdla/{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def tables(config):
    """{(unit, register): (address, grouped, {field: (msb, lsb, access, reset, values, text)})}"""
    kind = CONFIGS[config]
    windows = {row["unit"]: int(row[kind], 16) for row in rows("units") if row[kind]}
    found = {}
    for row in rows("registers"):
        for unit in row["unit"].split():
            if row["map"] in (kind, "both") and unit not in ABSENT.get(config, []):
                register = found.setdefault((unit, row["register"]), (windows[unit] + int(row["offset"], 16), row["group"] == "D", {}))
                values = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", row["values"])}
                register[2][row["field"]] = (int(row["msb"]), int(row["lsb"]), row["access"], int(row["reset_hex"], 16), values, row["description"])
    return found


TABLES = {config: tables(config) for config in CONFIGS}


def run(*argv):
    """Status, standard output and errors of the command."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = registers.main(list(argv))
        except SystemExit as end:
            status = end.code
        except Failure as failure:
            status = failure.status
            print(failure, file=err)
    return status, out.getvalue(), err.getvalue()


class Questions(unittest.TestCase):
    def test_what_people_ask(self):
        for words, status, *parts in (
                ("0xffff1401", 0, "CDMA.S_POINTER", "0x05004", "address in input.txn"),
                ("CDMA.D_MISC_CFG=0x1001100", 0, r"13:12 +PROC_PRECISION +RW +0x1 +INT16", r"SKIP_DATA_RLS +RW +0x1 +ENABLE", "every bit and value is legal"),
                ("0x5014=0x1001100", 0, "CDMA.D_MISC_CFG = 0x1001100", "byte address"),
                ("--config=small 0x3014=0x301", 0, r"IN_PRECISION +RW +0x3 .*\n +not legal: expected 0 INT8, 1 INT16, 2 FP16"),
                ("CDMA.D_MISC_CFG=0xe", 0, "bits 0xe do not exist"),
                ("nvdla_cdma.d_misc_cfg_0", 0, "CDMA.D_MISC_CFG\n", "full: +0x05014", "small: +0x03014"),
                ("CDMA_D_MISC_CFG_0_CONV_MODE=1", 0, "CONV_MODE = 0x1", r"0x1 +WINOGRAD"),
                ("RUBIK.D_MISC_CFG", 0, "RBK.D_MISC_CFG"),
                ("--config=full 0x1405", 0, "CDMA.D_MISC_CFG", "CSB word address"),
                ("--config=full --csb 0x1400", 0, "CDMA.S_STATUS"),
                ("--config=full 0x3000", 0, "CVIF.CFG_RD_WEIGHT_0", "PDP_RDMA.S_STATUS"),  # either
                (f"--config=full --base={BASE:#x} {BASE + 0x5014:#x}", 0, "CDMA.D_MISC_CFG", "0x10205014 in the SoC"),
                ("PRODUCER --config=small", 0, "CDMA.S_POINTER.PRODUCER"),
                ("GLB.S_INTR_STATUS", 0, "RW1C: reads what is pending; written: 1 clears the bit, 0 leaves it"),
                ("SDP.S_LUT_ACCESS_DATA", 0, "moves the pointer"),
                ("CSC", 0, "CSC.D_OP_ENABLE"),
                ("misc_cfg", 0, "RBK.D_MISC_CFG"),
                ("--search=line_stride", 0, "CDMA.D_LINE_STRIDE.LINE_STRIDE", "SDP_RDMA"),
                ("--search=wombat", 1, "nothing has the words 'wombat'"),
                ("CDMA.D_MSIC_CFG", 1, "did you mean CDMA.D_MISC_CFG?"),
                ("CVIF.STATUS --config=small", 1, "no register or field 'CVIF.STATUS'"),
                ("0x10205014", 1, "add --base=0x10200000"),
                ("--config=full 0x5ffc", 1, "window of CDMA, which has no register there"),
                ("--config=full 0x5015", 1, "is not a multiple of 4"),
                ("0x1000 CDMA.D_MISC_CFX", 1, "GLB.S_NVDLA_HW_VERSION", "D_MISC_CFX"),
                ("D_MISC_CFG 0x1001100", 1, "the value of D_MISC_CFG is written D_MISC_CFG=0x1001100"),
                ("CDMA.D_MISC_CFG=seven", 2, "found 'seven', expected a number"),
                ("CDMA.D_MISC_CFG.CONV_MODE=2", 2, "found 0x2, expected a number of 1 bit"),
                ("CDMA.D_MISC_CFG=0x100000000", 2, "expected a number of 32 bits"),
                ("CDMA=1", 2, "a unit or a part of a name"),
                ("", 2, "found none of NAME"),
                ("CDMA --to=svd", 2, "found several of NAME"),
                ("--config=huge CDMA", 2, "there is no configuration 'huge'; expected one of full, small"),
                ("--to=vhdl", 2, "found 'vhdl'; expected one of html, rdl"),
                ("--to=dts --config=full", 2, "expected --base=ADDRESS and --irq=N"),
                ("--to=dts --config=medium_512 --base=4096 --irq=1", 2, "atoms of 16 bytes, which medium_512 has; expected a configuration with 8"),
                ("--irq=4 CDMA", 2, "--irq is for --to"),
                ("--to=svd -o /nowhere/x", 2, "/nowhere/x: cannot write")):
            with self.subTest(words):
                got, out, err = run(*words.split())
                self.assertEqual(status, got, err)
                for part in parts:
                    self.assertRegex(" ".join((out, err)), part)

    def test_every_register_by_each_address(self):
        for config, table in TABLES.items():
            queries = {}
            for (unit, name), (address, _, _) in table.items():
                queries.update({f"{unit}.{name}": (unit, name), f"{0xffff0000 | address // 4:#x}": (unit, name), f"{BASE + address:#x}": (unit, name)})
            status, out, _ = run("--json", f"--config={config}", f"--base={BASE:#x}", *queries)
            self.assertEqual(0, status)
            for entry in json.loads(out):
                unit, name = queries[entry["query"]]
                address, grouped, fields = table[unit, name]
                self.assertEqual((unit, name, address, address // 4, BASE + address, 1 + grouped), tuple(
                    entry[member] for member in ("unit", "name", "address", "csb", "soc", "groups")))
                self.assertEqual(fields, {f["name"]: (f["msb"], f["lsb"], f["access"], f["reset"], f["values"], f["text"]) for f in entry["fields"]})
                del queries[f"{unit}.{name}" if "assumed" not in entry else entry["query"]]
            self.assertEqual({}, queries)

    def test_a_value_in_json(self):
        entry = json.loads(run("--json", "--config=full", "0x5014=0x1001302")[1])[0]
        self.assertEqual((0x1001302, 2, False), (entry["value"], entry["surplus_bits"], entry["legal"]))
        self.assertEqual([("CONV_MODE", 0, "DIRECT", True), ("IN_PRECISION", 3, None, False)],
                         [(f["name"], f["value"], f["value_name"], f["legal"]) for f in entry["fields"][:2]])


# ---- readers of the forms ----

def tokens_of_rdl(text):
    return re.findall(r'"(?:[^"\\]|\\.)*"|\d+\'h[0-9a-f]+|\w+|[{};=@\[\]:]', text)


class Rdl:
    """SystemRDL as far as a map needs it: components with properties, enumerations, instances with their places."""

    def __init__(self, text):
        self.tokens = tokens_of_rdl(text)
        self.at = 0

    def take(self, *expected):
        token = self.tokens[self.at]
        assert not expected or token in expected, f"found {token}, expected {expected}, before {self.tokens[self.at:self.at + 9]}"
        self.at += 1
        return token

    def number(self):
        token = self.take()
        return int(token.partition("'h")[2], 16) if "'h" in token else int(token, 0)

    def body(self):
        """Properties, and instances (kind, name, properties, children, place) up to the closing brace."""
        properties, children, enums = {}, [], {}
        self.take("{")
        while self.tokens[self.at] != "}":
            word = self.take()
            if word == "enum":
                name, values = self.take(), {}
                self.take("{")
                while self.tokens[self.at] != "}":
                    value = self.take()
                    self.take("=")
                    values[value] = self.number()
                    self.take(";")
                self.take("}")
                enums[name] = values
            elif word in ("regfile", "reg", "field"):
                inner, parts = self.body()
                name, place, reset = self.take(), None, None
                if self.tokens[self.at] == "[":
                    self.take("[")
                    place = (self.number(), self.take(":") and self.number())
                    self.take("]")
                if self.tokens[self.at] in "@=":
                    reset = self.take() and self.number()
                inner["values"] = enums.get(inner.get("encode"), {})
                children.append((word, name, inner, parts, place, reset))
            else:
                name = self.take() if word == "default" else word
                properties[name] = self.take() and self.take() if self.tokens[self.at] == "=" else True
            self.take(";")
        self.take("}")
        return properties, children


SOFTWARE = {"RW": "rw", "RO": "r", "WO": "w"}  # others: rw
WORDS = {"RW": "read-write", "RO": "read-only", "WO": "write-only"}
WRITES = {"RW1C": "oneToClear", "RW1S": "oneToSet"}


def text_of(element, name):
    return element.findtext(name)


class Forms(unittest.TestCase):
    def form(self, form, config, *options):
        status, out, err = run("--to", form, f"--config={config}", *options)
        self.assertEqual((0, ""), (status, err))
        return out

    def test_systemrdl(self):
        for config, table in TABLES.items():
            parser = Rdl(self.form("rdl", config, f"--base={BASE:#x}").partition("addrmap nvdla")[2])
            properties, units = parser.body()
            self.assertEqual(("32", "32"), (properties["regwidth"], properties["accesswidth"]))
            found = {}
            for _, unit, _, regs, _, window in units:
                for _, name, own, fields, _, offset in regs:
                    self.assertNotIn((unit, name), found)
                    found[unit, name] = (window + offset - BASE, own.get("ping_pong_groups") == "2", {
                        f[1]: (*f[4], f[2]["sw"], f[5], f[2]["values"], f[2]["desc"][1:-1]) for f in fields})
                    for _, field, own, *_ in fields:
                        access = table[unit, name][2][field][2]
                        self.assertEqual((access == "RW1C", access == "RW1S", access in ("WO", "RW1S", "RWI", "RWT")),
                                         ("woclr" in own, "woset" in own, "donttest" in own))
            self.assertEqual({key: (address, grouped, {n: (m, b, SOFTWARE.get(a, "rw"), *rest) for n, (m, b, a, *rest) in fields.items()})
                              for key, (address, grouped, fields) in table.items()}, found)

    def in_order(self, element, *names):
        """The children of an element are these, in this order, each alone or several times."""
        found = [re.sub("^{.*}", "", child.tag) for child in element]
        self.assertRegex(" ".join(found) + " ", "^" + "".join(f"({name} )*" for name in names) + "$", element.tag)

    def test_svd(self):
        for config, table in TABLES.items():
            root = tree.fromstring(self.form("svd", config, f"--base={BASE:#x}", "--irq=9"))
            self.in_order(root, "name", "version", "description", "addressUnitBits", "width", "size", "access", "resetValue", "resetMask", "peripherals")
            self.assertEqual(["9"], [value.text for value in root.findall(".//interrupt/value")])
            found = {}
            for peripheral in root.findall("peripherals/peripheral"):
                self.in_order(peripheral, "name", "description", "groupName", "baseAddress", "addressBlock", "interrupt", "registers")
                for register in peripheral.findall("registers/register"):
                    self.in_order(register, "name", "description", "addressOffset", "size", "access", "resetValue", "resetMask", "fields")
                    key = (text_of(peripheral, "name"), text_of(register, "name"))
                    fields, reset = {}, 0
                    for field in register.findall("fields/field"):
                        self.in_order(field, "name", "description", "bitOffset", "bitWidth", "access", "modifiedWriteValues", "readAction", "enumeratedValues")
                        lsb, width = int(text_of(field, "bitOffset")), int(text_of(field, "bitWidth"))
                        fields[text_of(field, "name")] = (lsb + width - 1, lsb, text_of(field, "access"), text_of(field, "modifiedWriteValues"),
                                                          text_of(field, "readAction"), text_of(field, "description"),
                                                          {text_of(v, "name"): int(text_of(v, "value")) for v in field.findall("enumeratedValues/enumeratedValue")})
                    reset = int(text_of(register, "resetValue"), 16)
                    found[key] = (int(text_of(peripheral, "baseAddress"), 16) - BASE + int(text_of(register, "addressOffset"), 16),
                                  "ping-pong" in text_of(register, "description"), reset, fields)
            self.assertEqual({key: (address, grouped, sum(f[3] << f[1] for f in fields.values()), {
                n: (m, b, WORDS.get(a, "read-write"), WRITES.get(a), "modifyExternal" if a == "RWI" else None, text, values)
                for n, (m, b, a, _, values, text) in fields.items()}) for key, (address, grouped, fields) in table.items()}, found)

    def test_ipxact(self):
        space = "{http://www.accellera.org/XMLSchema/IPXACT/1685-2014}"

        def value(element, name):
            return int(element.findtext(space + name).replace("'h", "0x"), 0)

        for config, table in TABLES.items():
            root = tree.fromstring(self.form("ipxact", config, f"--base={BASE:#x}"))
            self.in_order(root, "vendor", "library", "name", "version", "memoryMaps", "description")
            found = {}
            for block in root.iter(f"{space}addressBlock"):
                self.in_order(block, "name", "baseAddress", "range", "width", "usage", "register")
                for register in block.iter(f"{space}register"):
                    self.in_order(register, "name", "description", "addressOffset", "size", "access", "field")
                    fields = {}
                    for field in register.iter(f"{space}field"):
                        self.in_order(field, "name", "description", "bitOffset", "resets", "bitWidth", "volatile", "access", "enumeratedValues",
                                      "modifiedWriteValue", "readAction", "testable")
                        lsb, reset = value(field, "bitOffset"), value(field, f"resets/{space}reset/{space}value")
                        fields[text_of(field, f"{space}name")] = (
                            lsb + value(field, "bitWidth") - 1, lsb, text_of(field, f"{space}access"), text_of(field, f"{space}modifiedWriteValue"),
                            text_of(field, f"{space}readAction"), reset, text_of(field, f"{space}description"),
                            {text_of(v, f"{space}name"): value(v, "value") for v in field.iter(f"{space}enumeratedValue")})
                    found[text_of(block, f"{space}name"), text_of(register, f"{space}name")] = (
                        value(block, "baseAddress") - BASE + value(register, "addressOffset"), fields)
            self.assertEqual({key: (address, {
                n: (m, b, WORDS.get(a, "read-write"), WRITES.get(a), "modify" if a == "RWI" else None, reset, text, values)
                for n, (m, b, a, reset, values, text) in fields.items()}) for key, (address, _, fields) in table.items()}, found)

    def test_header(self):
        for config, table in TABLES.items():
            expected = {"NVDLA_BASE": BASE}
            for (unit, name), (address, _, fields) in table.items():
                macro = f"NVDLA_{unit}_{name}"
                expected |= {macro: address, f"{macro}_RESET": sum(f[3] << f[1] for f in fields.values())}
                for field, (msb, lsb, _, _, values, _) in fields.items():
                    expected |= {f"{macro}_{field}_SHIFT": lsb, f"{macro}_{field}_MASK": (2 << msb) - (1 << lsb)}
                    expected |= {f"{macro}_{field}_{value}": number for value, number in values.items()}
            text = self.form("header", config, f"--base={BASE:#x}")
            guard = f"NVDLA_REGISTERS_{config.upper()}_H"
            self.assertEqual(sorted([guard, *expected]), sorted(re.findall(r"^#define (\w+)", text, re.M)))
            text += "".join(f'_Static_assert({name} == {value}, "{name}");\n' for name, value in expected.items())
            done = subprocess.run(["cc", "-x", "c", "-std=c11", "-Wall", "-Wextra", "-pedantic-errors", "-Werror", "-fsyntax-only", "-"],
                                  input=text, text=True, capture_output=True, check=False)
            self.assertEqual("", done.stderr[:2000])

    def test_device_tree(self):
        for config, name in (("full", "nvidia,nvdla_os_initial"), ("small", "nvidia,nv_small"), ("large", "nvidia,nv_large")):
            text = re.sub(r"/\*.*?\*/", "", self.form("dts", config, "--base=0x510200000", "--irq=176"), flags=re.S)
            node = re.fullmatch(r"\s*/ \{\s*#address-cells = <2>;\s*#size-cells = <2>;\s*nvdla@510200000 \{([^{}]*)\};\s*\};\s*", text)
            self.assertEqual({"compatible": f'"{name}"', "reg": "<0x5 0x10200000 0x0 0x40000>", "interrupts": "<0 176 4>"},
                             dict(re.findall(r"([\w-]+) = ([^;]*);", node.group(1))))

    def test_nothing_is_half_written(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "map.svd")
            file.write_text("old")
            self.assertEqual(2, run("--to=dts", "--config=medium_512", "--base=4096", "--irq=1", "-o", str(file))[0])
            self.assertEqual("old", file.read_text())
            self.assertEqual((0, "", ""), run("--to=svd", "-o", str(file)))
            self.assertEqual(self.form("svd", "small"), file.read_text())
            self.assertEqual([file], list(pathlib.Path(folder).iterdir()))


class Articles(html.parser.HTMLParser):
    """Of each register on the page: its paragraph, its rows, its rules."""

    def __init__(self, text):
        super().__init__()
        self.found, self.into = {}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "article":
            self.found[dict(attrs)["id"]] = self.own = {"about": [""], "rows": [], "rules": []}
        elif tag == "p":
            self.into = self.own["about"]
        elif tag == "tr":
            self.own["rows"].append([])
        elif tag == "td":
            self.into = self.own["rows"][-1]
            self.into.append("")
        elif tag == "details":
            self.into = self.own["rules"]
            self.into.append("")

    def handle_data(self, data):
        if self.into:
            self.into[-1] += data

    def handle_endtag(self, tag):
        if tag in ("p", "td", "details"):
            self.into = []


READER = """<script>addEventListener("load", () => {
  const results = { errors: window.errors };
  const field = document.querySelector("input");
  for (const words of ["", "0xffff1405", "line stride", "wombat", "0x10205014"]) {
    field.value = words;
    field.dispatchEvent(new Event("input"));
    results[words] = [...document.querySelectorAll("article")].filter((article) => article.offsetHeight > 0).map((article) => article.id);
  }
  document.querySelector("#theme").click();
  results.scheme = document.documentElement.style.colorScheme;
  document.body.innerHTML = "<pre></pre>";
  document.querySelector("pre").textContent = JSON.stringify(results);
});
window.errors = [];
addEventListener("error", (event) => window.errors.push(event.message));
addEventListener("securitypolicyviolation", (event) => window.errors.push("asks for " + event.blockedURI));
</script>"""


class Page(unittest.TestCase):
    def setUp(self):
        self.text = run("--to=html", "--config=full", f"--base={BASE:#x}")[1]

    def test_every_field(self):
        found = Articles(self.text).found
        table = TABLES["full"]
        self.assertEqual([f"{unit}.{name}" for (unit, name), _ in sorted(table.items(), key=lambda item: item[1][0])], list(found))
        for (unit, name), (address, grouped, fields) in table.items():
            own = found[f"{unit}.{name}"]
            for part in (f"0x{address:05x}, CSB word 0x{address // 4:04x}, input.txn 0x{0xffff0000 | address // 4:08x}, 0x{BASE + address:x} in the SoC",
                         f"reset 0x{sum(f[3] << f[1] for f in fields.values()):08x}", "groups 0 and 1" if grouped else "no groups"):
                self.assertIn(part, own["about"][0])
            cells = [row for row in own["rows"] if row]
            self.assertEqual([[f"{m}:{b}" if m > b else str(b), n, a, f"0x{reset:x}", text + "".join(f"{v} {k}" for k, v in values.items())]
                              for n, (m, b, a, reset, values, text) in sorted(fields.items(), key=lambda item: item[1][1])], [row[:5] for row in cells])
            self.assertTrue(all(re.match(r"\d\d-[a-z-]+, ", row[5]) for row in cells), own)

    def test_sections_and_rules(self):
        found = Articles(self.text).found
        pixels = found["CDMA.D_DATAIN_FORMAT"]
        self.assertIn("30-cdma-cbuf, 2. Registers", pixels["rows"][1][5] + pixels["rows"][2][5])
        self.assertIn("the configuration has no such pixel format", pixels["rules"][0])
        self.assertIn("20-data-formats, 4. Pixel (image) formats", pixels["rules"][0])
        self.assertEqual([], found["GLB.S_INTR_MASK"]["rules"])
        self.assertGreater(sum(bool(own["rules"]) for own in found.values()), 70)

    @unittest.skipUnless(shutil.which("chromium"), "chromium is not installed (scripts/setup.sh installs it)")
    def test_search_in_a_browser(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.html")
            page.write_text(self.text.replace("<style>", READER + "<style>", 1), encoding="utf-8")
            done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                                   "--virtual-time-budget=5000", "--dump-dom", f"file://{page}"], capture_output=True, text=True, timeout=120, check=False)
        got = json.loads(re.search(r"<pre>(\{.*)</pre>", done.stdout, re.S).group(1))
        self.assertEqual([], got["errors"])
        self.assertEqual(len(TABLES["full"]), len(got[""]))
        self.assertEqual((["CDMA.D_MISC_CFG"], ["CDMA.D_MISC_CFG"], []), (got["0xffff1405"], got["0x10205014"], got["wombat"]))
        self.assertIn("CDMA.D_LINE_STRIDE", got["line stride"])
        self.assertLess(len(got["line stride"]), 60)
        self.assertIn(got["scheme"], ("light", "dark"))


class HdlLists(unittest.TestCase):
    def test_files(self):
        import yaml
        listed = [line for line in pathlib.Path("rtl/nvdla.f").read_text().splitlines() if line and not line.startswith(("//", "+"))]
        names = [row["name"] for row in rows("configurations")]
        core = yaml.safe_load(pathlib.Path("rtl/nvdla.core").read_text())
        self.assertEqual(listed, [file if isinstance(file, str) else next(iter(file)) for file in core["filesets"]["rtl"]["files"]])
        self.assertEqual(["default", *names], list(core["targets"]))
        sources = yaml.safe_load(pathlib.Path("rtl/Bender.yml").read_text())["sources"]
        self.assertEqual([f"../build/gen/{name}/nvdla_pkg.sv" for name in sorted(names)], sorted(group["files"][0] for group in sources))
        for group in sources:
            self.assertEqual([file for file in listed if file.endswith(".sv")], group["files"][1]["files"])

    def test_package_for_fusesoc(self):
        import yaml
        with tempfile.TemporaryDirectory() as folder:
            request = pathlib.Path(folder, "request.yml")
            request.write_text("gapi: '1.0'\nvlnv: a:b:c:1\nparameters: {config: small}\n")
            subprocess.run([pathlib.Path("scripts/hdl_lists.py").resolve(), request], cwd=folder, check=True)
            core = yaml.safe_load(pathlib.Path(folder, "nvdla_pkg.core").read_text())
            self.assertEqual("a:b:c:1", core["name"])
            for file in core["filesets"]["rtl"]["files"]:
                self.assertTrue(pathlib.Path(folder, file if isinstance(file, str) else next(iter(file))).stat().st_size)
