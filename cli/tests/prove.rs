//! `em prove` and `em area`.

mod common;

use common::{Files, good, json, names, refused};

#[test]
fn an_unknown_block_is_refused_with_the_list() {
    for call in ["prove skidd", "prove skidd --json", "prove s"] {
        refused(call, &["there is no proof of `s", "skid, fifo_block, ", "arbiter."]);
    }
}

#[test]
fn a_block_is_proved() {
    let text = good("prove skid");
    for part in ["skid", "what is proved", " proved ", "depth"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn a_proof_as_json_with_its_files_kept() {
    let files = Files::new();
    let found = json(&format!("prove skid --json --keep {}", files.arg("kept/here")));
    let proofs = found["proofs"].as_array().unwrap();
    assert_eq!((proofs.len(), &found["holding"], &found["failing"]), (1, &1.into(), &0.into()));
    let skid = &proofs[0];
    assert_eq!((&skid["name"], &skid["proved"], &skid["covers_reached"]), (&"skid".into(), &true.into(), &true.into()));
    assert!(skid["assertions"].as_u64() > Some(0) && skid["covers"].as_u64() > Some(0) && skid["seconds"].is_f64());
    assert!(names(&files.path("kept/here/skid")).contains(&"skid.v".to_string()));
}

#[test]
fn area_has_four_blocks() {
    let found = json("area --json");
    let blocks: Vec<&str> = found["rows"].as_array().unwrap().iter().map(|r| r["block"].as_str().unwrap()).collect();
    assert_eq!(blocks, ["skid", "parser", "hash", "csum"]);
    for row in found["rows"].as_array().unwrap() {
        for key in ["luts", "ffs", "block_rams"] {
            assert!(row["hand_written"][key].is_u64() && row["emitted"][key].is_u64(), "{row}");
        }
        assert!(row["lut_ratio"].is_f64() && row["ff_ratio"].is_f64(), "{row}");
    }
}
