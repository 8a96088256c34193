#!/usr/bin/python3
"""The files of the RTL for FuseSoC and Bender: rtl/nvdla.core (CAPI2) and rtl/Bender.yml, made from rtl/nvdla.f.

usage: hdl_lists.py            writes both
       hdl_lists.py --check    exit status 1 if one of them is not what would be written
       hdl_lists.py FILE       as a generator of FuseSoC: FILE is its request in YAML, of which the parameter config is used; writes nvdla_pkg.sv,
                               nvdla_unused.svh and a core with both into the folder where it is started

The package of a configuration is not in the repository. FuseSoC makes it by this script; for Bender, `make build/gen/CONFIG/nvdla_pkg.sv` does.
"""
import pathlib
import subprocess
import sys

import tables

ROOT = pathlib.Path(__file__).resolve().parent.parent
MADE = "Made by scripts/hdl_lists.py from rtl/nvdla.f."


def sources():
    lines = (ROOT / "rtl/nvdla.f").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith(("//", "+"))]


def core(configs):
    """A target for each configuration; the default is small."""
    lines = ["CAPI=2:", f"# {MADE} `fusesoc run --target=full nvcosim:nvdla:nvdla` builds configuration full.", "",
             f"name: nvcosim:nvdla:nvdla:{(ROOT / 'VERSION').read_text().strip()}", "description: NVDLA, NVIDIA's deep learning accelerator", "",
             "filesets:", "  rtl:", "    file_type: systemVerilogSource", "    files:"]
    lines += [f"      - {file}" + (": {is_include_file: true}" if file.endswith(".svh") else "") for file in sources()]
    lines += ["", "generators:", "  package:", "    interpreter: python3", "    command: ../scripts/hdl_lists.py", "", "generate:"]
    for config in configs:
        lines += [f"  package_{config}:", "    generator: package", "    position: prepend", f"    parameters: {{config: {config}}}"]
    lines += ["", "targets:"]
    for name, config in [("default", "small"), *zip(configs, configs)]:
        lines += [f"  {name}:", f"    generate: [package_{config}]", "    filesets: [rtl]", "    toplevel: NV_nvdla"]
    return lines


def bender(configs):
    """A target nvdla_CONFIG for each configuration; without one it is small."""
    others = [config for config in configs if config != "small"]
    lines = [f"# {MADE} The package of a configuration comes from `make build/gen/small/nvdla_pkg.sv`;",
             "# targets nvdla_full, ... select another than small.", "package:", "  name: nvdla", "", "sources:"]
    for config in ["small", *others]:
        target = f"nvdla_{config}" if config != "small" else f"not(any({', '.join(f'nvdla_{other}' for other in others)}))"
        lines += [f"  - target: {target}", f"    include_dirs: [common, ../build/gen/{config}]", "    files:", f"      - ../build/gen/{config}/nvdla_pkg.sv"]
        lines += ["      - *rtl"] if config != "small" else ["      - &rtl", "        files:", *(
            f"          - {file}" for file in sources() if not file.endswith(".svh"))]
    return lines


def generate(request):
    import yaml
    with open(request, encoding="utf-8") as file:
        asked = yaml.safe_load(file)
    config, name = asked["parameters"]["config"], asked["vlnv"]
    subprocess.run([sys.executable, str(ROOT / "scripts/gen_tables.py"), "sv", ".", config], check=True)
    pathlib.Path("nvdla_pkg.core").write_text(
        f"CAPI=2:\nname: {name}\nfilesets:\n  rtl:\n    file_type: systemVerilogSource\n    files:\n      - nvdla_unused.svh: {{is_include_file: true}}\n"
        "      - nvdla_pkg.sv\ntargets:\n  default: {filesets: [rtl]}\n", encoding="utf-8")
    return 0


def main():
    if len(sys.argv) == 2 and not sys.argv[1].startswith("-"):
        return generate(sys.argv[1])
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    wrong = 0
    for name, make in (("rtl/nvdla.core", core), ("rtl/Bender.yml", bender)):
        path, text = ROOT / name, "\n".join(make(list(tables.load_configs()))) + "\n"
        if not sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{name} is not what scripts/hdl_lists.py makes of rtl/nvdla.f; run it and commit the result", file=sys.stderr)
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
