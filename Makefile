# One verb per thing a person does here; `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
export UV_PYTHON_DOWNLOADS := never

BIN := .venv/bin
# The first interpreter that is new enough and can make a virtual environment with pip in it.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
	>/dev/null 2>&1 && { echo $$python; break; }; done)

.PHONY: help setup lock
help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## make or refresh .venv from the locks (fast when nothing changed)
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or newer with venv and ensurepip found" >&2; exit 1; }
	@$(PYTHON) .ci/bootstrap.py

# The locks hold hashes and no registry address, so that every machine uses the index it has.
UV_COMPILE = env -u PIP_FIND_LINKS -u UV_FIND_LINKS $(BIN)/uv pip compile --quiet --no-config \
	--universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	--no-emit-index-url --no-emit-find-links
lock: setup ## resolve the pinned dependencies again and write the locks
	$(UV_COMPILE) pyproject.toml -o requirements.lock
	$(UV_COMPILE) --extra dev -c requirements.lock pyproject.toml -o requirements-dev.lock
	grep -o '^uv==[^ ]*' requirements-dev.lock | $(UV_COMPILE) - -o requirements-uv.lock
