//! The body of ECP5 primitives behaves as the generic one: both are run side by side in Icarus, with this project's own
//! models of the primitives (`ecp5/models.v`).

mod common;

use common::{
    bench::{bench, icarus},
    plain, words,
};
use hdl::{
    MemSpec,
    memory::MemKind::{self, *},
    verilog::memory_text,
};

/// Runs both bodies with random stimulus that avoids what is undefined; what the bench prints.
fn run(spec: &MemSpec, ecp5: &str) -> String {
    let models = include_str!("ecp5/models.v").to_string();
    icarus(&[bench(spec, "ecp5"), memory_text(spec), models, format!("`define EM_TECH_ECP5\n{ecp5}")])
}

fn ecp5_text(spec: &MemSpec) -> String {
    let name = spec.module_name();
    memory_text(spec).replace(&format!("module {name} ("), &format!("module {name}_ecp5 ("))
}

fn agrees(spec: MemSpec) {
    assert_eq!(run(&spec, &ecp5_text(&spec)), "agree", "{}", spec.module_name());
}

fn registered(kind: MemKind, depth: u32, width: u32, lane: Option<u32>, two_clocks: bool) -> MemSpec {
    MemSpec { latency: 2, lane, two_clocks, ..plain(kind, depth, width) }
}

#[test]
fn simple_dual_port() {
    for (depth, width, lane) in [
        (512, 36, None),
        (100, 70, None),
        (1500, 36, None),
        (3000, 9, None),
        (4096, 4, None),
        (9000, 2, None),
        (20000, 1, None),
        (512, 64, Some(8)),
        (1500, 32, Some(16)),
        (2048, 18, Some(9)),
        (2048, 8, Some(8)),
    ] {
        for two_clocks in [false, true] {
            agrees(registered(SimpleDual, depth, width, lane, two_clocks));
            agrees(MemSpec { output_enable: true, ..registered(SimpleDual, depth, width, lane, two_clocks) });
        }
    }
}

#[test]
fn true_dual_port() {
    for (depth, width, lane) in [
        (512, 36, None),
        (1500, 40, None),
        (4096, 4, None),
        (1024, 32, Some(8)),
        (1500, 32, Some(16)),
        (4096, 8, Some(8)),
    ] {
        for two_clocks in [false, true] {
            agrees(registered(TrueDual, depth, width, lane, two_clocks));
        }
    }
}

#[test]
fn contents() {
    let filled = |kind, depth, width, lane| MemSpec {
        init: Some(words(depth, width)),
        ..registered(kind, depth, width, lane, false)
    };
    for (depth, width) in [(1500, 20), (2048, 9), (4096, 4), (8192, 2), (64, 36)] {
        agrees(filled(Rom, depth, width, None));
        agrees(filled(SimpleDual, depth, width, None));
        agrees(filled(TrueDual, depth, width, None));
    }
    agrees(filled(SimpleDual, 1500, 32, Some(8)));
    agrees(filled(TrueDual, 1500, 32, Some(16)));
}

/// The bench sees a block without its register, a wrong row, a lost byte enable.
#[test]
fn a_broken_body_differs() {
    let spec = registered(SimpleDual, 3000, 32, Some(8), false);
    let good = ecp5_text(&spec);
    for (from, to) in [
        ("REGMODE_B(\"OUTREG\")", "REGMODE_B(\"NOREG\")"),
        ("out_row <= read_row", "out_row <= raddr[11:10]"),
        ("byte_en[2 * col +: 2]", "2'b11"),
    ] {
        assert!(good.contains(from), "{from}\n{good}");
        assert_eq!(run(&spec, &good.replace(from, to)), "differ", "{from}");
    }
}
