//! Secrets out of texts and values.
