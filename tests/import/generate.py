#!/usr/bin/python3
"""Writes captures of one access list in every format, with the variations that chapters 80 and 85 allow or warn about, by seed. Each is
imported, and must have the same accesses.

usage: generate.py NVCOSIM OUT [SEEDS]
"""
import os
import random
import sys

from counts import check, finish, run

nvcosim, out = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
seeds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
os.makedirs(out, exist_ok=True)


def accesses_of(draw):
    """Two groups of SDP programmed at random, with services between. Offsets of small."""
    made = [("R", 0x1000, 0x303031), ("R", 0x3004, 0x10000)]
    for _ in range(draw.randrange(20, 60)):
        unit = draw.choice((0x8000, 0x9000, 0xa000, 0xb000))
        register = {0x8000: 0xc, 0x9000: 0x3c, 0xa000: 0xc, 0xb000: 0xc}[unit]
        made.append((draw.choice("WWWR"), unit + draw.choice((4, register, register + 4)), draw.choice((0, 1, 0x1f, 0xc0001000, 0xffffff80, draw.getrandbits(32)))))
    return made


def kmd(draw, accesses):
    style = draw.choice(("dmesg", "serial", "journal", "iso", "bare", "cpu"))
    lines = []
    for n, (kind, address, value) in enumerate(accesses):
        digits = "X" if draw.random() < 0.2 else "x"
        word = {"R": "read", "W": "write"}[kind]
        text = f"dla_reg_{word}: addr(0x{address:{digits}}, 0x{address // 4:{digits}}), {kind.lower()}val(0x{value:{digits}})"
        stamp = f"[{n / 1e6 + 5:12.6f}] "
        lead = {"dmesg": stamp, "serial": f"<{draw.randrange(8)}>{stamp}", "journal": f"Nov 21 08:00:05 host kernel: {stamp}",
                "iso": "2026-11-21T08:00:05+01:00 host.lan kernel: ", "bare": "", "cpu": f"{stamp[:-1]}[    T{draw.randrange(99, 9999)}] "}[style]
        line = lead + text
        if style == "serial" and draw.random() < 0.3:
            at = draw.randrange(len(lead), len(line))  # anywhere after the prefix
            line = line[:at] + "\n" + line[at:]
        lines.append(line)
        if draw.random() < 0.1:
            lines.append(lead + draw.choice(("other_dla_reg_write: addr(0x9004, 0x2401), wval(0x1)", "axi_dma_reg_write: 0x10, 0x1",
                                             "dla_task id 0 has set addr id 3", "Prepare SDP operation index 1 ROI 0 dep_count 1", "")) or " ")
    end = draw.choice(("\n", "\r\n"))
    return "\n".join(lines).replace("\n", end) + draw.choice((end, "")), []


def mmiotrace(draw, accesses):
    base, number = draw.choice((0xfe800000, 0x4000000000)), 2
    tail = lambda: draw.choice((" 0xffffffffc0a1d318 0", " 0x0 0", ""))
    lines = ["VERSION 20070824", "PCIDEV 0000 80861237 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 ", "LSPCI 00:03.0 Processing W 4 R accelerators: MAP UNMAP",
             "MAP 4.9 1 0xf7c00000 0xffffc90000180000 0x20000 0x0 0", f"MAP 4.9 2 0x{base:x} 0xffffc90001000000 0x40000 0x0 0"]
    n = 0
    while n < len(accesses):
        kind, address, value = accesses[n]
        stamp = f"5.{n:06}"
        if n + 1 < len(accesses) and accesses[n + 1][:2] == (kind, address + 4) and address % 8 == 0:
            lines.append(f"{kind} 8 {stamp} {number} 0x{base + address:x} 0x{accesses[n + 1][2] << 32 | value:x}{tail()}")
            n += 1
        else:
            lines.append(f"{kind} 4 {stamp} {number} 0x{base + address:x} 0x{value:x}{tail()}")
        n += 1
        what = draw.randrange(14)
        if what == 0:
            lines.append(f"R {draw.choice((1, 2, 4, 8))} {stamp} 1 0xf7c0aad8 0x1c 0xffffffffc0301218 0")
        elif what == 1:
            lines.append(f"MARK {stamp} user says Lost the thread, got 24 events.")
        elif what == 2:
            lines.append(f"UNKNOWN {stamp} 1 0xf7c00010 0x8b,0x01,0x00 0x0 0")
        elif what == 3:
            lines += [f"UNMAP {stamp} {number} 0x0 0", f"MAP {stamp} {number + 1} 0x{base + 0x100000:x} 0xffffc90002000000 0x40000 0x0 0"]
            base, number = base + 0x100000, number + 1
        elif what == 4:
            lines += [f"MAP {stamp} 900 0xe0000000 0x1 0x1000 0x0 0", f"UNMAP {stamp} 900 0x0 0"]
    end = draw.choice(("\n", "\r\n"))
    return end.join(lines) + end, []


