//! As much as is read of one file, unpacked: an archive of a few kilobytes can unpack to more than a disk holds.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

/// The most bytes of one import.
const MOST_BYTES: u64 = 1 << 30;
/// The most bytes of one file of notes: it is written by hand, or for one.
const MOST_NOTES: u64 = 16 << 20;

/// What is left to be read. Clones are one.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    left: Rc<Cell<u64>>,
    spent: Rc<Cell<bool>>,
}

impl Default for Budget {
    fn default() -> Self {
        Self::of(MOST_BYTES)
    }
}

impl Budget {
    pub fn of(bytes: u64) -> Self {
        Self { left: Rc::new(Cell::new(bytes)), spent: Rc::default() }
    }

    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// Whether somebody wanted to read more than there was.
    pub fn is_spent(&self) -> bool {
        self.spent.get()
    }

    /// A reader that fails where the budget ends.
    pub fn limit<R: BufRead>(&self, reader: R) -> Limited<R> {
        Limited { reader, budget: self.clone() }
    }

    /// The same, for a file of notes.
    pub fn limit_notes<R: BufRead>(&self, reader: R) -> Limited<R> {
        let budget = Self { left: Rc::new(Cell::new(MOST_NOTES)), spent: self.spent.clone() };
        Limited { reader, budget }
    }
}

/// A reader with an end.
pub(super) struct Limited<R> {
    reader: R,
    budget: Budget,
}

impl<R: BufRead> Limited<R> {
    fn take(&mut self, bytes: usize) {
        self.budget.left.set(self.budget.left().saturating_sub(bytes as u64));
    }

    fn check(&self) -> io::Result<()> {
        if self.budget.left() > 0 {
            return Ok(());
        }
        self.budget.spent.set(true);
        Err(io::ErrorKind::FileTooLarge.into())
    }
}

impl<R: BufRead> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(buffer.len());
        buffer[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Limited<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.check()?;
        self.reader.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.reader.consume(bytes);
        self.take(bytes);
    }
}
