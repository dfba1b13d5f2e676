//! The registers, declared once: decode logic, the register compiler, headers and documents are made from this table
//! and from [`describe`](super::describe), which adds what depends on the configuration.

use super::Area;
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
    /// Read; writing 1 to a bit clears it, hardware sets it.
    Rw1c,
    /// Read; writing 1 to a bit sets it, hardware clears it.
    Rw1s,
}

impl Access {
    /// Name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Access::Ro => "RO",
            Access::Rw => "RW",
            Access::Wo => "WO",
            Access::Rw1c => "RW1C",
            Access::Rw1s => "RW1S",
        }
    }
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

    /// The field's value in a register's.
    pub const fn get(&self, register: u32) -> u32 {
        (register & self.mask()) >> self.lsb
    }
}

macro_rules! registers {
    ($($(#[doc = $doc:literal])* $name:ident = $offset:literal, $text:literal, $access:ident
        { $($field:ident: $lsb:literal, $width:literal, $field_doc:literal;)* })*) => {
        /// The registers, without the counters. Every configuration has them, but for those of limiters.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Reg { $($(#[doc = $doc])* $name,)* }

        impl Reg {
            /// Every register in order of its address.
            pub const ALL: &'static [Reg] = &[$(Reg::$name),*];

            /// Byte address.
            pub const fn offset(self) -> u32 { match self { $(Reg::$name => $offset,)* } }

            /// Name in documents and headers.
            pub const fn name(self) -> &'static str { match self { $(Reg::$name => $text,)* } }

            /// Access.
            pub const fn access(self) -> Access { match self { $(Reg::$name => Access::$access,)* } }

            /// What it is for.
            pub fn doc(self) -> &'static str { match self { $(Reg::$name => concat!($($doc),*).trim(),)* } }

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
    /// Where the list of the blocks of registers begins. A record has four words: type and version, offset, size, info.
    Directory = 0x008, "DIRECTORY", Ro {
        blocks: 0, 8, "number of records";
        first: 16, 16, "byte address of the first record";
    }
    /// The data path.
    Datapath = 0x00c, "DATAPATH", Ro {
        data_width: 0, 12, "bits of a stream's tdata";
        max_frame: 16, 16, "longest frame in bytes, without FCS";
    }

    /// State of the module.
    Status = 0x100, "STATUS", Ro {
        ready: 0, 1, "1: tables and counters have cleared themselves, after reset or a clear";
        bank: 1, 1, "the active bank of the tables; commands edit the other one";
    }
    /// For tests of the bus; has no effect.
    Scratch = 0x104, "SCRATCH", Rw { value: 0, 32, "any value"; }
    /// What has happened since the bit was cleared.
    Events = 0x108, "EVENTS", Rw1c {
        nat_tx_parity: 0, 1, "an entry of table nat_tx failed its parity";
        nat_rx_parity: 1, 1, "an entry of table nat_rx failed its parity";
        mac_parity: 2, 1, "an entry of table mac failed its parity";
        function_parity: 3, 1, "an entry of table function failed its parity";
        next_hop_parity: 4, 1, "an entry of table next_hop failed its parity";
        ready: 8, 1, "STATUS.ready has become 1";
    }
    /// State of the network links.
    Link = 0x10c, "LINK", Ro {
        net0: 0, 1, "1: up";
        net1: 1, 1, "1: up";
    }
    /// Port that frames from the host take.
    Uplink = 0x110, "UPLINK", Rw {
        port: 0, 1, "0 net0, 1 net1; while its link is down and the other one's is up, frames take the other one";
    }
    /// What becomes of frames from the network that no table knows.
    NotForUs = 0x114, "NOT_FOR_US", Rw {
        action: 0, 2, "0 punt, 1 drop, 2 pass; 3 is reserved";
        pass_function: 16, 16, "function that they are passed to";
    }

    /// Table command: the table. Commit, sync and clear are for all of them.
    TableSelect = 0x180, "TABLE_SELECT", Rw { table: 0, 3, "number of the table, as in the list of tables"; }
    /// Table command: the slot. A key hashes to one row of each way.
    TableSlot = 0x184, "TABLE_SLOT", Rw {
        row: 0, 16, "row of the way; index of a direct table";
        way: 16, 8, "way of the table; 0 for a direct table";
    }
    /// Table command: the key.
    TableKey0 = 0x188, "TABLE_KEY0", Rw { key: 0, 32, "bits 31:0 of the key"; }
    /// Table command: the key.
    TableKey1 = 0x18c, "TABLE_KEY1", Rw { key: 0, 16, "bits 47:32 of the key"; }
    /// Table command: the value.
    TableValue0 = 0x190, "TABLE_VALUE0", Rw { value: 0, 32, "bits 31:0 of the value"; }
    /// Table command: the value.
    TableValue1 = 0x194, "TABLE_VALUE1", Rw { value: 0, 32, "bits 63:32 of the value"; }
    /// Damages the words that commands write, to test the parity.
    TableFlip = 0x198, "TABLE_FLIP", Rw {
        bit: 0, 8, "bit that is inverted: 1:0 validity, 49:2 key, 113:50 value, 129:114 checksum update, 130 parity";
        enable: 8, 1, "1: invert it";
    }
    /// Carries out a table command. The response to insert, delete, read and commit comes when they are done: OKAY, or
    /// SLVERR if they were refused, and TABLE_STATUS says why. Sync and clear answer OKAY at once and go on while
    /// TABLE_STATUS.busy is 1; a write to this block waits for their end.
    TableCommand = 0x19c, "TABLE_COMMAND", Wo {
        operation: 0, 3, "1 insert key and value in the shadow bank; 2 delete the key in the shadow bank; 3 read the slot; 4 commit: the shadow bank becomes the active one; 5 sync: the shadow bank becomes equal to the active one; 6 clear: both banks become empty";
    }
    /// How the last table command ended.
    TableStatus = 0x1a0, "TABLE_STATUS", Ro {
        status: 0, 4, "0 done; 1 the slot holds another live entry; 2 the key does not hash to this row of this way; 3 no such table, way or row; 4 the key is live in another way with another value; 5 the slot is free; 6 the tables are still clearing themselves; 7 no such command; 8 the slot fails its parity";
        old_valid: 8, 2, "in which banks the slot was valid before the command";
        busy: 16, 1, "1: a command is under way";
    }
    /// What stood in the slot of the last insert, delete or read.
    TableOldKey0 = 0x1a4, "TABLE_OLD_KEY0", Ro { key: 0, 32, "bits 31:0 of its key"; }
    /// What stood in the slot of the last insert, delete or read.
    TableOldKey1 = 0x1a8, "TABLE_OLD_KEY1", Ro { key: 0, 16, "bits 47:32 of its key"; }
    /// What stood in the slot of the last insert, delete or read.
    TableOldValue0 = 0x1ac, "TABLE_OLD_VALUE0", Ro { value: 0, 32, "bits 31:0 of its value"; }
    /// What stood in the slot of the last insert, delete or read.
    TableOldValue1 = 0x1b0, "TABLE_OLD_VALUE1", Ro { value: 0, 32, "bits 63:32 of its value"; }

    /// Takes a snapshot of all counters, as they are at one instant after the write. Counters read the snapshot.
    CounterLatch = 0x300, "COUNTER_LATCH", Rw1s {
        latch: 0, 1, "writing 1 takes a snapshot; reads 1 until it is taken, and counters answer SLVERR meanwhile";
    }
    /// Function whose counters FUNCTION_* are.
    CounterFunction = 0x304, "COUNTER_FUNCTION", Rw { function: 0, 16, "function number"; }

    /// Limiter that a write of PUNT_LIMIT_MATCH programs. What is read of these registers is what was written last.
    PuntLimitSelect = 0x800, "PUNT_LIMIT_SELECT", Rw { limiter: 0, 8, "number of the limiter, from 0"; }
    /// How often the limiter lets a frame pass.
    PuntLimitInterval = 0x804, "PUNT_LIMIT_INTERVAL", Rw {
        clocks: 0, 28, "clocks between two frames in the long run; a turn of all limiters at least: 8 clocks, or as many as there are limiters";
    }
    /// How many frames the limiter lets pass at once.
    PuntLimitBurst = 0x808, "PUNT_LIMIT_BURST", Rw { frames: 0, 10, "frames after a long rest; of 0 none ever passes"; }
    /// Programs the selected limiter with this, the interval and the burst; it begins anew. SLVERR if there is no such
    /// limiter. Of several that fit a frame the one with the lowest number counts.
    PuntLimitMatch = 0x80c, "PUNT_LIMIT_MATCH", Rw {
        function: 0, 16, "function whose frames it fits";
        reason: 16, 6, "code of the reason that it fits: its place among the counters of outcomes";
        any_function: 24, 1, "1: it fits frames of any function, and those that are nobody's";
        any_reason: 25, 1, "1: it fits frames of any reason";
        enable: 31, 1, "0: it fits none";
    }
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

    /// A register of the limiters, which not every configuration has.
    pub const fn is_of_limiters(self) -> bool {
        Area::PuntLimit.holds(self.offset())
    }

    /// A table command's register, whose value must stay while the command is under way.
    pub const fn is_staged(self) -> bool {
        Reg::TableSelect.offset() <= self.offset() && self.offset() <= Reg::TableCommand.offset()
    }
}

/// Value of ID.
pub const MAGIC: u32 = 0x4444_454d;
/// Major and minor version of the map.
pub const VERSION: (u32, u32) = (1, 1);
/// Width of a register address in bits; addresses are in bytes.
pub const ADDR_W: u32 = 16;
