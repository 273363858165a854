//! The caller's span of a call, in the format of W3C Trace Context.

/// A `traceparent`: the trace, the span in it, and whether spans of the trace are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceParent(String);

/// `00`, the trace, the span, the flags, and the separators.
const LENGTH: usize = 2 + 1 + 32 + 1 + 16 + 1 + 2;

impl TraceParent {
    /// Parses a header; `None` when malformed, which the specification treats as absent. Data that later versions append
    /// is ignored.
    pub fn parse(text: &str) -> Option<Self> {
        let (known, appended) = (text.get(..LENGTH)?, text.get(LENGTH..)?);
        let parts: Vec<&str> = known.split('-').collect();
        let &[version, trace, span, flags] = &parts[..] else {
            return None;
        };
        let is_hex = |part: &str, length: usize| {
            let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            part.len() == length && part.bytes().all(digit)
        };
        let lengths = [(version, 2), (trace, 32), (span, 16), (flags, 2)];
        let is_zero = |part: &str| part.bytes().all(|byte| byte == b'0');
        let is_sound = lengths.iter().all(|&(part, length)| is_hex(part, length))
            && !is_zero(trace)
            && !is_zero(span)
            && match version {
                "00" => appended.is_empty(),
                "ff" => false,
                _ => appended.is_empty() || appended.starts_with('-'),
            };
        is_sound.then(|| Self(known.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The trace, in 32 hexadecimal digits.
    pub fn trace(&self) -> &str {
        &self.0[3..35]
    }

    /// The span, in 16 hexadecimal digits.
    pub fn span(&self) -> &str {
        &self.0[36..52]
    }

    /// Whether spans of the trace are kept.
    pub fn is_sampled(&self) -> bool {
        u8::from_str_radix(&self.0[53..], 16).is_ok_and(|flags| flags & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const SPAN: &str = "b7ad6b7169203331";

    #[test]
    fn what_is_well_formed_is_read() {
        for (version, flags, appended, is_sampled) in [
            ("00", "01", "", true),
            ("00", "00", "", false),
            ("00", "03", "", true),
            ("00", "fe", "", false),
            ("cc", "01", "", true),
            ("cc", "01", "-more", true),
        ] {
            let text = format!("{version}-{TRACE}-{SPAN}-{flags}{appended}");
            let parent = TraceParent::parse(&text).expect(&text);
            assert_eq!((parent.trace(), parent.span()), (TRACE, SPAN), "{text}");
            assert_eq!(parent.is_sampled(), is_sampled, "{text}");
            assert_eq!(parent.as_str(), format!("{version}-{TRACE}-{SPAN}-{flags}"));
        }
    }

    #[test]
    fn what_is_malformed_is_none() {
        let zeros = "0".repeat(32);
        for text in [
            String::new(),
            "nonsense".to_owned(),
            format!("00-{TRACE}-{SPAN}"),
            format!("00-{TRACE}-{SPAN}-1"),
            format!("00-{TRACE}-{SPAN}-01-more"),
            format!("cc-{TRACE}-{SPAN}-01more"),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("0x-{TRACE}-{SPAN}-01"),
            format!("00-{}-{SPAN}-01", TRACE.to_ascii_uppercase()),
            format!("00-{zeros}-{SPAN}-01"),
            format!("00-{TRACE}-{}-01", &zeros[..16]),
            format!("00-{SPAN}-{TRACE}-01"),
            format!("00-{TRACE}-{SPAN}-0g"),
            format!(" 00-{TRACE}-{SPAN}-01"),
            format!("00_{TRACE}_{SPAN}_01"),
            format!("00-{TRACE}-{SPAN}-0\u{e9}"),
        ] {
            assert_eq!(TraceParent::parse(&text), None, "{text}");
        }
    }
}
