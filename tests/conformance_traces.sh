#!/bin/bash
# The conformance traces of a configuration, one path a line: the only place that knows where they lie.
#
# usage: conformance_traces.sh CONFIG [--own|--added] [NAME]
#   --own    those of this repository, traces/conformance/CONFIG/*.nvt.gz
#   --added  those of the folder NVDLA_CONFORMANCE (default ../shared/conformance, if that is there):
#            CONFIG/*/*.cfg, CONFIG/*/input.txn, CONFIG/*/*.nvt.gz, CONFIG/*.nvt.gz
#   neither  ours, and of the added folder those whose names ours do not have
#   NAME     only the trace of that name, which is that of its file (input.txn: of its folder) without suffix
set -u -o pipefail
cd "$(dirname "$0")/.." || exit 2
config=$1 which=
shift
case ${1:-} in --*) which=$1 && shift ;; esac
case $which in
'' | --own | --added) ;;
*)
    echo "conformance_traces.sh: found '$which', expected --own or --added" >&2
    exit 2
    ;;
esac
wanted=${1:-}
added=${NVDLA_CONFORMANCE:-../shared/conformance}/$config

shopt -s nullglob
paths=()
[ "$which" = --added ] || paths+=(traces/conformance/"$config"/*.nvt.gz)
[ "$which" = --own ] || paths+=("$added"/*/*.cfg "$added"/*/input.txn "$added"/*/*.nvt.gz "$added"/*.nvt.gz)
declare -A seen
for path in "${paths[@]}"; do
    case $path in
    */input.txn) name=${path%/*} ;;
    *.nvt.gz) name=${path%.nvt.gz} ;;
    *) name=${path%.*} ;;
    esac
    name=${name##*/}
    [ -z "$wanted" ] || [ "$name" = "$wanted" ] || continue
    if [ -z "$which" ]; then
        [ -z "${seen[$name]:-}" ] || continue
        seen[$name]=1
    fi
    echo "$path"
done
