//! Progress on a terminal; `indicatif` draws nothing elsewhere, and nothing is drawn beside `--json`.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// For work whose end is not known.
pub fn spinner(hidden: bool, message: impl Into<String>) -> ProgressBar {
    if hidden {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner().with_style(style("{spinner} {msg} ({elapsed})")).with_message(message.into());
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// For work on a number of frames; a spinner until their number is known.
pub fn frames(hidden: bool) -> ProgressBar {
    spinner(hidden, "reading")
}

/// Turns a bar of [`frames`] into one that shows how many are done.
pub fn show_frames(bar: &ProgressBar, done: u64, total: u64) {
    show(bar, "", done, total, "frames");
}

/// Turns a bar into one that shows how much of a number of things is done; an empty message leaves the one that is there.
pub fn show(bar: &ProgressBar, message: &'static str, done: u64, total: u64, things: &str) {
    if bar.length() != Some(total) {
        bar.set_style(style(&format!("{{msg}} [{{bar:40}}] {{pos}}/{{len}} {things}")));
        bar.set_length(total);
        if !message.is_empty() {
            bar.set_message(message);
        }
    }
    bar.set_position(done);
}
