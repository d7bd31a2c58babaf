# Two ways in: `make demo` and `make test`. Everything else is for those who change the code.
# `make` runs from the folder of this file, so relative paths are right even where the folder's name has blanks.
PYTHON ?= python3
DIR ?= $(HOME)/touchstone-study
IN_VENV = .venv/bin/python
LINT_ENV = TOUCHSTONE_DEMO=1 TOUCHSTONE_RUNTIME_DIR=.runtime/lint
TYPED = config accounts benchmark annotation judging search construction solving solvers work reports stats latex llm algebra canonical retrieval tools

.PHONY: help demo study test test-slow test-all test-fast lint format bench chaos production real-model dev
.DEFAULT_GOAL := help

help:
	@echo "make demo       set up and start the demo; Ctrl-C stops it"
	@echo "make study      a small real study on this machine: DIR=folder OWNER=you@example.org (docs/deploy.md)"
	@echo "make test       14 of 15 tests, in ten minutes, each on the database it is about or on both (tests/databases.py)"
	@echo "make test-slow  the others: servers killed, whole studies, crawls (twenty minutes)"
	@echo "make test-all   all tests on SQLite and then all on PostgreSQL with Redis, for a night"
	@echo "make test-fast  tests without the browser, on SQLite only"
	@echo "make lint       ruff, mypy, bandit, djlint, migration check"
	@echo "make chaos      grade and judge while servers, workers and databases are killed (some minutes); PARTS=grades"
	@echo "make production  deploy/ from Debian's packages: grade, judge and roll to a new version (root; some minutes)"
	@echo "make real-model  a small real language model answers every solver recipe (needs node; 180 MB; some minutes)"
	@echo "make bench      measure speed and memory (docs/performance.md); only some: FAMILIES='agreement strengths'"
	@echo "make format     let ruff rewrite the code"
	@echo "make dev        only make .venv with everything for development"

demo:
	@exec "$(PYTHON)" -m tools.demo

study:
	@exec "$(PYTHON)" -m tools.study "$(DIR)" $(if $(OWNER),--owner "$(OWNER)") $(if $(SITE),--site "$(SITE)")

test:
	@exec "$(PYTHON)" -m tools.suite

test-slow:
	@exec "$(PYTHON)" -m tools.suite --slow

test-all:
	@exec "$(PYTHON)" -m tools.suite --all

test-fast:
	@exec "$(PYTHON)" -m tools.suite --fast

dev:
	@"$(PYTHON)" -m tools.environment dev

lint: dev
	@$(IN_VENV) -m ruff check .
	@$(IN_VENV) -m ruff format --check .
	@$(LINT_ENV) $(IN_VENV) -m mypy $(TYPED)
	@$(IN_VENV) -m bandit --quiet --configfile pyproject.toml --recursive .
	@$(IN_VENV) -m djlint --lint --quiet .
	@$(LINT_ENV) $(IN_VENV) manage.py makemigrations --check --dry-run

chaos: dev
	@$(IN_VENV) -m tests.chaos $(PARTS)

production: dev
	@$(IN_VENV) -m tests.production

real-model: dev
	@$(IN_VENV) -m tools.real_model

bench: dev
	@$(IN_VENV) -m bench $(FAMILIES)

format: dev
	@$(IN_VENV) -m ruff check --fix --quiet .
	@$(IN_VENV) -m ruff format .
