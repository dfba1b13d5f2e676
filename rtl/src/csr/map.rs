//! The register map, declared once: decode logic, the register compiler, the manifest and the documentation are made
//! from this table.

use super::counters::PortCounter;
use crate::outcome::{Kind, Outcome};
use serde::Serialize;

/// Who may do what with a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Access {
    /// Read only: a write answers SLVERR.
    Ro,
    /// Read and write.
    Rw,
    /// Write only: a read answers SLVERR.
    Wo,
}

/// A field of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct RegField {
    /// Name.
    pub name: &'static str,
    /// Lowest bit.
    pub lsb: u32,
    /// Width in bits.
    pub width: u32,
    /// What it says.
    pub doc: &'static str,
}

impl RegField {
    /// Its bits, in place.
    pub const fn mask(&self) -> u32 {
        (u32::MAX >> (32 - self.width)) << self.lsb
    }

    /// `value` in place; bits beyond the field are cut off.
    pub const fn place(&self, value: u32) -> u32 {
        (value << self.lsb) & self.mask()
    }
}

macro_rules! registers {
    ($($(#[doc = $doc:literal])* $name:ident = $offset:literal, $text:literal, $access:ident
        { $($field:ident: $lsb:literal, $width:literal, $field_doc:literal;)* })*) => {
        /// The registers, without the counters.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Reg { $($(#[doc = $doc])* $name,)* }

        impl Reg {
            /// Every register in order of its address.
            pub const ALL: &'static [Reg] = &[$(Reg::$name),*];

            /// Byte address.
            pub const fn offset(self) -> u32 { match self { $(Reg::$name => $offset,)* } }

            /// Name in documentation and headers.
            pub const fn name(self) -> &'static str { match self { $(Reg::$name => $text,)* } }

            /// Access.
            pub const fn access(self) -> Access { match self { $(Reg::$name => Access::$access,)* } }

            /// What it is for.
            pub const fn doc(self) -> &'static str { match self { $(Reg::$name => concat!($($doc),*),)* } }

            /// Its fields, the lowest first.
            pub const fn fields(self) -> &'static [RegField] {
                match self {
                    $(Reg::$name => &[$(RegField { name: stringify!($field), lsb: $lsb, width: $width, doc: $field_doc }),*],)*
                }
            }
        }
    };
}

registers! {
    /// Says that this is a DistDPU Execution Module.
    Id = 0x000, "ID", Ro { magic: 0, 32, "0x4444454d, `DDEM` in ASCII"; }
    /// Version of the register map.
    Version = 0x004, "VERSION", Ro {
        minor: 0, 16, "grows when registers are added";
        major: 16, 16, "grows when registers change or go";
    }
    /// Geometry of the tables.
    Geometry = 0x008, "GEOMETRY", Ro {
        functions_log2: 0, 5, "log2 of the number of functions";
        nat_ways: 8, 4, "ways of the NAT table";
        nat_rows_log2: 16, 5, "log2 of the rows of each way";
    }
    /// State of the module.
    Status = 0x00c, "STATUS", Ro { ready: 0, 1, "1: the tables have cleared themselves, after reset or `clear_tables`"; }
    /// For tests of the bus; has no effect.
    Scratch = 0x010, "SCRATCH", Rw { value: 0, 32, "any value"; }
    /// Actions on the whole module.
    Control = 0x014, "CONTROL", Wo {
        clear_tables: 0, 1, "1: empties all tables; the response comes when they are empty";
    }
    /// NAT command: function of the key.
    NatFunction = 0x020, "NAT_FUNCTION", Rw { function: 0, 16, "function that owns the inside address"; }
    /// NAT command: address of the key.
    NatInside = 0x024, "NAT_INSIDE", Rw { address: 0, 32, "inside IPv4 address, first byte on the wire in bits 31:24"; }
    /// NAT command: value.
    NatOutside = 0x028, "NAT_OUTSIDE", Rw { address: 0, 32, "outside IPv4 address, first byte on the wire in bits 31:24"; }
    /// NAT command: the slot, which the key must hash to.
    NatSlot = 0x02c, "NAT_SLOT", Rw {
        row: 0, 16, "row of the way";
        way: 16, 8, "way of the table";
    }
    /// Carries out a NAT command. The response is OKAY if it is done, SLVERR if it was refused; NAT_STATUS says why.
    NatCommand = 0x030, "NAT_COMMAND", Wo {
        operation: 0, 2, "1 insert key and value; 2 delete the key; 3 read the slot into NAT_FOUND_*";
    }
    /// How the last NAT command ended.
    NatStatus = 0x034, "NAT_STATUS", Ro {
        status: 0, 3, "0 done; 1 the slot holds another live entry; 2 the key does not hash to this row of this way; 3 no such way or row; 4 the key is live in another way with another value; 5 the slot is free; 6 the table is still clearing itself; 7 no such command";
    }
    /// What stood in the slot of the last NAT command; undefined after status 5, 6 and 7.
    NatFoundFunction = 0x038, "NAT_FOUND_FUNCTION", Ro { function: 0, 16, "function of its key"; }
    /// What stood in the slot of the last NAT command; undefined after status 5, 6 and 7.
    NatFoundInside = 0x03c, "NAT_FOUND_INSIDE", Ro { address: 0, 32, "inside address of its key"; }
    /// What stood in the slot of the last NAT command; undefined after status 5, 6 and 7.
    NatFoundOutside = 0x040, "NAT_FOUND_OUTSIDE", Ro { address: 0, 32, "its outside address"; }
    /// Function that FUNCTION_ENTRY is about.
    FunctionIndex = 0x050, "FUNCTION_INDEX", Rw { function: 0, 16, "function number"; }
    /// Entry of the function in FUNCTION_INDEX. SLVERR if there is no such function or the table is not ready.
    FunctionEntry = 0x054, "FUNCTION_ENTRY", Rw {
        valid: 0, 1, "1: the function exists";
        mode: 1, 2, "0 nat; 1 pass; 2 drop; 3 is reserved";
        unmatched: 3, 2, "frames that the mode has no rule for: 0 punt; 1 drop; 2 pass; 3 is reserved";
    }
    /// How the last access to FUNCTION_ENTRY ended.
    FunctionStatus = 0x058, "FUNCTION_STATUS", Ro { status: 0, 3, "as in NAT_STATUS: 0, 3 or 6"; }
}

