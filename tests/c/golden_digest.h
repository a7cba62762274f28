// The same digest as tests/vectors/golden.json, which the JavaScript tests read.
#define GOLDEN_DIGEST 0xe3973ecau
