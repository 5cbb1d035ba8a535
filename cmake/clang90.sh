#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a clang command that writes PTX to the file after -o, and sets its target to sm_90.
"$@" || exit 1
while [ "$1" != -o ]; do shift; done
sed -i 's/^\.version .*/.version 8.0/; s/^\.target .*/.target sm_90/' "$2"
