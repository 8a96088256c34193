#!/usr/bin/python3
"""Runs a command on a terminal of its own and prints what it shows there; ends with its status, 128 + N of signal N.

usage: on_terminal.py COLUMNS COMMAND...    INTERRUPT=SECONDS in the environment: types Ctrl-C then
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time


def main(columns, command):
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        os.environ["TERM"] = "xterm"
        os.execvp(command[0], command)
    interrupt = time.monotonic() + float(os.environ.get("INTERRUPT", "inf"))
    while True:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                text = os.read(terminal, 65536)
            except OSError:
                break
            sys.stdout.buffer.write(text.replace(b"\r\n", b"\n"))
        if time.monotonic() > interrupt:
            os.write(terminal, b"\x03")
            interrupt = float("inf")
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return 128 - status if status < 0 else status


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
