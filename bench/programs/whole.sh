#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures whole programs for one GPU (multigrid.cu, functors.cu, heat.cu, n_body.cu), built
# by nvcc and by proactcc: with PROACT_SPLIT=never, with PROACT_SPLIT=always, and without
# it. The builds alternate, because times drift. Prints a table, compares the outputs with
# those of nvcc, and writes FILE as JSON.
# Usage: bench/programs/whole.sh PROACTCC FOLDER FILE [SECONDS [NAME...]]
#   FOLDER receives the programs; the steps are such that nvcc takes about SECONDS (2);
#   NAMEs select programs
# Environment: ROUNDS of the builds (3); LIMIT, seconds of one run (120); COMMIT; EXTRA, a
# folder with more programs, NAME_nvcc and NAME_proactcc. Its file NAME.args has two lines,
# the arguments and a title (NAME, STEPS steps). The word STEPS stands for the steps.
# With PROACT_MACHINE, an emulated machine runs the proactcc build only, with small sizes.
set -u
[ $# -ge 3 ] || { sed -n '3,13s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR
. "$here/build.sh"
shift 3
seconds=${1:-2} rounds=${ROUNDS:-3} limit=${LIMIT:-120} extra=${EXTRA-} bad=0
[ $# -eq 0 ] || shift
if [ $# -eq 0 ]; then
    set -- multigrid functors heat n_body
    for args in ${extra:+"$extra"/*.args}; do
        [ -e "$args" ] && set -- "$@" "$(basename "$args" .args)"
    done
fi
run_us=$(awk -v s="$seconds" 'BEGIN { printf "%d", s * 1000000 }')
[ "$run_us" -gt 0 ] || { echo "whole.sh: '$seconds' is not a number of seconds" >&2; exit 2; }
if [ -n "${PROACT_MACHINE-}" ]; then
    export PROACT_DEVICES="$gpus"
else
    gpus=${PROACT_DEVICES:-$gpus}
fi
unset PROACT_SPLIT
rows=$folder/whole.rows
: >"$rows"
"${CC:-cc}" -O2 "$here/elapsed.c" -o "$folder/elapsed" || exit 1

fault() { # MESSAGE
    echo "whole.sh: $1" >&2
    bad=1
}

sized() { # SIZE EMULATED_SIZE TITLE, in which SIZE stands for the size
    size=$1
    [ -z "${PROACT_MACHINE-}" ] || size=$2
    program=$folder/$name arguments="$size STEPS"
    title=$(echo "$3" | sed "s/SIZE/$size/g")
}

prepare() { # sets program, arguments and title of $name
    case $name in
    multigrid) sized 512 32 "multigrid, SIZE^3, STEPS cycles" ;;
    functors) sized 384 24 "Kokkos-like functors, SIZE^3, STEPS steps" ;;
    heat) sized 8192 128 "heat, SIZE x SIZE, STEPS steps" ;;
    n_body) sized 65536 4352 "n-body, SIZE bodies, STEPS steps" ;;
    *)
        program=$extra/$name
        [ -n "$extra" ] && [ -e "$program.args" ] || return 1
        arguments=$(sed -n 1p "$program.args")
        title=$(sed -n 2p "$program.args")
        title=${title:-$name, STEPS steps}
        return 0
        ;;
    esac
    built_both "$name"
}

with_steps() { # TEXT
    echo "$1" | sed "s/STEPS/$steps/g"
}

timed() { # COMPILER [VARIABLE=VALUE]: prints the time of a run in microseconds
    # shellcheck disable=SC2046 # the arguments are words
    env ${2+"$2"} "$folder/elapsed" "$limit" "$folder/$name.out" "${program}_$1" $(with_steps "$arguments")
}

calibrate() { # sets steps so that nvcc takes about run_us
    few=10 more=40 steps=10
    timed nvcc >"$folder/first" && base=$(timed nvcc) || return 1
    while :; do
        steps=$more
        longer=$(timed nvcc) || return 1
        [ $((longer - base)) -lt $((run_us / 4)) ] || break
        [ "$more" -lt 10000000 ] || return 1
        more=$((more * 4))
    done
    steps=$((few + (run_us - base) * (more - few) / (longer - base)))
    [ "$steps" -ge 1 ] || steps=1
}

one() { # BUILD DEVICES COMPILER [VARIABLE=VALUE]
    build=$1 devices=$2
    shift 2
    us=$(timed "$@") || { fault "$name: $build ended with status $?"; return; }
    [ -e "$folder/$name.want" ] || cp "$folder/$name.out" "$folder/$name.want"
    cmp -s "$folder/$name.out" "$folder/$name.want" || fault "$name: $build has another output"
    echo "$build|$devices|$(with_steps "$title")|$us" >>"$rows"
}

for name in "$@"; do
    prepare || { fault "$name: no such program"; continue; }
    rm -f "$folder/$name.want"
    steps=2
    if [ -z "${PROACT_MACHINE-}" ]; then
        calibrate || { fault "$name: nvcc's build failed, or its time does not depend on the steps"; continue; }
        timed proactcc >"$folder/first" # fills the driver's cache
    fi
    for _ in $(seq "$rounds"); do
        [ -n "${PROACT_MACHINE-}" ] || one nvcc 1 nvcc
        one "proactcc, one GPU" 1 proactcc PROACT_SPLIT=never
        one "proactcc, forced split" "$gpus" proactcc PROACT_SPLIT=always
        one proactcc "$gpus" proactcc
    done
done

awk -F '|' -v file="$file" -v commit="$commit" -v date="$(date +%F)" -v machine="$machine" \
    -v command="ROUNDS=$rounds bench/programs/whole.sh PROACTCC FOLDER FILE $seconds $*" '
    { k = $1 FS $2 FS $3
      if (!(k in n)) keys[++count] = k
      for (i = ++n[k]; i > 1 && us[k, i - 1] > $4; i--) us[k, i] = us[k, i - 1]
      us[k, i] = $4 }
    function ms(i) { return sprintf("%.0f", us[k, i] / 1000) }
    END { printf "{\"machine\": \"%s\", \"date\": \"%s\", \"commit\": \"%s\",\n", machine, date, commit >file
          printf " \"command\": \"%s\",\n \"unit\": \"ms\", \"rows\": [", command >file
          form = "%-24s %7s  %-44s %8s %8s %8s %4s\n"
          printf form, "build", "devices", "kernel", "ms", "lowest", "highest", "runs"
          for (c = 1; c <= count; c++) {
              k = keys[c]
              split(k, part, FS)
              m = n[k]
              us[k, 0] = (us[k, int((m + 1) / 2)] + us[k, int(m / 2) + 1]) / 2
              printf form, part[1], part[2], part[3], ms(0), ms(1), ms(m), m
              printf "%s\n  {\"build\": \"%s\", \"devices\": %s, \"kernel\": \"%s\", \"median\": %s, \"runs\": %d, \"lowest\": %s, \"highest\": %s}", \
                     (c > 1 ? "," : ""), part[1], part[2], part[3], ms(0), m, ms(1), ms(m) >file
          }
          print "\n]}" >file }' "$rows"
exit $bad
