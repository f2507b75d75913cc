//! Wiping: each thing named and counted before it goes, and gone from the disk afterwards.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::view::{AppEvent, WipePlan, WipeScope};
use super::{Assistant, Error, InForce, load_in_force};
use crate::healing::timeline;
use crate::memory::conversation;
use crate::memory::forgetting::erase;
use crate::store::{StoreError, Transaction};
use crate::turn::record;

/// In their folder stands what a person put there too, which is not wiped.
const BACKUPS: &str = "backups";

impl Assistant {
    /// What a wipe would take.
    pub async fn wipe_plan(&self, scope: WipeScope) -> Result<WipePlan, Error> {
        let counts = self.memory_counts().await?;
        let mut items = vec![
            counted(counts.facts, "fact", "facts"),
            counted(counts.episodes, "episode", "episodes"),
            counted(counts.procedures, "procedure", "procedures"),
        ];
        if scope == WipeScope::Everything {
            let conversations = self.conversations("").await?.len() as i64;
            items.push(counted(conversations, "conversation", "conversations"));
            items.push("your behaviour and settings".to_owned());
            items.extend(self.keys.names().await.into_iter().map(|name| format!("the key for {name}")));
            for (name, folder) in self.folders() {
                items.extend(sized(name, folder).await);
            }
        }
        Ok(WipePlan { items: items.into_iter().filter(|item| !item.starts_with("0 ")).collect() })
    }

    /// Wipes. Turns and all other work are stopped first, and none begins meanwhile. What was wiped is gone from the disk
    /// when this returns, and nothing that was begun before it comes back.
    pub async fn wipe(&self, scope: WipeScope) -> Result<(), Error> {
        let _no_turns = self.running.hold();
        self.running.stop_all().await;
        self.end_temporary().await;
        let _stillness = self.mind.be_still().await;
        match scope {
            WipeScope::Memory => {
                let now = self.clock.now();
                self.store.write(move |tx| wipe_memory(tx, now)).await?;
                self.write_mirrors(true).await?;
            }
            WipeScope::Everything => self.wipe_everything().await?,
        }
        self.tell(AppEvent::ConversationsChanged);
        self.tell_memory_changed(Vec::new());
        // Where only the memory went, conversations may wait for their passages still.
        self.mind.wake();
        let backups = self.remove_backups().await;
        // Last: it needs room on the disk, and what it shortens holds nothing any more.
        self.store.compact().await?;
        backups
    }

    async fn wipe_everything(&self) -> Result<(), Error> {
        self.engine.forget().await;
        self.breakers.clear();
        // Keys first: where the keychain refuses, nothing else has gone yet and the person can try again.
        self.keys.delete_all().await?;
        self.forget_downloads().await?;
        let _no_mirrors = self.hold_mirrors().await;
        let now = self.clock.now();
        self.store
            .write(move |tx| {
                erase::wipe(tx, now)?;
                erase::wipe_traces(tx)?;
                conversation::wipe(tx)?;
                timeline::wipe(tx)?;
                tx.execute_batch("DELETE FROM spec_versions; DELETE FROM settings;")?;
                Ok(())
            })
            .await?;
        self.operational.wipe().await?;
        self.remove_mirrors().await.map_err(|_| Error::Files("the memory files".to_owned()))?;
        for (name, folder) in self.folders().into_iter().filter(|(name, _)| *name != BACKUPS) {
            remove(folder).await.map_err(|_| Error::Files(name.to_owned()))?;
        }
        let InForce { behavior, settings } = load_in_force(&self.store, self.clock.as_ref()).await?;
        self.tune_engine(&settings);
        self.put_in_force(|in_force| *in_force = InForce { behavior, settings });
        self.tell(AppEvent::ModelsChanged);
        self.tell(AppEvent::HealthChanged);
        Ok(())
    }

    /// Backups, and damaged files that were kept aside, hold what was wiped.
    async fn remove_backups(&self) -> Result<(), Error> {
        self.store.remove_backups().await.map_err(|_| Error::Files("the backups".to_owned()))
    }

    fn folders(&self) -> [(&'static str, PathBuf); 4] {
        [
            (BACKUPS, self.store.folder().join("backups")),
            ("damaged files", self.store.folder().join("damaged")),
            ("logs", self.home.logs()),
            ("downloaded models", self.home.own_models()),
        ]
    }
}

/// Memory, and what would be taken into it later from messages that are there already.
fn wipe_memory(tx: &Transaction<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
    record::settle_all(tx)?;
    erase::wipe(tx, now)
}

fn counted(count: i64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

async fn remove(folder: PathBuf) -> std::io::Result<()> {
    match tokio::fs::remove_dir_all(folder).await {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// "downloaded models: 1 file, 1.1 GB"; nothing for an empty folder.
async fn sized(name: &str, folder: PathBuf) -> Option<String> {
    let (files, bytes) = tokio::task::spawn_blocking(move || measure(&folder)).await.ok()?;
    (files > 0).then(|| format!("{name}: {}, {}", counted(files, "file", "files"), human(bytes)))
}

fn measure(folder: &Path) -> (i64, u64) {
    let Ok(entries) = std::fs::read_dir(folder) else { return (0, 0) };
    entries.flatten().fold((0, 0), |(files, bytes), entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => {
            let (more, size) = measure(&entry.path());
            (files + more, bytes + size)
        }
        Ok(metadata) => (files + 1, bytes + metadata.len()),
        Err(_) => (files, bytes),
    })
}

fn human(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.0} kB", (bytes as f64 / 1e3).max(1.0)),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_in_the_unit_that_people_read() {
        assert_eq!([10, 3_100_000, 1_117_320_768].map(human), ["1 kB", "3.1 MB", "1.1 GB"]);
    }
}
