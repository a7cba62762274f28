// The digest of tests/vectors/golden.json, which the JavaScript tests read.
#define GOLDEN_DIGEST 0xbcb07d5bu
