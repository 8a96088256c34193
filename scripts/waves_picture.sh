#!/bin/bash
# Makes docs/waves.png: a run as GTKWave shows it.
#
# usage: waves_picture.sh BUILD [PICTURE]      PICTURE: docs/waves.png by default
set -eu
cd "$(dirname "$0")/.."
root=$PWD
build=$(realpath "$1")
picture=$(realpath "${2:-docs/waves.png}")
dir=$build/picture
mkdir -p "$dir"
"$build/nvcosim" run -q traces/conformance/small/rand_sdp_pdp_001.nvt.gz --out "$dir" --wave "$dir/demo.fst"
cd "$dir"
sed -i -e '/^\[dumpfile/d' -e 's/^\[size\].*/[size] 1190 1280/' demo.gtkw
# The window is drawn some time after the commands that change it; a grab of one that is not drawn yet is a grey box or nothing.
cat >picture.tcl <<'END'
proc later {ms body} { after $ms set ::woken 1; vwait ::woken; uplevel #0 $body }
later 1500 { gtkwave::setZoomRangeTimes 8600000 8690000 }
later 1000 { gtkwave::/File/Grab_To_File picture.png }
later 1000 { gtkwave::/File/Quit }
END
rm -f picture.png
"$root/scripts/with_screen.sh" gtkwave --rcvar "hide_sst on" -S picture.tcl demo.fst demo.gtkw >gtkwave.log 2>&1 || true
[ -s picture.png ] || { cat gtkwave.log >&2; echo "waves_picture: GTKWave left no picture" >&2; exit 1; }
cp picture.png "$picture"
