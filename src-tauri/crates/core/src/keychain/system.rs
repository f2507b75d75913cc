//! The computer's own keychain: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use keyring_core::{CredentialStore, Entry, Error};
use tokio::sync::oneshot;
use zeroize::Zeroizing;

use super::{Account, Keychain, KeychainError, Secret};

/// The name under which the keychain groups Atlas's entries. Never change it: keys are found by it.
const SERVICE: &str = "Atlas";

/// How long an answer may take: long enough for a person to read a prompt and type a password.
const PATIENCE: Duration = Duration::from_secs(20);

/// The computer's own keychain.
///
/// Each call connects anew, so that a keychain which was missing, locked or restarted is simply found at the next try.
#[derive(Debug, Clone, Copy)]
pub struct SystemKeychain {
    service: &'static str,
    patience: Duration,
}

impl SystemKeychain {
    /// The keychain of the person that Atlas runs as.
    pub fn new() -> Self {
        Self { service: SERVICE, patience: PATIENCE }
    }

    /// Asks on a thread of its own: a call may wait for a person, and one that never returns must neither block the
    /// runtime nor keep Atlas from closing, as a runtime's own blocking thread would.
    async fn ask<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Arc<CredentialStore>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, KeychainError> {
        let (answer, answered) = oneshot::channel();
        let asking = move || {
            let result = open().map_err(|_| KeychainError::NoService).and_then(|store| ask(&store).map_err(meaning));
            // Nobody waits any more when the time was up.
            let _ = answer.send(result);
        };
        std::thread::Builder::new().name("keychain".into()).spawn(asking).map_err(|_| KeychainError::Failed)?;
        match tokio::time::timeout(self.patience, answered).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(KeychainError::Failed),
            Err(_) => Err(KeychainError::TimedOut),
        }
    }

    async fn ask_entry<T: Send + 'static>(
        &self,
        account: &Account,
        ask: impl FnOnce(&Entry) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, KeychainError> {
        let (service, account) = (self.service, account.clone());
        self.ask(move |store| ask(&Entry::new_in_store(store, service, account.as_str())?)).await
    }
}

impl Default for SystemKeychain {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Keychain for SystemKeychain {
    async fn get(&self, account: &Account) -> Result<Option<Secret>, KeychainError> {
        let found = self.ask_entry(account, read).await?;
        let Some(bytes) = found else { return Ok(None) };
        let text = std::str::from_utf8(&bytes).map_err(|_| KeychainError::Unreadable)?;
        Ok(Secret::new(text))
    }

    async fn set(&self, account: &Account, key: &Secret) -> Result<(), KeychainError> {
        let key = key.clone();
        self.ask_entry(account, move |entry| write(entry, key.expose().as_bytes())).await
    }

    async fn delete(&self, account: &Account) -> Result<(), KeychainError> {
        self.ask_entry(account, delete).await
    }

    async fn accounts(&self) -> Result<Vec<Account>, KeychainError> {
        let service = self.service;
        self.ask(move |store| {
            // Windows searches by a pattern over names of its own making; there, all entries are looked at.
            let spec = if cfg!(windows) { HashMap::new() } else { HashMap::from([("service", service)]) };
            let entries = store.search(&spec)?;
            let ours = entries.iter().filter_map(Entry::get_specifiers).filter(|(of, _)| of == service);
            let mut accounts: Vec<_> = ours.map(|(_, account)| Account::named(account)).collect();
            accounts.sort();
            accounts.dedup();
            Ok(accounts)
        })
        .await
    }
}

/// More than one entry for one account is another program's doing (an import, a second collection). Any of them is
/// then the key, all of them are written, and none may be left when it is deleted.
fn read(entry: &Entry) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
    let found = match entry.get_secret() {
        Err(Error::Ambiguous(entries)) => entries.first().ok_or(Error::NoEntry)?.get_secret(),
        found => found,
    };
    match found {
        Ok(bytes) => Ok(Some(Zeroizing::new(bytes))),
        Err(Error::NoEntry) => Ok(None),
        Err(error) => Err(error),
    }
}

fn write(entry: &Entry, key: &[u8]) -> Result<(), Error> {
    match entry.set_secret(key) {
        Err(Error::Ambiguous(entries)) => entries.iter().try_for_each(|entry| entry.set_secret(key)),
        written => written,
    }
}

fn delete(entry: &Entry) -> Result<(), Error> {
    match entry.delete_credential() {
        Err(Error::NoEntry) => Ok(()),
        Err(Error::Ambiguous(entries)) => entries.iter().try_for_each(Entry::delete_credential),
        deleted => deleted,
    }
}

