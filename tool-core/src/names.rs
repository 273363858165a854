//! Enums of names: one list of variants and spellings gives reading, writing and the schema.

/// Defines enums of unit variants with their wire spellings; the calling crate needs `serde` and `schemars`.
#[macro_export]
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $text)] $variant),+
        }

        impl $name {
            /// Every member, in documentation order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The spelling on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text),+
                }
            }

            /// Reads the spelling back.
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|name| name.as_str() == text)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    )+};
}

/// Implements `JsonSchema` for a type whose schema is written where it is used; the calling crate needs `schemars`.
#[macro_export]
macro_rules! inline_schema {
    ([$($generics:tt)*] $type:ty, $name:expr, $schema:expr) => {
        impl<$($generics)*> ::schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                $schema
            }
        }
    };
    ($type:ty, $name:expr, $schema:expr) => {
        $crate::inline_schema!([] $type, $name, $schema);
    };
}
