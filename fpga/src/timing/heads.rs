//! The figures at the head of each block's file: the end of its page, written from the record.

use super::{
    Record, Row,
    page::{clocks, counts, target},
};
use hdl::Design;
use std::{collections::BTreeMap, fmt::Write};

/// The heading below which a page's figures stand, to the end of the file's head.
const HEADING: &str = "//! # Area and clock";

/// The file that describes a block, from the project's folder: that of its type's module.
pub fn source(design: &Design) -> Option<String> {
    let block = design.top().block;
    let block = block.split_once('<').map_or(block, |(plain, _)| plain);
    let mut modules = block.split("::");
    let folder = match modules.next()? {
        "em_rtl" => "rtl/src",
        "hdl" => "hdl/src",
        _ => return None,
    };
    let mut modules: Vec<&str> = modules.collect();
    modules.pop();
    let place = [&[folder][..], &modules].concat().join("/");
    let root = em_tools::root()?;
    [format!("{place}.rs"), format!("{place}/mod.rs")].into_iter().find(|file| root.join(file).is_file())
}

/// The figures of each file that blocks of the record come from, as the lines that end its head.
pub fn heads(record: &Record) -> BTreeMap<String, String> {
    let mut rows: BTreeMap<&String, Vec<(&String, &Row)>> = BTreeMap::new();
    for (name, row) in &record.rows {
        if let Some(source) = &row.source {
            rows.entry(source).or_default().push((name, row));
        }
    }
    rows.into_iter().map(|(source, rows)| (source.clone(), head(record, &rows))).collect()
}

fn head(record: &Record, rows: &[(&String, &Row)]) -> String {
    let mut text = format!(
        "{HEADING}\n//!\n//! After routing, alone in a frame of registers, by {}; MHz: worst, median and best of three seeds.\n\
         //! `em timing record NAME` measures and writes this, `em timing check NAME` compares.\n//!\n\
         //! | name | part | LUTs | FFs | EBR | MHz | target |\n//! |---|---|---|---|---|---|---|\n",
        record.made_by()
    );
    for (name, row) in rows {
        writeln!(
            text,
            "//! | `{name}` | {} | {} | {} | {} |",
            row.part,
            counts(row.counts()),
            clocks(row),
            target(row)
        )
        .expect("a string takes everything");
    }
    text
}

/// The text of a file with these figures at the end of its head.
pub fn with_head(file: &str, figures: &str) -> String {
    let lines: Vec<&str> = file.lines().collect();
    let end = lines.iter().position(|line| !line.starts_with("//!")).unwrap_or(lines.len());
    let page = lines[..end].iter().position(|line| *line == HEADING).unwrap_or(end);
    let mut page = lines[..page].to_vec();
    while page.last() == Some(&"//!") {
        page.pop();
    }
    let mut text = page.join("\n");
    text += "\n//!\n";
    text += figures;
    for line in &lines[end..] {
        text += line;
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{super::tests::row, *};
    use crate::timing::subjects;

    const FILE: &str = "//! A block.\n//!\n//! 1. Its contract.\n\nuse hdl::*;\n";

    fn record(luts: u64) -> Record {
        let row = Row { source: Some("rtl/src/a.rs".into()), ..row(luts, &[150.0, 160.0, 170.0], Some(125.0)) };
        Record {
            tools: BTreeMap::from([("yosys".to_string(), "0.70".to_string())]),
            rows: BTreeMap::from([("small/a".to_string(), row.clone()), ("ecp5/a".into(), row)]),
            ..Record::default()
        }
    }

    #[test]
    fn figures_end_the_head_and_replace_older_ones() {
        let figures = &heads(&record(10))["rtl/src/a.rs"];
        let once = with_head(FILE, figures);
        assert!(
            once.starts_with("//! A block.\n//!\n//! 1. Its contract.\n//!\n//! # Area and clock\n//!\n"),
            "{once}"
        );
        assert!(
            once.contains("//! | `small/a` | LFE5UM5G-45F-8 | 10 | 20 | 0 | 150 / 160 / 170 | 125 |\n\nuse hdl::*;\n"),
            "{once}"
        );
        assert_eq!(with_head(&once, figures), once);
        let newer = with_head(&once, &heads(&record(11))["rtl/src/a.rs"]);
        assert_eq!(newer, once.replace("| 10 | 20 |", "| 11 | 22 |"));
    }

    #[test]
    fn every_subject_has_its_file() {
        for subject in subjects().unwrap() {
            let source = source(&subject.entry.design().unwrap());
            let source = source.unwrap_or_else(|| panic!("{}: no file", subject.name));
            let text = std::fs::read_to_string(em_tools::root().unwrap().join(&source)).unwrap();
            assert!(text.starts_with("//! "), "{}: {source} has no page", subject.name);
        }
    }
}
