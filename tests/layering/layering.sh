#!/bin/sh
# What the compiler and the linker know about the layout. Usage: layering.sh ROOT OBJECT...
#   1. a component uses only the components that src/layers.txt grants it, by include or by symbol
#   2. no file reaches itself through the symbols it uses, those above src/ neither
#   3. no file is longer than 500 lines, no line of code than 92 columns; names are unique
#      (a public header may be called like a component's face)
#   4. docs/architecture.md says what is in each folder of a component, which has 40 files at most
root=$1
src=$1/src
shift
includes=$(cd "$src" && grep -rHo --include='*.[ch]' '^#include "[a-z0-9_]*/' . |
    sed 's|^\./||; s|:#include "| |')
symbols=$(nm -A -P "$@" | awk '
    { sub(/:$/, "", $1); sub(/.*\/src\/CMakeFiles\/proact_[a-z0-9_]*\.dir\//, "", $1)
      sub(/.*\.dir\//, "above/", $1); sub(/\.o$/, "", $1) }
    $3 == "U" { wants[$1 " " $2] }
    $3 ~ /^[BCDRTVW]$/ { home[$2] = $1 }
    END { for (w in wants) { split(w, p, " "); if (p[2] in home) print p[1], home[p[2]] } }')

violations=$(printf '%s\n' "$includes" "$symbols" | awk -v layers="$src/layers.txt" '
    BEGIN { while ((getline line < layers) > 0) { split(line, f, ": *"); may[f[1]] = " " f[2] " " } }
    NF == 2 { split($1, a, "/"); split($2, b, "/") }
    NF == 2 && a[1] != b[1] && a[1] != "above" && index(may[a[1]], " " b[1] " ") == 0 { print $1 " may not use " $2 }')
circles=$(echo "$symbols" | tsort 2>&1 >/dev/null)
files=$(cd "$root" && find src include tools apps kernels bench tests -name '*.[ch]' -o -name '*.cu')
sizes=$(cd "$root" && echo "$files" | xargs wc -l | awk '$2 != "total" && $1 > 500 { print $2 ": " $1 " lines, 500 allowed" }')
wide=$(cd "$root" && echo "$files" | xargs awk 'length($0) > 92 { print FILENAME ":" FNR ": " length($0) " columns, 92 allowed" }')
twins=$(echo "$files" | grep -v '^include/' | sed 's|.*/||' | sort | uniq -d | sed 's/$/: two files of this name/')
folders=$(cd "$src" && find . -mindepth 2 -maxdepth 2 -type d | sed 's|^\./||' | while read -r folder; do
    grep -q "\`$folder[\`/]" "$root/docs/architecture.md" || echo "src/$folder: docs/architecture.md does not say what is in it"
done)
crowds=$(cd "$root" && echo "$files" | grep -v '^tests/' | sed 's|/[^/]*$||' | sort | uniq -c | awk '$1 > 40 { print $2 ": " $1 " files, 40 allowed" }')

echo "$(echo "$symbols" | wc -l) arrows checked"
faults=$(printf '%s\n' "$violations" "$circles" "$sizes" "$wide" "$twins" "$folders" "$crowds" | sed '/^$/d')
[ -z "$faults" ] && echo "1 passed, 0 failed" && exit 0
printf '%s\n' "$faults"
exit 1
