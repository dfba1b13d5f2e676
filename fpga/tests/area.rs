//! Writing hardware in the language costs no area.

#[test]
fn emitted_blocks_are_within_two_percent_of_hand_written_ones() {
    for row in em_fpga::area::compare().unwrap() {
        for (what, ratio) in [("lookup tables", row.lut_ratio()), ("flip-flops", row.ff_ratio())] {
            assert!((0.98..=1.02).contains(&ratio), "{}: {ratio:.3} of the {what}: {row:?}", row.block);
        }
        assert_eq!(row.emitted.block_rams, row.hand_written.block_rams, "{}", row.block);
    }
}
