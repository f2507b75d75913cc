//! A damaged write-ahead log. SQLite takes what comes after the first damaged entry for what a crash left, and drops it without
//! a word; but transactions that were acknowledged may stand there.
//!
//! Each entry (a page as it is from then on) carries a checksum that goes on from the one before, so the entries after a damaged
//! one can still be told to be good. Where whole transactions stand there, the chain is made anew around the damaged page: a later
//! entry of the same page takes its place, and where there is none the page is emptied, so that it is found damaged.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::Path;

use super::error::StoreError;

/// The bytes of the log's head, and of an entry's before its page.
const HEAD: usize = 32;
const ENTRY: usize = 24;

/// What a log begins with; the last bit says in which order the bytes of its checksums are.
const MAGIC: u32 = 0x377f_0682;
/// The version of the format.
const VERSION: u32 = 3_007_000;

/// A checksum as it goes on from entry to entry.
type Sum = [u32; 2];

/// A log, parsed.
struct Log {
    bytes: Vec<u8>,
    page_size: usize,
    /// How many entries there are up to the last one of the log's present round; those of an earlier one stand behind.
    entries: usize,
    /// The head was damaged, and is made anew.
    lost_head: bool,
}

/// What was found of a damaged log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mended {
    /// Pages of which no later entry is known: they are empty now.
    pub emptied: usize,
}

/// Mends a damaged log of a database with pages of such a size. `None` where it is whole, or ends as a crash leaves it. The
/// damaged one is kept at `keep_at`.
pub(super) fn mend(log: &Path, page_size: usize, keep_at: &Path) -> Result<Option<Mended>, StoreError> {
    let bytes = match fs::read(log) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        bytes => bytes?,
    };
    let Some(mut parsed) = Log::of(bytes, page_size) else { return Ok(None) };
    let Some(damage) = parsed.damage() else { return Ok(None) };
    let mended = parsed.mend(&damage);
    if let Some(folder) = keep_at.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(log, keep_at)?;
    File::options().write(true).open(keep_at)?.sync_all()?;
    let new = log.with_extension("mended");
    fs::write(&new, &parsed.bytes)?;
    File::options().write(true).open(&new)?.sync_all()?;
    fs::rename(&new, log)?;
    Ok(Some(mended))
}

/// Which entries are damaged, among how many that count.
struct Damage {
    damaged: Vec<usize>,
    /// The last entry of the last whole transaction.
    last: usize,
}

impl Log {
    fn of(bytes: Vec<u8>, page_size: usize) -> Option<Self> {
        if bytes.len() < HEAD + ENTRY + page_size {
            return None;
        }
        let mut log = Self { bytes, page_size, entries: 0, lost_head: false };
        let is_head = number(&log.bytes, 0)? & !1 == MAGIC && number(&log.bytes, 8)? as usize == page_size;
        if !is_head || log.sum([0; 2], 0..24) != log.sum_at(24) {
            // A head is only torn by a crash where all that stands behind is in the database too: it can be said again.
            log.make_head();
        }
        let all = (log.bytes.len() - HEAD) / log.size();
        log.entries = (0..all).rposition(|entry| log.is_of_this_round(entry)).map_or(0, |last| last + 1);
        Some(log)
    }

    /// A head for the entries that follow.
    fn make_head(&mut self) {
        self.lost_head = true;
        let salts = self.start(0) + 8;
        self.bytes.copy_within(salts..salts + 8, 16);
        let page_size = u32::try_from(self.page_size).expect("a page is small");
        let magic = MAGIC | u32::from(cfg!(target_endian = "big"));
        for (at, number) in [(0, magic), (4, VERSION), (8, page_size), (12, 0)] {
            self.bytes[at..at + 4].copy_from_slice(&number.to_be_bytes());
        }
        self.put_sum(24, self.sum([0; 2], 0..24));
    }

    fn put_sum(&mut self, at: usize, sum: Sum) {
        self.bytes[at..at + 4].copy_from_slice(&sum[0].to_be_bytes());
        self.bytes[at + 4..at + 8].copy_from_slice(&sum[1].to_be_bytes());
    }

