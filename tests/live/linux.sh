#!/bin/bash
# A Linux guest in an unmodified QEMU drives NVDLA: `make guest` in a chroot of Debian 13, the self-test driver by MSI and INTx on model and RTL,
# recorded and replayed, and a stand-in for NVIDIA's driver and runtime. Skipped, loudly, where there can be no chroot, or Debian's servers are out of
# reach.
#
# usage: linux.sh BUILD [short]     short: without the stand-in and what goes wrong
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1 short=${2:-}
nvcosim=$(realpath "$build/nvcosim")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tests/replay/frame.sh
log=$work/log
says() { # TEXT...: each is in the log
    local text
    for text; do
        grep -qF -e "$text" "$work/log" || { echo "    the log lacks \"$text\""; return 1; }
    done
}
linux() { timeout -k 5 300 "$nvcosim" linux "$@" >"$work/log" 2>&1; }

scripts/linux/guest.sh "$build" >"$work/log" 2>&1
status=$?
if [ $status -eq 77 ]; then
    echo "SKIPPED: a guest in QEMU: $(sed -n -e 's/^on_debian: //p' -e 's/^guest: //p' "$work/log" | tail -n 1)"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
[ $status -eq 0 ] && says "without NVIDIA's driver"
check "make guest" $?

# least WHAT: the least that an access took; other programs of this machine can only add to it
least() {
    local ns
    ns=$(sed -n "s/.*$1 \([0-9]*\) ns.*/\1/p" "$work/costs" | sort -n | head -n 1 | grep .) && echo "$1: $ns ns"
}

programs="rand_dc_000 rand_pdp_000 rand_dc_pdp_000 rand_multi_002"
for dut in model rtl; do
    linux --selftest --dut $dut --record "$work/$dut.nvt.gz"
    check "self-test on $dut" $?
    cat "$work/log" >>"$work/costs"
    for way in msi:MSI intx:INTx; do
        says "${way%:*}: PASSED: 4 programs by ${way#*:}, 0 failed"
        check "self-test on $dut by ${way#*:}" $?
        for program in $programs; do
            grep -qE "${way%:*}: $program: interrupts=[1-9]" "$work/log" && says "${way%:*}: $program: PASS checks="
            check "$program on $dut by ${way#*:}, with interrupts" $?
        done
    done
    [ "$(find "$work" -name "$dut*.nvt.gz" | wc -l)" -ge 8 ]
    check "each program on $dut is a recording" $?
    that "the recordings of $dut replay to the same bytes on RTL and model" "$nvcosim" run --out "$work/reports" "$work/$dut"*.nvt.gz
done

least "register read"
check "the guest measures register reads" $?
least "posted write"
check "the guest measures posted writes" $?

# A script on stdin, with files in and out.
printf 'a file\n' >"$work/in put"
printf 'cat "in put"; printf 12345 >/out/numbers; mkdir /out/more; head -c 100000 /dev/urandom | tee /out/more/bytes | md5sum\nfalse\n' |
    linux --dut model --put "$work/in put" --get "$work/got"
[ $? -eq 1 ] && says "a file" "the script ended with status 1" "got: 2 files in $work/got" && grep -q "^$(md5sum <"$work/got/more/bytes")" "$work/log" &&
    [ "$(cat "$work/got/numbers")" = 12345 ]
check "a script in the guest, a file in, files out" $?

if [ "$short" != short ]; then
    # A program that must fail does.
    zcat traces/conformance/small/rand_sdp_003.nvt.gz | awk '/^mem_crc/ { sub("0x[0-9a-f]+ after", "0x12345678 after") } { print }' >"$work/wrong.nvt"
    SELFTEST=$work/wrong.nvt scripts/linux/guest.sh "$build" >"$work/log" 2>&1
    check "a guest with another program" $?
    linux --selftest --dut model
    [ $? -eq 1 ] && says "CRC of primary memory" "msi: FAILED: 1 programs by MSI, 1 failed"
    check "a wrong CRC in the guest" $?

    # NVIDIA's layout and make rules, without their code: a driver that binds to the platform device, a runtime that needs it.
    sw=$work/sw
    mkdir -p "$sw"/{kmd/port/linux,prebuilt/arm64-linux}
    printf 'all:\n\t$(MAKE) -C $(KDIR) M=$(CURDIR) modules\n' >"$sw/kmd/Makefile"
    echo 'obj-m := port/linux/' >"$sw/kmd/Kbuild"
    echo 'obj-m := opendla.o' >"$sw/kmd/port/linux/Kbuild"
    cat >"$sw/kmd/port/linux/opendla.c" <<'C'
#include <linux/module.h>
#include <linux/io.h>
#include <linux/mod_devicetable.h>
#include <linux/platform_device.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#ifndef DLA_2_CONFIG
#error the small register map was not chosen
#endif
static u32 version;
static int show(struct seq_file *file, void *data) { seq_printf(file, "%x\n", version); return 0; }
static int probe(struct platform_device *pdev)
{
	void __iomem *base = devm_platform_ioremap_resource(pdev, 0);

	if (IS_ERR(base))
		return PTR_ERR(base);
	version = readl(base + 0x1000); /* S_NVDLA_HW_VERSION of GLB */
	return proc_create_single("nvdla_version", 0, NULL, show) ? 0 : -ENOMEM;
}
static const struct platform_device_id ids[] = { { .name = "nv_small" }, { } };
static struct platform_driver standin = { .probe = probe, .id_table = ids, .driver = { .name = "opendla" } };
module_platform_driver(standin);
MODULE_LICENSE("GPL");
C
    cat >"$sw/prebuilt/arm64-linux/nvdla_runtime" <<'R'