def vp(draw, accesses):
    lines = ["             SystemC 2.3.0-ASI", "sc_log control string: [outfile:sc.log]", ""]
    for kind, address, value in accesses:
        lead = draw.choice(("", "274 s: ", "88400 ms: ", "88600000001 ns: ", "[    5.03] text of the guest "))
        lines.append(f"{lead}Info: nvdla.csb_adaptor: GP: iswrite={int(kind == 'W')} addr=0x{address:x} len=4 data=0x {value:08x} resp=TLM_OK_RESPONSE"
                     + draw.choice(("", "", "[    5.03] glued", " and more", "\r")))
        what = draw.randrange(8)
        if what == 0:
            lines += ["Info: NV_NVDLA_csb_master.cpp: 123: Addr: 0x1000", "Data: 0x1", "Is write: 1", "nposted: 0", "read response error: 0"]
        elif what == 1:
            size = draw.randrange(1, 257)
            words, at = [], 0xc0000000 + draw.randrange(4)
            start = at
            while at < start + size:
                part = min(4 - at % 4, start + size - at)
                content = [draw.choice(("%02x" % draw.randrange(256), "XX")) for _ in range(part)]
                words.append("".join(reversed(content)) if part == 4 and "XX" not in content else "_".join(content))
                at += part
            lines.append(f"Info: nvdla.{draw.choice(('dbb', 'sram'))}_adaptor: GP: iswrite=1 addr=0x{start:x} len={size} data=0x {' '.join(words)} resp=TLM_OK_RESPONSE")
        elif what == 2:
            lines.append("5 ms: Info: nvdla.irq_adaptor: IRQ: irq_line=176 value=1")
        elif what == 3:
            lines.append("Info: AXI read start addr=0xc0001000 len=4")
    text = "\n".join(lines) + "\n"
    return (text.replace(" resp=TLM_OK_RESPONSE\n", " resp=TLM_OK_RESPONSE", 1) if draw.random() < 0.3 else text), []


def rwmmio(draw, accesses):
    base, new = 0xffff800011a00000, draw.random() < 0.5
    lines = ["# tracer: nop", "#", "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION"]
    for n, (kind, address, value) in enumerate(accesses):
        where = "dla_reg_access+0x10/0x40 -> dla_top+0x20/0x40" if new else "dla_reg_access+0x10/0x40"
        lead = f"     kworker/u8:{n % 3}-77  [00{n % 4}] d..1.   5.{n:06}: "
        place = f"addr=0x{base + address:x}"
        if kind == "W":
            lines.append(f"{lead}rwmmio_write: {where} width=32 val=0x{value:x} {place}")
            if draw.random() < 0.8:
                lines.append(f"{lead}rwmmio_post_write: {where} width=32 val=0x{value:x} {place}")
        else:
            lines += [f"{lead}rwmmio_read: {where} width=32 {place}", f"{lead}rwmmio_post_read: {where} width=32 val=0x{value:x} {place}"]
        if draw.random() < 0.1:
            lines.append(f"{lead}rwmmio_write: {where} width=8 val=0x1 addr=0xffff800010000003")
            lines.append(f"{lead}rwmmio_write: {where} width=32 val=0x1 addr=0xffff800010000000")
    return "\n".join(lines) + "\n", [f"--base=0x{base:x}"]


