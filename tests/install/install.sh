#!/bin/sh
# Usage: install.sh BUILD COMPILER SOURCE FLAG. Installs BUILD into a scratch folder, then
# builds SOURCE/hello.c against it: by pkg-config, shared and static, and by find_package.
set -eu
build=$1 compiler=$2 source=$3 flag=$4
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cmake --install "$build" --prefix "$root" >"$root/log"

check() {
    folder=$(find "$root" -name libproact.so -exec dirname {} +)
    LD_LIBRARY_PATH=$folder "$1" >"$root/out"
    if ! grep -q '^proact .* runs on 2 devices$' "$root/out"; then
        cat "$root/out" >&2
        exit 1
    fi
    echo "ok: $2"
}

PKG_CONFIG_PATH=$(find "$root" -name proact.pc -exec dirname {} +)
export PKG_CONFIG_PATH
pc() {
    pkg-config "$@" proact
}
for option in --cflags-only-I --libs-only-L; do
    folder=$(pc $option | sed 's/^-.//')
    case $(realpath "${folder% }") in
    "$(realpath "$root")"/*) ;;
    *)
        echo "pkg-config $option says '$folder', but the prefix is $root" >&2
        exit 1
        ;;
    esac
done
# shellcheck disable=SC2046 # flags are words
"$compiler" $flag "$source/hello.c" $(pc --cflags --libs) -o "$root/shared"
check "$root/shared" "pkg-config, shared"
archive=$(find "$root" -name libproact.a)
# shellcheck disable=SC2046
"$compiler" $flag "$source/hello.c" $(pc --cflags) "$archive" \
    $(pc --static --libs-only-l | sed 's/-lproact//') -o "$root/static"
check "$root/static" "pkg-config, static"

# Manual pages exist if scdoc is installed.
if command -v scdoc >/dev/null && [ -e "$root/bin/proact" ]; then
    for page in proact proactcc; do
        [ ! -e "$root/bin/$page" ] || [ -s "$root/share/man/man1/$page.1" ] || {
            echo "no manual page of $page" >&2
            exit 1
        }
    done
fi

# Documents and help texts name only files that are installed.
documents=$(dirname "$(find "$root" -name README.md -path '*/proact/README.md')")
(cd "$documents" && grep -rHoE --include='*.md' '\]\([^):#]+[):#]' .) >"$root/links"
[ "$(wc -l <"$root/links")" -gt 50 ]
while IFS=: read -r page link _; do
    link=${link#??} link=${link%[)#]}
    case $link in http | https | *\ *) continue ;; esac
    [ -e "$documents/$(dirname "$page")/$link" ] || {
        echo "$page links to $link, which is not installed" >&2
        exit 1
    }
done <"$root/links"
if [ -e "$root/bin/proact" ]; then
    for command in help run make 'make wiki' analyze machines topo doctor methods bench; do
        # shellcheck disable=SC2086 # a word or two
        "$root/bin/proact" $command --help
    done | grep -oE '(docs|data|examples)/[A-Za-z0-9_./-]*[a-z]' | sort -u |
        while read -r file; do
            [ -e "$documents/$file" ] || {
                echo "the help names $file, which is not installed" >&2
                exit 1
            }
        done
    # A graph that the help needs comes from the command.
    if "$root/bin/proact" run --help | grep -q 'data/'; then
        echo "the help of run names a file of the source tree" >&2
        exit 1
    fi
fi

mkdir "$root/user"
cp "$source/hello.c" "$root/user"
cat >"$root/user/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(hello LANGUAGES C)
find_package(proact REQUIRED)
add_executable(hello hello.c)
target_link_libraries(hello proact::proact)
EOF
cmake -S "$root/user" -B "$root/user/build" -DCMAKE_PREFIX_PATH="$root" \
    -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$flag" >"$root/log"
cmake --build "$root/user/build" >"$root/log"
check "$root/user/build/hello" "find_package"
