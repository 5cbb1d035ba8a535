#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Draws docs/figures/overview.svg: one launch on two devices, with the counters of each chunk
# and the transfer of each chunk, next to the same launch under bulk. The drawing shows the
# order of events, no measurement. It has a background of its own, so it is readable on light
# and on dark pages. Usage: docs/figures/overview.sh
set -eu
cd "$(dirname "$0")"
awk '
function text(x, y, size, anchor, words, extra) {
    printf "<text x=\"%d\" y=\"%d\" font-size=\"%d\" text-anchor=\"%s\" %s>%s</text>\n",
        x, y, size, anchor, extra, words
}
function box(x, y, width, height, color, stroke) {
    printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\" fill=\"%s\" stroke=\"%s\"/>\n",
        x, y, width, height, color, stroke
}
function line(x1, y1, x2, y2, extra) {
    printf "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#57606a\" %s/>\n",
        x1, y1, x2, y2, extra
}
# When CTA `row` of a wave ends. Waves end at different times on the two devices.
function cta_end(device, wave, row) {
    return LEFT + (wave + 1) * WAVE + OFFSET[(row + wave + device) % 3]
}
# The CTAs of one device, from y on: a row an SM, a color a chunk.
function draw_ctas(device, y,    row, wave, start, end) {
    for (row = 0; row < 3; row++) {
        start = LEFT
        for (wave = 0; wave < 4; wave++) {
            end = cta_end(device, wave, row)
            box(start + 1, y + 21 * row, end - start - 2, 18, COLOR[wave], "none")
            text((start + end) / 2, y + 21 * row + 13, 11, "middle",
                12 * device + 3 * wave + row)
            start = end
        }
    }
}
# Counters at y and the transfers of the device from `link` on. Returns when the last ends.
function draw_sends(device, y, link,    wave, n, at, ready, free) {
    free = LEFT
    for (wave = 0; wave < 4; wave++) {
        for (n = 0; n < 3; n++) {
            at = LEFT + (wave + 1) * WAVE + OFFSET[n]
            printf "<circle cx=\"%d\" cy=\"%d\" r=\"7\" fill=\"%s\" stroke=\"#57606a\"/>\n",
                at, y, n == 2 ? COLOR[wave] : "#ffffff"
            text(at, y + 4, 10, "middle", n + 1, n == 2 ? "font-weight=\"bold\"" : "")
        }
        ready = LEFT + (wave + 1) * WAVE + OFFSET[2]
        free = ready > free ? ready : free
        line(ready, device ? y - 8 : y + 8, ready, device ? link + 18 : link,
            "marker-end=\"url(#tip)\"")
        box(free, link, SEND, 18, COLOR[wave], "#57606a")
        text(free + SEND / 2, link + 13, 11, "middle", "chunk " 4 * device + wave)
        free += SEND
    }
    return free
}
BEGIN {
    LEFT = 170; WAVE = 88; SEND = 80
    OFFSET[0] = -17; OFFSET[1] = 0; OFFSET[2] = 17
    COLOR[0] = "#9ecae9"; COLOR[1] = "#ffbf79"; COLOR[2] = "#98d594"; COLOR[3] = "#d6a5c9"
    kernel_end = LEFT + 4 * WAVE + OFFSET[2]

    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 880 396\" width=\"880\" height=\"396\" font-family=\"sans-serif\" fill=\"#1f2328\">"
    print "<title>One launch on two devices: complete chunks travel while the kernel runs</title>"
    print "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" fill=\"#57606a\"/></marker></defs>"
    print "<rect x=\"1\" y=\"1\" width=\"878\" height=\"394\" rx=\"8\" fill=\"#ffffff\" stroke=\"#d0d7de\"/>"
    text(20, 28, 15, "start", "One launch on two devices: complete chunks travel while the kernel runs",
        "font-weight=\"bold\"")

    text(20, 66, 13, "start", "device 0", "font-weight=\"bold\"")
    text(20, 84, 12, "start", "CTAs 0 to 11,")
    text(20, 100, 12, "start", "color: chunk")
    draw_ctas(0, 46)
    text(20, 126, 12, "start", "finished writers")
    text(20, 154, 12, "start", "link 0 to 1")
    text(20, 180, 12, "start", "link 1 to 0")
    text(20, 208, 12, "start", "finished writers")
    draw_sends(0, 122, 141)
    end = draw_sends(1, 204, 167)
    text(20, 242, 13, "start", "device 1", "font-weight=\"bold\"")
    text(20, 260, 12, "start", "CTAs 12 to 23,")
    text(20, 276, 12, "start", "color: chunk")
    draw_ctas(1, 222)

    line(20, 298, 860, 298, "stroke-opacity=\"0.4\"")
    text(20, 316, 13, "start", "bulk", "font-weight=\"bold\"")
    text(20, 332, 12, "start", "copies follow")
    text(20, 347, 12, "start", "the kernel")
    box(LEFT, 312, kernel_end - LEFT, 22, "#d0d7de", "none")
    text((LEFT + kernel_end) / 2, 327, 11, "middle", "the same CTAs on both devices")
    for (wave = 0; wave < 4; wave++) {
        box(kernel_end + wave * SEND, 314, SEND, 18, COLOR[wave], "#57606a")
        text(kernel_end + (wave + 0.5) * SEND, 327, 11, "middle",
            "chunks " wave ", " 4 + wave)
    }

    line(kernel_end, 40, kernel_end, 352, "stroke-dasharray=\"4 3\"")
    line(end, 40, end, 352, "stroke-dasharray=\"4 3\"")
    line(kernel_end + 4 * SEND, 306, kernel_end + 4 * SEND, 352, "stroke-dasharray=\"4 3\"")
    text(kernel_end, 367, 12, "middle", "kernel ends")
    text(end + 4, 56, 12, "start", "all replicas current")
    text(kernel_end + 4 * SEND, 367, 12, "end", "all replicas current under bulk")
    line(LEFT, 380, 860, 380, "marker-end=\"url(#tip)\"")
    text(LEFT - 8, 384, 12, "end", "time")
    print "</svg>"
}' >overview.svg.new
mv overview.svg.new overview.svg
