//! The register map in its languages: complete, without overlaps, and valid where a tool is there to say so.

mod bus;

use bus::CONFIG;
use em_rtl::{
    config::Profile,
    csr::{ADDR_W, Area, Format, RegisterMap},
    manifest,
};
use std::{fs, path::Path, process::Command};

fn map() -> RegisterMap {
    CONFIG.map()
}

/// Every word of the map: its byte address, and the register or counter that it belongs to.
fn words(map: &RegisterMap) -> Vec<(u32, &str)> {
    let mut all: Vec<(u32, &str)> = map.registers.iter().map(|r| (r.offset, r.name.as_str())).collect();
    all.extend(map.counters.iter().flat_map(|c| [(c.offset, c.name.as_str()), (c.offset + 4, c.name.as_str())]));
    all.sort_unstable();
    all
}

#[test]
fn the_map_has_no_overlaps_and_every_word_lies_in_one_block() {
    let map = map();
    let words = words(&map);
    assert!(words.windows(2).all(|w| w[0].0 < w[1].0), "{words:?}");
    for (offset, name) in &words {
        assert!(offset % 4 == 0 && *offset < 1 << ADDR_W);
        assert_eq!(Area::ALL.iter().filter(|a| a.holds(*offset)).count(), 1, "{name}");
    }
    assert!(map.counters.iter().all(|c| c.offset % 8 == 0 && c.width <= 64));
    for r in &map.registers {
        let mut end = 0;
        for f in &r.fields {
            assert!(f.lsb >= end && f.lsb + f.width <= 32, "{} {}", r.name, f.name);
            end = f.lsb + f.width;
        }
        let mask = r.fields.iter().fold(0, |mask, f| mask | f.mask());
        assert_eq!(r.constant.unwrap_or(0) & !mask, 0, "{} has bits outside its fields", r.name);
    }
}

#[test]
fn every_language_names_everything() {
    let map = map();
    for format in [Format::Markdown, Format::Json, Format::C, Format::Rdl] {
        let text = map.text(format, "small").to_lowercase();
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{format:?}");
        for (_, name) in words(&map) {
            assert!(text.contains(&name.to_lowercase()), "{format:?} lacks {name}");
        }
        for field in map.registers.iter().flat_map(|r| &r.fields) {
            assert!(text.contains(field.name), "{format:?} lacks {}", field.name);
        }
    }
    let json: serde_json::Value = serde_json::from_str(&map.text(Format::Json, "small")).unwrap();
    assert_eq!(json["tables"][0]["rows"], 32);
    assert_eq!(json["registers"][0]["constant"], 0x4444_454d);
}

#[test]
fn the_page_in_docs_is_that_of_profile_ecp5() {
    let profile = Profile::named("ecp5").unwrap();
    let page = manifest::registers(&profile.config).text(Format::Markdown, &profile.name);
    assert!(
        include_str!("../../docs/registers.md") == page,
        "docs/registers.md is stale. Renew it with:\n    cargo run --release -p em -- regs --format md --profile ecp5 > docs/registers.md"
    );
}

/// A program that uses the header, compiled and run in both languages.
#[test]
fn the_header_compiles_as_c99_and_as_cpp_without_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("em_registers.h"), map().text(Format::C, "small")).unwrap();
    let program = "#include \"em_registers.h\"\n#include \"em_registers.h\"\n#include <stdio.h>\n\
        int main(void) {\n    printf(\"%x %x %x %x\\n\", EM_ID_VALUE, EM_TABLE_SLOT, EM_TABLE_SLOT_WAY_MASK >> EM_TABLE_SLOT_WAY_SHIFT, \
        EM_CNT_DROP_BAD_FRAME + EM_TABLE_NAT_RX_ROWS);\n    return 0;\n}\n";
    for (compiler, standard, source) in [("gcc", "-std=c99", "main.c"), ("g++", "-std=c++11", "main.cpp")] {
        fs::write(at(source), program).unwrap();
        let arguments = [standard, "-Wall", "-Wextra", "-pedantic", "-Werror", source, "-o", "main"];
        let Ok(compiled) = Command::new(compiler).args(arguments).current_dir(folder.path()).output() else {
            println!("skipped: there is no {compiler}");
            continue;
        };
        assert!(compiled.status.success(), "{compiler}: {}", String::from_utf8_lossy(&compiled.stderr));
        let printed = Command::new(at("main")).output().unwrap().stdout;
        assert_eq!(String::from_utf8_lossy(&printed).trim(), "4444454d 184 ff 520");
    }
}

/// The Accellera rules as the `systemrdl-compiler` package reads them, and the addresses that it finds.
#[test]
fn the_rdl_is_valid_and_has_the_same_addresses() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let of_project = root.join(".tools/bin/em-python");
    let pythons = [of_project.to_string_lossy().into_owned(), "python3".into()];
    let has_compiler =
        |p: &&String| Command::new(p).args(["-c", "import systemrdl"]).output().is_ok_and(|o| o.status.success());
    let Some(python) = pythons.iter().find(has_compiler) else {
        println!("skipped: the Python package systemrdl-compiler is not installed (scripts/setup check installs it)");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("em.rdl");
    let map = map();
    fs::write(&file, map.text(Format::Rdl, "small")).unwrap();
    let program = "import sys\nfrom systemrdl import RDLCompiler\nfrom systemrdl.node import RegNode\n\
        c = RDLCompiler()\nc.compile_file(sys.argv[1])\nroot = c.elaborate()\n\
        for n in root.top.descendants():\n    if isinstance(n, RegNode):\n        print(n.absolute_address, n.size, n.inst_name)\n";
    let ran = Command::new(python).args(["-c", program]).arg(&file).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    assert!(!said.contains("warning"), "{said}");
    let found = String::from_utf8_lossy(&ran.stdout).into_owned();
    let mut due: Vec<String> = map.registers.iter().map(|r| format!("{} 4 {}", r.offset, r.name)).collect();
    due.extend(map.counters.iter().map(|c| format!("{} 8 {}", c.offset, c.name)));
    let mut found: Vec<&str> = found.lines().collect();
    due.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, due);
}
