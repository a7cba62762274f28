#!/usr/bin/env bash
# Installs what is missing to build and test lastinch, and says so: Debian packages through apt, JavaScript
# packages through npm. What is there already is left alone.
set -euo pipefail
cd "$(dirname "$0")"

# command that must exist, and the Debian package that brings it
needed="
emcc:emscripten
clang-19:clang-19
wasm-ld-19:lld-19
llvm-ar-19:llvm-19
clang:clang
clang-format:clang-format
spin:spin
brotli:brotli
chromium-headless-shell:chromium-headless-shell
firefox-esr:firefox-esr
WebKitWebDriver:webkit2gtk-driver
Xvfb:xvfb
xauth:xauth
"
command -v node >/dev/null && command -v npm >/dev/null || {
  echo "setup: please install Node 20.19 or newer, with npm" >&2
  exit 1
}
node -e 'const [a, b] = process.versions.node.split(".").map(Number); if (a < 20 || (a === 20 && b < 19) || a === 21 || (a === 22 && b < 13) || a === 23) { console.error(`setup: Node ${process.version} is too old: please install Node 20.19 or newer (of 22, at least 22.13)`); process.exit(1); }'

as_root=""
[ "$(id -u)" -eq 0 ] || as_root=sudo

# install package...
install() {
  echo "setup: installing $*"
  if ! command -v apt-get >/dev/null; then
    echo "setup: there is no apt-get here: please install $* (or what your system calls them) and run this again" >&2
    exit 1
  fi
  if [ -n "$as_root" ] && ! command -v sudo >/dev/null; then
    echo "setup: please run as root, or install sudo, so that $* can be installed" >&2
    exit 1
  fi
  local log
  log=$(mktemp)
  if ! { $as_root apt-get update && $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@"; } >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    rm -f "$log"
    echo "setup: could not install $*: see above; install them by hand and run this again" >&2
    exit 1
  fi
  rm -f "$log"
}

missing=()
for pair in $needed; do
  command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
done
[ ${#missing[@]} -eq 0 ] || install "${missing[@]}"

# The sanitizers and the fuzzer need clang's runtime, a package of clang's version.
if ! [ -e "$(clang --print-file-name="libclang_rt.fuzzer-$(uname -m).a")" ]; then
  install "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
fi

if ! cmp -s package-lock.json node_modules/.lastinch-lock; then
  echo "setup: installing npm packages"
  if ! npm ci --ignore-scripts --no-audit --no-fund --loglevel=error; then
    echo "setup: npm could not install the packages of package-lock.json" >&2
    exit 1
  fi
  cp package-lock.json node_modules/.lastinch-lock
fi

# A Node that has relaxed SIMD, for the tests of that variant. Without it they are skipped.
modern="node-$(node -p 'process.platform + "-" + process.arch')"
if ! [ -x "build/node/node_modules/$modern/bin/node" ]; then
  echo "setup: installing Node 26 for tests into build/node"
  npm install --prefix build/node --no-save --ignore-scripts --no-audit --no-fund --loglevel=error "$modern@26.10.0" ||
    echo "setup: could not; the tests that need it will be skipped" >&2
fi
