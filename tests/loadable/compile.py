#!/usr/bin/python3
"""nvcosim compile with loadables built by this script, for cases that no published file has: other layouts, schedules that wait, damage, and the
messages when a file is refused.

usage: compile.py NVCOSIM
Ends with "N passed, N failed".
"""
import gzip
import math
import pathlib
import random
import struct
import subprocess
import sys

from builder import (ALLOCATE, ARMED, BDMA, CONV, DONE, INPUT, OUTPUT, PDP, PROGRAMMED, RUBIK, SDP, Loadable, conv, cube, flying, nothing,
                     packed, sdp, unit)
from counts import check, play_parts, run

NVCOSIM = str(pathlib.Path(sys.argv[1]).resolve())
W, H, C = 4, 3, 8
SIZE = W * H * C
IN, OUT, POOL = 5, 6, 7  # list positions of the memories that `network` makes


def network(pool=4 * SIZE, pixel_format=37, data_type=4, size=SIZE, line=W * 8, n=1):
    """A loadable with an input, an output and a memory for what lies between them, and the ids of their addresses."""
    net = Loadable()
    for name in ("in", "out"):
        net.tensor(name, len(net.tensors), size, (n, C, H, W), (1, line, line * H, 0, 0, 0, 0, 0), data_type, pixel_format)
    return net, [net.memory(size, flags=ALLOCATE | INPUT), net.memory(size, flags=ALLOCATE | OUTPUT, tensor=1), net.memory(pool)]


def here(position, offset=0, old=False):
    return packed(position, W, H, C, offset=offset, old=old)


def add(value, source, destination, old=False, **links):
    """A layer of SDP that adds a constant."""
    return {"type": SDP, "op": sdp(x1=unit(1, kind=2, alu_operand=value)),
            "surface": source + nothing(old) * 3 + destination, **links}


class Result:
    pass


def compile_file(work, data, *options, config="small", source="random:7"):
    result = Result()
    net, trace, writes = work / "net.nvdla", work / "net.nvt.gz", work / "writes.txt"
    net.write_bytes(data)
    trace.unlink(missing_ok=True)
    command = [NVCOSIM, "compile", str(net), "-o", str(trace), "--writes", str(writes), *options]
    command += (["--config", config] if config else []) + ([f"--input={source}"] if source else [])
    done = run(*command)
    result.status, result.err, result.trace = done.returncode, done.stderr, trace
    result.text = gzip.open(trace, "rt").read() if trace.exists() else ""
    result.writes = writes.read_text() if done.returncode == 0 else ""
    return result


def content(text, at):
    """The content of the next blob behind a place of a trace."""
    out = bytearray()
    for line in text[text.index("\n", text.index("blob ", at)) + 1:].split("\n"):
        if line == "end":
            return bytes(out)
        for word in line.split():
            if word[0] == "@":
                out.extend(bytes(int(word[1:], 0) - len(out)))
            else:
                out.extend(bytes([int(word[:2], 16)]) * int(word[3:]) if "*" in word else bytes.fromhex(word))


def output(result):
    return content(result.text, result.text.index("# network output out "))


def source_of(result):
    return content(result.text, result.text.index(", input"))


def plays(name, work, net, *options, **more):
    """Compiles, plays on the model, returns the result; counts as a test."""
    result = compile_file(work, net.bytes(), *options, **more)
    done = run(NVCOSIM, "run", "-q", "--dut", "model", "--strict", result.trace)
    check(name, result.status == 0 and done.returncode == 0, result.err + done.stdout + done.stderr)
    return result


def refused(name, work, data, words, *options, **more):
    result = compile_file(work, data, *options, **more)
    check(name, result.status == 2 and words in result.err and not result.trace.exists(),
          f"exit status {result.status}, found '{result.err.strip()}', expected '{words}'")


def signed(byte):
    return byte - 256 if byte > 127 else byte


def added(data, value):
    return bytes(max(-128, min(127, signed(b) + value)) & 255 for b in data)


