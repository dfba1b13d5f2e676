//! One running instance of a model.

use std::ffi::{CStr, CString, c_char};
use std::path::Path;
use std::sync::Arc;

use super::library::{Library, Raw};
use super::spec::{Dir, Port, Trace};
use super::{Failure, ModelError};

const _: () = assert!(cfg!(target_endian = "little"), "ports are copied as little-endian bytes");

/// A port of a model, by its place in [`ModelSpec::ports`](super::ModelSpec::ports); valid for every instance of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PortId(u32);

/// Where a port's value lies in the model.
struct Slot {
    address: *mut u8,
    /// Bytes of the value's storage: 1, 2, 4, 8 or a multiple of 4.
    size: u32,
    /// Bits of the last byte that hold any of the value, then whole zero bytes up to `size`.
    top_mask: u8,
    /// Bytes that hold any of the value.
    used: u32,
    input: bool,
}

/// One running instance, with its own Verilator context. It may be moved to another thread but not shared.
pub struct Model {
    library: Arc<Library>,
    raw: Raw,
    slots: Box<[Slot]>,
    clocks: Box<[*mut u8]>,
    /// Failures already returned as an error.
    reported: u64,
}

// SAFETY: the shim keeps all state in the instance and sets its thread-local pointers anew at each call, and `&mut self`
// methods are the only ones that change anything, so an instance may move between threads.
unsafe impl Send for Model {}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("top", &self.library.spec.top).field("cycle", &self.cycle()).finish()
    }
}

impl Model {
    pub(crate) fn new(library: Arc<Library>, seed: u64) -> Self {
        // Verilator takes 31 bits and reads 0 as "seed from the clock".
        let folded = crate::Rng::new(seed).bits();
        let seed = i32::try_from(folded >> 33).unwrap_or(1).max(1);
        // SAFETY: the shim's functions take what `em_new` gives; port indices are those the shim was generated from.
        let (raw, slots) = unsafe {
            let raw = (library.api.new)(seed);
            let slots = library.spec.ports.iter().zip(0..);
            (raw, slots.map(|(port, index)| Slot::new(port, (library.api.port)(raw, index))).collect::<Box<[_]>>())
        };
        let clocks = library.spec.clocks.iter().map(|name| slots[library.index[name] as usize].address).collect();
        let mut model = Self { library, raw, slots, clocks, reported: 0 };
        for port in (0..)
            .map(PortId)
            .take(model.slots.len())
            .filter(|port| model.slots[port.0 as usize].input)
            .collect::<Vec<_>>()
        {
            model.poke(port, 0);
        }
        // A failure here is returned by the next call, as `reported` stays 0.
        // SAFETY: `raw` is live.
        unsafe { (model.library.api.eval)(model.raw) };
        model
    }

    /// The library it is an instance of.
    pub fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// The port called `name`.
    pub fn port(&self, name: &str) -> Result<PortId, ModelError> {
        self.find_port(name).ok_or_else(|| ModelError::NoPort {
            top: self.library.spec.top.clone(),
            port: name.to_owned(),
            known: self.library.spec.ports.iter().map(|port| port.name.as_str()).collect::<Vec<_>>().join(", "),
        })
    }

    /// The port called `name`, if there is one.
    pub fn find_port(&self, name: &str) -> Option<PortId> {
        self.library.index.get(name).copied().map(PortId)
    }

    /// Name, direction and width of a port.
    pub fn port_info(&self, port: PortId) -> &Port {
        &self.library.spec.ports[port.0 as usize]
    }

    /// Sets an input to the low bits of `value`; a port wider than 64 bits gets zeros above.
    ///
    /// # Panics
    /// If the port is an output.
    #[inline]
    pub fn poke(&mut self, port: PortId, value: u64) {
        self.poke_bytes(port, &value.to_le_bytes());
    }

    /// The port's low 64 bits.
    #[inline]
    pub fn peek(&self, port: PortId) -> u64 {
        let slot = &self.slots[port.0 as usize];
        // SAFETY: `address` points at the port's storage in the live instance, of the type its size says.
        unsafe {
            match slot.size {
                1 => u64::from(slot.address.read()),
                2 => u64::from(slot.address.cast::<u16>().read()),
                4 => u64::from(slot.address.cast::<u32>().read()),
                _ => slot.address.cast::<u64>().read_unaligned(),
            }
        }
    }

