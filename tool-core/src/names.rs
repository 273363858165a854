//! Enums of names: one list of variants and spellings gives reading, writing and the schema.

/// Defines enums of unit variants with their wire spellings; one list gives all of it.
#[macro_export]
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, ::tool_core::Encode, ::tool_core::Decode, ::tool_core::Describe)]
        pub enum $name {
            $($(#[$variant_doc])* #[value(rename = $text)] $variant),+
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

/// Implements `Describe` for a type whose schema is written where it is used.
#[macro_export]
macro_rules! inline_schema {
    ([$($generics:tt)*] $type:ty, $schema:expr) => {
        impl<$($generics)*> ::tool_core::schema::Describe for $type {
            fn describe(_: ::tool_core::schema::Contract) -> ::tool_core::schema::Schema {
                $schema
            }
        }
    };
    ($type:ty, $schema:expr) => {
        $crate::inline_schema!([] $type, $schema);
    };
}
