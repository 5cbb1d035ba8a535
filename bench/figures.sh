#!/bin/sh
# Draws docs/figures/*.svg from bench/results/*.json. Needs gnuplot.
set -eu
cd "$(dirname "$0")/.."
command -v gnuplot >/dev/null || { echo "bench/figures.sh: gnuplot is missing: apt-get install gnuplot-nox" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p docs/figures

field() { # KEY: its value in a line of JSON
    sed -n 's/.*"'"$1"'": "\{0,1\}\([^",}]*\).*/\1/p'
}

# Speedup over bulk by chunk, at compute / copy 1; a line a mechanism, as it usually is.
draw_micro() { # NAME
    json=$work/usual.json
    grep -v '"note": \|"threads": [1-9]' "bench/results/$1.json" >"$json"
    plots=
    for method in $(grep '"ratio": 1,' "$json" | field method | sort -u); do
        grep '"ratio": 1,' "$json" | grep "\"method\": \"$method\"" | while read -r line; do
            echo "$(echo "$line" | field chunk_bytes) $(echo "$line" | field measured)" \
                "$(echo "$line" | field lowest) $(echo "$line" | field highest)"
        done | sort -n >"$work/$method"
        # What takes no chunks is a level line.
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
set title "One makes 256 MB, three need it; compute / copy 1; $(field device <"$json")"
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

# Goodput by bytes of a copy, and of a run of stores.
draw_link() { # NAME
    json=bench/results/$1.json
    points() { # PATTERN: what follows it is a size
        grep "$1" "$json" | sed 's/.*"what": "[^"]*[ ,] \{0,1\}\([0-9]* [KM]\{0,1\}B\)".*"measured": \([0-9.]*\).*/\1 \2/' |
            awk '{ n = $1 * ($2 == "KB" ? 1024 : $2 == "MB" ? 1048576 : 1); print n, $3 }' | sort -n
    }
    points 'copy engine to one peer' >"$work/copies"
    points 'stores to one peer, runs of' >"$work/runs"
    gnuplot <<END
set terminal svg size 760,420 font "sans,12" background "white"
set output "docs/figures/$1.svg"
set title "Goodput to one peer; $(field device <"$json")"
set logscale x 2
set xtics ("4 B" 4, "32 B" 32, "256 B" 256, "4 KB" 4096, "64 KB" 65536, "1 MB" 1048576, "16 MB" 16777216, "256 MB" 268435456)
set yrange [0:450]
set ylabel "GB/s of useful bytes"
set key outside right
set grid
plot "$work/copies" title "copies, by size" with linespoints pointtype 7 pointsize 0.5, \
     "$work/runs" title "stores, by run" with linespoints pointtype 7 pointsize 0.5
END
}

draw_micro micro-4xH200
draw_link link-4xH200
