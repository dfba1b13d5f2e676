//! Why a model could not be built or a call on it failed.

use std::path::PathBuf;

use super::Failure;

/// Building or loading a model failed.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A tool is not there.
    #[error("{0}")]
    ToolMissing(String),
    /// The spec contradicts itself.
    #[error("model {top}: {reason}")]
    Spec {
        /// Top module.
        top: String,
        /// What is wrong with it and the remedy.
        reason: String,
    },
    /// Verilator refused the Verilog.
    #[error("verilator refused {top}:\n{messages}")]
    Verilator {
        /// Top module.
        top: String,
        /// Verilator's first messages.
        messages: String,
    },
    /// The C++ compiler refused what Verilator made.
    #[error("the C++ compiler refused the model of {top}:\n{messages}")]
    Compile {
        /// Top module.
        top: String,
        /// The compiler's first messages.
        messages: String,
    },
    /// A port of the spec is not so in the Verilog.
    #[error("model {top}: port {port} {reason}")]
    Port {
        /// Top module.
        top: String,
        /// Port name.
        port: String,
        /// The difference.
        reason: String,
    },
    /// A file of the cache could not be read or written.
    #[error("{path}: {source}; set EM_CACHE to a writable directory if this is the model cache")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The shared object could not be loaded.
    #[error("{path} could not be loaded: {source}; delete the file to have it built again")]
    Load {
        /// The shared object.
        path: PathBuf,
        /// The cause.
        source: libloading::Error,
    },
}

/// A call on a model failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ModelError {
    /// An assertion of the Verilog failed during the call; the first of possibly several, see
    /// [`Model::failures`](super::Model::failures).
    #[error("{0}")]
    Failed(Box<Failure>),
    /// No such port.
    #[error("model {top} has no port {port}; it has: {known}")]
    NoPort {
        /// Top module.
        top: String,
        /// The name asked for.
        port: String,
        /// The names there are.
        known: String,
    },
    /// The model was built without what the call needs.
    #[error("model {top} was built without {what}; set it in the model's options")]
    NotBuilt {
        /// Top module.
        top: String,
        /// The missing option.
        what: &'static str,
    },
    /// A file could not be written.
    #[error("{path}: cannot be written; check the directory and its permissions")]
    Write {
        /// The file.
        path: PathBuf,
    },
}
