#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts of this folder, whose programs print rows with compiled.cuh. The
# arguments are PROACTCC FOLDER FILE. A script sets `name` (its program) and `local` (this
# folder), calls one() for each run and then finish. `script` is its command line.
script=$name.sh
. "$here/build.sh"
built_both "$name"
rows=$folder/$name.rows
: >"$rows"

one() { # BUILD DEVICES COMMAND...
    build=$1 devices=$2
    shift 2
    "$@" >"$folder/$name.out" || { echo "$name.sh: $build on $devices failed" >&2; bad=1; }
    sed "s/^/$build $devices /" "$folder/$name.out" >>"$rows"
}

bad=0

# Repeated runs become one row: the median of the medians, and the sum of the run counts.
merge() {
    awk '{ k = $1 " " $2 " " $3
           if (!(k in n)) { keys[++count] = k; low[k] = $5; high[k] = $6 }
           us[k, ++n[k]] = $4; runs[k] += $7
           if (n[k] > 1 && hash[k] != $8) bad = 1; else hash[k] = $8
           if ($5 < low[k]) low[k] = $5
           if ($6 > high[k]) high[k] = $6 }
         END { for (i = 1; i <= count; i++) {
                   k = keys[i]
                   for (a = 2; a <= n[k]; a++)
                       for (b = a; b > 1 && us[k, b] < us[k, b - 1]; b--) {
                           t = us[k, b]; us[k, b] = us[k, b - 1]; us[k, b - 1] = t
                       }
                   print k, us[k, int((n[k] + 1) / 2)], low[k], high[k], runs[k], hash[k]
               }
               exit bad }' "$rows" >"$rows.merged" || { echo "$name.sh: results of one build differ" >&2; bad=1; }
    mv "$rows.merged" "$rows"
}

finish() { # prints the table, compares the results and writes the file
    merge
    printf '%-18s %7s  %-16s %12s %12s %12s %4s  %s\n' build devices kernel 'us a launch' lowest highest runs result
    while read -r build devices kernel us low high runs hash; do
        printf '%-18s %7s  %-16s %12s %12s %12s %4s  %s\n' \
            "$build" "$devices" "$kernel" "$us" "$low" "$high" "$runs" "$hash"
    done <"$rows"
    # Results must be equal for all builds and numbers of devices.
    awk -v script="$name.sh" '{ if ($3 in h && h[$3] != $8) { print script ": " $3 ": results differ"; bad = 1 } h[$3] = $8 }
         END { exit bad }' "$rows" || bad=1
    awk -v script="$script" -v commit="$commit" -v date="$(date +%F)" -v machine="$machine" '
        BEGIN { printf "{\"machine\": \"%s\", \"date\": \"%s\", \"commit\": \"%s\",\n", machine, date, commit
                printf " \"command\": \"bench/programs/%s\",\n \"unit\": \"us a launch\", \"rows\": [", script }
        { printf "%s\n  {\"build\": \"%s\", \"devices\": %s, \"kernel\": \"%s\", \"median\": %s, \"lowest\": %s, \"highest\": %s, \"runs\": %s}", \
                 (NR > 1 ? "," : ""), $1, $2, $3, $4, $5, $6, $7 }
        END { print "\n]}" }' "$rows" >"$file"
    exit $bad
}
