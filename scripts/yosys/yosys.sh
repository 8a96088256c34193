#!/bin/bash
# Runs the Yosys of scripts/yosys/package-lock.json: newer than Debian's, with the SystemVerilog front end slang, compiled for
# WebAssembly. The first call installs it with npm.
#
# usage: yosys.sh BUILD SCRIPT OUT FILE...      as yosys.mjs has them
# Environment: YOSYS_HOME   where it is installed; default BUILD/yosys, some 250 MB
# Exit status: that of Yosys; 3 if it cannot be installed, with a message.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
home=${YOSYS_HOME:-$1/yosys}
shift
mkdir -p "$home"
(
    flock 9
    if ! cat "$here"/{package-lock.json,growing_files.mjs} | cmp -s - "$home/installed"; then
        command -v npm >/dev/null || { echo "yosys.sh: npm is not installed; scripts/setup.sh installs it" >&2; exit 3; }
        echo "installing Yosys in $home (once, needs the network)"
        cp "$here"/package{,-lock}.json "$home/"
        (cd "$home" && npm ci --no-audit --no-fund --no-update-notifier >npm.log 2>&1) || {
            grep -v '^npm warn' "$home/npm.log" | tail -n 5 >&2
            echo "yosys.sh: npm ci failed in $home (npm.log): is its registry reached?" >&2
            exit 3
        }
        node "$here/growing_files.mjs" "$home/node_modules/@yowasp/yosys/gen/bundle.js" >&2 || exit 3
        cat "$here"/{package-lock.json,growing_files.mjs} >"$home/installed"
    fi
    cmp -s "$here/yosys.mjs" "$home/yosys.mjs" || cp "$here/yosys.mjs" "$home/"
) 9>"$home/lock" || exit $?
ulimit -s unlimited 2>/dev/null || ulimit -s "$(ulimit -Hs)" # it calls itself as deep as loops are unrolled
# 4 GB of memory of its own, the default, is too little for CSC of full.
exec "$home/node_modules/.bin/node" --no-warnings --experimental-wasm-exnref --stack-size=900000 --max-old-space-size=12288 "$home/yosys.mjs" "$@"
