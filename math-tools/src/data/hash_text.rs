//! Digests of texts.

use sha2::Digest as _;

use crate::prelude::*;

/// The digest of a text, of its bytes of UTF-8, in hexadecimal digits.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The text.
    #[schema(extend("x-file-endings" = [".txt", ".md", ".json", ".csv"]))]
    pub text: Input<TextInput>,
    /// The function. SHA-1 and MD5 are not among them, since texts of equal digest can be made.
    #[value(default)]
    pub algorithm: TextDigest,
}

/// A function for digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum TextDigest {
    /// SHA-256 (FIPS 180-4).
    #[default]
    Sha256,
    /// SHA-512 (FIPS 180-4).
    Sha512,
    /// BLAKE3.
    Blake3,
}

/// A digest.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The digest in hexadecimal digits.
    pub digest: String,
    /// The function.
    pub algorithm: TextDigest,
    /// Bytes of the text.
    pub bytes: usize,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("hash_text", "Compute the digest of a text")
        .category(Category::Data)
        .tags(&["text"]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "SHA-256 of `abc`": r#"{"text": "abc"}"# => r#"{
            "digest": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "algorithm": "sha256", "bytes": 3}"#;
        "BLAKE3 of nothing": r#"{"text": "", "algorithm": "blake3"}"# => r#"{
            "digest": "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262", "algorithm": "blake3", "bytes": 0}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let text = args.text.load(ctx)?;
        let digest = match args.algorithm {
            TextDigest::Sha256 => to_hex(&sha2::Sha256::digest(text.as_bytes())),
            TextDigest::Sha512 => to_hex(&sha2::Sha512::digest(text.as_bytes())),
            TextDigest::Blake3 => blake3::hash(text.as_bytes()).to_hex().to_string(),
        };
        Ok(Output {
            digest,
            algorithm: args.algorithm,
            bytes: text.len(),
        })
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 180-4, the example of two blocks.
    #[test]
    fn digests_of_the_standard() {
        let text = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        let digest = to_hex(&sha2::Sha256::digest(text.as_bytes()));
        assert_eq!(
            digest,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        );
        let digest = to_hex(&sha2::Sha512::digest(b"abc"));
        assert!(digest.starts_with("ddaf35a193617abacc417349ae204131"));
    }
}
