//! JSON pointers (RFC 6901).

use std::borrow::Cow;

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

/// A pointer for display: of a long one the beginning, its length and the end. A cut pointer cannot be resolved. Its cost does not
/// grow with the pointer.
pub fn brief_pointer(pointer: &str) -> Cow<'_, str> {
    const WHOLE_BYTES_MAX: usize = 512;
    const HEAD_BYTES: usize = 128;
    const TAIL_BYTES: usize = 64;
    if pointer.len() <= WHOLE_BYTES_MAX {
        return Cow::Borrowed(pointer);
    }
    let head = &pointer[..pointer.floor_char_boundary(HEAD_BYTES)];
    let tail = &pointer[pointer.ceil_char_boundary(pointer.len() - TAIL_BYTES)..];
    // The end begins with a whole key where one begins there.
    let tail = &tail[tail.find('/').unwrap_or(0)..];
    Cow::Owned(format!("{head}...({} bytes)...{tail}", pointer.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_pointer_is_shown_by_its_two_ends() {
        let mut pointer = "/inputs".to_owned();
        push_key(&mut pointer, &"k".repeat(1_000_000));
        push_key(&mut pointer, "type");
        let shown = format!("/inputs/{}...(1000013 bytes).../type", "k".repeat(120));
        assert_eq!(brief_pointer(&pointer), shown);
        assert_eq!(brief_pointer("/steps/0/args/a~1b"), "/steps/0/args/a~1b");
        let wide = format!("/{}", "\u{20ac}".repeat(1_000));
        assert!(
            brief_pointer(&wide).len() < 256,
            "no character is cut in two"
        );
    }
}
