# `make` prints this file's targets. `make run` and `make test` do everything on a fresh machine.
PYTHON ?= python3
VENV := .venv
DEID := $(VENV)/bin/deid
NOTES ?=
DATA ?=
COUNT ?= 300
SAMPLE := out/sample-$(COUNT)
# Each folder of notes has a lake of its own, outside of out/, which `make clean` removes.
LAKE ?= $(if $(NOTES),lakes/$(subst /,-,$(patsubst /%,%,$(abspath $(NOTES)))),$(SAMPLE)/lake)
PIPELINE ?= default
SECONDS ?= 60

.PHONY: help setup run lasting-lake test test-fast test-slow test-faults fuzz lint docs bench compare gazetteers package image clean
.DEFAULT_GOAL := help

help:  ## Print the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/.ready  ## Install everything once: Python packages, LibreOffice and Java if missing, Delta's jars, lists

$(VENV)/.ready: pyproject.toml constraints.txt requirements.txt docker/system-packages.sh gazetteers/sources.yaml
	@PYTHON=$(PYTHON) bash docker/system-packages.sh
	@test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/pip install --quiet --require-hashes --requirement requirements.txt
	@$(VENV)/bin/pip install --quiet --constraint constraints.txt --no-build-isolation --editable '.[spark,gazetteers,dev]'
	@$(VENV)/bin/python -m deid_core.spark.delta_jars
	@$(DEID) gazetteers build
	@echo Herr Muster | $(DEID) text - > /dev/null
	@touch $@

run: $(if $(NOTES),lasting-lake) setup $(if $(NOTES),,$(SAMPLE)/gold.jsonl)  ## De-identify NOTES=folder into LAKE=folder (lakes/...); COUNT=300 made .doc letters if there is none
	@$(DEID) run --input "$(or $(NOTES),$(SAMPLE)/notes)" --lake "$(LAKE)" --pipeline $(PIPELINE)

# A lake of real letters never lies where `make clean` works: its key cannot be made again.
lasting-lake:
	@case "$(LAKE)" in out | out/* | ./out | ./out/*) \
		echo "make run: LAKE=$(LAKE) lies in out/, which 'make clean' removes: name another folder" >&2; exit 1;; \
	lakes/*) mkdir -p lakes;; \
	esac

$(SAMPLE)/gold.jsonl: | setup
	@$(DEID) generate --notes $(COUNT) --seed 2018 --format doc --output $(SAMPLE)

test: setup lint  ## Run all tests and checks but the slow ones, those that break things and fuzzing
	@mkdir -p out
	@$(VENV)/bin/pytest tests -m 'not spark and not libreoffice and not fault and not slow and not fuzz' -n auto --maxprocesses 4 --cov --cov-report=
	@$(VENV)/bin/pytest tests -m '(spark or libreoffice) and not fault and not slow and not fuzz' --cov --cov-append --cov-report=
	@echo "lines of the product that the tests run, in percent (at least 90):"
	@$(VENV)/bin/coverage report

test-faults: setup  ## Kill processes, fill disks, plant bad files: what breaks, and what is left then (some 15 minutes)
	@$(VENV)/bin/pytest tests -m fault -n 2 --dist worksteal

fuzz: setup  ## Give readers and engine random input, each for SECONDS=60; the input that fails is left in out/fuzz
	@FUZZ_SECONDS=$(SECONDS) $(VENV)/bin/pytest tests -m fuzz --timeout $$(($(SECONDS) + 600)) -s

test-slow: setup  ## Run what is held equal at length: a million tokens with CRFsuite, 500 letters with LibreOffice (ten minutes)
	@$(VENV)/bin/pytest tests -m 'slow and not fault'

test-fast: setup  ## Run the tests that need neither Spark nor LibreOffice
	@$(VENV)/bin/pytest tests -m 'not spark and not libreoffice and not fault and not slow and not fuzz' -n auto --maxprocesses 4

lint: setup  ## Run ruff and mypy
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/mypy

docs: setup  ## Build the documentation site into out/docs, without a network
	@$(VENV)/bin/pip install --quiet --constraint constraints.txt --editable '.[docs]'
	@NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict --quiet
	@echo out/docs/index.html

bench: setup $(VENV)/deduce/.ready  ## Notes and tokens per second of each stage, its limit, what a user would take instead; OUTPUT=file.md
	@$(DEID) bench $(if $(OUTPUT),--output "$(OUTPUT)")

$(VENV)/deduce/.ready: tests/benchmarks/deduce.txt pyproject.toml constraints.txt | setup
	@$(VENV)/bin/pip install --quiet --constraint constraints.txt --editable '.[bench]'
	@$(VENV)/bin/python -m venv $(@D)
	@$(@D)/bin/pip install --quiet --requirement $<
	@touch $@

compare: setup  ## Scores of the pipelines on annotated letters, synthetic notes and, with DATA=folder of the corpora, non-medical texts; errors to out/
	@mkdir -p out
	@$(DEID) compare $(if $(DATA),--data "$(DATA)") --by-label --output out/quality.md --errors out/errors.tsv

gazetteers: setup  ## Compile the lists again and say what was taken and dropped
	@$(DEID) gazetteers build

package: setup  ## Pack the environment for spark-submit --archives
	@$(VENV)/bin/python -m deid_core.spark.pack_environment --output dist/deid-env.tar.gz

image:  ## Build the container image with docker or buildah
	@command -v docker >/dev/null && docker info >/dev/null 2>&1 && build="docker build" || build="buildah bud"; \
	$$build --file docker/Dockerfile --tag deid:$$(sed -n 's/^__version__ = "\(.*\)"/\1/p' deid_core/core/version.py) .

clean:  ## Remove what was made, but not the environment; nothing while a lake of your own lies in out/
	@kept=$$(find out -path '*/restricted/key' 2>/dev/null | grep -vx 'out/sample-[0-9]*/lake/restricted/key'); \
	if [ -n "$$kept" ]; then \
		echo "make clean: nothing removed: move these lakes out of out/ first; their keys cannot be made again:" >&2; \
		echo "$$kept" | sed 's|/restricted/key$$||' >&2; exit 1; \
	fi
	rm -rf out dist build .pytest_cache .hypothesis .mypy_cache .ruff_cache gazetteers/compiled
