//! The blocks of registers, as they stand in the directory.

/// A block of registers, as it stands in the directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Area {
    /// ID, version and the list of blocks.
    Directory,
    /// State and settings of the module.
    Module,
    /// Table commands.
    TableAccess,
    /// Geometry of the tables.
    TableList,
    /// The snapshot, and the counters of one function.
    CounterAccess,
    /// Counters of outcomes.
    OutcomeCounters,
    /// Counters of ports.
    PortCounters,
    /// Counters of tables.
    TableCounters,
    /// Limiters of frames to the Orchestration Module; not in every configuration.
    PuntLimit,
}

impl Area {
    /// All blocks in order of their addresses; a block's place is that of its record, if its configuration has it.
    pub const ALL: [Area; 9] = [
        Area::Directory,
        Area::Module,
        Area::TableAccess,
        Area::TableList,
        Area::CounterAccess,
        Area::OutcomeCounters,
        Area::PortCounters,
        Area::TableCounters,
        Area::PuntLimit,
    ];

    /// Byte address of the first record of the list.
    pub const FIRST_RECORD: u32 = 0x040;
    /// Bytes of a record, here and in the list of tables.
    pub const RECORD: u32 = 16;

    /// Name, first byte address, size in bytes, and what it holds.
    const fn facts(self) -> (&'static str, u32, u32, &'static str) {
        match self {
            Area::Directory => ("directory", 0x000, 0x100, "What this is, and the list of blocks."),
            Area::Module => ("module", 0x100, 0x040, "State and settings."),
            Area::TableAccess => ("table_access", 0x180, 0x040, "Table commands."),
            Area::TableList => ("table_list", 0x200, 0x050, "Geometry of the tables, a record each."),
            Area::CounterAccess => ("counter_access", 0x300, 0x040, "The snapshot, and the counters of one function."),
            Area::OutcomeCounters => ("outcome_counters", 0x400, 0x200, "A counter for each outcome of a frame."),
            Area::PortCounters => ("port_counters", 0x600, 0x080, "Frames and bytes of each port."),
            Area::TableCounters => ("table_counters", 0x700, 0x0a0, "Hits, misses and parity errors of each table."),
            Area::PuntLimit => ("punt_limit", 0x800, 0x010, "Limiters of frames to the Orchestration Module."),
        }
    }

    /// Name in documents.
    pub const fn name(self) -> &'static str {
        self.facts().0
    }

    /// First byte address.
    pub const fn offset(self) -> u32 {
        self.facts().1
    }

    /// Size in bytes.
    pub const fn size(self) -> u32 {
        self.facts().2
    }

    /// What it holds.
    pub const fn doc(self) -> &'static str {
        self.facts().3
    }

    /// Its type in the directory.
    pub const fn number(self) -> u32 {
        self as u32 + 1
    }

    /// Its version in the directory.
    pub const fn version(self) -> u32 {
        1
    }

    /// Does it hold this byte address?
    pub const fn holds(self, address: u32) -> bool {
        self.offset() <= address && address < self.offset() + self.size()
    }
}
