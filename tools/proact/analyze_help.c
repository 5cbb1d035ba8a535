/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze_options.h"

static const char text[] =
    "Usage: proact analyze FILE.ptx|FILE.cu [OPTION...]\n"
    "\n"
    "Says which memory a kernel touches, how its CTAs share the arrays, and whether a\n"
    "launch of it can be split over several devices; if not, why, and what to change.\n"
    "A .cu file is compiled by nvcc first (PROACT_NVCC, else the one in the path).\n"
    "\n"
    "  --kernel K           only this kernel, or the one with K in its name\n"
    "  --json FILE          write the same as data\n"
    "  --stop-after PASS    print PTX as it is after a pass: parse, slice (what decides\n"
    "                       where it writes), or a clone: grid, inline, count, send\n"
    "\n"
    "A launch, to see which CTA writes which bytes:\n"
    "  --grid X[,Y[,Z]]     CTAs\n"
    "  --block X[,Y[,Z]]    threads of a CTA\n"
    "  --arg N[.OFFSET]=V   argument N (from 0) is V; .OFFSET: a field of a struct\n"
    "  --array N[.OFFSET]=B argument N is an array of B bytes; K, M, G are understood.\n"
    "                       Without it an array has no end\n"
    "  --constant NAME[.OFFSET]=V\n"
    "                       a number in the .const variable NAME is V; without it what "
    "the\n"
    "                       file says\n"
    "  -n, --devices N      split over N devices, 1 to 16 (4)\n"
    "  -h, --help           print this\n"
    "\n"
    "Examples:\n"
    "  proact analyze stencil.ptx\n"
    "      Every kernel of the file: what it touches, and whether it can be split.\n"
    "  proact analyze stencil.ptx --kernel jacobi --grid 8,8 --block 16,16 --arg 2=128 "
    "--arg 3=128\n"
    "      The bytes that each of its 64 CTAs writes on a grid of 128 x 128 cells.\n"
    "  proact analyze stencil.ptx --kernel jacobi --stop-after slice\n"
    "      What is left of it to tell where it writes.\n"
    "\n"
    "The table: of each array and access its dimensions, outermost first. stride: bytes\n"
    "from one index to the next; grid: the grid dimension that walks along it; class:\n"
    "local (the same for every CTA), block, cyclic, block-cyclic, mixed,\n"
    "data-dependent; tile:\n"
    "indices from CTA to CTA; halo: indices read beside those that the CTA writes.\n";

void analyze_help(FILE *to)
{
    fputs(text, to);
}