    /// True if any bit is set: for 1-bit ports.
    #[inline]
    pub fn is_high(&self, port: PortId) -> bool {
        self.peek(port) != 0
    }

    /// Sets an input from little-endian bytes: byte 0 is bits 7..0. Missing bytes are 0, bits beyond the width are cut.
    ///
    /// # Panics
    /// If the port is an output.
    #[inline]
    pub fn poke_bytes(&mut self, port: PortId, bytes: &[u8]) {
        let slot = &self.slots[port.0 as usize];
        assert!(slot.input, "port {} is an output", self.library.spec.ports[port.0 as usize].name);
        let (size, used) = (slot.size as usize, slot.used as usize);
        // SAFETY: the storage is `size` bytes in the live instance, and nothing else refers to it during the call.
        let storage = unsafe { std::slice::from_raw_parts_mut(slot.address, size) };
        let count = bytes.len().min(used);
        storage[..count].copy_from_slice(&bytes[..count]);
        storage[count..].fill(0);
        storage[used - 1] &= slot.top_mask;
    }

    /// The port's value as little-endian bytes, as many as its width needs. It changes at the next evaluation, so the borrow ends there.
    #[inline]
    pub fn bytes(&self, port: PortId) -> &[u8] {
        let slot = &self.slots[port.0 as usize];
        // SAFETY: the storage is at least `used` bytes in the live instance; it changes only through `&mut self`.
        unsafe { std::slice::from_raw_parts(slot.address, slot.used as usize) }
    }

    /// Sets an input from 64-bit words, lowest first; as [`poke_bytes`](Self::poke_bytes).
    pub fn poke_words(&mut self, port: PortId, words: &[u64]) {
        // SAFETY: any u64s are valid as eight times as many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), std::mem::size_of_val(words)) };
        self.poke_bytes(port, bytes);
    }

    /// Copies the port's value to 64-bit words, lowest first; words beyond the width become 0.
    pub fn peek_words(&self, port: PortId, words: &mut [u64]) {
        let mut bytes = self.bytes(port).chunks(8);
        for word in words {
            let mut whole = [0; 8];
            if let Some(part) = bytes.next() {
                whole[..part.len()].copy_from_slice(part);
            }
            *word = u64::from_le_bytes(whole);
        }
    }

    /// Brings combinational outputs up to date with the inputs.
    #[inline]
    pub fn eval(&mut self) -> Result<(), ModelError> {
        // SAFETY: `raw` is live.
        let count = unsafe { (self.library.api.eval)(self.raw) };
        self.check(count)
    }

    /// One cycle of clock number `clock` (its place in [`ModelSpec::clocks`](super::ModelSpec::clocks)): rising edge, then
    /// falling edge, each evaluated. Inputs poked before are sampled; see the [module](super) for the order.
    ///
    /// # Panics
    /// If there is no such clock.
    #[inline]
    pub fn tick(&mut self, clock: usize) -> Result<(), ModelError> {
        self.tick_n(clock, 1)
    }

    /// `count` cycles with the same inputs; ends early at a cycle in which an assertion fails.
    ///
    /// # Panics
    /// If there is no such clock.
    #[inline]
    pub fn tick_n(&mut self, clock: usize, count: u64) -> Result<(), ModelError> {
        // SAFETY: `raw` is live and the address is that of the clock's 1-bit port.
        let failures = unsafe { (self.library.api.tick)(self.raw, self.clocks[clock], count) };
        self.check(failures)
    }

    #[inline]
    fn check(&mut self, failures: u64) -> Result<(), ModelError> {
        if failures == self.reported { Ok(()) } else { self.report(failures) }
    }

    #[cold]
    fn report(&mut self, failures: u64) -> Result<(), ModelError> {
        let first = self.failure(self.reported);
        self.reported = failures;
        Err(ModelError::Failed(Box::new(first.unwrap_or_else(|| Failure {
            file: String::new(),
            line: 0,
            source_line: String::new(),
            cycle: self.cycle(),
            message: format!("{failures} failures so far; only the first are kept"),
        }))))
    }

    /// Cycles ticked so far, over all clocks.
    pub fn cycle(&self) -> u64 {
        // SAFETY: `raw` is live.
        unsafe { (self.library.api.cycles)(self.raw) }
    }

