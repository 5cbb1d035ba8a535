# Each method has a name and a summary.
proact methods | awk 'NF < 4 { print "no sentence: " $0 } { print $1 }'

# Two methods may share the chunks. A method that cannot be combined is refused once.
run="proact run jacobi --size 128 --iterations 2 -n 2 --compare"
$run --method copy-engine+fused:4K | awk '$1 ~ /\+/ { print $1, $NF }'
$run --method copy-engine+bulk || echo "exit status $?"
