//! Building JSON pointers (RFC 6901).

/// Appends an object key.
pub fn push_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    if key.contains(['~', '/']) {
        pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
    } else {
        pointer.push_str(key);
    }
}

/// Appends an array index.
pub fn push_index(pointer: &mut String, index: usize) {
    pointer.push('/');
    pointer.push_str(&index.to_string());
}