def layers(work):
    net, addresses = network()
    net.dla([add(5, here(IN), here(OUT))], addresses)
    result = plays("one_layer", work, net)
    check("one_layer_result", output(result) == added(source_of(result), 5))
    again = compile_file(work, net.bytes(), "--threads=1")
    check("same_bytes_every_time", again.text == result.text)
    elsewhere = work / "an other place"
    elsewhere.mkdir()
    (elsewhere / "b.nvdla").write_bytes(net.bytes())
    subprocess.run([NVCOSIM, "compile", "b.nvdla", "--config=small", "--input=random:7", "--threads=3", "-o", "b.nvt.gz"], cwd=elsewhere,
                   env={"TZ": "Asia/Tokyo", "LC_ALL": "de_DE.UTF-8"})
    check("same_bytes_everywhere", (elsewhere / "b.nvt.gz").read_bytes() == again.trace.read_bytes())
    moved = plays("base", work, net, "--base", "0x90000000")
    check("base_moves_addresses", moved.writes == result.writes.replace("0x8000", "0x9000"), moved.writes)
    zero = plays("zero_input", work, net, source="zero")
    check("zero_input_result", output(zero) == bytes([5]) * SIZE)
    found = plays("configuration_found", work, net, config=None)
    check("configuration_found_is_small", "\nconfig small\n" in found.text)
    (work / "raw.bin").write_bytes(bytes(range(SIZE)))
    raw = plays("raw_input", work, net, source=f"raw:{work / 'raw.bin'}")
    check("raw_input_result", output(raw) == added(bytes(range(SIZE)), 5))

    old, addresses = network()
    old.dla([add(5, here(IN, old=True), here(OUT, old=True), old=True)], addresses, old=True)
    check("old_cubes_give_the_same", plays("old_cubes", work, old).writes.splitlines()[4:] == result.writes.splitlines()[4:])

    chain, addresses = network()
    chain.dla([add(1, here(IN), here(POOL), consumers={SDP: (1, DONE)}),
               add(2, here(POOL), here(POOL, SIZE), consumers={SDP: (2, DONE)}),
               add(4, here(POOL, SIZE), here(OUT))], addresses)
    result = plays("chain", work, chain)
    check("chain_result", output(result) == added(source_of(result), 7))
    check("chain_checks_each_layer", result.text.count("mem_check") == 4, result.text.count("mem_check"))
    check("chain_alternates_groups", [line[-1] for line in result.writes.splitlines() if "W SDP.S_POINTER" in line] == list("001100"),
          result.writes)
    bare = plays("no_layer_checks", work, chain, "--no-layer-checks")
    check("no_layer_checks_leaves_the_output", bare.text.count("mem_check") == 1)


def address_offsets(work):
    net, addresses = network()
    net.dla([add(3, here(IN), here(IN + 3)), ], addresses + [net.address(1)])
    result = plays("entries_that_share_a_memory", work, net)
    check("entries_that_share_a_memory_result", output(result) == added(source_of(result), 3))
    net, addresses = network()
    net.dla([add(3, here(IN), here(POOL), consumers={SDP: (1, DONE)}), add(1, here(POOL + 1), packed(OUT, W, H - 1, C))],
            addresses + [net.address(2, W * 8)])
    layer = net.bytes()
    refused("cube_beyond_its_memory", work, layer.replace(struct.pack("<Q", 4 * SIZE), struct.pack("<Q", SIZE)),
            "layer 1 (SDP): found its source to end at byte")


def batches(work):
    net, addresses = network(size=2 * SIZE, n=2)
    net.dla([add(1, packed(IN, W, 2 * H, C), packed(OUT, W, 2 * H, C))], addresses)
    result = plays("two_pictures", work, net)
    data = source_of(result)
    check("two_pictures_differ", data[:SIZE] != data[SIZE:] and any(data[SIZE:]))


def empty_memories(work):
    """What is zero takes neither room in the trace nor memory."""
    net, addresses = network()
    net.memory(1 << 29, content=b"hello")
    net.memory(1 << 28, flags=ALLOCATE | INPUT)
    net.dla([add(5, here(IN), here(OUT))], addresses)
    result = plays("large_memories_of_zeros", work, net, source="zero")
    with open(work / "net.nvdla", "rb") as file:
        done = subprocess.run([sys.executable, "-c", "import resource, subprocess, sys; subprocess.run(sys.argv[1:]); "
                               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)", NVCOSIM, "compile", file.name,
                               "--config=small", "--input=zero", "-o", str(work / "net.nvt")], capture_output=True, text=True)
    check("large_memories_of_zeros_cost_nothing", int(done.stdout) < 100000 and len(result.text) < 20000, f"{done.stdout} kB")


