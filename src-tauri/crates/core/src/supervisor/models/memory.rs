//! How much memory a model needs, beside how much there is.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::gguf::{Header, KvHeads};

/// The bytes of one number of the key and value cache.
const CACHED: u64 = 2;
/// How many tokens the engine computes at once.
const BATCH: u64 = 512;
/// How many inner vectors it holds for each of them while it computes.
const VECTORS: u64 = 16;
/// What the engine takes itself, in bytes.
const ENGINE: u64 = 64 << 20;
/// The share of the memory that is left to everything else: a tenth.
const LEFT: u64 = 10;

/// What a model needs, all in bytes. An estimate from above: a model that looks at a part of the context only needs less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct MemoryNeed {
    /// For the model itself: its file.
    #[ts(type = "number")]
    pub model: u64,
    /// For what it keeps of the context.
    #[ts(type = "number")]
    pub context: u64,
    /// For computing, and for the engine.
    #[ts(type = "number")]
    pub overhead: u64,
    /// All three together.
    #[ts(type = "number")]
    pub needed: u64,
    /// What this computer has, where it tells.
    #[ts(type = "number | null")]
    pub total: Option<u64>,
    /// What of it is free now.
    #[ts(type = "number | null")]
    pub available: Option<u64>,
    /// Whether it fits.
    pub fit: MemoryFit,
}

/// Whether a model fits into the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum MemoryFit {
    /// As it is now.
    Fits,
    /// When other programs are closed.
    Tight,
    /// Not at all.
    TooLarge,
    /// This computer does not tell how much memory it has.
    Unknown,
}

/// The memory of this computer, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// What there is.
    pub total: u64,
    /// What of it is free.
    pub available: u64,
}

impl Memory {
    /// As it is now; within what this process may use, where that is less. None where the system does not tell. It blocks
    /// for a moment.
    pub fn now() -> Option<Self> {
        let mut system = sysinfo::System::new().ok()?;
        system.refresh_memory();
        let whole = Self { total: system.total_memory(), available: system.available_memory() };
        let within = system.cgroup_limits().map_or(whole, |limits| Self {
            total: whole.total.min(limits.total_memory),
            available: whole.available.min(limits.free_memory),
        });
        (within.total > 0).then_some(within)
    }
}

impl MemoryNeed {
    /// What a model of a file size needs with a context, beside a memory.
    pub fn of(header: &Header, file_bytes: u64, context_tokens: u32, memory: Option<Memory>) -> Self {
        // Where the header does not tell, more than any common model takes.
        let context = cache(header, u64::from(context_tokens)).unwrap_or(file_bytes / 4);
        let width =
            header.vocabulary.unwrap_or(0).saturating_add(header.embedding.unwrap_or(0).saturating_mul(VECTORS));
        let overhead = width.saturating_mul(BATCH * 4).saturating_add(ENGINE);
        Self::beside(file_bytes, context, overhead, memory)
    }

    /// The same before there is a file: what the context takes is not known yet, and is taken as a quarter.
    pub fn of_size(file_bytes: u64, memory: Option<Memory>) -> Self {
        Self::beside(file_bytes, file_bytes / 4, 4 * ENGINE, memory)
    }

    fn beside(model: u64, context: u64, overhead: u64, memory: Option<Memory>) -> Self {
        let needed = model.saturating_add(context).saturating_add(overhead);
        let fit = match memory {
            None => MemoryFit::Unknown,
            Some(memory) if needed <= memory.available => MemoryFit::Fits,
            Some(memory) if needed <= memory.total - memory.total / LEFT => MemoryFit::Tight,
            Some(_) => MemoryFit::TooLarge,
        };
        let (total, available) = memory.map(|memory| (memory.total, memory.available)).unzip();
        Self { model, context, overhead, needed, total, available, fit }
    }
}

/// The keys and values of a whole context, in bytes.
fn cache(header: &Header, context_tokens: u64) -> Option<u64> {
    let share = || header.embedding?.checked_div(header.heads?);
    let key = header.key_length.or_else(share)?;
    let value = header.value_length.or_else(share)?;
    let heads = match header.kv_heads {
        Some(KvHeads::All(heads)) => heads,
        Some(KvHeads::Each(heads)) => heads.checked_mul(header.layers?)?,
        None => header.heads?.checked_mul(header.layers?)?,
    };
    heads.checked_mul(key.checked_add(value)?)?.checked_mul(context_tokens)?.checked_mul(CACHED)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GB: u64 = 1_000_000_000;

    /// The starter model's header.
    fn starter() -> Header {
        Header {
            layers: Some(28),
            heads: Some(12),
            kv_heads: Some(KvHeads::Each(2)),
            embedding: Some(1536),
            vocabulary: Some(151_936),
            ..Header::default()
        }
    }

    #[test]
    fn a_model_needs_its_file_its_context_and_room_to_compute() {
        let memory = Some(Memory { total: 8 * GB, available: 4 * GB });
        let (model, context) = (1_117_320_736, 28 * 2 * (128 + 128) * 8192 * 2);
        let overhead = (151_936 + 1536 * 16) * 512 * 4 + (64 << 20);
        let expected = MemoryNeed {
            model,
            context,
            overhead,
            needed: model + context + overhead,
            total: Some(8 * GB),
            available: Some(4 * GB),
            fit: MemoryFit::Fits,
        };
        let need = MemoryNeed::of(&starter(), model, 8192, memory);
        assert_eq!(need, expected);
        let twice = MemoryNeed::of(&starter(), model, 16_384, memory);
        assert_eq!(twice.context, 2 * need.context);
    }

    #[test]
    fn whether_it_fits_is_told_for_now_and_for_an_empty_computer() {
        let fit = |available, total| MemoryNeed::of_size(2 * GB, Some(Memory { total, available })).fit;
        assert_eq!(fit(3 * GB, 4 * GB), MemoryFit::Fits);
        assert_eq!(fit(GB, 4 * GB), MemoryFit::Tight);
        assert_eq!(fit(GB, 2 * GB), MemoryFit::TooLarge);
        assert_eq!(MemoryNeed::of_size(2 * GB, None).fit, MemoryFit::Unknown);
    }

    #[test]
    fn a_header_that_says_impossible_things_gives_a_large_need_and_no_panic() {
        let memory = Some(Memory { total: GB, available: GB });
        let header = Header { layers: Some(u64::MAX), vocabulary: Some(u64::MAX), heads: Some(0), ..starter() };
        assert_eq!(MemoryNeed::of(&header, u64::MAX, u32::MAX, memory).fit, MemoryFit::TooLarge);
    }

    #[test]
    fn this_computer_has_memory() {
        let Memory { total, available } = Memory::now().unwrap();
        assert!(0 < available && available <= total, "{available} of {total}");
    }
}
