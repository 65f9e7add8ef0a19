PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
ARGS ?=

.PHONY: train sweep test test-all lint bench clean

train: $(VENV)/.product
	$(RUN) train.py --config ppo.yaml $(ARGS)

sweep: $(VENV)/.cluster
	$(RUN) sweep.py smoke.yaml $(ARGS)

test: $(VENV)/.development
	$(RUN) -m pytest -n auto --dist loadfile -m "not slow" $(ARGS)

test-all: $(VENV)/.development
	$(RUN) -m pytest -n auto --dist loadfile $(ARGS)

lint: $(VENV)/.development
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

bench: $(VENV)/.development
	set -e; for name in $(basename $(notdir $(wildcard benchmarks/*.py))); do \
		echo "== $$name"; $(RUN) -m benchmarks.$$name; done

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Modules are compiled when they are first imported, which few of the packages' are.
$(VENV)/.product: requirements.txt | $(VENV)/bin/python
	$(RUN) -m pip install --quiet --no-compile -r requirements.txt
	touch $@

$(VENV)/.cluster: requirements.txt requirements-cluster.txt | $(VENV)/bin/python
	$(RUN) -m pip install --quiet -r requirements.txt -r requirements-cluster.txt
	touch $@ $(VENV)/.product

$(VENV)/.development: requirements.txt requirements-cluster.txt requirements-words.txt requirements-dev.txt | $(VENV)/bin/python
	$(RUN) -m pip install --quiet -r requirements-dev.txt
	touch $@ $(VENV)/.product $(VENV)/.cluster

clean:
	rm -rf $(VENV)
	find . -name "*.nb[ic]" -delete
