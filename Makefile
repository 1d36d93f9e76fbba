# ngxlab. `make` alone lists what there is.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# The system's own Python where it has one: a private one under /root is out of reach for unprivileged users.
PYTHON ?= $(if $(wildcard /usr/bin/python3),/usr/bin/python3,python3)
BIN := .venv/bin
NPM := PATH="$(CURDIR)/$(BIN):$$PATH" npm --prefix frontend
STACK := $(BIN)/python -m scripts.stack
SOURCES := backend worker cli scripts migrations e2e
TYPED := backend/ngxlab backend/contracts/ngxlab_contracts backend/policy/ngxlab_policy backend/verdict/ngxlab_verdict backend/tests worker/ngxlab_worker worker/tests scripts
LOCK := $(BIN)/uv pip compile --quiet --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11

export PYTHONDONTWRITEBYTECODE ?= 1

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1|/' | sort | awk -F'|' '{printf "%-20s %s\n", $$1, $$2}'

# --- running it ------------------------------------------------------------------------------------------------

.PHONY: setup
setup: ## install what is missing on this machine: packages, virtual environment, frontend build
	@$(PYTHON) -m scripts.setup

.PHONY: up
up: setup ## start everything on this machine, or repair it; data under NGXLAB_DATA_DIR
	@$(STACK) up

.PHONY: down
down: ## stop everything that `make up` started; data stay
	@if [ -x $(BIN)/python ]; then $(STACK) down; fi

.PHONY: status
status: ## what runs, where, and whether it is healthy
	@$(STACK) status

.PHONY: logs
logs: ## last lines of the logs; FOLLOW=1 continues, SERVICE=agent selects one
	@$(STACK) logs $(if $(FOLLOW),-f) $(SERVICE)

.PHONY: admin
admin: ## create another administrator: make admin EMAIL=you@example.org
	@$(STACK) admin $(EMAIL)

.PHONY: backup
backup: ## write everything that was measured to a file, also while it runs: make backup FILE=/srv/ngxlab.backup; PROVE=1 restores it into a database of its own
	@$(STACK) backup $(if $(PROVE),--prove) $(abspath $(FILE))

.PHONY: restore
restore: setup ## replace what is here by a backup: make restore FILE=/srv/ngxlab.backup; REPLACE=1 where there are experiments, RESUME=1 where it is no rehearsal
	@$(STACK) restore $(if $(REPLACE),--replace) $(if $(RESUME),--resume) $(abspath $(FILE))

.PHONY: upgrade-check
upgrade-check: setup ## before `make up` of a new version: what it changes, tried on a copy of the data; FILE=a backup of them, ALL=1 judges all runs
	@$(BIN)/python -m scripts.upgrade_check $(if $(ALL),--all) $(if $(FILE),$(abspath $(FILE)))

.PHONY: resume
resume: ## say that a restored backup is the real installation, and no rehearsal
	@$(STACK) resume

.PHONY: demo
demo: ## set up, start, and run a real, short experiment to its verdict
	@$(PYTHON) -m scripts.setup --demo

# --- working on it ---------------------------------------------------------------------------------------------

.PHONY: setup-dev
setup-dev: ## like setup, plus what tests and checks need
	@$(PYTHON) -m scripts.setup --dev

.PHONY: test
test: forget-reruns ## all checks and all tests (installs what they need)
	@$(MAKE) -j2 -O check test-frontend
	@$(MAKE) test-python test-e2e
	@$(BIN)/python -m scripts.reruns tell

.PHONY: forget-reruns
forget-reruns: setup-dev
	@$(BIN)/python -m scripts.reruns forget

# More processes than two cores, since most tests wait for something. What fails there runs once more, alone, and is told
# at the end of `make test`; what fails twice fails. $(1): processes, $(2): folders, $(3): options
define in_processes
	$(BIN)/pytest -n $(1) --dist loadfile --no-loadscope-reorder $(3) $(2) || { \
	  [ $$? = 1 ] && echo "==> Failed beside others (above): once more, alone" && \
	  $(BIN)/python -m scripts.reruns note $(2) && \
	  $(BIN)/pytest --last-failed --last-failed-no-failures none --exitfirst $(3) $(2); }
endef

.PHONY: test-python
test-python: setup-dev ## tests of backend, worker, command line and scripts
	$(call in_processes,4,scripts/tests backend/tests worker/tests cli/tests)

.PHONY: test-e2e
test-e2e: setup-dev ## the whole path in a browser
	$(call in_processes,3,e2e,-p no:schemathesis -o timeout_func_only=true)

.PHONY: test-frontend
test-frontend: setup-dev ## the frontend's unit tests
	@$(NPM) run test

.PHONY: check
check: setup-dev ## format, lint, types, import rules, generated clients; changes nothing
	@$(MAKE) -j2 -O check-python check-frontend

.PHONY: check-python
check-python:
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy --strict $(TYPED)
	$(BIN)/mypy --strict cli e2e
	$(BIN)/lint-imports
	@$(BIN)/python -m scripts.generate_clients check
	@$(BIN)/python -m scripts.server_texts check

.PHONY: check-frontend
check-frontend:
	@$(NPM) run check

