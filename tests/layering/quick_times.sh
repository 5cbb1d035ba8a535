#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The label `quick` against recorded CPU times: a quick test takes less than 0.3 s, all together
# less than 60 s. Usage: quick_times.sh BUILD CTEST
# cpu_time leaves user and system time of each test's last run in BUILD/cpu_times. That is no
# wall time: it does not depend on what else runs. A slow or shared processor still stretches
# it, so a loop of awk is timed as well, and a test fails only above three times its limit,
# with the limit scaled by the loop. Tests that have not run yet are left out.
build=$1 ctest=$2
awk_loop='BEGIN { for (i = 0; i < 2000000; i++) s += i % 7; exit s < 0 }'
LOOP=0.07 # seconds of the loop on the processor that the labels were chosen on

"$build/tests/cpu_time" "$build/cpu_times.loop" awk "$awk_loop" || exit 1
"$ctest" --test-dir "$build" -N -L '^quick$' | sed -n 's/^ *Test *#[0-9]*: //p' |
    while read -r name; do
        [ -e "$build/cpu_times/$name" ] && echo "$name $(cat "$build/cpu_times/$name")"
    done | awk -v loop="$(cat "$build/cpu_times.loop")" -v usual="$LOOP" '
        BEGIN { scale = loop > usual ? loop / usual : 1; one = 3 * 0.3 * scale; all = 60 * scale }
        { sum += $2; count++ }
        $2 > one { printf "%s: %.2f s of CPU time, %.2f allowed: label it slow\n", $1, $2, one; bad = 1 }
        END {
            if (!count) { print "skipped: no test has run"; exit 77 }
            printf "%d quick tests: %.1f s of CPU time, %.0f allowed\n", count, sum, all
            exit bad || sum > all
        }'