/// The store's errors carry the bytes of entries; none of that goes further.
fn meaning(error: Error) -> KeychainError {
    match error {
        Error::NoStorageAccess(_) => KeychainError::Locked,
        Error::NoDefaultStore => KeychainError::NoService,
        Error::BadEncoding(bytes) | Error::BadDataFormat(bytes, _) => {
            drop(Zeroizing::new(bytes));
            KeychainError::Unreadable
        }
        Error::TooLong(..) => KeychainError::TooLong,
        _ => KeychainError::Failed,
    }
}

#[cfg(target_os = "linux")]
fn open() -> Result<Arc<CredentialStore>, Error> {
    Ok(zbus_secret_service_keyring_store::Store::new()?)
}

#[cfg(target_os = "macos")]
fn open() -> Result<Arc<CredentialStore>, Error> {
    Ok(apple_native_keyring_store::keychain::Store::new()?)
}

#[cfg(target_os = "windows")]
fn open() -> Result<Arc<CredentialStore>, Error> {
    Ok(windows_native_keyring_store::Store::new()?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos", target_os = "windows")))]
fn open() -> Result<Arc<CredentialStore>, Error> {
    Err(Error::NoDefaultStore)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::io::Write as _;
    use std::process::Command;

    use super::*;

    /// Entries of the tests never meet those of the person.
    fn keychain(service: &'static str) -> SystemKeychain {
        SystemKeychain { service, ..SystemKeychain::new() }
    }

    fn key(text: &str) -> Secret {
        Secret::new(text).unwrap()
    }

    #[tokio::test]
    async fn a_keychain_that_never_answers_is_given_up() {
        let impatient = SystemKeychain { patience: Duration::from_millis(1), ..SystemKeychain::new() };
        let (hold, held) = std::sync::mpsc::channel::<()>();
        let asked = impatient.ask(move |_| Ok(held.recv().is_ok())).await;
        drop(hold);
        // Without a keychain on this machine that is said even sooner.
        assert!(matches!(asked, Err(KeychainError::TimedOut | KeychainError::NoService)), "{asked:?}");
    }

    #[test]
    fn an_error_of_the_keychain_carries_no_bytes_of_a_key() {
        let bytes = b"sk-sentinel\xff".to_vec();
        let said = meaning(Error::BadEncoding(bytes));
        assert_eq!(said, KeychainError::Unreadable);
        assert!(!format!("{said:?} {said} {}", said.message()).contains("sentinel"));
    }

    #[tokio::test]
    async fn a_key_outlives_the_process_that_saved_it() {
        let keychain = keychain("Atlas test: processes");
        let account = Account::named("openrouter");
        if keychain.accounts().await == Err(KeychainError::NoService) {
            assert!(std::env::var_os("CI").is_none(), "CI has to bring a Secret Service: see .ci/headless");
            // Not eprintln, which the test harness would swallow.
            let message =
                "NOT TESTED: there is no Secret Service here. Run: bash .ci/headless cargo test -p atlas-core";
            writeln!(std::io::stderr(), "{message}").unwrap();
            return;
        }
        keychain.set(&account, &key("sk-first")).await.unwrap();
        keychain.set(&account, &key("sk-second")).await.unwrap();

        let other = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "keychain::system::tests::as_another_process", "--ignored", "--nocapture"])
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&other.stdout);
        assert!(printed.contains("read: sk-second\n"), "{printed}");

        assert_eq!(keychain.accounts().await, Ok(vec![account.clone()]));
        keychain.delete(&account).await.unwrap();
        keychain.delete(&account).await.unwrap();
        assert_eq!(keychain.get(&account).await.unwrap(), None);
        assert_eq!(keychain.accounts().await, Ok(Vec::new()));
    }

    /// The other process of the test above; by itself it finds nothing.
    #[tokio::test]
    #[ignore = "is started by another test"]
    async fn as_another_process() {
        let read = keychain("Atlas test: processes").get(&Account::named("openrouter")).await.unwrap();
        println!("read: {}", read.as_ref().map_or("nothing", Secret::expose));
    }

    #[test]
    fn a_computer_without_a_session_bus_has_no_keychain_and_that_is_said() {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "keychain::system::tests::as_a_process_without_a_bus", "--ignored", "--nocapture"])
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
            .env("XDG_RUNTIME_DIR", "/nowhere")
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&child.stdout);
        assert!(printed.contains("get: Err(NoService) set: Err(NoService)\n"), "{printed}");
    }

    /// The process of the test above: a bus address is read from the environment, which tests share.
    #[tokio::test]
    #[ignore = "is started by another test"]
    async fn as_a_process_without_a_bus() {
        let (keychain, account) = (keychain("Atlas test: no bus"), Account::named("openrouter"));
        let got = keychain.get(&account).await.map(|key| key.is_some());
        println!("get: {got:?} set: {:?}", keychain.set(&account, &key("sk-x")).await);
    }
}
