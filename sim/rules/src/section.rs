//! One table of the file (`[[function]]`, `[port]`, …), read key by key.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::source::{Source, quoted};
use crate::{At, RulesError};

/// A table with the keys it may have. Each `(key, example)` pair also says what to write when the key is missing.
pub(crate) struct Section<'a, 'i> {
    source: &'a Source<'a>,
    title: &'static str,
    pub(crate) line: usize,
    table: &'a DeTable<'i>,
    keys: &'static [(&'static str, &'static str)],
}

impl<'a, 'i> Section<'a, 'i> {
    /// Takes `value` as a table and refuses keys that are not in `keys`.
    pub(crate) fn new(
        source: &'a Source<'a>,
        title: &'static str,
        keys: &'static [(&'static str, &'static str)],
        value: &'a Spanned<DeValue<'i>>,
    ) -> Result<Self, RulesError> {
        let line = source.line(value.span().start);
        let Some(table) = value.get_ref().as_table() else {
            return Err(source.fault(
                line,
                format!(
                    "{} stands where a table is expected. Write {title} and its keys below.",
                    show(value.get_ref())
                ),
            ));
        };
        let section = Section { source, title, line, table, keys };
        for key in table.keys() {
            if !keys.iter().any(|(known, _)| known == key.get_ref()) {
                let known: Vec<_> = keys.iter().map(|(known, _)| *known).collect();
                let line = source.line(key.span().start);
                return Err(source.fault(
                    line,
                    format!("{title} has no key {}. Its keys are {}.", quoted(key.get_ref()), known.join(", ")),
                ));
            }
        }
        Ok(section)
    }

    /// The value of `key` through `convert`, whose error continues the sentence "`key = value` in [[section]] …".
    pub(crate) fn opt<T>(
        &self,
        key: &'static str,
        convert: impl Fn(&DeValue<'i>) -> Result<T, String>,
    ) -> Result<Option<At<T>>, RulesError> {
        let Some(found) = self.table.iter().find(|(name, _)| name.get_ref() == key) else { return Ok(None) };
        let (name, value) = found;
        let line = self.source.line(name.span().start);
        match convert(value.get_ref()) {
            Ok(value) => Ok(Some(At { value, line })),
            Err(why) => {
                Err(self.source.fault(line, format!("`{key} = {}` in {} {why}.", show(value.get_ref()), self.title)))
            }
        }
    }

    /// As [`Section::opt`], the key being required.
    pub(crate) fn req<T>(
        &self,
        key: &'static str,
        convert: impl Fn(&DeValue<'i>) -> Result<T, String>,
    ) -> Result<At<T>, RulesError> {
        self.opt(key, convert)?.ok_or_else(|| self.missing(key, ""))
    }

    /// As [`Section::opt`], with a default, which takes the section's line.
    pub(crate) fn or<T>(
        &self,
        key: &'static str,
        default: T,
        convert: impl Fn(&DeValue<'i>) -> Result<T, String>,
    ) -> Result<At<T>, RulesError> {
        Ok(self.opt(key, convert)?.unwrap_or(At { value: default, line: self.line }))
    }

    /// A list, each element with its own line.
    pub(crate) fn list<T>(
        &self,
        key: &'static str,
        convert: impl Fn(&DeValue<'i>) -> Result<T, String>,
    ) -> Result<Vec<At<T>>, RulesError> {
        let Some((name, value)) = self.table.iter().find(|(name, _)| name.get_ref() == key) else {
            return Ok(Vec::new());
        };
        let Some(array) = value.get_ref().as_array() else {
            let line = self.source.line(name.span().start);
            let text = format!(
                "`{key} = {}` in {} is not a list. Write {}.",
                show(value.get_ref()),
                self.title,
                self.example(key)
            );
            return Err(self.source.fault(line, text));
        };
        let element = |value: &Spanned<DeValue<'i>>| {
            let line = self.source.line(value.span().start);
            convert(value.get_ref()).map(|value| At { value, line }).map_err(|why| {
                self.source.fault(line, format!("{} in `{key}` of {} {why}.", show(value.get_ref()), self.title))
            })
        };
        array.iter().map(element).collect()
    }

    /// The error for a `key` that this section needs, `because` (a clause with its leading space, or nothing).
    pub(crate) fn missing(&self, key: &str, because: &str) -> RulesError {
        let text = format!("this {} has no `{key}`{because}. Add one: {}.", self.title, self.example(key));
        self.source.fault(self.line, text)
    }

    fn example(&self, key: &str) -> String {
        let value = self.keys.iter().find(|(known, _)| *known == key).map_or("…", |(_, example)| example);
        format!("`{key} = {value}`")
    }
}

/// A value as the user wrote it, near enough to be recognised.
pub(crate) fn show(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => quoted(text),
        DeValue::Integer(number) => match number.radix() {
            16 => format!("0x{}", number.as_str()),
            8 => format!("0o{}", number.as_str()),
            2 => format!("0b{}", number.as_str()),
            _ => number.as_str().to_owned(),
        },
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Datetime(time) => time.to_string(),
        DeValue::Array(_) => "[…]".to_owned(),
        DeValue::Table(_) => "{…}".to_owned(),
    }
}
