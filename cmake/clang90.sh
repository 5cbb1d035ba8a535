#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a clang that writes PTX to the file behind -o, and says there that it is for sm_90.
"$@" || exit 1
while [ "$1" != -o ]; do shift; done
sed -i 's/^\.version .*/.version 8.0/; s/^\.target .*/.target sm_90/' "$2"
