#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Dynamic launches on Kepler have three regions (PROACT V-A, Figure 6): a loss below 16 KB
# chunks, a gain of at least 1.5 at 16 KB, and less for chunks near the size of the array.
# Usage: child_regions.sh PROACT
set -u
proact=$1
code=0

speedup() { # CHUNK
    "$proact" bench micro -m k40x4 --bytes 2M --ratio 1 --pattern one-to-all --method dynamic \
        --chunk "$1" | awk '$3 == "dynamic" { print $6 }'
}

region() { # CHUNK CONDITION
    x=$(speedup "$1")
    awk -v x="${x:-nan}" "BEGIN { exit !(x $2) }" ||
        { echo "chunk $1: expected a speedup $2, found '$x'"; code=1; }
}

region 4K '< 0.6'
region 8K '< 1'
region 16K '>= 1.5'
region 2M '< 1.2'
exit $code