def schedules(work):
    net, addresses = network()
    net.dla([add(1, here(IN), here(POOL), consumers={SDP: (1, DONE)}), add(1, here(POOL), here(OUT))], addresses, counters=[0, 2])
    result = plays("wrong_counter_is_repaired", work, net)
    check("wrong_counter_is_told", "were repaired" in result.err, result.err)
    net, addresses = network()
    net.dla([add(1, here(IN), here(POOL), consumers={SDP: (1, DONE)}), add(1, here(POOL), here(OUT), consumers={SDP: (0, PROGRAMMED)})],
            addresses, counters=[0, 1])
    result = plays("link_into_the_next_task", work, net)
    check("link_into_the_next_task_result", output(result) == added(source_of(result), 2))
    net, addresses = network()
    net.dla([add(1, here(IN), here(POOL), consumers={SDP: (1, PROGRAMMED)}),
             add(1, here(POOL), here(OUT), consumers={SDP: (0, DONE)})], addresses)
    refused("cycle", work, net.bytes(), "can never finish")
    net, addresses = network()
    net.dla([add(1, here(IN), here(OUT)), add(1, here(POOL), here(OUT))], addresses, heads=[-1, -1, 0, -1, -1, -1])
    refused("layer_that_nothing_leads_to", work, net.bytes(), "task 0 can never finish: 1 of its 2 layers get done")
    net, addresses = network()
    net.dla([], addresses)
    result = compile_file(work, net.bytes())
    check("empty_task", result.status == 0 and result.writes == "", result.err)

    # The last of both groups waits for a table that the other group's layer still uses.
    net, addresses = network(pixel_format=36, data_type=2, size=4 * W * H * 32, line=W * 32)
    half = [packed(p, W, H, C, atom=32, element=2) for p in (IN, OUT, POOL)]
    tables = [bytes([i + 1]) * 130 + bytes(514) + bytes(56) for i in range(2)]

    def table_layer(index, source, destination, **links):
        return {"type": SDP, "op": sdp(2, 2, lut=index, y=unit(1, kind=0, act=2)), "surface": source + nothing() * 3 + destination, **links}
    net.memories[2] = (4 * W * H * 32,) + net.memories[2][1:]
    net.dla([table_layer(0, half[0], half[2], consumers={SDP: (1, DONE)}), table_layer(1, half[2], half[1])], addresses, tables)
    result = plays("two_tables", work, net, config="full")
    writes = result.writes.splitlines()
    second = [i for i, line in enumerate(writes) if line == "W SDP.S_LUT_ACCESS_CFG 0x00020000"]
    check("second_table_waits", len(second) == 2 and any(line.startswith("P GLB") for line in writes[second[0]:second[1]]))


