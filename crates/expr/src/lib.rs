//! Hash-consed symbolic expressions: build, simplify, evaluate, substitute, print.
