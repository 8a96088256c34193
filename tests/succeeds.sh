#!/bin/bash
# A command that only has to succeed, as one test.
"$@" && echo "1 passed, 0 failed"
