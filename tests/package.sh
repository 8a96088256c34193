#!/bin/bash
# The source archive and Debian's packages.
#
# usage: package.sh BUILD short    the archive is the same twice, and debian/ is well formed
#        package.sh BUILD          builds the packages twice, the same bytes; then, for Debian 12 and 13, installs them in a chroot with nothing
#                                  else in it, and plays and builds there as an ordinary user (debian/tests); skipped where there is no chroot
set -u
. "$(dirname "$0")/replay/frame.sh"
build=$1 kind=${2:-long}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
version=$(cat VERSION)
archive=$build/dist/nvcosim-$version.tar.gz
skipped=0

# archive_of TIMEZONE UMASK FILE: the archive as another user might make it
archive_of() {
    (umask "$2" && TZ=$1 make -s dist >"$dir/log" && cp "$archive" "$3") || cat "$dir/log"
}
archive_of UTC 022 "$dir/first" && archive_of Asia/Tokyo 077 "$dir/second" && [ -s "$dir/first" ] && cmp "$dir/first" "$dir/second"
check "make dist makes the same archive twice" $?
tar -tzf "$dir/first" >"$dir/names" && grep -qx "nvcosim-$version/debian/rules" "$dir/names" && grep -qx "nvcosim-$version/rtl/NV_nvdla.sv" "$dir/names" &&
    ! grep -qvE "^nvcosim-$version/" "$dir/names" && ! grep -qE '/(\.git|build)/' "$dir/names"
check "it holds the files that git knows, below one folder" $?
that "debian/changelog has the version of VERSION" test "$(sed -n '1s/^nvcosim (\(.*\)) .*/\1/p' debian/changelog)" = "$version"
dpkg-parsechangelog >"$dir/log" 2>&1
check "dpkg-parsechangelog reads it" $?
packages=$(sed -n 's/^Package: //p' debian/control)
that "debian/control names the packages" test "$packages" = $'nvcosim\nnvcosim-rtl\nlibnvcosim0\nlibnvcosim-dev\nnvcosim-doc'
# What setup.sh installs to build a simulator is what the package with their sources recommends.
needed=$(sed -n '/^packages=(/,/^)/p' scripts/setup.sh | sed -nE 's/^    ([a-z0-9-]+).*/\1/p' | grep -v build-essential | sort)
[ -z "$(comm -23 <(echo "$needed") <(sed -n '/^Package: nvcosim-rtl/,/^Description/p' debian/control | sed -nE 's/^ ([a-z0-9-]+),?$/\1/p' | sort))" ]
check "nvcosim-rtl recommends what setup.sh installs for simulators" $?
while read -r test; do
    [ -x "debian/tests/$test" ] && sh -n "debian/tests/$test"
    check "debian/tests/$test is a script" $?
done < <(sed -n 's/^Tests: //p' debian/tests/control)
if [ "$kind" = short ]; then
    finish
    exit
fi

# Twice, in folders of different names and with different clocks.
make deb >"$dir/log" 2>&1 || { cat "$dir/log"; false; }
check "make deb, without errors of lintian" $?
mkdir -p "$dir/elsewhere"
tar -C "$dir/elsewhere" -xzf "$archive"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) make -s -C "$dir/elsewhere/nvcosim-$version" -f debian/rules clean >/dev/null 2>&1
(cd "$dir/elsewhere/nvcosim-$version" && TZ=Asia/Tokyo dpkg-buildpackage --unsigned-source --unsigned-changes --build=binary) >"$dir/log" 2>&1 ||
    { tail -n 20 "$dir/log"; false; }
check "dpkg-buildpackage elsewhere" $?
for package in "$build"/deb/*.deb; do
    [[ $package = *dbgsym* ]] || cmp "$package" "$dir/elsewhere/${package##*/}"
    check "${package##*/}: the same bytes" $?
done
for release in 12 13; do
    mkdir -p "$build/debian-$release/packages"
    rm -f "$build/debian-$release/packages"/*
    cp "$build"/deb/{,lib}nvcosim*.deb "$build/debian-$release/packages"
    rm -f "$build/debian-$release/packages"/*dbgsym*
    # As root: install; as an ordinary user: debian/tests, which autopkgtest runs.
    DEBIAN_CHROOTS=$dir/chroots scripts/on_debian.sh "$release" bash -ec '
        apt-get update -q
        DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends ./build/packages/nvcosim_*.deb ./build/packages/nvcosim-rtl_*.deb
        useradd -m user
        cp debian/tests/* /home/user
        runuser -u user -- sh /home/user/run
        DEBIAN_FRONTEND=noninteractive apt-get install -qy autopkgtest
        cp -r debian /tmp/source-debian && mkdir /tmp/source && mv /tmp/source-debian /tmp/source/debian
        mkdir /tmp/source/docs && cp docs/live_example.c /tmp/source/docs
        autopkgtest ./build/packages/*.deb /tmp/source -- null' >"$dir/log" 2>&1
    status=$?
    if [ $status -eq 77 ]; then
        echo "SKIPPED: packages on Debian $release: $(sed -n 's/^on_debian: //p' "$dir/log" | tail -n 1)"
        skipped=$((skipped + 1))
        continue
    fi
    [ $status -eq 0 ] || tail -n 30 "$dir/log"
    check "the packages on Debian $release: installed on nothing else, played by an ordinary user, autopkgtest" $status
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
