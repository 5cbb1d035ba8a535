#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Draws docs/figures/*.svg from bench/results/*.json. Needs gnuplot.
# Usage: bench/figures.sh
set -eu
cd "$(dirname "$0")/.."
command -v gnuplot >/dev/null || {
    echo "bench/figures.sh: gnuplot is missing: apt-get install gnuplot-nox" >&2
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p docs/figures

field() { # KEY: the value of the key in each input line
    sed -n 's/.*"'"$1"'": "\{0,1\}\([^",}]*\).*/\1/p'
}

# Speedup over bulk by chunk size at compute / copy 1, one line per mechanism with its
# default options. A mechanism without chunks is a horizontal line.
draw_micro() { # NAME
    json=$work/default.json
    grep -v '"note": \|"threads": [1-9]' "bench/results/$1.json" >"$json"
    plots=
    for method in $(grep '"ratio": 1,' "$json" | field method | sort -u); do
        grep '"ratio": 1,' "$json" | grep "\"method\": \"$method\"" | while read -r line; do
            echo "$(echo "$line" | field chunk_bytes) $(echo "$line" | field measured)" \
                "$(echo "$line" | field lowest) $(echo "$line" | field highest)"
        done | sort -n >"$work/$method"
        if [ "$(awk '$1 > 0' "$work/$method" | wc -l)" -eq 0 ]; then
            plots="$plots, $(awk '{ print $2 }' "$work/$method") title '$method' with lines dashtype 2"
        else
            awk '$1 > 0' "$work/$method" >"$work/$method.chunks"
            plots="$plots, '$work/$method.chunks' using (\$1/1024):2 title '$method' with linespoints pointtype 7 pointsize 0.5"
        fi
    done
    gnuplot <<END
set terminal svg size 760,420 font "sans,12" background "white"
set output "docs/figures/$1.svg"
set title "One device writes 256 MB, three read it; compute / copy 1; $(field device <"$json")"
set logscale x 2
set xrange [4:262144]
set xtics ("4 KB" 4, "64 KB" 64, "1 MB" 1024, "16 MB" 16384, "256 MB" 262144)
set yrange [0:2.05]
set ylabel "speedup over bulk"
set key outside right
set grid
plot ${plots#, }, 2 title "ideal" with lines linecolor "black"
END
}

# Goodput by the size of a copy and by the length of a contiguous range of stores.
draw_link() { # NAME
    json=bench/results/$1.json
    points() { # PREFIX: the rows whose names end with a size after the prefix
        grep "$1" "$json" | sed 's/.*"what": "[^"]*[ ,] \{0,1\}\([0-9]* [KM]\{0,1\}B\)".*"measured": \([0-9.]*\).*/\1 \2/' |
            awk '{ n = $1 * ($2 == "KB" ? 1024 : $2 == "MB" ? 1048576 : 1); print n, $3 }' | sort -n
    }
    points 'copy engine to one peer' >"$work/copies"
    points 'stores to one peer, ranges of' >"$work/ranges"
    gnuplot <<END
set terminal svg size 760,420 font "sans,12" background "white"
set output "docs/figures/$1.svg"
set title "Goodput to one peer; $(field device <"$json")"
set logscale x 2
set xtics ("4 B" 4, "32 B" 32, "256 B" 256, "4 KB" 4096, "64 KB" 65536, "1 MB" 1048576, "16 MB" 16777216, "256 MB" 268435456)
set yrange [0:450]
set ylabel "goodput, GB/s"
set key outside right
set grid
plot "$work/copies" title "copies, by size" with linespoints pointtype 7 pointsize 0.5, \
     "$work/ranges" title "stores, by range length" with linespoints pointtype 7 pointsize 0.5
END
}

draw_micro micro-4xH200
draw_link link-4xH200
