# What a newcomer needs; everything else is a cargo command (see README.md).

CARGO ?= cargo

.PHONY: build test demo bench deps clean

# target/release/{labrys,labrys-cc,labrys-c++} and target/release/liblabrys_runtime.a
build: deps
	$(CARGO) build --release --workspace
	@ln -sf labrys-cxx "$${CARGO_TARGET_DIR:-target}/release/labrys-c++"

# Compilers, LLVM and the SMT solver; does nothing when they are there.
deps:
	@scripts/deps

test: build
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings
	@scripts/deps tests
	$(CARGO) test --release --workspace
	@scripts/make-check bzip2

# Covers a well-known program from Debian's sources and shows the report.
demo: build
	@scripts/demo

# All benchmarks, or one: make bench NAME=solver
bench: build
	$(CARGO) xtask bench $(NAME)

clean:
	$(CARGO) clean
	rm -rf bench-out
