#!/bin/bash
# The source archive, and Debian's packages made from it. The same sources give the same bytes: times are those of the last commit, and all
# paths are relative.
#
# usage: package.sh dist BUILD     BUILD/dist/nvcosim-VERSION.tar.gz, of the files that git knows or would add
#        package.sh deb BUILD      BUILD/deb/*.deb, with dpkg-buildpackage; then lintian, whose errors are errors
set -eu -o pipefail
cd "$(dirname "$0")/.."
what=${1:-} build=${2:-}
if [ $# -ne 2 ] || [[ $what != @(dist|deb) ]]; then
    echo "package: found '$*', expected dist or deb, and BUILD" >&2
    exit 2
fi
version=$(cat VERSION)
name=nvcosim-$version

fail() {
    echo "package: $*" >&2
    exit 1
}

# The archive. Time stamps, owners and permissions are not those of this checkout.
make_dist() {
    local archive=$build/dist/$name.tar.gz
    command -v git >/dev/null || fail "git is not installed; \`make setup\` installs what is missing"
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) || fail "$PWD: expected a checkout of git, whose files make the archive"
    export SOURCE_DATE_EPOCH
    mkdir -p "$build/dist"
    git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
        [ ! -e "$file" ] || printf '%s\0' "$file" # deleted, and not committed yet
    done | LC_ALL=C sort -z -u | tar --null --no-recursion --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
        --mode=u=rwX,go=rX --transform="s:^:$name/:S" -cf - -T - | gzip -n9 >"$archive.new"
    mv "$archive.new" "$archive"
    echo "$archive"
}

# The packages, from the archive, so that nothing else of this checkout gets into them.
make_deb() {
    local tool packaged archive
    for tool in dpkg-buildpackage dh lintian; do
        command -v "$tool" >/dev/null || fail "$tool is not installed; \`scripts/setup.sh deb\` installs what is missing"
    done
    packaged=$(sed -n '1s/^nvcosim (\(.*\)) .*/\1/p' debian/changelog)
    [ "$packaged" = "$version" ] || fail "debian/changelog:1: found version '$packaged', expected '$version' (VERSION)"
    archive=$(make_dist)
    rm -rf "$build/deb"
    mkdir -p "$build/deb"
    tar -C "$build/deb" -xf "$archive"
    # debhelper gives the build a home of its own.
    CCACHE_DIR=$(ccache -k cache_dir 2>/dev/null || true)
    [ -z "$CCACHE_DIR" ] || export CCACHE_DIR
    (cd "$build/deb/$name" && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS dpkg-buildpackage --unsigned-source --unsigned-changes --build=binary >../log 2>&1) || {
        tail -n 30 "$build/deb/log" >&2
        fail "dpkg-buildpackage failed; whole log: $build/deb/log"
    }
    rm -rf "$build/deb/$name"
    lintian --fail-on error --tag-display-limit 0 "$build"/deb/*.changes || fail "lintian reports errors"
    ls "$build"/deb/*.deb
}
"make_$what"
