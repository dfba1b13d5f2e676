//! Emitted text, byte for byte, as a person has read and approved it. It is the same in every thread and process,
//! and every tool takes it.

#[path = "golden/blocks.rs"]
mod blocks;

use blocks::*;
use em_tools::{Tool, command, run};
use hdl::{Block, elaborate, verilog};
use std::{fmt::Write as _, fs, path::PathBuf, thread};

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden"))
}

fn text(block: &impl Block, options: &verilog::Options) -> String {
    verilog::emit_text(&elaborate(block).unwrap_or_else(|e| panic!("{e}")), options)
}

/// A block and its files, name and text.
type Emitted = (&'static str, Vec<(String, String)>);

fn emitted(name: &'static str, block: &impl Block) -> Emitted {
    (name, verilog::emit(&elaborate(block).unwrap_or_else(|e| panic!("{e}")), &verilog::Options::default()))
}

/// Every block.
fn all() -> Vec<Emitted> {
    vec![
        emitted("skid", &Skid { data_w: 64 }),
        emitted("reader", &Reader),
        emitted("chain", &Chain),
        emitted("histogram", &Histogram),
        emitted("events", &Events),
        emitted("credits", &Credits),
    ]
}

/// What is kept of a block: its modules but not its memories, whose texts are kept by shape.
fn kept(files: &[(String, String)]) -> String {
    let modules = files.iter().filter(|(name, _)| !name.starts_with("ram_"));
    modules.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n")
}

/// The lines that differ, each with two before and after.
fn difference(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same_head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - same_head;
    let same_tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let (old_end, new_end) = (old.len() - same_tail, new.len() - same_tail);
    let mut out = format!("from line {}:\n", same_head + 1);
    for (mark, lines) in [
        (' ', &old[same_head.saturating_sub(2)..same_head]),
        ('-', &old[same_head..old_end]),
        ('+', &new[same_head..new_end]),
        (' ', &old[old_end..(old_end + 2).min(old.len())]),
    ] {
        for line in lines {
            let _ = writeln!(out, "{mark} {line}");
        }
    }
    out
}

#[test]
fn the_text_is_as_approved() {
    let bless = std::env::var_os("EM_BLESS").is_some();
    let mut wrong = String::new();
    for (name, files) in all() {
        let text = kept(&files);
        let path = folder().join(format!("{name}.v"));
        if bless {
            fs::write(&path, &text).unwrap();
        }
        let approved = fs::read_to_string(&path).unwrap_or_default();
        if approved != text {
            let _ = writeln!(wrong, "tests/golden/{name}.v differs {}", difference(&approved, &text));
        }
    }
    assert!(wrong.is_empty(), "{wrong}if the new text is right: EM_BLESS=1 cargo test -p hdl --test golden");
}

#[test]
fn a_difference_is_shown_with_its_surroundings() {
    assert_eq!(difference("a\nb\nc\nd\ne\nf", "a\nb\nc\nX\ne\nf"), "from line 4:\n  b\n  c\n- d\n+ X\n  e\n  f\n");
    assert_eq!(difference("a\n", "a\nb\n"), "from line 2:\n  a\n+ b\n");
}

#[test]
fn the_text_is_the_same_in_every_thread() {
    let here = all();
    let others: Vec<_> = (0..4).map(|_| thread::spawn(all)).collect();
    for other in others {
        assert!(other.join().unwrap() == here);
    }
    assert!(all() == here, "and the second time");
}

#[test]
fn the_text_is_the_same_in_every_process() {
    // Hash tables are seeded anew in each process.
    if std::env::var_os("EM_GOLDEN_PRINT").is_some() {
        return all().iter().flat_map(|(_, files)| files).for_each(|(_, text)| println!("{text}"));
    }
    let print = || {
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        again.args(["--exact", "the_text_is_the_same_in_every_process", "--nocapture", "--test-threads=1"]);
        String::from_utf8(again.env("EM_GOLDEN_PRINT", "1").output().unwrap().stdout).unwrap()
    };
    let cut = |text: String| text.rsplit_once("test result").map(|(body, _)| body.to_string()).unwrap();
    let (first, second) = (cut(print()), cut(print()));
    assert!(first.contains("endmodule"), "it printed: {first}");
    assert_eq!(first, second);
    for (_, text) in all().iter().flat_map(|(_, files)| files) {
        assert!(first.contains(text.as_str()));
    }
}

#[test]
fn every_tool_takes_the_text() {
    for (name, files) in all() {
        let dir = tempfile::tempdir().unwrap();
        for (file, text) in &files {
            fs::write(dir.path().join(file), text).unwrap();
        }
        let names: Vec<&str> = files.iter().map(|(file, _)| file.as_str()).collect();
        let said = |tool: Tool, arguments: &[&str], files: &[&str]| {
            let mut command = command(tool).unwrap_or_else(|e| panic!("{e}"));
            command.current_dir(dir.path()).args(arguments).args(files);
            run(&mut command).unwrap_or_else(|e| panic!("{name}: {e}")).stderr.trim().to_string()
        };
        let lint = ["--lint-only", "-Wall", "--quiet", "--top-module", name];
        assert_eq!(said(Tool::Verilator, &lint, &names), "", "{name}");
        let with_properties = [&lint[..], &["--assert", "+define+EM_ASSERT"]].concat();
        assert_eq!(said(Tool::Verilator, &with_properties, &names), "", "{name} with its properties");
        assert_eq!(said(Tool::Icarus, &["-g2005", "-Wall", "-s", name, "-o", "all.vvp"], &names), "", "{name}");
        for read in ["read_verilog", "read_verilog -formal -D EM_ASSERT"] {
            let script = format!("{read} {}; hierarchy -check -top {name}; proc; check -assert", names.join(" "));
            said(Tool::Yosys, &["-q", "-p", &script], &[]);
        }
    }
}

#[test]
fn source_lines_are_appended_on_request() {
    let with_lines = text(&Credits, &verilog::Options { source_lines: true });
    let line = with_lines.lines().find(|l| l.contains("reg  [2:0] left;")).unwrap();
    let (code, place) = line.split_once("  // ").unwrap();
    assert_eq!(code.trim(), "reg  [2:0] left;");
    let (file, number) = place.rsplit_once(':').unwrap();
    assert!(file.ends_with("tests/golden/blocks.rs"), "{file}");
    let source = include_str!("golden/blocks.rs").lines().nth(number.parse::<usize>().unwrap() - 1).unwrap();
    assert_eq!(source.trim(), "let left = reg(3).reset(4);");
    // The comments are all that it adds.
    let stripped: String =
        with_lines.lines().map(|l| l.split_once("  // hdl/").map_or(l, |(code, _)| code).to_string() + "\n").collect();
    assert_eq!(stripped, text(&Credits, &verilog::Options::default()));
}
