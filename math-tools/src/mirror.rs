//! [`mirror_enum!`], for options and reasons that a tool names as `numerics` does.

/// Conversions between an enum of a tool, which has its descriptions and spellings, and the one of `numerics` with the same variants:
/// `mirror_enum!(OptimizeMethod, MinimiseMethod, [Auto, Newton])`. A variant that one of them lacks does not compile.
macro_rules! mirror_enum {
    ($tool:ident, $kernel:ident, [$($variant:ident),* $(,)?]) => {
        impl From<$kernel> for $tool {
            fn from(of_kernel: $kernel) -> Self {
                match of_kernel {
                    $($kernel::$variant => Self::$variant,)*
                }
            }
        }

        impl From<$tool> for $kernel {
            fn from(of_tool: $tool) -> Self {
                match of_tool {
                    $($tool::$variant => Self::$variant,)*
                }
            }
        }
    };
}