#!/bin/sh
[ "$1 $2 $3 $5" = "--loadable net.nvdla --image --rawdump" ] || exit 3
echo "version $(cat /proc/nvdla_version)"
cat net.nvdla "$4" | md5sum >output.dimg
R
    scripts/linux/guest.sh "$build" "$sw" >"$work/log" 2>&1 && says "with NVIDIA's driver"
    check "make guest SW=CHECKOUT" $?
    digits=traces/networks/digits
    cp $digits/digits.nvdla "$work/net.nvdla"
    linux --dut model "$work/net.nvdla" --input $digits/7.png --get "$work/results" && says "runtime: version 303031" &&
        "$nvcosim" compile "$work/net.nvdla" --input $digits/7.png -o "$work/7.pgm" &&
        [ "$(sed -n 's/^output: //p' "$work/log")" = "$(cat "$work/net.nvdla" "$work/7.pgm" | md5sum | xargs echo)" ] &&
        grep -q "version 303031" "$work/results/log"
    check "the runtime gets network and picture in its form, the driver the device" $?
    linux --dut model --config full "$work/net.nvdla" --input $digits/7.png
    [ $? -eq 2 ] && says "was the network compiled for another configuration?"
    check "another configuration is refused before the guest boots" $?
    linux --dut model traces/loadables/own_wino_w/net.nvdla --input $digits/7.png
    [ $? -eq 2 ] && says "found NVIDIA's driver built for small, expected one for full" "CONFIG=full"
    check "a network that the guest's driver does not fit is refused before it boots" $?
    linux --dut model "$work/net.nvdla" --input README.md
    [ $? -eq 2 ] && says "README.md: found a file that begins with" "expected a picture"
    check "no picture" $?
    echo 'ls /proc/nvdla_version && lsmod' | linux --dut model && says opendla
    check "the shell has the driver" $?
    sed -i 's/^echo.*/echo Unknown image type: picture.png/' "$sw/prebuilt/arm64-linux/nvdla_runtime"
    scripts/linux/guest.sh "$build" "$sw" >"$work/log" 2>&1
    linux --dut model "$work/net.nvdla" --input $digits/7.png
    [ $? -eq 2 ] && says "nvdla_runtime has not read the picture"
    check "a runtime that does not know the picture" $?
    sed -i 's/^echo.*/exit 5/' "$sw/prebuilt/arm64-linux/nvdla_runtime"
    CONFIG=full scripts/linux/guest.sh "$build" "$sw" >"$work/log" 2>&1
    [ $? -eq 2 ] && says "the small register map was not chosen"
    check "make guest CONFIG=full takes the full register map" $?
    CONFIG=ful scripts/linux/guest.sh "$build" "$sw" >"$work/log" 2>&1
    [ $? -eq 2 ] && says "CONFIG: found 'ful', expected a configuration"
    check "make guest CONFIG=ful" $?
    scripts/linux/guest.sh "$build" "$sw" >"$work/log" 2>&1
    linux --dut model "$work/net.nvdla" --input $digits/7.png
    [ $? -eq 2 ] && says "nvdla_runtime ended with status 5"
    check "a runtime that fails" $?
    echo 'struct drm_driver *d = drm_gem_cma_vm_ops;' >>"$sw/kmd/port/linux/opendla.c"
    cp "$build/guest/initrd.gz" "$work/before"
    scripts/linux/guest.sh "$build" "$sw" >"$work/log" 2>&1
    [ $? -eq 2 ] && says "drm_gem_cma_vm_ops" "docs/live.md" && cmp -s "$work/before" "$build/guest/initrd.gz"
    check "a driver that does not compile: the way to the table, and the guest as it was" $?
    rm "$sw/kmd/Makefile"
    scripts/linux/guest.sh "$build" "$sw" >"$work/log" 2>&1
    [ $? -eq 2 ] && says "has no kmd/Makefile"
    check "no checkout" $?

    # The other side is killed.
    that "the guest of the self-test again" scripts/linux/guest.sh "$build"
    for victim in qemu serve; do
        for round in 1 2 3 4 5 6 7 8 9 10; do
            timeout -k 5 120 "$nvcosim" linux --selftest -v >"$work/log" 2>&1 &
            runner=$!
            for ((try = 0; try < 1000; try++)); do # until a layer is at work
                says "armed at clock" >"$work/look" 2>&1 && break
                sleep 0.1
            done
            main=$(pgrep -P $runner) # of timeout
            case $victim in # the server has become the simulator
            qemu) pkill -KILL -P "$main" -f qemu-system-aarch64 ;;
            serve) pkill -KILL -P "$main" -f -- --socket=/tmp/nvcosim-linux ;;
            esac
            wait $runner
            [ $? -eq 2 ] && grep -q '^nvcosim linux: ' "$work/log"
            check "kill -9 of $victim, $round: the other side ends with a message" $?
            [ -z "$(pgrep -P "$main")" ] && [ -z "$(find /tmp -maxdepth 1 -name 'nvcosim-linux-*' -newer "$work/look")" ]
            check "kill -9 of $victim, $round: nothing is left behind" $?
        done
    done

    # What is missing is named.
    linux --selftest --guest "$work/none"
    [ $? -eq 2 ] && says "make guest"
    check "no guest" $?
    mkdir "$work/old"
    printf '#!/bin/sh\necho "QEMU emulator version 7.2.1 (Debian)"\n' >"$work/old/qemu-system-aarch64"
    chmod +x "$work/old/qemu-system-aarch64"
    PATH=$work/old:$PATH DEBIAN_CHROOTS=$work linux --selftest
    [ $? -eq 2 ] && says "found QEMU 7.2 in qemu-system-aarch64" "10.1 or later" "trixie-backports"
    check "an old QEMU" $?
fi
finish
