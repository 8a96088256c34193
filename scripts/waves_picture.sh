#!/bin/bash
# Takes the picture docs/waves.png: a convolution followed by pooling, as GTKWave shows it from the save file of a run, with fewer rows.
#
# usage: waves_picture.sh BUILD [PICTURE]      PICTURE: docs/waves.png by default
set -eu
cd "$(dirname "$0")/.."
root=$PWD
build=$(realpath "$1")
picture=$(realpath "${2:-docs/waves.png}")
dir=$build/picture
mkdir -p "$dir"
"$build/nvcosim" run -q traces/conformance/small/rand_dc_pdp_009.nvt.gz --out "$dir" --wave "$dir/demo.fst"
cd "$dir"
# The rows of the picture; groups that are folded in the save file are left out, and those without a row.
rows='CSB stream_memory stream_interrupt CDMA CSC CACC SDP PDP
dat_state_q dat_mif_o/valid dat_mif_i/ready dat_mif_o/addr used_q
state_q slices_q kernels_avl_q atom_valid atom_data wt_valid
mac_valid mac_a_sum
cacc2sdp_valid cacc2sdp_data
bs_data out_valid out_data
u_row/state_q in_valid in_beat_data
dbb_AR nvdla_core2dbb_ar_arvalid nvdla_core2dbb_ar_arready nvdla_core2dbb_ar_araddr dbb_R nvdla_core2dbb_r_rvalid nvdla_core2dbb_r_rdata'
awk -v rows="$rows" '
    BEGIN { split(rows, list); for (i in list) wanted[list[i]] = 1 }
    /^\[dumpfile\]/ { next } # with its folder it would be the title
    /^\[size\]/ { print "[size] 1240 1290"; next }
    /^\[signals_width\]/ { print "[signals_width] 230"; next }
    /^(@|\[color\]|\^)/ { head = head $0 "\n"; next }
    /^-/ {
        if (head ~ /^@c00200/) folded++
        else if (head ~ /^@800200/) begun = head $0 "\n"
        else if (head ~ /^@1000200/ && begun == "") { printf "%s", head; print }
        if (head ~ /^@1401200/) folded--
        head = ""; next
    }
    /^\+\{/ {
        name = substr($1, 3, length($1) - 3)
        if (!folded && wanted[name]) { printf "%s%s", begun, head; print; begun = "" }
        head = ""; next
    }
    { print }' demo.gtkw >picture.gtkw
# The window is drawn some time after the commands that change it; a grab of one that is not drawn yet is a grey box or nothing.
cat >picture.tcl <<'END'
proc later {ms body} { after $ms set ::woken 1; vwait ::woken; uplevel #0 $body }
later 1500 { gtkwave::setZoomRangeTimes 8376000 8700000 }
later 1000 { gtkwave::/File/Grab_To_File picture.png }
later 1000 { gtkwave::/File/Quit }
END
rm -f picture.png
"$root/scripts/with_screen.sh" gtkwave --rcvar "hide_sst on" -S picture.tcl demo.fst picture.gtkw >gtkwave.log 2>&1 || true
[ -s picture.png ] || { cat gtkwave.log >&2; echo "waves_picture: GTKWave left no picture" >&2; exit 1; }
cp picture.png "$picture"
