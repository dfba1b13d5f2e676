//! Breaks long lines where a reader would: at the outermost operators and commas first, the continuation indented.

/// Characters of a line at most, if there is a place to break it.
const LIMIT: usize = 120;
/// Indent of a continuation, and of each level of brackets below it.
const INDENT: usize = 4;
/// Operators that a line is broken before.
const OPERATORS: [&str; 8] = [" & ", " | ", " ^ ", " + ", " - ", " * ", " ? ", " : "];

/// The text with its long lines broken. Comments and directives stay as they are.
pub(super) fn wrap(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let end = line.find("  // ").unwrap_or(line.trim_end_matches('\n').len());
        let (code, end) = line.split_at(end);
        let fixed = ["//", "`"].iter().any(|start| code.trim_start().starts_with(start)) || code.contains('"');
        if code.len() <= LIMIT || fixed {
            out += line;
            continue;
        }
        let indent = code.len() - code.trim_start().len();
        let mut lines = Lines { done: Vec::new(), current: " ".repeat(indent), empty: true };
        lines.put(code.trim_start(), indent);
        lines.done.push(lines.current);
        out += &lines.done.join("\n");
        out += end;
    }
    out
}

/// Lines as they are filled.
struct Lines {
    done: Vec<String>,
    current: String,
    /// Nothing but its indent is in the current line.
    empty: bool,
}

impl Lines {
    /// Appends `code`, whose continuation lines stand one step to the right of `indent`.
    fn put(&mut self, code: &str, indent: usize) {
        if self.fits(code) {
            self.append(code);
            return;
        }
        let pieces = pieces(code);
        if pieces.len() == 1 {
            self.append(code);
            return;
        }
        let inner = indent + INDENT;
        // A list of expressions rather than of names has a line for each.
        let each = pieces[0].ends_with(',') && pieces.iter().any(|piece| piece.len() > LIMIT / 2);
        for (i, piece) in pieces.into_iter().enumerate() {
            if !self.empty && (!self.fits(piece) || (each && i > 0)) {
                self.new_line(inner);
            }
            if self.fits(piece) { self.append(piece) } else { self.put(piece, inner) }
        }
    }

    fn fits(&self, code: &str) -> bool {
        self.current.len() + usize::from(!self.empty) + code.trim().len() <= LIMIT
    }

    fn append(&mut self, code: &str) {
        // A piece brings the space before it, unless it stands first.
        self.current += if self.empty { code.trim_start() } else { code };
        self.empty = false;
    }

    fn new_line(&mut self, indent: usize) {
        let line = std::mem::replace(&mut self.current, " ".repeat(indent));
        self.done.push(line.trim_end().to_string());
        self.empty = true;
    }
}

/// The pieces between the outermost places where a line can be broken.
fn pieces(code: &str) -> Vec<&str> {
    let breaks = breaks(code);
    let Some(outermost) = breaks.iter().map(|(_, level)| *level).min() else { return vec![code] };
    let mut pieces = Vec::new();
    let mut from = 0;
    for (at, _) in breaks.into_iter().filter(|(_, level)| *level == outermost) {
        pieces.push(&code[from..at]);
        from = at;
    }
    pieces.push(&code[from..]);
    pieces
}

/// What stands where a line can be broken: of two at the same depth of brackets a comma is further out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Comma,
    Operator,
}

/// Where a line can be broken, with the number of brackets that are open there: before an operator, behind a comma.
fn breaks(code: &str) -> Vec<(usize, (usize, Kind))> {
    let mut depth = 0usize;
    let mut breaks = Vec::new();
    for (at, c) in code.char_indices() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            ',' if code[at..].starts_with(", ") => breaks.push((at + 1, (depth, Kind::Comma))),
            ' ' if OPERATORS.iter().any(|operator| code[at..].starts_with(operator)) => {
                breaks.push((at, (depth, Kind::Operator)));
            }
            _ => {}
        }
    }
    breaks.retain(|(at, _)| *at > 0);
    breaks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn short_lines_comments_and_directives_stay() {
        let comment = format!("    // {}", "a & b, ".repeat(40));
        let text = format!("    assign a = b & c;\n{comment}\n`define A {}\n", "a | ".repeat(60));
        assert_eq!(wrap(&text), text);
    }

    #[test]
    fn a_comment_behind_the_code_stays_behind_it() {
        let code =
            format!("    wire total = {};", (0..30).map(|n| format!("term_{n}")).collect::<Vec<_>>().join(" & "));
        let wrapped = wrap(&format!("{code}\n"));
        assert_eq!(wrap(&format!("{code}  // a & b\n")), format!("{}  // a & b\n", wrapped.trim_end()));
    }

    #[test]
    fn outer_operators_are_broken_before_inner_ones() {
        let factor = |n: u32| format!("(left_{n} & right_hand_side_{n} & {{8{{enable_{n}}}}})");
        let sum: Vec<String> = (0..6).map(factor).collect();
        let text = format!("    wire [7:0] total = {};\n", sum.join(" | "));
        let wrapped = wrap(&text);
        assert_eq!(
            wrapped,
            "    wire [7:0] total = (left_0 & right_hand_side_0 & {8{enable_0}}) | (left_1 & right_hand_side_1 & {8{enable_1}})\n\
             \x20       | (left_2 & right_hand_side_2 & {8{enable_2}}) | (left_3 & right_hand_side_3 & {8{enable_3}})\n\
             \x20       | (left_4 & right_hand_side_4 & {8{enable_4}}) | (left_5 & right_hand_side_5 & {8{enable_5}});\n"
        );
    }

    #[test]
    fn a_list_is_filled_within_its_brackets() {
        let list: Vec<String> = (0..30).map(|n| format!("some_signal[{n}]")).collect();
        let wrapped = wrap(&format!("    assign word = {{{}}};\n", list.join(", ")));
        let lines: Vec<&str> = wrapped.lines().collect();
        assert!(lines[0].starts_with("    assign word = {some_signal[0],"), "{wrapped}");
        assert!(lines[1..].iter().all(|line| line.starts_with("        some_signal")), "{wrapped}");
        assert!(lines.iter().all(|line| line.len() <= LIMIT && line.len() > 30 && !line.ends_with(' ')), "{wrapped}");
    }

    #[test]
    fn only_white_space_changes_and_lines_end_where_they_can() {
        let deep = (0..40).fold("x".to_string(), |text, n| format!("(a_{n} ? {{b_{n}, c}} : {text})"));
        let text = format!("    assign deep = {deep};\n    wire {} = 1'b0;\n", "n".repeat(200));
        let wrapped = wrap(&text);
        assert_eq!(words(&wrapped), words(&text));
        assert_eq!(wrap(&wrapped), wrapped);
        assert!(wrapped.lines().filter(|line| !line.contains("nnn")).all(|line| line.len() <= 2 * LIMIT), "{wrapped}");
    }
}
