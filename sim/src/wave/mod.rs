//! Samples of signals as a text waveform, for failure messages and docs.
//!
//! ```
//! use em_sim::wave::{Track, render};
//! let tracks = [
//!     Track::bits("tvalid", [0, 1, 1, 0, 1]),
//!     Track::words("tdata", 16, [0, 0xAB, 0xAB, 0xAB, 0x1234]),
//! ];
//! assert_eq!(
//!     render(&tracks, 7),
//!     "\
//! cycle  |7    |8    |9    |10   |11
//! tvalid ______/‾‾‾‾‾‾‾‾‾‾‾\\_____/‾‾‾‾‾
//! tdata  |0000 |00ab             |1234
//! "
//! );
//! ```

use std::fmt::Write as _;

/// One signal over consecutive cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Track {
    /// Its name.
    pub name: String,
    /// Its width in bits.
    pub width: u32,
    /// A value for each cycle, as 64-bit words, lowest first.
    pub samples: Vec<Vec<u64>>,
}

impl Track {
    /// A one-bit signal.
    pub fn bits(name: &str, samples: impl IntoIterator<Item = u64>) -> Self {
        Self::words(name, 1, samples)
    }

    /// A signal of up to 64 bits.
    pub fn words(name: &str, width: u32, samples: impl IntoIterator<Item = u64>) -> Self {
        let samples = samples.into_iter().map(|value| vec![value]).collect();
        Self { name: name.to_owned(), width, samples }
    }

    /// The value of a sample in hex, with all digits of the width.
    fn hex(&self, sample: &[u64]) -> String {
        let digits = self.width.div_ceil(4).max(1);
        let digit = |index: u32| {
            let word = sample.get(index as usize / 16).copied().unwrap_or(0);
            char::from_digit((word >> (index % 16 * 4) & 0xF) as u32, 16).unwrap_or('?')
        };
        (0..digits).rev().map(digit).collect()
    }
}

/// Widest value shown in full, in hex digits; a longer one keeps its ends: the high digits, `..`, the low digits.
const SHOWN_DIGITS: usize = 16;

/// One line a signal, the same number of characters a cycle in all of them. One-bit signals are drawn as levels, wider ones as hex
/// with a `|` where the value changes. `first_cycle` numbers the first sample; a track with fewer samples ends early.
pub fn render(tracks: &[Track], first_cycle: u64) -> String {
    let cycles = tracks.iter().map(|track| track.samples.len()).max().unwrap_or(0);
    let name_width = tracks.iter().map(|track| track.name.chars().count()).chain([5]).max().unwrap_or(5);
    let shown = |track: &Track| (track.width.div_ceil(4) as usize).min(SHOWN_DIGITS);
    let wide = tracks.iter().filter(|track| track.width > 1);
    let digits = wide.map(shown).chain([(first_cycle + cycles as u64).to_string().len()]).max().unwrap_or(1);
    // The change mark and a space.
    let cell = digits + 2;
    let mut text = format!("{:name_width$} ", "cycle");
    for cycle in 0..cycles as u64 {
        let _ = write!(text, "|{:<1$}", first_cycle + cycle, cell - 1);
    }
    end_line(&mut text);
    for track in tracks {
        let _ = write!(text, "{:name_width$} ", track.name);
        let mut before: Option<&Vec<u64>> = None;
        for sample in &track.samples {
            let same = before.is_some_and(|before| before == sample);
            if track.width == 1 {
                let high = sample.first().is_some_and(|word| word & 1 == 1);
                let (level, edge) = if high { ('‾', '/') } else { ('_', '\\') };
                text.push(if same || before.is_none() { level } else { edge });
                text.extend(std::iter::repeat_n(level, cell - 1));
            } else if same {
                text.extend(std::iter::repeat_n(' ', cell));
            } else {
                let _ = write!(text, "|{:<1$}", shorten(&track.hex(sample)), cell - 1);
            }
            before = Some(sample);
        }
        end_line(&mut text);
    }
    text
}

fn shorten(hex: &str) -> String {
    if hex.len() <= SHOWN_DIGITS {
        return hex.to_owned();
    }
    let side = (SHOWN_DIGITS - 2) / 2;
    format!("{}..{}", &hex[..side], &hex[hex.len() - side..])
}

fn end_line(text: &mut String) {
    text.truncate(text.trim_end_matches(' ').len());
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_values_keep_their_ends() {
        let track = Track {
            name: "wide".into(),
            width: 128,
            samples: vec![vec![0x1111_2222_3333_4444, 0xAAAA_BBBB_CCCC_DDDD]],
        };
        assert_eq!(render(&[track], 0), "cycle |0\nwide  |aaaabbb..3334444\n");
    }

    #[test]
    fn nothing_is_still_a_line() {
        assert_eq!(render(&[], 3), "cycle\n");
    }
}
