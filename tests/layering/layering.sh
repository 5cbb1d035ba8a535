#!/bin/sh
# The structure and the vocabulary of the tree. Usage: layering.sh ROOT OBJECT...
#   1. A component uses only the components that src/layers.txt grants it, by include or symbol.
#      So does a folder of a component whose folders have lines there. Headers outside the
#      folders are free for all of them. Each folder of such a component has a line. A line
#      names only what has a line above it, so that no uses form a cycle.
#   2. No file reaches itself through the symbols that it uses.
#   3. No file has more than 500 lines, no line of code more than 92 columns, and file names are
#      unique. A public header may have the name of a component's header.
#   4. docs/architecture.md describes each folder of a component; a folder has 40 files at most.
#   5. File names, identifiers, messages, comments and documents have no word of
#      retired_words.txt.
#   6. A static function's name occurs in one file, except those of duplicate_names.txt.
root=$1
src=$1/src
shift
includes=$(cd "$src" && grep -rHo --include='*.[ch]' '^#include "[a-z0-9_]*/[^"]*' . |
    sed 's|^\./||; s|:#include "| |')
symbols=$(nm -A -P "$@" | awk '
    { sub(/:$/, "", $1); sub(/.*\/src\/CMakeFiles\/proact_[a-z0-9_]*\.dir\//, "", $1)
      sub(/.*\.dir\//, "above/", $1); sub(/\.o$/, "", $1) }
    $3 == "U" { wants[$1 " " $2] }
    $3 ~ /^[BCDRTVW]$/ { home[$2] = $1 }
    END { for (w in wants) { split(w, p, " "); if (p[2] in home) print p[1], home[p[2]] } }')

violations=$(printf '%s\n' "$includes" "$symbols" | awk -v layers="$src/layers.txt" '
    BEGIN {
        while ((getline line < layers) > 0) {
            split(line, f, ": *")
            may[f[1]] = " " f[2] " "
            if (split(f[1], path, "/") == 2) layered[path[1]]
        }
    }
    NF != 2 || /^above/ { next }
    {
        split($1, a, "/"); split($2, b, "/")
        in_one = a[1] == b[1]
        if (in_one && (!(a[1] in layered) || a[2] == b[2] || b[2] ~ /\.h$/)) next
        by = in_one ? a[1] "/" a[2] : a[1]
        if (!index(may[by], " " (in_one ? b[2] : b[1]) " ")) print $1 " may not use " $2
    }')
unlisted=$(cd "$src" && find . -mindepth 2 -maxdepth 2 -type d | sed 's|^\./||' | while read -r folder; do
    grep -q "^${folder%/*}/" layers.txt && ! grep -q "^$folder:" layers.txt &&
        echo "src/$folder: src/layers.txt has no line for it"
done)
unordered=$(awk -F ': *' '/^[a-z]/ {
    within = $1; sub(/[^\/]*$/, "", within); above[$1]
    for (i = split($2, used, " "); i > 0; i--) if (!(within used[i] in above))
        print "src/layers.txt: " $1 " uses " within used[i] ", which has no line above it" }' "$src/layers.txt")
circles=$(echo "$symbols" | tsort 2>&1 >/dev/null)
files=$(cd "$root" && find src include tools apps kernels bench tests -name '*.[ch]' -o -name '*.cu')
sizes=$(cd "$root" && echo "$files" | xargs wc -l | awk '$2 != "total" && $1 > 500 { print $2 ": " $1 " lines, 500 allowed" }')
wide=$(cd "$root" && echo "$files" | xargs awk 'length($0) > 92 { print FILENAME ":" FNR ": " length($0) " columns, 92 allowed" }')
twins=$(echo "$files" | grep -v '^include/' | sed 's|.*/||' | sort | uniq -d | sed 's/$/: two files of this name/')
folders=$(cd "$src" && find . -mindepth 2 -maxdepth 2 -type d | sed 's|^\./||' | while read -r folder; do
    grep -q "\`$folder[\`/]" "$root/docs/architecture.md" || echo "src/$folder: docs/architecture.md does not say what is in it"
done)
crowds=$(cd "$root" && echo "$files" | grep -v '^tests/' | sed 's|/[^/]*$||' | sort | uniq -c | awk '$1 > 40 { print $2 ": " $1 " files, 40 allowed" }')

here=$root/tests/layering
static=$(cd "$root" && find src tools apps bench -name '*.[ch]' |
    xargs awk -f "$here/duplicates.awk" "$here/duplicate_names.txt")
words=$(cd "$root" && find README.md CHANGELOG.md CONTRIBUTING.md docs src include tools apps kernels bench \
    tests cmake scripts -type f ! -name '*.json' ! -name '*.svg' ! -path 'tests/layering/*' |
    xargs awk -f "$here/words.awk" "$here/retired_words.txt")

echo "$(echo "$symbols" | wc -l) arrows checked"
faults=$(printf '%s\n' "$violations" "$unlisted" "$unordered" "$circles" "$sizes" "$wide" "$twins" "$folders" "$crowds" "$static" "$words" | sed '/^$/d')
[ -z "$faults" ] && echo "1 passed, 0 failed" && exit 0
printf '%s\n' "$faults"
exit 1
