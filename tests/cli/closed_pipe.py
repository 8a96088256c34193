#!/usr/bin/python3
"""Runs a command whose standard output is a pipe without a reader; ends with its status, 128 + N of signal N.

usage: closed_pipe.py DEFAULT COMMAND...     DEFAULT 1: SIGPIPE ends the command; 0: it is ignored
"""
import os
import subprocess
import sys

reader, writer = os.pipe()
os.close(reader)
status = subprocess.run(sys.argv[2:], stdout=writer, restore_signals=sys.argv[1] == "1", check=False).returncode
sys.exit(status if status >= 0 else 128 - status)
