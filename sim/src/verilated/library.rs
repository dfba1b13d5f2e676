//! A loaded shared object, shared by all its instances.

use std::collections::{HashMap, HashSet};
use std::ffi::{c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::BuildError;
use super::cache::{cache_dir, get_or_make, key};
use super::compile::{compile, recipe};
use super::model::Model;
use super::spec::{Dir, ModelSpec};
use super::toolchain::toolchain;

/// An instance of the shim; only ever behind a pointer.
pub(crate) type Raw = *mut c_void;

/// The shim's functions.
pub(crate) struct Api {
    pub new: unsafe extern "C" fn(c_int) -> Raw,
    pub free: unsafe extern "C" fn(Raw),
    pub port: unsafe extern "C" fn(Raw, u32) -> *mut u8,
    pub eval: unsafe extern "C" fn(Raw) -> u64,
    pub tick: unsafe extern "C" fn(Raw, *mut u8, u64) -> u64,
    pub cycles: unsafe extern "C" fn(Raw) -> u64,
    pub finished: unsafe extern "C" fn(Raw) -> c_int,
    pub dead: unsafe extern "C" fn(Raw) -> c_int,
    pub failure: unsafe extern "C" fn(Raw, u64, *mut *const c_char, *mut u32, *mut u64, *mut *const c_char) -> c_int,
    pub output: unsafe extern "C" fn(Raw) -> *const c_char,
    pub clear_output: unsafe extern "C" fn(Raw),
    pub trace_on: unsafe extern "C" fn(Raw, *const c_char) -> c_int,
    pub trace_off: unsafe extern "C" fn(Raw),
    pub coverage: unsafe extern "C" fn(Raw, *const c_char) -> c_int,
}

/// A built model, ready for [`instance`](Self::instance). Cheap to share; the code is loaded once a process.
pub struct Library {
    pub(crate) api: Api,
    pub(crate) spec: ModelSpec,
    /// Index of each port by name.
    pub(crate) index: HashMap<String, u32>,
    path: PathBuf,
    // Dropped last: `api` points into it.
    _code: libloading::Library,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Library").field("top", &self.spec.top).field("path", &self.path).finish()
    }
}

impl Library {
    /// A new instance, evaluated once with all inputs 0. `seed` decides the initial state of registers if the model was
    /// built with `x_initial_unique`, and `$random`.
    pub fn instance(self: &Arc<Self>, seed: u64) -> Model {
        Model::new(Arc::clone(self), seed)
    }

    /// What it was built from.
    pub fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// The shared object in the cache.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Builds `spec`, or takes it from the [cache](cache_dir).
pub fn build(spec: &ModelSpec) -> Result<Arc<Library>, BuildError> {
    build_in(spec, &cache_dir())
}

/// As [`build`], with the cache in `dir`.
pub fn build_in(spec: &ModelSpec, dir: &Path) -> Result<Arc<Library>, BuildError> {
    check(spec)?;
    let tools = toolchain()?;
    let key = key(&[&recipe(&tools), &spec.fingerprint()]);
    let name = format!("{}-{}.so", spec.top, &key[..32]);

    static LOADED: Mutex<Option<HashMap<PathBuf, Weak<Library>>>> = Mutex::new(None);
    let loaded = |path: &Path| {
        let mut guard = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        guard.get_or_insert_default().get(path).and_then(Weak::upgrade)
    };
    let path = std::path::absolute(dir.join(&name)).unwrap_or_else(|_| dir.join(&name));
    if let Some(library) = loaded(&path) {
        return Ok(library);
    }
    get_or_make(dir, &name, |scratch| compile(spec, &tools, dir, scratch))?;
    let library = Arc::new(load(spec, &path)?);
    let mut guard = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let map = guard.get_or_insert_default();
    if let Some(other) = map.get(&path).and_then(Weak::upgrade) {
        return Ok(other);
    }
    map.retain(|_, library| library.strong_count() > 0);
    map.insert(path, Arc::downgrade(&library));
    Ok(library)
}

/// What can be said before Verilator runs.
fn check(spec: &ModelSpec) -> Result<(), BuildError> {
    let wrong = |reason: String| Err(BuildError::Spec { top: spec.top.clone(), reason });
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if !is_name(&spec.top) {
        return wrong("the top module's name is not a plain identifier".into());
    }
    if spec.sources.is_empty() {
        return wrong("there are no sources; give at least one Verilog file".into());
    }
    let mut files = HashSet::new();
    for (name, _) in &spec.sources {
        let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
        if !plain || name.is_empty() || name.starts_with(['.', '-']) {
            return wrong(format!("source name {name:?} is not a plain file name; leave out directories"));
        }
        if !files.insert(name) {
            return wrong(format!("source name {name} is given twice; rename one"));
        }
    }
    let mut ports = HashSet::new();
    for port in &spec.ports {
        if port.width == 0 {
            return wrong(format!("port {} has width 0; leave it out", port.name));
        }
        if !ports.insert(&port.name) {
            return wrong(format!("port {} is given twice; remove one", port.name));
        }
    }
    for clock in &spec.clocks {
        if !spec.ports.iter().any(|port| port.name == *clock && port.dir == Dir::Input && port.width == 1) {
            return wrong(format!("clock {clock} is not a 1-bit input among the ports; add it there"));
        }
    }
    Ok(())
}

fn load(spec: &ModelSpec, path: &Path) -> Result<Library, BuildError> {
    let failed = |source| BuildError::Load { path: path.to_owned(), source };
    // SAFETY: the file was made by `compile` under a key that covers the shim's text, so its initialisers are
    // Verilator's and each symbol has the type given in `Api`.
    unsafe {
        let code = libloading::Library::new(path).map_err(failed)?;
        macro_rules! symbol {
            ($name:literal) => {
                *code.get($name).map_err(failed)?
            };
        }
        let api = Api {
            new: symbol!(b"em_new\0"),
            free: symbol!(b"em_free\0"),
            port: symbol!(b"em_port\0"),
            eval: symbol!(b"em_eval\0"),
            tick: symbol!(b"em_tick\0"),
            cycles: symbol!(b"em_cycles\0"),
            finished: symbol!(b"em_finished\0"),
            dead: symbol!(b"em_dead\0"),
            failure: symbol!(b"em_failure\0"),
            output: symbol!(b"em_output\0"),
            clear_output: symbol!(b"em_clear_output\0"),
            trace_on: symbol!(b"em_trace_on\0"),
            trace_off: symbol!(b"em_trace_off\0"),
            coverage: symbol!(b"em_coverage\0"),
        };
        let index = spec.ports.iter().zip(0..).map(|(port, index)| (port.name.clone(), index)).collect();
        Ok(Library { api, spec: spec.clone(), index, path: path.to_owned(), _code: code })
    }
}
