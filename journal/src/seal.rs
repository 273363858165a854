//! The signatures of cuts and receipts: an Ed25519 key of the user, whose public part stands in each.
//!
//! The key is kept outside of the state, so that whoever can write the state alone cannot make a cut.

use ed25519_compact::{KeyPair, PublicKey, Seed, Signature};

use super::chain;

/// What a signature is for: it counts for nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SealPurpose {
    /// A cut of the audit log.
    Cut,
    /// A receipt of one record.
    Receipt,
}

impl SealPurpose {
    /// The beginning of every text that is signed.
    fn context(self) -> &'static str {
        match self {
            Self::Cut => "mc-cut-v1\n",
            Self::Receipt => "mc-receipt-v1\n",
        }
    }
}

/// Number of bytes of a seed.
pub const SEED_BYTES: usize = 32;

/// The key that signs cuts and receipts.
pub struct CutKey(KeyPair);

impl CutKey {
    /// The key of a seed.
    pub fn of_seed(seed: [u8; SEED_BYTES]) -> Self {
        Self(KeyPair::from_seed(Seed::new(seed)))
    }

    /// The public part, 64 hex digits.
    pub fn public(&self) -> String {
        chain::format_hex_hash(&self.0.pk)
    }

    /// Signs a text; 128 hex digits.
    pub(super) fn sign(&self, purpose: SealPurpose, text: &str) -> String {
        let signature = self.0.sk.sign(sealed_message(purpose, text), None);
        signature.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl std::fmt::Debug for CutKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CutKey({})", self.public())
    }
}

/// Whether a signature of a text is that of a key, both as hex digits.
pub(super) fn is_signed(purpose: SealPurpose, text: &str, key: &str, signature: &str) -> bool {
    let check = || {
        let key = PublicKey::from_slice(&decode_hex(key)?).ok()?;
        let signature = Signature::from_slice(&decode_hex(signature)?).ok()?;
        key.verify(sealed_message(purpose, text), &signature).ok()
    };
    check().is_some()
}

fn sealed_message(purpose: SealPurpose, text: &str) -> Vec<u8> {
    format!("{}{text}", purpose.context()).into_bytes()
}

fn decode_hex(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.as_bytes();
    if !digits.len().is_multiple_of(2) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let pairs = digits.chunks(2).map(|pair| std::str::from_utf8(pair).ok());
    pairs
        .map(|pair| u8::from_str_radix(pair?, 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8032, section 7.1, test 1: the public key of a seed.
    #[test]
    fn a_public_key_is_that_of_the_standard() {
        let seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        let seed = decode_hex(seed).unwrap().try_into().unwrap();
        let expected = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        assert_eq!(CutKey::of_seed(seed).public(), expected);
    }

    #[test]
    fn one_changed_digit_is_found() {
        let key = CutKey::of_seed([7; 32]);
        let (public, signature) = (key.public(), key.sign(SealPurpose::Cut, "text"));
        assert!(is_signed(SealPurpose::Cut, "text", &public, &signature));
        let flip = |text: &str, at: usize| {
            let mut digits = text.to_owned().into_bytes();
            digits[at] = if digits[at] == b'0' { b'1' } else { b'0' };
            String::from_utf8(digits).unwrap()
        };
        for at in 0..signature.len() {
            assert!(
                !is_signed(SealPurpose::Cut, "text", &public, &flip(&signature, at)),
                "{at}"
            );
        }
        for at in 0..public.len() {
            assert!(
                !is_signed(SealPurpose::Cut, "text", &flip(&public, at), &signature),
                "{at}"
            );
        }
        let other = CutKey::of_seed([8; 32]);
        for (text, public, signature) in [
            ("texts", &*public, &*signature),
            ("text", &other.public(), &signature),
            ("text", &public, &other.sign(SealPurpose::Cut, "text")),
            ("text", &public, ""),
            ("text", "", &signature),
            ("text", &public, "zz"),
        ] {
            assert!(!is_signed(SealPurpose::Cut, text, public, signature));
        }
    }
}