def kprobe(draw, accesses):
    with open(os.path.join(out, "shapes"), "w", encoding="utf-8") as f:
        f.write("write addr=1 value=2 reg_write: \\([^)]*\\) off=(0x[0-9a-f]+) val=(0x[0-9a-f]+)\n"
                "read-address addr=1 reg_read: \\([^)]*\\) off=(0x[0-9a-f]+)\nread-value value=1 reg_read_ret: \\([^)]*\\) ret=(0x[0-9a-f]+)\n"
                "hole LOST [0-9]+ EVENTS\n")
    lines = []
    for n, (kind, address, value) in enumerate(accesses):
        lead = f"  dla-77 [001] d..1 5.{n:06}: "
        lines += [f"{lead}reg_write: (dla_reg_write+0x0) off=0x{address:x} val=0x{value:x}"] if kind == "W" else \
            [f"{lead}reg_read: (dla_reg_read+0x0) off=0x{address:x}", f"{lead}reg_read_ret: (dla_read+0x1c <- dla_reg_read) ret=0x{value:x}"]
    return "\n".join(lines) + "\n", [f"--pattern={os.path.join(out, 'shapes')}"]


def txn(draw, accesses):
    as_bytes, lines = draw.random() < 0.5, ["", "# a comment"]
    gap = lambda: draw.choice((" ", "\t", "  "))
    for kind, address, value in accesses:
        number = f"0x{value:08x}" if draw.random() < 0.7 else f"0x{value:X}" if draw.random() < 0.7 else str(value)
        token = f"0x{address:x}" if as_bytes else f"0x{0xffff0000 | address // 4:08x}"
        note = draw.choice(("", f"  # actual addr: 0x{address // 4:04x}", "#glued_to_the_number")) if as_bytes else draw.choice(("", f"\t\t\t#0x{address:x}"))
        lines.append(f"write_reg{gap()}{token}{gap()}{number}{note}" if kind == "W" else f"read_reg{gap()}{token}{gap()}0xffffffff{gap()}{number}{note}")
    end = draw.choice(("\n", "\r\n"))
    return end.join(lines) + draw.choice((end, "")), ["--from=txn", f"--dialect={'byte' if as_bytes else 'until'}"]


def table(draw, accesses):
    separator, quote, base = draw.choice((",", ";", "\t")), draw.random() < 0.5, draw.choice((0, 0x43c80000))
    order = ["time", "type", "address", "data", "note"]
    draw.shuffle(order)
    names = {"time": draw.choice(("Time [us]", "time")), "type": draw.choice(("Type", "R/W", "Dir")), "address": draw.choice(("Addr", "address")),
             "data": draw.choice(("Data", "Value")), "note": "Master"}
    words = draw.choice((("R", "W"), ("READ", "WRITE"), ("rd", "wr")))
    style = draw.choice(("0x{:x}", "{:08X}", "0x{:08X}", "{:x}"))
    rows = [[names[c] for c in order]]
    for n, (kind, address, value) in enumerate(accesses):
        cells = {"time": f"{n},5" if quote else f"{n}.5" if draw.random() < 0.9 else "", "type": words[kind == "W"], "address": style.format(base + address), "data": style.format(value),
                 "note": 'cpu "0"' + separator + " x" if quote else ""}
        rows.append([cells[c] for c in order])
    cell = lambda text: '"' + text.replace('"', '""') + '"' if quote else text
    end = draw.choice(("\n", "\r\n"))
    text = draw.choice(("", "\ufeff")) + end.join(separator.join(map(cell, row)) for row in rows) + end
    return text, ["--from=csv", f"--base=0x{base:x}"]


