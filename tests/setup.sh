#!/bin/bash
# scripts/setup.sh, with apt-get, dpkg-query and sleep of our own: the levels, and what it does while another program holds apt's lock.
#
# usage: setup.sh
set -u
. "$(dirname "$0")/replay/frame.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin"
# apt-get says what $dir/refusal holds as often as $dir/refusals says, then notes its words.
cat >"$dir/bin/apt-get" <<END
#!/bin/bash
left=\$(cat $dir/refusals)
echo \$((left - 1)) >$dir/refusals
[ "\$left" -le 0 ] || { echo "E: \$(cat $dir/refusal)" >&2; exit 100; }
echo "\$*" >>$dir/words
END
printf '#!/bin/bash\nexit 1\n' >"$dir/bin/dpkg-query"
printf '#!/bin/bash\nexec "$@"\n' >"$dir/bin/sudo"
printf '#!/bin/bash\necho >>%s/sleeps\n' "$dir" >"$dir/bin/sleep"
chmod +x "$dir"/bin/*

# setup REFUSALS REFUSAL LEVEL...
setup() {
    echo "$1" >"$dir/refusals"
    echo "$2" >"$dir/refusal"
    rm -f "$dir/words" "$dir/sleeps"
    PATH=$dir/bin:$PATH scripts/setup.sh "${@:3}" >"$dir/out" 2>&1
}
setup 0 "" && [ "$(head -n 1 "$dir/words")" = update ] && grep -q '^install .* slurm-wlm' "$dir/words" && [ ! -e "$dir/sleeps" ]
check "all packages" $?
setup 0 "" check && grep -q '^install .* libcmocka-dev' "$dir/words" && ! grep -qE 'slurm|munge|chromium|gtkwave|yosys|arm' "$dir/words"
check "make check needs neither a cluster nor browsers nor other machines' compilers" $?
setup 0 "" demo && grep -q '^install .* verilator' "$dir/words" && ! grep -q cmocka "$dir/words"
check "the demonstration needs no tests" $?
setup 0 "" nothing
[ $? -eq 2 ] && grep -q "found 'nothing', expected demo, check" "$dir/out" && [ ! -e "$dir/words" ]
check "a level that does not exist is refused" $?
for lock in /var/lib/apt/lists/lock /var/lib/dpkg/lock-frontend; do
    held="Could not get lock $lock. It is held by process 4711 (unattended-upgr)"
    setup 3 "$held" demo && [ "$(wc -l <"$dir/sleeps")" -eq 3 ] && grep -q '^install' "$dir/words" &&
        [ "$(grep -cF "waiting for another program that installs packages: $held" "$dir/out")" -eq 1 ]
    check "waits for $lock and names the process that holds it, once" $?
done
setup 1000 "$held" demo
[ $? -eq 1 ] && [ "$(wc -l <"$dir/sleeps")" -eq 300 ] && grep -q 'apt-get update failed' "$dir/out" && grep -q 'process 4711' "$dir/out"
check "gives up after ten minutes" $?
setup 1 "Unable to fetch some archives" demo
[ $? -eq 1 ] && [ ! -e "$dir/sleeps" ] && grep -q 'Unable to fetch' "$dir/out"
check "another error is not waited for" $?
finish
