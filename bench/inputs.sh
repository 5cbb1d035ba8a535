# SPDX-License-Identifier: Apache-2.0
# Inputs of applications.sh, baselines.sh and regret.sh, which source this file.

input_words() { # FILE SIZE: prints the words of `proact make` for an input of that size
    case $1-$2 in
    wiki.sg-small) echo wiki --vertices 20000 --edges 250000 --seed 7 ;;
    wiki.sg-medium) echo wiki --vertices 1630000 --edges 19750000 --seed 7 ;;
    wiki.sg-large) echo wiki --vertices 16777216 --edges 212000000 --seed 7 ;;
    hv15r.sg-small) echo hv15r --grid 6x6x8 ;;
    hv15r.sg-medium) echo hv15r --grid 30x30x40 ;;
    hv15r.sg-large) echo hv15r --grid 60x60x80 ;;
    ratings.mtx-small) echo ratings --users 2000 --items 500 --draws 50000 ;;
    ratings.mtx-medium) echo ratings --users 100000 --items 10000 --draws 5000000 ;;
    ratings.mtx-large) echo ratings --users 480189 --items 17770 --draws 25000000 ;;
    esac
}
