//! A keychain in memory, with faults at will: for tests of whatever opens an assistant. Nothing else uses it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::{Account, Keychain, KeychainError, Secret};

/// A keychain that lives as long as its value does.
#[derive(Default)]
pub struct FakeKeychain {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    keys: BTreeMap<Account, Secret>,
    fault: Option<KeychainError>,
    reads: usize,
}

impl FakeKeychain {
    /// An empty one that works.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fails every call like this from now on; none makes it work again.
    pub fn fail_with(&self, fault: impl Into<Option<KeychainError>>) {
        self.state().fault = fault.into();
    }

    /// How often a key was asked for.
    pub fn reads(&self) -> usize {
        self.state().reads
    }

    /// What is in it, as accounts and keys.
    pub fn contents(&self) -> Vec<(String, String)> {
        self.state().keys.iter().map(|(account, key)| (account.as_str().to_owned(), key.expose().to_owned())).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn working(&self) -> Result<MutexGuard<'_, State>, KeychainError> {
        let state = self.state();
        match state.fault {
            Some(fault) => Err(fault),
            None => Ok(state),
        }
    }
}

#[async_trait]
impl Keychain for FakeKeychain {
    async fn get(&self, account: &Account) -> Result<Option<Secret>, KeychainError> {
        self.state().reads += 1;
        Ok(self.working()?.keys.get(account).cloned())
    }

    async fn set(&self, account: &Account, key: &Secret) -> Result<(), KeychainError> {
        self.working()?.keys.insert(account.clone(), key.clone());
        Ok(())
    }

    async fn delete(&self, account: &Account) -> Result<(), KeychainError> {
        self.working()?.keys.remove(account);
        Ok(())
    }

    async fn accounts(&self) -> Result<Vec<Account>, KeychainError> {
        Ok(self.working()?.keys.keys().cloned().collect())
    }
}