    fn size(&self) -> usize {
        ENTRY + self.page_size
    }

    fn start(&self, entry: usize) -> usize {
        HEAD + entry * self.size()
    }

    fn field(&self, entry: usize, at: usize) -> u32 {
        number(&self.bytes, self.start(entry) + at).expect("an entry is whole")
    }

    fn is_of_this_round(&self, entry: usize) -> bool {
        let start = self.start(entry);
        self.bytes[start + 8..start + 16] == self.bytes[16..24]
    }

    fn page(&self, entry: usize) -> u32 {
        self.field(entry, 0)
    }

    fn ends_transaction(&self, entry: usize) -> bool {
        self.field(entry, 4) != 0
    }

    fn sum_at(&self, at: usize) -> Sum {
        [at, at + 4].map(|at| number(&self.bytes, at).expect("a checksum is whole"))
    }

    fn sum(&self, from: Sum, range: std::ops::Range<usize>) -> Sum {
        let is_big_endian = self.bytes[3] & 1 == 1;
        let word = |bytes: &[u8]| {
            let bytes = [bytes[0], bytes[1], bytes[2], bytes[3]];
            if is_big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
        };
        self.bytes[range].chunks_exact(8).fold(from, |[a, b], pair| {
            let a = a.wrapping_add(word(&pair[..4])).wrapping_add(b);
            [a, b.wrapping_add(word(&pair[4..])).wrapping_add(a)]
        })
    }

    /// The checksum of an entry that goes on from another one.
    fn sum_of(&self, from: Sum, entry: usize) -> Sum {
        let start = self.start(entry);
        let head = self.sum(from, start..start + 8);
        self.sum(head, start + ENTRY..start + self.size())
    }

    /// `None` where nothing is damaged but what may have been under way when the last run ended.
    fn damage(&self) -> Option<Damage> {
        let mut from = self.sum_at(24);
        let mut damaged = Vec::new();
        for entry in 0..self.entries {
            let stored = self.sum_at(self.start(entry) + 16);
            // Nobody knows from what the first one went on where the head is lost.
            let is_known = entry > 0 || !self.lost_head;
            if !self.is_of_this_round(entry) || is_known && self.sum_of(from, entry) != stored {
                damaged.push(entry);
            }
            // What comes next went on from what was stored.
            from = stored;
        }
        let first = if self.lost_head { 0 } else { *damaged.first()? };
        let is_good = |entry: &usize| damaged.binary_search(entry).is_err();
        let last = (first..self.entries).rev().filter(is_good).find(|entry| self.ends_transaction(*entry))?;
        // A transaction that another one follows was acknowledged.
        let ended = (first..=last).find(|entry| self.ends_transaction(*entry))?;
        damaged.retain(|entry| *entry <= last);
        (self.lost_head || ended < last).then_some(Damage { damaged, last })
    }

    fn mend(&mut self, damage: &Damage) -> Mended {
        let pages_after = |log: &Self, entry: usize| -> HashSet<u32> {
            let good = |later: &usize| damage.damaged.binary_search(later).is_err();
            (entry + 1..=damage.last).filter(good).map(|later| log.page(later)).collect()
        };
        let mut emptied = 0;
        for entry in damage.damaged.iter().copied() {
            let (start, page_size) = (self.start(entry), self.page_size);
            // The salts of the head, in case they are what is damaged.
            self.bytes.copy_within(16..24, start + 8);
            if self.page(entry) == 0 {
                // No page has this number: it stands for one that a later entry has anyway.
                let good = self.start(damage.last);
                self.bytes.copy_within(good..good + 4, start);
                emptied += 1;
            }
            if !pages_after(self, entry).contains(&self.page(entry)) {
                self.bytes[start + ENTRY..start + ENTRY + page_size].fill(0);
                emptied += 1;
            }
        }
        self.bytes.truncate(self.start(damage.last + 1));
        let mut from = self.sum_at(24);
        for entry in 0..=damage.last {
            from = self.sum_of(from, entry);
            self.put_sum(self.start(entry) + 16, from);
        }
        Mended { emptied }
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}
