//! Words and small values of the file, typed.

use std::fmt;
use std::ops::Deref;

/// A value and the line of the file it stands on; a default has the line of its section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// The line, from 1.
    pub line: usize,
}

impl<T> Deref for At<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

/// An enum whose variants are words of the file.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            /// Every variant, in the order of the reference.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The word in the file.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }

            /// The variant whose word is `text`; the error lists the words there are.
            pub(crate) fn parse(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok($name::$variant),)+
                    _ => {
                        let words: Vec<_> = Self::ALL.iter().map(|word| format!("{:?}", word.as_str())).collect();
                        Err(format!("is not one of the words it may be. Write {}", words.join(", ")))
                    }
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

words! {
    /// What the EM does with a function's frames.
    Mode {
        /// Translate 1:1 by `[[nat]]`.
        Nat = "nat",
        /// Carry in VXLAN.
        Vxlan = "vxlan",
        /// Forward unchanged to the uplink.
        Pass = "pass",
        /// Drop everything, `function_drop`.
        Drop = "drop",
    }
}
words! {
    /// What happens to frames that the function's mode has no rule for.
    Unmatched {
        /// To the OM, reason `unmatched`.
        Punt = "punt",
        /// Drop, reason `unmatched`.
        Drop = "drop",
        /// Unchanged to the uplink.
        Pass = "pass",
    }
}
words! {
    /// What of the inner destination a VNI looks up.
    Lookup {
        /// The MAC address.
        Mac = "mac",
        /// The IP address.
        Ip = "ip",
    }
}
words! {
    /// What happens to an inner VLAN tag at decap.
    Vlan {
        /// The frame is dropped.
        Drop = "drop",
        /// The tag stays.
        Transparent = "transparent",
    }
}
words! {
    /// What happens to a frame whose outer IP length would exceed the VNI's MTU.
    OverMtu {
        /// Drop, reason `mtu`.
        Drop = "drop",
        /// To the OM.
        Punt = "punt",
    }
}
words! {
    /// What happens to frames from the network that are nobody's.
    NotForUs {
        /// To the OM.
        Punt = "punt",
        /// Drop, reason `not_for_us`.
        Drop = "drop",
        /// To `pass_function`.
        Pass = "pass",
    }
}
words! {
    /// Which network port tx frames take.
    Uplink {
        /// net0 while its link is up, else net1.
        Net0 = "net0",
        /// net1 while its link is up, else net0.
        Net1 = "net1",
        /// By flow hash and weights.
        Spread = "spread",
    }
}
words! {
    /// A direction: `tx` is host to network.
    Dir {
        /// Host to network.
        Tx = "tx",
        /// Network to host.
        Rx = "rx",
    }
}
words! {
    /// What an access rule does with a frame that it matches.
    AclAction {
        /// The frame goes on.
        Permit = "permit",
        /// Drop, reason `acl`.
        Deny = "deny",
        /// To the OM.
        Punt = "punt",
    }
}
words! {
    /// Why a frame goes to the OM.
    PuntReason {
        /// The function's mode has no rule for it.
        Unmatched = "unmatched",
        /// AH, UDP-Lite or DCCP.
        UnsupportedL4 = "unsupported_l4",
        /// RoCEv2 whose ICRC cannot be patched.
        Roce = "roce",
        /// An ICMP error that quotes a header with options.
        IcmpQuoteOptions = "icmp_quote_options",
        /// An ICMP error that quotes a datagram of another address.
        IcmpQuoteAddress = "icmp_quote_address",
        /// A routed mapping, and the TTL is used up.
        Ttl = "ttl",
        /// A frame from the network that is nobody's.
        NotForUs = "not_for_us",
    }
}

/// Where the outer DSCP of a tunnel comes from, at encap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dscp {
    /// Copied from the inner header.
    Uniform,
    /// Always this code point, 0 to 63.
    Pipe(u8),
}

impl Dscp {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text == "uniform" {
            return Ok(Dscp::Uniform);
        }
        let code = text.strip_prefix("pipe:").filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()));
        match code.and_then(|digits| digits.parse().ok()) {
            Some(code @ 0..=63) => Ok(Dscp::Pipe(code)),
            _ => Err("is not a DSCP treatment. Write \"uniform\", or \"pipe:N\" with N from 0 to 63".to_owned()),
        }
    }
}
