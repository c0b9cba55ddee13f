# Everything a developer runs. `make` alone says what there is.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

BIN := .build/bin
RUN_TESTS := Scripts/run-tests .build/test.log
FAULTS := python3 Tests/Faults
FUZZ_SECONDS ?= 60
PREFIX ?= /usr/local

.PHONY: help setup build test test-unit test-end-to-end test-api test-page test-real-servers test-tsan test-asan \
	faults power-cuts full-disk io-errors bit-flips processes generations refresh-kills stalls \
	mutants fuzz \
	demo bench bench-scale install lint format docs clean

help: ## Say what there is to make
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 22

setup: ## Install what is missing from Debian
	@Scripts/setup

build: setup ## Build the programs into .build/bin
	@Scripts/build

test: build ## Run every test
	@Scripts/test

test-unit: ## Run the tests that need no built programs
	@$(RUN_TESTS) --skip EndToEndTests

test-api: build ## Hold the agent to its OpenAPI document with schemathesis
	@Scripts/test-api

test-page: build ## Show the page that a sign-in ends on to headless Chromium, light and dark
	@Scripts/test-page

test-end-to-end: build ## Run the built programs against the test server
	@$(RUN_TESTS) --filter EndToEndTests

test-real-servers: build ## Run the built programs against two real authorization servers
	@Scripts/test-real-servers

test-tsan: setup ## Run the unit tests under the thread sanitizer
	@Scripts/test-sanitized thread

test-asan: setup ## Run the unit tests under the address sanitizer
	@Scripts/test-sanitized address

faults: build ## Kill every verb 10,000 times, at every system call and at random
	@$(FAULTS)/kills.py

power-cuts: build ## Cut the power under a vault 200 times (needs root)
	@$(FAULTS)/power_cuts.py

full-disk: build ## Refresh a thousand times without a free byte (needs root)
	@$(FAULTS)/full_disk.py

io-errors: build ## Fail every write, sync, open and read in turn
	@$(FAULTS)/io_errors.py

bit-flips: build ## Flip thousands of bits of a vault, and move its rows
	@$(FAULTS)/bit_flips.py

processes: build ## Let 32 processes refresh while the whole vault changes
	@$(FAULTS)/processes.py

generations: build ## Let 32 processes without a common agent renew one account 200 times (needs root)
	@$(FAULTS)/generations.py

refresh-kills: build ## Kill 10,000 refreshes at each of two servers, most of them after the server's commit
	@$(FAULTS)/refresh_kills.py

stalls: build ## Wait 25 s for an answer, and stop the process that waits for one
	@$(FAULTS)/stalls.py

mutants: build ## Show that the tests see four faults put in on purpose (needs root)
	@$(FAULTS)/mutants.py

fuzz: setup ## Fuzz each parser of what comes from outside for FUZZ_SECONDS (60)
	@Scripts/fuzz $(FUZZ_SECONDS)

demo: build ## Show the main job, end to end, in about a minute
	@Scripts/demo

bench: build ## Measure against the C programs that show the floor, and a crowd
	@Benchmarks/run

bench-scale: build ## Keep a million accounts fresh for ten minutes (ACCOUNTS=N, RATE=N, SECONDS=N)
	@Scripts/bench-scale

install: build ## Install vault and vault-agent under PREFIX
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(BIN)/vault $(BIN)/vault-agent $(DESTDIR)$(PREFIX)/bin/

lint: ## Check the format and the comments
	swift format lint --strict --recursive Sources Tests Benchmarks Examples Migrations Package.swift

format: ## Format the sources
	swift format --in-place --recursive Sources Tests Benchmarks Examples Migrations Package.swift

docs: setup ## Build the documentation of VaultKit, and compare its public interface
	@Scripts/docs

clean: ## Remove everything built
	rm -rf .build .build-*
