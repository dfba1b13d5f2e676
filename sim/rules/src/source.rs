//! The text being read: byte offsets to lines, and errors that name them.

use crate::RulesError;

/// A named text with its line starts.
pub(crate) struct Source<'s> {
    name: &'s str,
    pub(crate) text: &'s str,
    /// Byte offset of the first byte of each line.
    starts: Vec<usize>,
}

impl<'s> Source<'s> {
    pub(crate) fn new(name: &'s str, text: &'s str) -> Self {
        let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at + 1);
        Source { name, text, starts: std::iter::once(0).chain(ends).collect() }
    }

    pub(crate) fn name(&self) -> &str {
        self.name
    }

    /// The line, from 1, that the byte at `offset` stands on.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset)
    }

    pub(crate) fn fault(&self, line: usize, message: impl Into<String>) -> RulesError {
        RulesError::Fault { file: self.name.to_owned(), line, message: message.into() }
    }

    /// A TOML syntax error as one sentence with its line.
    pub(crate) fn syntax(&self, error: &toml::de::Error) -> RulesError {
        // At the end of a text without a last newline the span may lie behind it.
        let offset = error.span().map_or(0, |span| span.start.min(self.text.len().saturating_sub(1)));
        let line = self.line(offset);
        let what = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
        let text = self.text.lines().nth(line - 1).unwrap_or("").trim();
        self.fault(line, format!("not valid TOML: {what}. The line reads {}.", quoted(text)))
    }
}

/// `text` in double quotes, control characters escaped, cut to a readable length.
pub(crate) fn quoted(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() > MOST {
        let head: String = text.chars().take(MOST).collect();
        format!("{:?}", head + "…")
    } else {
        format!("{text:?}")
    }
}
