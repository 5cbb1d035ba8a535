# Each method has a name and a sentence.
proact methods | awk 'NF < 4 { print "no sentence: " $0 } { print $1 }'
