#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes docs/figures/architecture.svg: the components on the left, one datum on the right.
# Colours follow the reader's light or dark scheme. Usage: docs/figures/architecture.sh
set -eu
cd "$(dirname "$0")"
exec >architecture.svg

box() { # CLASS X Y WIDTH HEIGHT TITLE [SUBTITLE]
    middle=$(($2 + $4 / 2))
    printf '<rect class="%s" x="%s" y="%s" width="%s" height="%s" rx="6"/>\n' "$1" "$2" "$3" "$4" "$5"
    printf '<text class="title" x="%s" y="%s">%s</text>\n' "$middle" "$(($3 + 20))" "$6"
    [ $# -lt 7 ] || printf '<text class="note" x="%s" y="%s">%s</text>\n' "$middle" "$(($3 + 37))" "$7"
}

arrow() { # X1 Y1 X2 Y2
    printf '<line class="arrow" x1="%s" y1="%s" x2="%s" y2="%s" marker-end="url(#head)"/>\n' "$1" "$2" "$3" "$4"
}

label() { # X Y TEXT
    printf '<text class="step" x="%s" y="%s">%s</text>\n' "$1" "$2" "$3"
}

cat <<'END'
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 520" font-family="sans-serif" role="img">
<title>Components of proact, and the path of one datum from device 0 to device 1</title>
<style>
.page { fill: #ffffff } .head { font-size: 15px; font-weight: bold; text-anchor: middle; fill: #1a1a1a }
.title { font-size: 13px; font-weight: bold; text-anchor: middle; fill: #1a1a1a }
.note { font-size: 11px; text-anchor: middle; fill: #404040 }
.step { font-size: 11.5px; fill: #1a1a1a }
.user { fill: #e3e8f4; stroke: #5a6ea8 } .core { fill: #e2f0e4; stroke: #4d8a58 }
.low { fill: #f4ecd8; stroke: #a07f30 } .machine { fill: none; stroke: #777777; stroke-dasharray: 5 4 }
.arrow { stroke: #b03a2e; stroke-width: 1.6 } .tip { fill: #b03a2e }
@media (prefers-color-scheme: dark) {
.page { fill: #14171c } .head, .title, .step { fill: #eeeeee } .note { fill: #c4c4c4 }
.user { fill: #26304d; stroke: #8fa3dd } .core { fill: #1f3a26; stroke: #7fc08c }
.low { fill: #3d3319; stroke: #d3b25f } .machine { stroke: #999999 }
.arrow { stroke: #ff8f80 } .tip { fill: #ff8f80 }
}
</style>
<defs><marker id="head" markerWidth="9" markerHeight="7" refX="8" refY="3.5" orient="auto">
<polygon class="tip" points="0 0, 9 3.5, 0 7"/></marker></defs>
<rect class="page" width="900" height="520" rx="10"/>
END

echo '<text class="head" x="230" y="28">Components: each uses only what is below it</text>'
box user 20 44 130 46 proactcc "unmodified programs"
box user 165 44 130 46 "apps, bench" "samples, numbers"
box user 310 44 130 46 proact "the command"
box user 20 102 420 46 "include/proact" "C API: proact.h, program.h; kernels: device.h"
box core 20 160 420 46 runtime "sessions, arrays, kernels, launches"
box core 20 218 130 46 transfer "one file a mechanism"
box core 165 218 130 46 access "footprints"
box core 310 218 130 46 instrument "kernel versions"
box core 20 276 420 46 device "device contract; backends cuda and emulator"
box low 20 334 130 46 model "transfer cost"
box low 165 334 275 46 execute "PTX execution"
box low 20 392 130 46 topology "machines"
box low 165 392 275 46 ptx "PTX text to a module and back"
box low 20 450 420 46 base "errors, memory, text, ranges, JSON, clocks"

echo '<text class="head" x="675" y="28">One datum: a store on device 0, read on device 1</text>'
echo '<rect class="machine" x="470" y="44" width="190" height="396" rx="8"/>'
echo '<text class="note" x="565" y="62">device 0</text>'
echo '<rect class="machine" x="690" y="44" width="190" height="396" rx="8"/>'
echo '<text class="note" x="785" y="62">device 1</text>'
box core 485 76 160 46 "CTA stores a value" "into its own replica"
arrow 565 122 565 146
box core 485 148 160 46 "CTA counts" "+1 in the chunk&#39;s counter"
arrow 565 194 565 218
box core 485 220 160 46 "last writer" "counter = epoch x writers"
arrow 565 266 565 290
box core 485 292 160 46 "piece is sent" "by CTA, agent or engine"
arrow 645 315 703 315
box core 705 292 160 46 "replica on device 1" "same byte offset"
arrow 565 338 565 366
arrow 785 338 785 366
box core 705 368 160 46 "next launch reads" "after an event wait"
box low 485 368 160 46 "event record" "after kernel and sends"
arrow 645 391 703 391
label 470 464 "A launch first fetches missing ranges; a correct"
label 470 481 "consumer prediction leaves nothing to fetch."
echo '</svg>'
