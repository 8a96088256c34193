#!/usr/bin/python3
"""A live driver in 60 lines: NVDLA over vfio-user (docs/live.md). SDP doubles the numbers of a small cube.

usage: live_client.py BUILD [OPTION...]      OPTIONs of nvcosim serve, default --dut model; configuration small
"""
import array
import mmap
import os
import socket
import struct
import subprocess
import sys
import tempfile

DMA_MAP, SET_IRQS, READ, WRITE, VERSION = 2, 8, 9, 10, 1
MEMORY, SIZE, SOURCE, RESULT = 0x80000000, 4096, 0, 2048
SDP_RDMA, SDP, S_INTR_STATUS, OP_ENABLE = 0x8000, 0x9000, 0x100c, 1
LAYER = [  # registers of one layer: a cube of 2 x 2 pixels with 8 channels of INT8, one atom of 8 bytes per pixel
    (SDP_RDMA + 0x0c, 1), (SDP_RDMA + 0x10, 1), (SDP_RDMA + 0x14, 7),                          # width, height, channels, minus 1
    (SDP_RDMA + 0x18, MEMORY + SOURCE), (SDP_RDMA + 0x20, 16), (SDP_RDMA + 0x24, 32),          # source, line and surface stride
    (SDP_RDMA + 0x70, 0), (SDP_RDMA + 0x74, 1),                                                # INT8; from the primary memory
    (SDP + 0x3c, 1), (SDP + 0x40, 1), (SDP + 0x44, 7),
    (SDP + 0x48, MEMORY + RESULT), (SDP + 0x50, 16), (SDP + 0x54, 32), (SDP + 0xb4, 1),
    (SDP + 0xbc, 0), (SDP + 0xc4, 2), (SDP + 0xc8, 0),                                         # INT8; scale 2, shift 0
    (SDP_RDMA + 0x08, OP_ENABLE), (SDP + 0x38, OP_ENABLE),
]


def call(server, command, payload, fds=()):
    """Sends a message and returns the payload of its reply."""
    header = struct.pack("<HHIII", 1, command, 16 + len(payload), 0, 0)
    server.sendmsg([header + payload], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else [])
    _, _, size, flags, error = struct.unpack("<HHIII", server.recv(16, socket.MSG_WAITALL))
    data = server.recv(size - 16, socket.MSG_WAITALL) if size > 16 else b""
    if flags & 0x20:
        sys.exit(f"command {command} was refused with error {error}")
    return data


def access(server, register, value=None):
    """Reads a register, or writes it."""
    data = b"" if value is None else struct.pack("<I", value)
    reply = call(server, READ if value is None else WRITE, struct.pack("<QII", register, 0, 4) + data)
    return struct.unpack("<I", reply[16:])[0] if value is None else None


with tempfile.TemporaryDirectory() as folder:
    words = [f"{sys.argv[1]}/nvcosim", "serve", "--socket", f"{folder}/s", "--once", *(sys.argv[2:] or ["--dut=model"])]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    print(process.stdout.readline().replace(folder, "..."), end="")  # it listens now
    nvdla = socket.socket(socket.AF_UNIX)
    nvdla.connect(f"{folder}/s")
    call(nvdla, VERSION, struct.pack("<HH", 0, 0) + b'{"capabilities":{}}\0')
    memory_fd, event = os.memfd_create("memory"), os.eventfd(0)
    os.ftruncate(memory_fd, SIZE)
    memory = mmap.mmap(memory_fd, SIZE)
    memory[SOURCE:SOURCE + 32] = bytes(range(32))
    call(nvdla, DMA_MAP, struct.pack("<IIQQQ", 32, 3, 0, MEMORY, SIZE), [memory_fd])  # readable, writable
    call(nvdla, SET_IRQS, struct.pack("<IIIII", 20, 4 | 32, 0, 0, 1), [event])        # INTx to the eventfd
    for register, number in LAYER:
        access(nvdla, register, number)
    os.eventfd_read(event)
    print(f"interrupt: S_INTR_STATUS = 0x{access(nvdla, S_INTR_STATUS):x}")
    print("result:", *memory[RESULT:RESULT + 32])
    nvdla.close()
    print(process.stdout.read(), end="")
