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
DEVSTACK := $(BIN)/python -m services.devstack
PYTEST := $(BIN)/python -m pytest
# More words for pytest: make test-fast ARGS='-k shoe -x'
ARGS ?=

.PHONY: help
help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {gsub(/\$$\$$/, "$$", $$2); printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

##- Setting up

.PHONY: setup lock clean
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
	$(UV_COMPILE) --group deploy -o requirements-deploy.lock
	$(UV_COMPILE) --group docs -o requirements-docs.lock

clean: ## stop the stack and delete its data, logs and all caches; .venv stays
	@if [ -x $(BIN)/python ] && [ -d services/devstack ]; then $(DEVSTACK) down; fi
	rm -rf var .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist
	find services tests proto .ci -name __pycache__ -type d -prune -exec rm -rf {} +

##- The local stack; BROKER=auto|apache|embedded|external chooses the broker

.PHONY: up down status logs env demo
up: setup ## start PostgreSQL, a broker, the four services and the console, and leave them running
	@$(DEVSTACK) up

down: setup ## stop what `make up` started; the data are kept
	@$(DEVSTACK) down

# The exit status 3, "not everything runs", is for scripts; here the words say it.
status: setup ## say what runs where
	@$(DEVSTACK) status || [ $$? -eq 3 ]

logs: setup ## show the logs, or those of one: make logs service=round
	@$(DEVSTACK) logs $(service)

env: setup ## print the addresses for a shell: eval "$$(make env)"
	@$(DEVSTACK) env

demo: setup ## play recorded shoes through a fresh stack and prove the result; WALLET=http: an operator's wallet
	@$(BIN)/sabot demo $(if $(WALLET),--wallet $(WALLET)) $(ARGS)

.PHONY: wallet-sim
wallet-sim: setup ## run a wallet simulator for integrators on port 8701 (ARGS=--help)
	@$(BIN)/python -m services.walletsim $(ARGS)

##- Tests

.PHONY: test test-fast test-all bench bench-growth bench-gate
test-fast: setup ## tests that need no server
	@$(PYTEST) -n auto -m "not integration and not e2e and not slow" $(ARGS)

test: setup ## all tests, on one PostgreSQL and one broker
	@broker=$$($(DEVSTACK) broker) && BROKER=$$broker $(PYTEST) -n auto $(ARGS)

test-all: setup ## all tests on the embedded broker, then those that use a broker on Apache Kafka
	@BROKER=embedded $(PYTEST) -n auto $(ARGS)
	@BROKER=$$(BROKER=apache $(DEVSTACK) broker) $(PYTEST) -m broker $(ARGS)

# Which seeds, such as SEEDS=1..5000; a failure prints the command that replays its seed.
SEEDS ?= 1..200
.PHONY: sim
sim: setup ## run the deterministic simulation: four services, faults, an auditor (SEEDS=1..200)
	@$(BIN)/python -m tests.simulation --seeds $(SEEDS) $(ARGS)

.PHONY: chaos
chaos: setup ## real faults on real processes (ARGS="--broker apache --faults 'disk full' --count 3 --seed 7")
	@$(BIN)/python -m tests.chaos $(ARGS)

.PHONY: screenshots
screenshots: setup ## take the pictures of the documents, with Chromium
	@SABOT_SCREENSHOTS=docs/images BROKER=embedded $(PYTEST) tests/e2e/test_console.py -k every_screen $(ARGS)

.PHONY: clauses
clauses: setup ## print what is done about every clause of the rules, and write docs/clauses.md
	@$(BIN)/python -m tests.clauses $(ARGS)

bench: setup ## measure what Sabot does a second, in five rounds (ARGS=--write puts it into the docs)
	$(BIN)/python -m tests.bench $(ARGS)

# The form for the night: make bench-growth EVENTS=10000000 TABLES=1000
EVENTS ?= 200000
TABLES ?= 200
bench-growth: setup ## measure what wagers, coups and starts cost as logs grow (EVENTS=200000 TABLES=200)
	$(BIN)/python -m tests.bench --only growth --events $(EVENTS) --tables $(TABLES) $(ARGS)

bench-gate: setup ## hold some ratios of the bench to their floors, in six minutes at most; repeats twice
	$(BIN)/python -m tests.bench --gate $(ARGS)

.PHONY: measure
measure: setup ## measure memory and processor of services and console, which the manifests ask for
	@$(BIN)/python -m tests.deploy.measure $(ARGS)

.PHONY: fuzz
fuzz: setup ## odd input for every call, event, rulebook and log (ARGS="--seconds N --seed S")
	@$(BIN)/python -m tests.fuzz $(ARGS)

.PHONY: verify
verify: setup ## change a real log in every way, and see whether sabot verify finds it
	@$(BIN)/python -m tests.audit

##- Image, compose files, manifests; validators are fetched into var/tools

.PHONY: deploy-tools compose-check k8s-check alerts-check
deploy-tools: setup ## fetch the validators
	@$(BIN)/python -m tests.deploy tools

compose-check: setup ## check image and compose files, as Compose reads them, against the services
	@$(BIN)/python -m tests.deploy compose

k8s-check: setup ## build every overlay of k8s and check it against schemas, operators and the code
	@$(BIN)/python -m tests.deploy k8s

alerts-check: setup ## check alert rules and dashboards: metrics, runbooks, and the rules' own tests by promtool
	@$(BIN)/python -m tests.deploy alerts

##- The documentation site; its builder is fetched into var/tools

.PHONY: docs
docs: setup ## build the documentation site in build/site; a broken link or a page in no menu fails
	@$(BIN)/python -m tests.site

##- Style and generated files

.PHONY: lint lint-style lint-types lint-imports lint-proto lint-tidy format
lint: lint-style lint-types lint-imports lint-proto lint-tidy ## every static check (-k: go on after the first failure)

lint-style: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check

lint-types: setup
	$(BIN)/mypy

lint-imports: setup
	$(BIN)/lint-imports

lint-proto: setup
	cd proto && ../$(BIN)/buf lint

lint-tidy: setup
	$(PYTEST) -q tests/tidy

format: setup ## format the code and apply what ruff can repair
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

.PHONY: proto schemas reference check-generated
PROTO_FILES = $(shell find proto/sabot -name '*.proto' | LC_ALL=C sort)
proto: setup ## generate the gRPC stubs in proto/gen
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m grpc_tools.protoc -Iproto --python_out=proto/gen \
	--pyi_out=proto/gen --grpc_python_out=proto/gen --mypy_grpc_out=quiet:proto/gen $(PROTO_FILES)

schemas: setup ## generate what follows from the events: JSON Schemas, AsyncAPI, tables of docs/events.md
	@$(BIN)/python -m services.contracts.generate $(ARGS)

reference: setup ## write docs/reference from the settings, the command and the protos
	@$(BIN)/python -m tests.reference

GENERATED := proto/gen services/contracts docs/events.md docs/reference
check-generated: proto schemas reference ## generate again; fails when that changes a committed file
	@git diff --exit-code --stat -- $(GENERATED)
	@new=$$(git ls-files --others --exclude-standard -- $(GENERATED)); \
	if [ -n "$$new" ]; then echo "generated but not committed:"; echo "$$new"; exit 1; fi
