#!/usr/bin/env bash
# Finds the compilers behind emcc and prints shell variables for the Makefile: WASM_CC compiles, WASM_LD links, and EMCC
# links programs that need JavaScript. emcc itself is a script that takes longer to start than its clang takes to compile
# a file, and it exports functions that only its own JavaScript calls. Relaxed SIMD and small code need LLVM 17 or newer:
# an emsdk of today brings one, and behind Debian's older emcc stands its clang 19.
set -euo pipefail
clang="$(em-config LLVM_ROOT)/clang$(em-config CLANG_ADD_VERSION | sed 's/^-*\(.\)/-\1/')"
[ "$("$clang" -dumpversion | cut -d. -f1)" -ge 17 ] || {
  export EM_LLVM_ROOT=/usr/lib/llvm-19/bin EM_CLANG_ADD_VERSION='' EM_LLVM_ADD_VERSION=''
  clang=$EM_LLVM_ROOT/clang
  echo "export EM_LLVM_ROOT=$EM_LLVM_ROOT EM_CLANG_ADD_VERSION= EM_LLVM_ADD_VERSION="
}
echo "EMCC='emcc'"
libraries="$(em-config CACHE)/sysroot/lib/wasm32-emscripten"
echo "WASM_LD='$(dirname "$clang")/wasm-ld --no-entry --strip-all -L$libraries -lc -lcompiler_rt'"
echo "WASM_CC='$clang $(emcc --cflags 2>/dev/null)'"
echo "compiler: $(emcc --version | head -n 1), with $("$clang" --version | head -n 1)" >&2
