//! The key of keyed hashes. It stands beside the database and not in it: who has the database alone cannot try out texts
//! against its hashes.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use super::error::StoreError;

/// The key, 32 random bytes.
pub(super) type Key = [u8; 32];

/// The key of databases that are made for a test.
#[cfg(test)]
pub(super) const FIXED: Key = [7; 32];

/// The file in an agent's folder.
const FILE: &str = "tombstone.key";

/// An agent's key, made at its first start. A file that cannot be a key is replaced.
pub(super) fn of(folder: &Path) -> Result<Key, StoreError> {
    let path = folder.join(FILE);
    match read(&path) {
        Ok(Some(key)) => Ok(key),
        Ok(None) => make(&path).map_err(|error| StoreError::Folder(error.kind())),
        Err(error) => Err(StoreError::Folder(error.kind())),
    }
}

fn read(path: &Path) -> std::io::Result<Option<Key>> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(33).read_to_end(&mut bytes)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(bytes.try_into().ok())
}

/// Written whole under another name first: a crash leaves no half of a key.
fn make(path: &Path) -> std::io::Result<Key> {
    let key: Key = rand::random();
    let new = path.with_extension("new");
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&new)?;
    file.write_all(&key)?;
    file.sync_all()?;
    std::fs::rename(&new, path)?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_is_the_persons_alone() {
        let folder = tempfile::tempdir().unwrap();
        let key = of(folder.path()).unwrap();
        assert_eq!(of(folder.path()).unwrap(), key);
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::PermissionsExt::mode(
                &std::fs::metadata(folder.path().join(FILE)).unwrap().permissions(),
            );
            assert_eq!(mode & 0o777, 0o600);
        }
        std::fs::write(folder.path().join(FILE), "half a key").unwrap();
        assert_ne!(of(folder.path()).unwrap(), key);
    }
}