def vcd(draw, accesses):
    names = ["csb2nvdla_valid", "csb2nvdla_ready", "csb2nvdla_addr", "csb2nvdla_wdat", "csb2nvdla_write", "nvdla2csb_valid", "nvdla2csb_data"]
    widths, codes = [1, 1, 16, 32, 1, 1, 32], ["!a", '"', "#", "$9", "%", "&", "'"]
    period = draw.choice((2, 10, 3333 * 2))
    lines = ["$date", "  today", "$end", "$timescale 1ps $end", "$scope module tb $end", "$var real 64 r0 temperature $end",
             "$var string 1 s0 state $end", "$scope begin a_block $end", "$comment x $end",
             "$upscope $end", "$scope module dut $end", "$var wire 1 ck clk $end"]
    for name, width, code in zip(names, widths, codes):
        lines.append(f"$var {draw.choice(('wire', 'reg', 'logic'))} {width} {code} {name} {f'[{width - 1}:0] ' if width > 1 else ''}$end")
    lines += ["$scope module inner $end", "$var wire 32 $9 data_too [31:0] $end", "$upscope $end", "$upscope $end", "$upscope $end", "$enddefinitions $end",
              "#0", "$dumpvars", "xck", "r1.5 r0", "sIDLE s0"] + [f"x{c}" if w == 1 else f"bx {c}" for w, c in zip(widths, codes)] + ["$end"]
    time = 0

    def clock(changes):
        nonlocal time
        time += period // 2
        lines.extend([f"#{time}", "0ck"])
        time += period // 2
        lines.extend([f"#{time}", "1ck"] if draw.random() < 0.5 else [f"#{time}"])
        lines.extend(changes)
        if lines[-1] != "1ck" and "1ck" not in lines[-len(changes) - 1:]:
            lines.append("1ck")
        if draw.random() < 0.1:
            lines.extend([f"r{draw.random()} r0", "sBUSY s0"])

    vector = lambda value, code: f"{draw.choice('bB')}{value:b} {code}"
    clock([f"0{c}" if w == 1 else f"b0 {c}" for w, c in zip(widths, codes)])
    for kind, address, value in accesses:
        request = ["1" + codes[0], vector(address // 4, codes[2]), vector(value, codes[3]) if kind == "W" else "bx " + codes[3], f"{int(kind == 'W')}" + codes[4]]
        stalls = draw.randrange(3)
        clock(request + [f"{int(stalls == 0)}" + codes[1]])
        for left in range(stalls, 0, -1):
            clock([f"{int(left == 1)}" + codes[1]])
        if kind == "R":
            clock(["0" + codes[0]])
            clock(["1" + codes[5], vector(value, codes[6])])
            clock(["0" + codes[5]])
        elif draw.random() < 0.5:
            clock(["0" + codes[0]])
    clock(["0" + codes[0]])
    clock([])
    return "\n".join(lines) + "\n", draw.choice(([], ["--scope=tb.dut", "--clock=clk"]))


def samples_of(draw, accesses, bus, base):
    """The signals of a register bus, a dictionary for each clock."""
    def csb(kind, address, value):
        stalls = draw.randrange(3)
        for left in range(stalls, -1, -1):
            yield {"csb2nvdla_valid": 1, "csb2nvdla_ready": int(left == 0), "csb2nvdla_addr": address // 4, "csb2nvdla_write": int(kind == "W"),
                   "csb2nvdla_wdat": value if kind == "W" else draw.getrandbits(32)}
        if kind == "R":
            yield {"csb2nvdla_valid": 0}
            yield {"nvdla2csb_valid": 1, "nvdla2csb_data": value}
            yield {"nvdla2csb_valid": 0}
        elif draw.random() < 0.5:
            yield {"csb2nvdla_valid": 0}

    def apb(kind, address, value):
        yield {"psel": 1, "penable": 0, "paddr": base + address, "pwrite": int(kind == "W"), "pwdata": value if kind == "W" else 7, "pready": draw.randrange(2)}
        for left in range(draw.randrange(3), -1, -1):
            yield {"penable": 1, "pready": int(left == 0), "prdata": value if left == 0 and kind == "R" else draw.getrandbits(32)}
        yield {"psel": 0, "penable": 0, "pready": 0}

    def lite(kind, address, value):
        if kind == "R":
            yield {"arvalid": 1, "arready": 0, "araddr": base + address}
            yield {"arready": 1}
            yield {"arvalid": 0, "arready": 0, "rvalid": 1, "rready": 0, "rdata": value, "rresp": 0}
            yield {"rready": 1}
            yield {"rvalid": 0, "rready": 0}
            return
        channels = [{"awvalid": 1, "awready": 1, "awaddr": base + address}, {"wvalid": 1, "wready": 1, "wdata": value, "wstrb": 15}]
        draw.shuffle(channels)
        for channel in [channels[0] | channels[1]] if draw.random() < 0.5 else channels:
            yield {"awvalid": 0, "wvalid": 0} | channel
        yield {"awvalid": 0, "wvalid": 0, "bvalid": 1, "bready": 1, "bresp": 0}
        yield {"bvalid": 0}

    make = {"csb": csb, "apb": apb, "lite": lite}[bus]
    changes = [change for access in accesses for change in make(*access)]
    now = dict.fromkeys((name for change in changes for name in change), 0)
    for change in [{}] + changes + [{name: 0 for name in now if name.endswith(("valid", "psel"))}]:
        now = now | change
        yield now


def sampled(draw, accesses):
    """The same access list on CSB, APB or AXI4-Lite, as an on-chip analyser or a simulation dumps it."""
    bus, form = draw.choice(("csb", "apb", "lite")), draw.choice(("clocked", "vcd", "vivado", "litescope", "bare"))
    base = 0 if bus == "csb" else draw.choice((0, 0x43c00000))
    samples = list(samples_of(draw, accesses, bus, base))
    lead = "" if bus == "csb" else draw.choice(("", "s_axi_", "S_"))
    names = {name: lead.upper() + name.upper() if lead.isupper() else lead + name for name in samples[0]}
    width = lambda name: 16 if name == "csb2nvdla_addr" else 4 if name == "wstrb" else 2 if name.endswith("resp") else \
        32 if any(part in name for part in ("addr", "data", "wdat")) else 1
    options = [] if bus == "csb" else [f"--base=0x{base:x}"]
    if form in ("clocked", "vcd"):
        codes = {name: chr(33 + i) for i, name in enumerate(names)}
        lines = ["$timescale 1ns $end", "$scope module dut $end", "$var reg 1 ~ clk $end"]
        lines += [f"$var reg {width(name)} {codes[name]} {names[name]}{f' [{width(name) - 1}:0]' if width(name) > 1 else ''} $end" for name in names]
        lines += ["$upscope $end", "$enddefinitions $end", "#0", "0~"]
        for n, sample in enumerate(samples):
            lines += [f"#{2 * n}"] + [f"b{value:b} {codes[name]}" for name, value in sample.items() if n == 0 or samples[n - 1][name] != value]
            lines += ["0~", f"#{2 * n + 1}", "1~"] if form == "clocked" else []
        return "\n".join(lines) + "\n", options + (["--clock=none"] if form == "vcd" else [])
    radix = {name: draw.choice((16, 10, 2)) if form == "vivado" else 10 if form == "litescope" else 16 for name in names}
    head = {"vivado": "u_nvdla/{}", "litescope": "{}", "bare": "dut.{}"}[form]
    rows = [[head.format(names[name]) + (f"[{width(name) - 1}:0]" if form == "vivado" and width(name) > 1 else "") for name in names]]
    if form == "vivado":
        rows.append([("Radix - " if i == 0 else "") + {16: "HEX", 10: "UNSIGNED", 2: "BINARY"}[radix[name]] for i, name in enumerate(names)])
    if form == "litescope":
        rows.append([str(width(name)) for name in names])
        options.append("--radix=10")
    rows += [[f"{sample[name]:{ {16: 'x', 10: 'd', 2: 'b'}[radix[name]]}}" for name in names] for sample in samples]
    return "\n".join(",".join(row) for row in rows) + "\n", options + draw.choice(([], ["--from=csv"]))


FORMS = {"kmd": kmd, "mmiotrace": mmiotrace, "vp": vp, "rwmmio": rwmmio, "kprobe": kprobe, "txn": txn, "csv": table, "vcd": vcd, "sampled": sampled}
for seed in range(1, seeds + 1):
    for form, make in FORMS.items():
        draw = random.Random(f"{seed} {form}")
        accesses = accesses_of(draw)
        text, options = make(draw, accesses)
        capture, listed = os.path.join(out, f"{form}_{seed}"), os.path.join(out, "list")
        open(capture, "w", encoding="utf-8", newline="").write(text)
        if os.path.exists(listed):
            os.unlink(listed)
        ran = run(nvcosim, "import", "-q", "--no-lint", "--accesses", listed, "-o", os.path.join(out, "t.nvt"), *options, capture, timeout=60)
        expected = "".join(f"{kind} 0x{address:05x} 0x{value:08x}\n" for kind, address, value in accesses)
        found = open(listed, encoding="utf-8").read() if os.path.exists(listed) else ""
        at = next((i for i, (a, b) in enumerate(zip(found.split("\n"), expected.split("\n"))) if a != b), -1)
        check(f"{capture} {' '.join(options)}", ran.returncode == 0 and found == expected, f"exit status {ran.returncode}, "
              f"{found.count(chr(10))} of {len(accesses)} accesses, the first that differs {at}: {ran.stderr[:300]}")
finish()
