//! The static picture of a program: IR, sites, graphs, locations.
