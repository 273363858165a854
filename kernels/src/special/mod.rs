//! Special functions of doubles, one value at a time.
