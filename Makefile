# The entry point for contributors and CI. `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

SANDBOX ?= default
WITHOUT ?=
URL ?=
VERSION ?=
TRANSCRIPT ?=
KUBERNETES ?= 1.36
export SANDBOX WITHOUT KUBERNETES

# The project requires Node 24: the Node of this machine if it is new enough, otherwise the binary package from npm.
export PATH := $(CURDIR)/.node/bin:$(CURDIR)/node_modules/.bin:$(PATH)
SOURCES := $(shell find src webhook -name '*.ts' 2>/dev/null)
PORTCULLIS := node dist/src/main.js
LOCAL := node dist/src/local/main.js

##@ Try it
.PHONY: demo up controller webhook down
demo: build ## Start the sandbox, run the demo, and stop the sandbox
	@$(LOCAL) demo

up: build ## Start the sandbox and leave it running (SANDBOX=name, WITHOUT=webhook,controller)
	@$(LOCAL) up

controller: build ## Add the controller to a sandbox that runs without it
	@$(LOCAL) controller

webhook: build ## Add the webhook to a sandbox that runs without it
	@$(LOCAL) webhook

down: build ## Stop the sandbox
	@$(LOCAL) down

##@ Check it
.PHONY: test unit check lint types format generated commits
test: build ## Run all test suites (ONLY="suite or path"), and print the counts
	@node test/run.ts $(ONLY)

unit: setup ## Run the tests that need no control plane
	@node test/run.ts unit contract golden

check: types lint generated commits ## Check types, lint, formatting, generated pages and subjects of commits

types: setup ## Check the types of sources, tests and the documentation site
	@echo "checking types"
	@tsc --noEmit
	@tsc -p docs/.vitepress

lint: setup ## Check lint and formatting
	@echo "checking lint and formatting"
	@eslint . --max-warnings 0
	@prettier --check --log-level warn .

format: setup ## Format all files
	@prettier --write --log-level warn .

generated: setup ## Compare generated pages with their sources
	@echo "comparing generated pages"
	@node test/support/generate.ts --check

commits: setup ## Check the subjects of new commits
	@echo "checking subjects of commits"
	@node test/support/commit-subjects.ts

##@ Build it
.PHONY: setup build generate install-files release docs recording plugin image image-lock sbom tools clean
setup: .node/stamp ## Install dependencies, and select a Node

.node/stamp: package.json package-lock.json
	@command -v npm >/dev/null || { echo "npm is missing: install Node 20 or newer, with npm" >&2; exit 1; }
	@echo "installing dependencies"
	@npm ci --no-progress --loglevel=error
	@mkdir -p .node/bin; rm -f .node/bin/node
	@for candidate in "$$(PATH="$${PATH#*:*:}" command -v node || true)" node_modules/node-{linux-x64,linux-arm64,bin-darwin-arm64}/bin/node; do \
	  if [ -x "$$candidate" ] && "$$candidate" -e 'process.exit(+(process.versions.node.split(".")[0] < 24))'; then \
	    ln -sf "$$(cd "$$(dirname "$$candidate")" && pwd)/$$(basename "$$candidate")" .node/bin/node; touch $@; exit 0; fi; done; \
	echo "no Node 24 or newer was found, and no binary package fits this machine: install Node 24" >&2; exit 1

build: setup dist/.stamp ## Compile the sources into dist/

dist/.stamp: $(SOURCES) package.json tsconfig.json tsconfig.build.json .node/stamp
	@echo "compiling"
	@tsc -p tsconfig.build.json
	@rm -rf dist/chunks
	@npm run --silent bundle
	@touch $@

generate: setup ## Generate pages and manifests
	@node test/support/generate.ts

install-files: setup ## Generate the installations in manifests/install
	@node test/support/install-files.ts

release: setup ## Write all files of a release into dist/release (VERSION=0.1.0 WITHOUT=image URL=address of the plug-in)
	@node test/support/release/release.ts --version='$(VERSION)' --url='$(URL)'

docs: setup ## Build the documentation site into dist/site (REPOSITORY=URL adds links to files of the repository)
	@node docs/.vitepress/assemble.ts
	@vitepress build docs

plugin: setup ## Pack the plug-in of kubectl, with its manifest for krew, into dist/plugin (URL=address of the archive)
	@node test/support/release/plugin.ts '$(URL)'

recording: build ## Record the demo as the picture docs/recording.svg (TRANSCRIPT=dist/recording.cast renders an earlier run)
	@node test/support/recording/run.ts $(TRANSCRIPT)

image: setup ## Build the image for amd64 and arm64 into dist/image, without a container engine (on Debian)
	@node test/support/image/build.ts

image-lock: setup ## Replace the image's packages of Debian by the current versions, in manifests/image/debian-lock.json
	@node test/support/image/update-lock.ts

sbom: setup ## Write the packages of the program to dist/sbom.json, as CycloneDX
	@node test/support/sbom.ts

tools: build ## Build the tools of the control plane into the cache
	@$(LOCAL) tools

clean: ## Remove the build results from this folder
	@rm -rf dist .test-results

##@ Measure it
.PHONY: bench soak monitoring image-test fuzz docs-browser mutants
bench: build ## Run the benchmarks, and compare the results with their limits (ONLY=name)
	@node test/benchmark/run.ts $(ONLY)

fuzz: setup ## Send random reviews to the webhook, and random changes to the controller (SEED=1 COUNT=1000000)
	@node test/fuzz/run.ts

monitoring: setup ## Test alerts and dashboard in Prometheus (prometheus and promtool on the PATH)
	@command -v prometheus >/dev/null && command -v promtool >/dev/null || { \
		echo "prometheus and promtool are not on the PATH: install Prometheus (Debian: apt install prometheus), and try again" >&2; exit 1; }
	@node test/run.ts monitoring

# A suite of its own: `make test` also runs on machines without apt and without user namespaces. It tests all parts of the build that need neither.
image-test: build ## Build the image twice, and run webhook and controller from it in a sandbox (on Debian)
	@unshare --user --map-root-user --mount true || { \
		echo "the test runs the image in user namespaces, which this machine does not allow: allow them, and try again" >&2; exit 1; }
	@node test/run.ts image

docs-browser: docs ## Look at the documentation site in a real browser (chromium on the PATH)
	@node test/site/run.ts

mutants: setup ## Insert defects into the controller, one at a time, and check that a test fails (WHICH='a word')
	@node test/mutants/run.ts $(WHICH)

soak: build ## Run the long tests: kill sweeps and churn
	@node test/run.ts soak

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
