//! What keys and values of the tables are made of, and the codes of table commands, in words.

use crate::lookup::{Operation, Table, TableStatus};
use hdl::Encode;

/// Key and value of each table: the parts from the lowest bit on, with their bits.
pub const LAYOUTS: [(Table, &str, &str); 5] = [
    (
        Table::NatTx,
        "inside address (32), function (16)",
        "outside address (32), index of the next hop (8), has a next hop (1), TTL is decremented (1)",
    ),
    (
        Table::NatRx,
        "outside address (32)",
        "inside address (32), function (16), destination MAC becomes the function's (1), TTL is decremented (1)",
    ),
    (Table::Mac, "MAC address of a function in mode pass (48)", "function (16)"),
    (Table::Function, "-", "mode (2): 0 nat, 1 pass, 2 drop; unmatched (2): 0 punt, 1 drop, 2 pass; MAC address (48)"),
    (Table::NextHop, "-", "MAC address (48)"),
];

const fn operation_doc(operation: Operation) -> &'static str {
    match operation {
        Operation::None => "refused",
        Operation::Insert => "insert key and value in the shadow bank",
        Operation::Delete => "delete the key in the shadow bank",
        Operation::Read => "read the slot",
        Operation::Commit => "the shadow bank becomes the active one",
        Operation::Sync => "the shadow bank becomes equal to the active one",
        Operation::Clear => "both banks become empty",
    }
}

/// Codes of TABLE_COMMAND.operation and TABLE_STATUS.status: name, code, meaning.
pub fn table_codes() -> Vec<(String, u64, &'static str)> {
    let operations =
        Operation::VARIANTS.iter().map(|(n, o)| (format!("table_op{}", snake(n)), o.encoded(), operation_doc(*o)));
    let results =
        TableStatus::VARIANTS.iter().map(|(n, s)| (format!("table_result{}", snake(n)), s.encoded(), s.doc()));
    operations.chain(results).collect()
}

/// `NotReady` to `_not_ready`.
fn snake(name: &str) -> String {
    let part = |c: char| if c.is_uppercase() { format!("_{}", c.to_lowercase()) } else { c.to_string() };
    name.chars().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csr::Reg;

    #[test]
    fn layouts_are_in_the_order_of_the_tables() {
        for (table, (of, ..)) in Table::ALL.iter().zip(LAYOUTS) {
            assert_eq!(*table, of);
        }
    }

    #[test]
    fn the_registers_fields_list_every_code() {
        let operations = Reg::TableCommand.field("operation").doc;
        let results = Reg::TableStatus.field("status").doc;
        for (name, code, doc) in table_codes() {
            let text = if name.starts_with("table_op_") { operations } else { results };
            let listed = text.split("; ").any(|part| part.starts_with(&format!("{code} ")));
            assert!(listed || name == "table_op_none", "{name} = {code}, {doc}: {text}");
        }
        assert_eq!(table_codes()[1], ("table_op_insert".into(), 1, "insert key and value in the shadow bank"));
    }
}
