//! Nothing that a user can type makes the reader panic.

use em_rules::Rules;
use proptest::prelude::*;

const PAGE: &str = include_str!("../../../docs/rules.md");

fn example() -> &'static str {
    PAGE.split("```toml\n").last().unwrap().split_once("```").unwrap().0
}

/// Reads `bytes` as a file would be; an error must be one line that names the file and a line of it.
fn read(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Err(error) = Rules::parse(&text, "F.toml") {
        let message = error.to_string();
        let line = error.line().expect("a fault has a line");
        assert!(message.starts_with("F.toml:") && !message.contains('\n') && message.len() < 1000, "{message}");
        assert!((1..=text.split('\n').count()).contains(&line), "line {line} of {text:?}");
    }
}

/// Pieces that a mutation puts in.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..4),
        prop::sample::select(vec![
            "[",
            "]",
            "\"",
            "'''",
            "=",
            "\n",
            "{",
            "}",
            ".",
            "-1",
            "0x",
            "99999999999999999999",
            "nan",
            "1979-05-27",
            "true",
            "/33",
            "::",
            "ff:ff:ff:ff:ff:ff",
            "[[nat]]",
            "[port]",
            "\u{0}",
            "\u{85}",
            "é",
            "pipe:64",
            "_",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        read(&bytes);
    }

    #[test]
    fn mutated_files(edits in proptest::collection::vec((any::<prop::sample::Index>(), 0usize..12, piece()), 1..4)) {
        let mut bytes = example().as_bytes().to_vec();
        for (at, cut, piece) in edits {
            let from = at.index(bytes.len() + 1);
            let to = (from + cut).min(bytes.len());
            bytes.splice(from..to, piece);
        }
        read(&bytes);
    }

    #[test]
    fn shuffled_lines(lines in proptest::collection::vec(any::<prop::sample::Index>(), 0..30)) {
        let all: Vec<_> = example().lines().collect();
        let text: Vec<_> = lines.iter().map(|line| all[line.index(all.len())]).collect();
        read(text.join("\n").as_bytes());
    }
}
