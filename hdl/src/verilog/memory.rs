//! Memory templates.
use crate::MemSpec;
pub(crate) fn memory_text(spec: &MemSpec) -> String {
    format!("// {spec:?}\n")
}
