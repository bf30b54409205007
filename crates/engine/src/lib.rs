//! Session, technique, budget, seed and progress: the loop that every technique runs in.
