// The same digest as tests/vectors/golden.json, which the JavaScript tests read.
#define GOLDEN_DIGEST 0x8b4444a3u
