# Two commands are all that anybody needs: `make play` and `make test`.
# The system's Python where it will do: it is built for speed, which others often are not (the server
# carries a sixth more with it).
PYTHON ?= $(shell /usr/bin/python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' \
  2>/dev/null && echo /usr/bin/python3 || echo python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PINNED := --constraint constraints.txt
# The same for what builds the package, which pip sets up apart.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt

# Hundreds of processes are started in the tests: none of them compiles what another has compiled,
# even where Python is told to keep nothing.
export PYTHONDONTWRITEBYTECODE :=

# Node for what looks at the page's code, from a wheel: nobody has to have one.
NODE := $(BIN)/node

# What the page is made from: when it changes, it is built anew.
PAGE := build_page.py $(shell find web -type f -not -path '*/node_modules/*')

.DEFAULT_GOAL := help
.PHONY: help play play-here test format types bench minds clean

help:
	@echo "make play    set everything up and open the game in a browser"
	@echo "make play-here  the same in this terminal (make play-here ARGS='--players 2')"
	@echo "make test    set everything up and run every check and test"
	@echo "make format  put the code in order"
	@echo "make bench   measure the speed on this machine"
	@echo "make minds   learn anew what the bots know: an hour or two"
	@echo "make clean   remove what these commands made"

play: $(VENV)/.installed
	@$(BIN)/manhattan serve $(ARGS)

play-here: $(VENV)/.installed
	@$(BIN)/manhattan play $(ARGS)

# All stages and who waits for whom: tests/stages.py (make test STAGES='types measured').
test: $(VENV)/.installed-test chromium-headless-shell
	@$(BIN)/python tests/stages.py $(STAGES)

# Every page in every language, size and light; every edition and number of players: half an hour.
.PHONY: test-pages
test-pages: $(VENV)/.installed-test chromium
	BROWSER_TESTED=chromium $(BIN)/python -m pytest -n 3 --dist loadgroup tests/page

# Debian's browser, and the same without windows; elsewhere they are looked for by these names.
.PHONY: chromium chromium-headless-shell
chromium chromium-headless-shell:
	@command -v $@ >/dev/null || { echo "Installing $@ for the tests ..."; \
	  apt-get update -qq && apt-get install -y -qq $@ >/dev/null; }

format: $(VENV)/.installed-test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	cd web && ../$(NODE) node_modules/prettier/bin/prettier.cjs --write --log-level warn .

# The page's types, from what the server says and understands.
types: $(VENV)/.installed
	$(BIN)/python -m manhattan.server.schema | $(NODE) web/protocol.mjs > web/src/protocol/told.ts.new
	mv web/src/protocol/told.ts.new web/src/protocol/told.ts

bench: $(VENV)/.installed
	$(BIN)/python bench/rules_speed.py

# What comes with the package. The usual tables are learned for longest.
MINDS := src/manhattan/judgement/minds
minds: $(VENV)/.installed
	$(BIN)/manhattan train --players 4 --out $(MINDS)/4-players-6x4.npz
	$(BIN)/manhattan train --players 3 --out $(MINDS)/3-players-4x6.npz
	$(BIN)/manhattan train --players 2 --out $(MINDS)/2-players-4x6-2-colours.npz
	$(BIN)/manhattan train --players 2 -r two_players=4x4 --scale 0.5 --out $(MINDS)/2-players-4x4-2-colours.npz
	$(BIN)/manhattan train --players 2 -r two_players=6x4-one-colour --scale 0.5 --out $(MINDS)/2-players-6x4.npz
	$(BIN)/manhattan train --players 3 -r three_players=6x4 --scale 0.5 --out $(MINDS)/3-players-6x4.npz
	$(BIN)/manhattan train --players 4 -r four_players=4x6 --scale 0.5 --out $(MINDS)/4-players-4x6.npz

clean:
	rm -rf $(VENV) src/manhattan/page web/node_modules .coverage .coverage.* .coverage-* .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests bench -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Manhattan needs Python 3.11 or newer. Name one: make PYTHON=python3.12 play"; exit 1; }
	@echo "Setting up $(VENV) ..."
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "Python can't make environments here; on Debian: apt-get install python3-venv"; exit 1; }
	@touch $@

$(VENV)/.installed: $(VENV)/.made pyproject.toml constraints.txt $(PAGE)
	@echo "Installing, and building the page ..."
	@$(PIP) install $(PINNED) --editable .
	@touch $@

$(VENV)/.installed-test: $(VENV)/.made pyproject.toml constraints.txt $(PAGE)
	@echo "Installing what the tests need ..."
	@$(PIP) install $(PINNED) --no-compile --editable '.[test]'  # what is imported is compiled then
	@touch $@ $(VENV)/.installed