impl Reg {
    /// The field of this name.
    ///
    /// # Panics
    /// If there is none: names are written in the program.
    pub fn field(self, name: &str) -> &'static RegField {
        let found = self.fields().iter().find(|f| f.name == name);
        found.unwrap_or_else(|| panic!("register {} has no field {name}", self.name()))
    }

    /// Bits that belong to fields.
    pub fn mask(self) -> u32 {
        self.fields().iter().fold(0, |mask, f| mask | f.mask())
    }
}

/// Value of ID.
pub const MAGIC: u32 = 0x4444_454d;
/// Major and minor version of the map.
pub const VERSION: (u32, u32) = (0, 1);
/// Width of a register address in bits; addresses are in bytes.
pub const ADDR_W: u32 = 16;

/// A 64-bit counter: LO at its offset, HI four bytes above.
///
/// Reading LO latches the upper half, which HI then returns, so that the two halves belong together whatever is counted
/// in between. HI of another counter than the one whose LO was read last answers SLVERR. Counters wrap; nothing clears
/// them but reset.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Counter {
    /// Name, as in `drop_nat_source`.
    pub name: String,
    /// Byte address of LO.
    pub offset: u32,
    /// What it counts.
    pub doc: String,
}

/// Byte address of the first outcome's counter.
pub const OUTCOME_COUNTERS: u32 = 0x400;
/// Byte address of the first port's counter.
pub const PORT_COUNTERS: u32 = OUTCOME_COUNTERS + (8 << Outcome::WIDTH);

/// Byte address (LO) of the counter of an outcome.
pub const fn outcome_counter(outcome: Outcome) -> u32 {
    OUTCOME_COUNTERS + 8 * outcome.code() as u32
}

/// Byte address (LO) of a port's counter.
pub const fn port_counter(counter: PortCounter) -> u32 {
    PORT_COUNTERS + 8 * counter as u32
}

/// All counters in order of their addresses.
pub fn counters() -> Vec<Counter> {
    let outcomes = Outcome::ALL.iter().map(|outcome| {
        let kind = match outcome.kind() {
            Kind::Forward => "forward",
            Kind::Punt => "punt",
            Kind::Drop => "drop",
        };
        let doc = outcome.doc().trim().to_string();
        Counter { name: format!("{kind}_{}", outcome.name()), offset: outcome_counter(*outcome), doc }
    });
    let ports = PortCounter::ALL.iter().map(|c| Counter {
        name: c.name().into(),
        offset: port_counter(*c),
        doc: c.doc().into(),
    });
    outcomes.chain(ports).collect()
}
