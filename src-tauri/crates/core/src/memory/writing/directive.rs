//! What the person asks of memory itself.

use std::ops::Range;

/// What kind of order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderKind {
    Remember,
    Forget,
    DontStore,
    Seal,
    MaybeSeal,
    CallMe,
    Instruction,
}

/// An order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    pub kind: OrderKind,
    pub range: Range<usize>,
    pub object: Range<usize>,
}

/// Orders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Orders {
    pub orders: Vec<Order>,
}

impl Orders {
    pub fn rest(&self, said: &str) -> String {
        said.to_owned()
    }
    pub fn has(&self, kind: OrderKind) -> bool {
        self.orders.iter().any(|order| order.kind == kind)
    }
}

pub fn read(_said: &str) -> Orders {
    Orders::default()
}