    /// True once the Verilog ran `$finish`.
    pub fn finished(&self) -> bool {
        // SAFETY: `raw` is live.
        unsafe { (self.library.api.finished)(self.raw) != 0 }
    }

    /// True when Verilator's runtime gave up, as with combinational logic that never settles; later evaluations do nothing.
    pub fn is_dead(&self) -> bool {
        // SAFETY: `raw` is live.
        unsafe { (self.library.api.dead)(self.raw) != 0 }
    }

    /// Every failed assertion so far, at most the first 1,000.
    pub fn failures(&self) -> Vec<Failure> {
        (0..).map_while(|index| self.failure(index)).collect()
    }

    fn failure(&self, index: u64) -> Option<Failure> {
        let (mut file, mut message) = (std::ptr::null(), std::ptr::null());
        let (mut line, mut cycle) = (0, 0);
        // SAFETY: `raw` is live; on success the strings are NUL-terminated and live until the next evaluation.
        let (file, message) = unsafe {
            if (self.library.api.failure)(self.raw, index, &mut file, &mut line, &mut cycle, &mut message) == 0 {
                return None;
            }
            (text(file), text(message))
        };
        let source = self.library.spec.sources.iter().find(|(name, _)| *name == file);
        let source_line = source.and_then(|(_, text)| text.lines().nth((line as usize).saturating_sub(1)));
        let source_line = source_line.unwrap_or_default().trim().to_owned();
        Some(Failure { file, line, source_line, cycle, message })
    }

    /// What `$display` printed since the last call, at most 1 MiB.
    pub fn take_output(&mut self) -> String {
        // SAFETY: `raw` is live and the string is NUL-terminated and copied before it is cleared.
        unsafe {
            let said = text((self.library.api.output)(self.raw));
            (self.library.api.clear_output)(self.raw);
            said
        }
    }

    /// Starts a waveform dump to `file`, in the format the model was built for; ends one that is on.
    pub fn trace_on(&mut self, file: &Path) -> Result<(), ModelError> {
        let name = c_path(file)?;
        if self.library.spec.options.trace != Trace::None {
            // Verilator's FST writer does not report a file that it cannot open.
            std::fs::File::create(file).map_err(|_| ModelError::Write { path: file.to_owned() })?;
        }
        // SAFETY: `raw` is live and `name` NUL-terminated.
        match unsafe { (self.library.api.trace_on)(self.raw, name.as_ptr()) } {
            1 => Ok(()),
            0 => Err(ModelError::NotBuilt { top: self.library.spec.top.clone(), what: "trace" }),
            _ => Err(ModelError::Write { path: file.to_owned() }),
        }
    }

    /// Ends the waveform dump and closes its file; nothing if there is none.
    pub fn trace_off(&mut self) {
        // SAFETY: `raw` is live.
        unsafe { (self.library.api.trace_off)(self.raw) }
    }

    /// Writes the coverage counts so far to `file`, for `verilator_coverage`.
    pub fn write_coverage(&mut self, file: &Path) -> Result<(), ModelError> {
        let name = c_path(file)?;
        // SAFETY: `raw` is live and `name` NUL-terminated.
        match unsafe { (self.library.api.coverage)(self.raw, name.as_ptr()) } {
            0 => Err(ModelError::NotBuilt { top: self.library.spec.top.clone(), what: "coverage" }),
            _ if file.is_file() => Ok(()),
            _ => Err(ModelError::Write { path: file.to_owned() }),
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: `raw` is live until here.
        unsafe { (self.library.api.free)(self.raw) }
    }
}

impl Slot {
    fn new(port: &Port, address: *mut u8) -> Self {
        let size = match port.width {
            0..=8 => 1,
            9..=16 => 2,
            17..=32 => 4,
            33..=64 => 8,
            wide => wide.div_ceil(32) * 4,
        };
        let top_mask = if port.width.is_multiple_of(8) { 0xFF } else { (1 << (port.width % 8)) - 1 };
        Self { address, size, top_mask, used: port.width.div_ceil(8), input: port.dir == Dir::Input }
    }
}

/// # Safety
/// `pointer` is a live NUL-terminated string.
unsafe fn text(pointer: *const c_char) -> String {
    // SAFETY: the caller's.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

fn c_path(path: &Path) -> Result<CString, ModelError> {
    CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| ModelError::Write { path: path.to_owned() })
}
