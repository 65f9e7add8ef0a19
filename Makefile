PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
ARGS ?=

.PHONY: train sweep test test-all test-bounds lint docs bench clean

train: $(VENV)/.product
	$(RUN) train.py --config ppo.yaml $(ARGS)

sweep: $(VENV)/.cluster
	$(RUN) sweep.py smoke.yaml $(ARGS)

test: $(VENV)/.development
	$(RUN) -m pytest -n auto --dist loadfile -m "not slow" $(ARGS)

test-all: $(VENV)/.development
	$(RUN) -m pytest -n auto --dist loadfile --no-loadscope-reorder $(ARGS)

# Compiled code that raises IndexError, cached apart from that which does not.
test-bounds: $(VENV)/.development
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$(CURDIR)/$(VENV)/bounds" $(RUN) -m pytest -n auto --dist loadfile \
		-m "not slow" tests/agents tests/envs tests/training --ignore=tests/training/learners \
		--ignore=tests/training/test_run.py $(ARGS)

lint: $(VENV)/.development
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/lint-imports --no-cache --no-logo
	$(VENV)/bin/mypy -p hangman_lab

# The variable silences the theme's notice of its end of life, in 2027.
docs: $(VENV)/.development
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict

bench: $(VENV)/.development
	set -e; for name in $(filter-out common,$(basename $(notdir $(wildcard benchmarks/*.py)))); do \
		echo "== $$name"; $(RUN) -m benchmarks.$$name; done

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Modules are compiled, and cached, when they are first imported; most of the packages' never are.
unexport PYTHONDONTWRITEBYTECODE
$(VENV)/.product: requirements.txt | $(VENV)/bin/python
	$(RUN) -m pip install --quiet --no-compile -r requirements.txt
	touch $@

$(VENV)/.cluster: requirements.txt requirements/cluster.txt | $(VENV)/bin/python
	$(RUN) -m pip install --quiet --no-compile -r requirements.txt -r requirements/cluster.txt
	touch $@ $(VENV)/.product

$(VENV)/.development: requirements.txt $(wildcard requirements/*.txt) | $(VENV)/bin/python
	$(RUN) -m pip install --quiet --no-compile -r requirements/development.txt
	touch $@ $(VENV)/.product $(VENV)/.cluster

clean:
	rm -rf $(VENV) site
	find . -name "*.nb[ic]" -delete
