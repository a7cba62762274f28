#!/usr/bin/env bash
# Installs what is missing to build and test lastinch, and says so: Debian packages through apt, JavaScript
# packages through npm. What is there already is left alone.
set -euo pipefail
cd "$(dirname "$0")"

# command that must exist, and the Debian package that brings it
needed="
emcc:emscripten
clang:clang
clang-format:clang-format
brotli:brotli
chromium:chromium
firefox-esr:firefox-esr
WebKitWebDriver:webkit2gtk-driver
Xvfb:xvfb
xauth:xauth
"
missing=()
for pair in $needed; do
  command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
done
# The sanitizers and the fuzzer need clang's runtime, which is a package of its own.
if ! command -v clang >/dev/null || ! [ -e "$(clang --print-file-name=libclang_rt.fuzzer-x86_64.a)" ]; then
  missing+=(libclang-rt-14-dev)
fi

if [ ${#missing[@]} -gt 0 ]; then
  echo "setup: installing ${missing[*]}"
  if ! command -v apt-get >/dev/null; then
    echo "setup: this is no Debian machine: please install ${missing[*]} (or what your system calls them) and run this again" >&2
    exit 1
  fi
  as_root=""
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup: please run as root, or install sudo, so that ${missing[*]} can be installed" >&2; exit 1; }
    as_root=sudo
  fi
  log=$(mktemp)
  if ! { $as_root apt-get update && $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    echo "setup: could not install ${missing[*]}: see above; install them by hand and run this again" >&2
    exit 1
  fi
fi

node -e 'const [a, b] = process.versions.node.split(".").map(Number); if (a < 20 || (a === 20 && b < 16)) { console.error(`setup: Node ${process.version} is too old: please install Node 20.16 or newer`); process.exit(1); }'

if ! cmp -s package-lock.json node_modules/.lastinch-lock; then
  echo "setup: installing npm packages"
  if ! npm ci --ignore-scripts --no-audit --no-fund --loglevel=error; then
    echo "setup: npm could not install the packages of package-lock.json" >&2
    exit 1
  fi
  cp package-lock.json node_modules/.lastinch-lock
fi
