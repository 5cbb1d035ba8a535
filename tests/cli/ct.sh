# CT: a sinogram and an image from the command line, the formats of the answer, and bad
# input.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
proact make phantom --size 16 --views 12 --slices 2 -o s.npy
run="proact run ct --size 16 --machine v100x4 --iterations 2 --subsets 3"

$run --sinogram s.npy --reference --output image.npy |
    sed 's/: [0-9.]* [um]s (virtual), [0-9.]* [um]s an/: T (virtual), T an/; s/HU [0-9.e-]* (at/HU X (at/; s/[0-9.]* [kM]*B sent$/N sent/; s/^auto: .*/auto: PLAN/'
head -c 128 image.npy | tail -c +11 | tr -s ' '
[ "$(wc -c <image.npy)" = $((128 + 2 * 16 * 16 * 4)) ] || wc -c image.npy

# A picture of two slices side by side: 32 x 16 pixels.
$run --sinogram s.npy --output image.png --window 0/2000 >/dev/null
head -c 24 image.png | od -An -tx1

# The phantom as the truth, converged on the host; equal data from equal options.
proact make phantom --size 16 --object -o o.npy
proact make phantom --size 16 --object -o - | cmp - o.npy
proact run ct --image o.npy --views 12 --solver icd --iterations 30 | sed '/on the host/s/:.*//'
proact run ct --image o.npy --views 12 --subsets 3 --iterations 3 -n 2 --monitor | sed -n '/iteration /,/^$/p'
proact run ct --image o.npy --views 12 --i0 30 --angle 100 --iterations 1 -n 1 | sed -n '/Warning/p'

# Both shapes, sizes, counts, and options that exclude each other.
fails 1 $run --sinogram s.npy --image o.npy
fails 1 $run --sinogram s.npy --views 13
fails 1 $run --image s.npy
fails 1 $run --image ct.sh
fails 1 $run --image o.npy --slices 3
fails 1 $run --phantom shepp-logan --image o.npy
fails 1 proact run ct --size 16 --views 2 --subsets 3
fails 1 $run --field 1000 --geometry fan-arc --channels 24
fails 1 $run --window 40
fails 1 proact run ct --size 16 --solver icd --compare
fails 1 proact run ct --size 16 --solver icd --checkpoint c
fails 2 $run --i0 0
fails 2 $run --geometry cone
fails 2 proact make phantom --geometry cone -o x.npy
fails 2 proact make phantom --views 0 -o x.npy
fails 2 proact make phantom
ls
