//! One run's records, decoded into a path constraint.