.PHONY: fmt
fmt: setup-dev ## format, and fix what can be fixed automatically
	$(BIN)/ruff check --fix-only $(SOURCES)
	$(BIN)/ruff format $(SOURCES)
	@$(NPM) run fix
	$(BIN)/ruff check $(SOURCES)

.PHONY: new
new: setup-dev ## the files of a new collector, check or template, with their tests: make new KIND=check NAME=major-faults
	@$(BIN)/python -m scripts.new $(KIND) $(NAME)

.PHONY: api-client
api-client: ## write frontend/openapi.json and the generated clients (TypeScript, Python)
	@[ -x $(BIN)/datamodel-codegen ] || $(MAKE) setup-dev # else without it: the frontend may not build before
	@$(BIN)/python -m scripts.generate_clients write

.PHONY: texts
texts: setup-dev ## write the texts to translate: what the server says, and the catalogs of the pages
	@$(BIN)/python -m scripts.server_texts write
	@$(NPM) run texts

.PHONY: docs
docs: setup-dev ## write what documents take from the code: docs/checks.md, docs/experiment.schema.json, docs/yaml.md, docs/recipes.md
	@$(BIN)/python -m ngxlab.analysis.checks.document docs/checks.md
	@$(BIN)/python -m ngxlab.definition.yaml.reference docs
	@$(BIN)/python -m ngxlab.recipes.document docs/recipes.md

.PHONY: lock
lock: setup-dev ## resolve locks/*.in into pinned, hashed locks/*.txt
	$(LOCK) locks/uv.in -o locks/uv.txt
	$(LOCK) locks/runtime.in -o locks/runtime.txt
	$(LOCK) -c locks/runtime.txt locks/runtime.in locks/dev.in -o locks/dev.txt
	$(LOCK) -c locks/runtime.txt locks/backend.in -o locks/backend.txt
	$(LOCK) -c locks/runtime.txt locks/worker.in -o locks/worker.txt
	$(LOCK) -c locks/runtime.txt locks/node.in -o locks/node.txt

.PHONY: bench
bench: setup ## measure the budgets on a private stack; JSON on stdout. ARGS="--quick --only fidelity --write"
	@$(BIN)/python -m scripts.bench $(ARGS)

.PHONY: simulate
simulate: setup-dev ## simulate experiments, judge them, write how often claims are false into docs/simulations.md. ARGS="--experiments 400 --print"
	@$(BIN)/python -m scripts.simulations $(ARGS)

.PHONY: identical-arms
identical-arms: setup-dev ## run real experiments in which nothing differs, and count false claims; overnight if wanted. ARGS="--experiments 200"
	@$(BIN)/python -m scripts.identical_arms $(ARGS)

.PHONY: screenshots
screenshots: setup-dev ## make docs/screenshots from short real runs of each template; some ten minutes. ARGS="reuseport": of one only
	@$(BIN)/python -m scripts.screenshots docs/screenshots $(ARGS)

.PHONY: upgrade-from
upgrade-from: setup-dev ## start the stack of an earlier commit, measure, and bring it up as of today. COMMIT=…
	@$(BIN)/python -m scripts.upgrade $(COMMIT)

.PHONY: two-machines
two-machines: setup-dev ## do what docs/two-machines.md says: a fresh Debian 12 (debootstrap) joins, measures, is upgraded, leaves. As root
	@$(BIN)/python -m scripts.two_machines

.PHONY: release
release: setup-dev ## wheels, source distributions, an archive that runs without Node, notes and checksums, in dist/release
	@$(BIN)/python -m scripts.release $(ARGS)

.PHONY: arm64
arm64: setup-dev ## build the load engines for arm64 and run their tests with an emulator
	@$(BIN)/python -m scripts.arm64

.PHONY: containers
containers: setup ## bring docker-compose.yml up for real and hold it to the documents. ARGS="--own-engine --stand-ins" without a registry
	@$(BIN)/python -m scripts.containers $(ARGS)

.PHONY: systems
systems: ## a command in a fresh clone on a fresh system (bookworm, trixie, noble): make systems ARGS="trixie -- make demo"
	@$(PYTHON) -m scripts.systems $(ARGS)

.PHONY: soak
soak: setup-dev ## an hour of random faults with audits (ARGS="--minutes 60 --seed 7 --often step --outage 60"), then 1,000,000 idle connections (IDLE="--connections 200000")
	@$(BIN)/python -m scripts.soak $(ARGS)
	@$(BIN)/python -m scripts.soak.idle_connections $(IDLE)

.PHONY: outage
outage: setup-dev ## a service away for minutes in the middle of a trial, with an audit. ARGS="--of postgres --minutes 60"; of links: ARGS="--of agent-backend --how cut stall"
	@$(BIN)/python -m scripts.soak.outage $(ARGS)

.PHONY: fuzz
fuzz: setup-dev ## configurations that the list of directives accepts, in a watched nginx, as root: make fuzz ARGS="--minutes 10 --seed a"
	@PYTHONPATH=.:backend/tests $(BIN)/python -m definition.fuzzing $(ARGS)

.PHONY: clean
clean: down ## stop, and remove what was built (environment, frontend build, caches); data stay
	rm -rf .venv frontend/node_modules frontend/dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache test-results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
