//! A model of a design written in the language.

use super::{Dir, ModelSpec, Options, Port};

impl ModelSpec {
    /// The emitted Verilog of a design, every port and clock of its top reachable.
    pub fn of(design: &hdl::Design, options: Options) -> Self {
        let options = Options { registered_outputs: hdl::check::combinational_paths(design).is_empty(), ..options };
        let top = design.top();
        let port = |(name, dir, width): (String, hdl::ir::Dir, u32)| Port {
            name,
            dir: match dir {
                hdl::ir::Dir::In => Dir::Input,
                hdl::ir::Dir::Out => Dir::Output,
            },
            width,
        };
        let clocks = top.domains.iter().zip(&top.clocks_used).filter(|(_, used)| used.clk).map(|(d, _)| d.clk());
        ModelSpec {
            top: top.name.clone(),
            sources: hdl::verilog::emit(design, &hdl::verilog::Options::default()),
            ports: top.verilog_ports().into_iter().map(port).collect(),
            clocks: clocks.collect(),
            options,
        }
    }
}
