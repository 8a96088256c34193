#!/bin/bash
# scripts/strict.sh finds nothing in the RTL. Skipped where Yosys cannot be installed.
#
# usage: strict.sh BUILD CONFIG...
. "$(dirname "$0")/../../replay/frame.sh"
for config in "${@:2}"; do
    scripts/strict.sh "$1" "$config"
    status=$?
    if [ $status -eq 3 ]; then
        echo "SKIPPED: the Yosys of scripts/yosys cannot be installed"
        echo "$passed passed, $failed failed, 1 skipped"
        exit
    fi
    check "strict front end, $config" $status
done
finish
