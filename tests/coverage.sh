#!/bin/bash
# The lines and branches of src/ that the native C tests run, and those of web/ that the tests in Node run.
set -euo pipefail
command -v llvm-profdata >/dev/null && command -v llvm-cov >/dev/null || {
	echo "coverage: please install llvm-profdata and llvm-cov, of clang's version (Debian: llvm)" >&2
	exit 1
}
counts=$PWD/build/coverage/counts
# What passed before is run again: the counts are of this run only.
rm -rf "$counts" build/coverage/*.passed
mkdir -p "$counts"
LLVM_PROFILE_FILE=$counts/%p.profraw make config=coverage test-native
llvm-profdata merge "$counts"/*.profraw -o build/coverage/counts.profdata
llvm-cov report build/coverage/c-tests -instr-profile=build/coverage/counts.profdata src

if [ ! -d build/c8 ]; then
	npm install --prefix build/c8.new --no-save --no-audit --no-fund --loglevel error c8@10.1.3
	mv build/c8.new build/c8
fi
NODE_V8_COVERAGE=$counts make test-js
build/c8/node_modules/.bin/c8 report --temp-directory "$counts" --include 'web/**'
