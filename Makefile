# `make help` lists the targets. `make serve` and `make test` set up all they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MEMBERS := core plugins/tools plugins/resources plugins/prompts plugins/tasks plugins/extras \
           plugins/conformance plugins/calculator
INSTALLED := $(VENV)/.installed
UV := $(shell command -v uv 2>/dev/null)
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help init serve test lint type docs pytest conformance fmt bench lock clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 13

serve: init ## serve both eras on http://127.0.0.1:3001/mcp (ARGS="--plugins tools" and the like are passed on)
	@$(BIN)/everything-server $(ARGS) streamable-http

test: lint type docs pytest ## everything that CI runs

lint: init ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

type: init ## pyright, strict
	$(BIN)/pyright

pytest: init ## the tests, with coverage
	$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal $(ARGS)

conformance: init ## run the official conformance suite against this server, alone (it is one of the tests as well)
	@PYTHONPATH=tests $(BIN)/python -m conformance

docs: init ## check that the generated parts of the documents are what the code says
	$(BIN)/python docs/generate.py --check

fmt: init ## put the code into the format that `make lint` checks
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: init ## measure against a bare SDK server, side by side
	$(BIN)/python -m benchmarks

init: $(INSTALLED) ## create the environment and install the workspace into it

$(INSTALLED): pyproject.toml constraints.txt $(MEMBERS:%=%/pyproject.toml)
ifdef UV
	uv venv --quiet --allow-existing --python $(PYTHON) $(VENV)
	VIRTUAL_ENV=$(VENV) uv pip install --quiet -c constraints.txt $(MEMBERS:%=-e %) -e . --group dev
else
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade -c constraints.txt pip
	$(BIN)/python -m pip install --quiet -c constraints.txt $(MEMBERS:%=-e %) -e . --group dev
endif
	@touch $@

lock: ## write constraints.txt anew: the newest versions that fit, as name==version lines only
	rm -rf .cache/lock
	$(PYTHON) -m venv .cache/lock
	.cache/lock/bin/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	.cache/lock/bin/python -m pip install --quiet $(MEMBERS:%=-e %) -e . --group dev
	.cache/lock/bin/python -m pip freeze --all --exclude-editable | grep -E '^[A-Za-z0-9._-]+==[^ ]+$$' > constraints.txt

clean: ## remove the environment and what the tests have left
	rm -rf $(VENV) .cache .pytest_cache .ruff_cache