def moves(work):
    def bdma(transfers, **links):
        return {"type": BDMA, "surface": struct.pack("<BBH", 0, 0, len(transfers)) + b"".join(transfers), **links}
    line = struct.pack("<hhIIIIIII", IN, OUT, 32, SIZE // 32, 32, 32, 1, SIZE, SIZE)
    net, addresses = network()
    net.dla([bdma([], consumers={BDMA: (1, DONE)}), bdma([line])], addresses)
    result = plays("copy_behind_an_empty_copy", work, net, config="full", source="raw:" + str(work / "raw.bin"))
    check("copy_result", output(result) == bytes(range(SIZE)))
    check("empty_copy_has_no_access", result.writes.count("P GLB") == 1 and result.writes.count("BDMA.CFG_LAUNCH") == 1)
    net, addresses = network()
    net.dla([bdma([line[:4] + struct.pack("<I", 30) + line[8:]])], addresses)
    refused("copy_of_half_an_atom", work, net.bytes(), "layer 0 (BDMA): found a line of 30 bytes", config="full")
    refused("copy_without_bdma", work, net.bytes(), "it needs BDMA (copying), which configuration small does not have")
    found = compile_file(work, net.bytes(), config=None)
    check("copy_means_full", found.status == 2 and "line of 30 bytes" in found.err, found.err)


def half(value):
    """A positive number that is not small as FP16, ties away from zero."""
    step = 2.0 ** (math.frexp(value)[1] - 11)
    return struct.unpack("<H", struct.pack("<e", math.floor(value / step + 0.5) * step))[0]


def cpu(work):
    # INT8, new layout: clamp((x * in)^power * scale / out), toward zero.
    net, addresses = network()
    shape = (1, W, H, C, W * 8, W * 8 * H)
    net.cpu([struct.pack("<B3xfffff", 0, 0.5, 0.25, 1.0, -3.0, 1.25)], [(3, 0) + shape, (4, 0) + shape], addresses)
    result = plays("power_int8", work, net)
    expected = bytes(int(max(-128.0, min(127.0, (1.25 - 3.0 * (signed(b) * 0.5)) / 0.25))) & 255 for b in source_of(result))
    check("power_int8_result", output(result) == expected)
    check("cpu_source_is_checked", result.text.count("mem_check") == 2)

    # Softmax of INT8: the sum of all is one, whatever the rounding; the largest stays the largest.
    net, addresses = network()
    row = (0, 1, 1, 10, 32, 32)
    net.cpu([struct.pack("<B3xffB11x", 1, 0.1, 1 / 127, 0)], [(3, 0) + row, (4, 0) + row], addresses)
    result = plays("softmax_int8", work, net)
    values, shares = list(map(signed, source_of(result)[:10])), output(result)[:10]
    check("softmax_int8_result", 110 < sum(shares) <= 127 and shares.index(max(shares)) == values.index(max(values)), list(shares))
    check("softmax_leaves_the_rest", not any(output(result)[10:]))

    # The old layout: packed floats, FP16 is format 2, no offsets; logarithm is type 2.
    net, addresses = network(pixel_format=36, data_type=2, size=W * H * 32, line=W * 32)
    shape = (2, W, H, C, W * 32, W * 32 * H)
    net.cpu([struct.pack("<Bfff3x", 0, 2.0, 0.5, 1.0)], [(3, 0) + shape, (4, 0) + shape], addresses, old=True)
    result = plays("power_fp16_old_layout", work, net, config="full")
    data, out = source_of(result), output(result)
    values = [struct.unpack_from("<e", data, at)[0] for at in range(0, len(data), 2)]
    good = all(struct.unpack_from("<H", out, 32 * i + 2 * c)[0] == half((1 + 0.5 * values[16 * i + c]) ** 2)
               for i in range(W * H) for c in range(C))
    check("power_fp16_old_layout_result", good)
    net, addresses = network(pixel_format=36, data_type=2, size=W * H * 32, line=W * 32)
    net.cpu([bytes([2]) + bytes(15)], [(3, 0) + shape, (4, 0) + shape], addresses, old=True)
    result = plays("logarithm", work, net, config="full")
    zero = values.index(0.0) if 0.0 in values else -1
    check("logarithm_of_zero", zero < 0 or struct.unpack_from("<H", output(result), 2 * zero)[0] in (0xfc00, 0))
    net, addresses = network()
    net.cpu([bytes([9]) + bytes(23)], [(3, 0) + row, (4, 0) + row], addresses)
    refused("unknown_cpu_operation", work, net.bytes(), "found type 9 of a CPU operation")

    # Groups live on from task to task.
    net, addresses = network()
    net.dla([add(1, here(IN), here(POOL))], addresses)
    net.cpu([struct.pack("<B3xfffff", 0, 1, 1, 1.0, 2.0, 0.0)], [(5, 0, 1, W, H, C, W * 8, W * 8 * H), (5, SIZE, 1, W, H, C, W * 8, W * 8 * H)],
            addresses)
    net.dla([add(1, here(POOL, SIZE), here(OUT))], addresses)
    result = plays("cpu_between_two_tasks", work, net)
    check("cpu_between_two_tasks_result", output(result) == added(bytes(max(-128, min(127, 2 * signed(b))) & 255 for b in added(source_of(result), 1)), 1))
    check("groups_live_on", [line[-1] for line in result.writes.splitlines() if "W SDP.S_POINTER" in line] == list("0011"))


def refusals(work):
    net, addresses = network()
    net.dla([add(5, here(IN), here(OUT))], addresses)
    data = net.bytes()
    refused("no_input", work, data, "nothing for input 0", source=None)
    refused("input_of_another_size", work, data, "expected 96, the size of the input memory", source=f"raw:{NVCOSIM}")
    refused("input_that_is_missing", work, data, "cannot open", source="raw:/nonexistent")
    refused("other_atoms", work, data, "was the network compiled for another configuration", config="large")
    refused("base_beyond_the_addresses", work, data, "choose a smaller --base", "--base", "0xfffff000")
    refused("not_a_loadable", work, b"hello", "found 5 bytes, expected a loadable")
    refused("empty_file", work, b"", "found 0 bytes")
    refused("text_file", work, b"# a text, not a loadable at all\n" * 9, "net.nvdla: offset")
    refused("cut", work, data[:len(data) // 2], "net.nvdla: offset 0x")
    zipped = plays_gzip = compile_file(work, gzip.compress(data))
    check("gzip_is_read", plays_gzip.status == 0, zipped.err)
    net, addresses = network()
    net.dla([{"type": SDP, "op": sdp(2, 2), "surface": here(IN) + nothing() * 3 + here(OUT)}], addresses)
    refused("fp16_on_small", work, net.bytes(), "task 0, layer 0 (SDP): it needs FP16, which configuration small does not have")
    net, addresses = network()
    net.dla([{"type": SDP, "op": sdp(y=unit(1, kind=2)), "surface": here(IN) + nothing() * 3 + here(OUT)}], addresses)
    refused("ew_on_small", work, net.bytes(), "third stage (EW)")
    net, addresses = network()
    net.memory(64, domain=1)
    net.dla([add(5, here(IN), here(OUT))], addresses)
    refused("on_chip_ram_on_small", work, net.bytes(), "is on-chip RAM, which configuration small does not have")
    net, addresses = network()
    net.dla([{"type": PDP, "op": bytes(52), "surface": here(IN) + flying(W, H, C)}], addresses)
    refused("pooling_to_nowhere", work, net.bytes(), "layer 0 (PDP): found a destination that is not in memory")
    net, addresses = network()
    net.dla([add(5, here(IN), here(OUT), parent=(0, ARMED))], addresses)
    refused("parent_of_its_own_type", work, net.bytes(), "found operation 0 as its fused parent, which is of type SDP; expected type CONV")
    net, addresses = network()
    net.dla([add(5, here(IN), here(99))], addresses)
    refused("position_beyond_the_list", work, net.bytes(), "found its destination at position 99 of the address list, expected 0 to 7")
    net, addresses = network()
    net.dla([{"type": RUBIK, "op": bytes([1, 0, 0, 0]), "surface": here(IN) + here(OUT)}], addresses)
    refused("planes_without_stride", work, net.bytes(), "layer 0 (RUBIK): found a plane stride of 0 bytes", config="full")
    net, addresses = network()
    op = conv(W, H, C, 1, C, W, H, 8, 8, atom=32, compressed=True)
    net.dla([{"type": CONV, "op": op, "surface": cube(0, POOL, 1, 1, C, size=128) * 3 + here(IN) + here(OUT)}], addresses)
    refused("compressed_weights_in_all_banks", work, net.bytes(), "at most the 15 of configuration full that compressed weights leave",
            config="full")
    random.seed(3)
    for i in range(40):
        broken = bytearray(data)
        for _ in range(3):
            broken[random.randrange(len(broken))] = random.randrange(256)
        result = compile_file(work, bytes(broken))
        check(f"damaged_{i}", result.status in (0, 2) and (result.status == 0 or result.err), f"{result.status} {result.err}")


play_parts(layers, address_offsets, batches, empty_memories, schedules, moves, cpu, refusals)
