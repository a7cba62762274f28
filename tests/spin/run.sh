#!/bin/bash
# How the threads of loops sleep and wake, in the model checker Spin: no order of their steps may lose a wake-up, whatever
# the caller does. The fault of an earlier protocol must be found.
set -euo pipefail
model=$(realpath "$(dirname "$0")/parallel.pml")

# Checks the model with the given definitions, in a folder of its own, and writes what Spin says to `log` there.
check() {
	mkdir -p "build/spin/$1" && cd "build/spin/$1" && shift
	spin -a "$@" "$model"
	gcc -O2 -w -DSAFETY -DCOLLAPSE pan.c -o pan
	./pan -E -m10000 -w24 >log
}

for caller in CALL_AND_END CALL_AND_LEAVE LOSE_A_HELPER OTHER_NUMBERS; do
	(check $caller -DCALLER=$caller)
	log=build/spin/$caller/log
	if ! grep -q 'errors: 0$' $log || grep -qE 'too small|not completed|out of memory' $log; then
		cat $log
		exit 1
	fi
	echo "ok spin $caller:$(grep -o '[0-9.e+]* states, stored' $log)"
done

(check FLAG_BESIDE -DFLAG_BESIDE -DCALLER=CALL_AND_LEAVE)
grep -q 'violated has_ended' build/spin/FLAG_BESIDE/log || { cat build/spin/FLAG_BESIDE/log; exit 1; }
echo "ok spin FLAG_BESIDE: its fault is found"
