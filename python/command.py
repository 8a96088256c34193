"""What the C program runs for a command that is written in Python:
`/usr/bin/python3 -E -s command.py PROGRAM COMMAND ARGS...`; PROGRAM is the path of the C program.
Python puts this folder at the head of sys.path."""
import sys

from nvcosim.commands import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
