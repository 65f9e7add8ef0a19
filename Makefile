PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
ARGS ?=

.PHONY: train test lint bench clean

train: $(VENV)/.product
	$(RUN) train.py --config ppo.yaml $(ARGS)

test: $(VENV)/.development
	$(RUN) -m pytest $(ARGS)

lint: $(VENV)/.development
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

bench: $(VENV)/.development
	set -e; for file in benchmarks/*.py; do echo "== $$file"; PYTHONPATH=. $(RUN) $$file; done

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.product: requirements.txt | $(VENV)/bin/python
	$(RUN) -m pip install --quiet -r requirements.txt
	touch $@

$(VENV)/.development: requirements.txt requirements-dev.txt | $(VENV)/bin/python
	$(RUN) -m pip install --quiet -r requirements-dev.txt
	touch $@ $(VENV)/.product

clean:
	rm -rf $(VENV)
