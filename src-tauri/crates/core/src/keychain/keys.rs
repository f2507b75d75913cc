//! The keys of this run: what was typed for this session, what the keychain has, what the environment brought.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::status::last4;
use super::{Account, KeepKey, KeyPlace, KeyStatus, Keychain, KeychainError, Secret};
use crate::providers::preset::{Endpoint, KeyNeed};

/// How an environment variable is read.
type Environment = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Finds the key of a service: one for this session before the keychain's, the keychain's before the environment's.
///
/// A key from the environment is used for this run and never written, unless the person saves it.
pub struct Keys {
    keychain: Arc<dyn Keychain>,
    environment: Environment,
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    session: HashMap<Account, Secret>,
    /// What the keychain said, so that not every turn asks it. None is an answer, too.
    keychain: HashMap<Account, Option<Secret>>,
    /// Counts what was saved and deleted: an answer from before is not kept.
    changes: u64,
}

impl Keys {
    /// Keys of a keychain and of this process's environment.
    pub fn new(keychain: Arc<dyn Keychain>) -> Self {
        Self::with_environment(keychain, |name| std::env::var(name).ok())
    }

    /// The same with another environment.
    pub fn with_environment(
        keychain: Arc<dyn Keychain>,
        environment: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self { keychain, environment: Box::new(environment), memory: Mutex::default() }
    }

    /// The key of a service and where it is from; none where there is none, or the service wants none.
    ///
    /// Errors: the keychain's, where the key could be in it and in no other place.
    pub async fn key_for(&self, endpoint: &Endpoint) -> Result<Option<(Secret, KeyPlace)>, KeychainError> {
        let Some(account) = Account::of(endpoint) else { return Ok(None) };
        if let Some(key) = self.in_session(&account) {
            return Ok(Some((key, KeyPlace::Session)));
        }
        let environment = self.in_environment(&account);
        let in_keychain = match self.in_keychain(&account).await {
            // A keychain that does not answer is asked once: turns go on with the environment's key, or without one
            // where the service may do without.
            Err(error) if environment.is_some() || self.can_do_without(endpoint, error) => {
                self.remember(&account, None);
                None
            }
            found => found?,
        };
        let in_keychain = in_keychain.map(|key| (key, KeyPlace::Keychain));
        Ok(in_keychain.or(environment.map(|key| (key, KeyPlace::Environment))))
    }

    /// What may be known of a service's key. Asks the keychain anew where it had no key, so that it is also the way to
    /// try again.
    pub async fn status(&self, endpoint: &Endpoint) -> KeyStatus {
        let Some(account) = Account::of(endpoint) else { return KeyStatus::NotNeeded };
        self.memory().keychain.retain(|known, key| *known != account || key.is_some());
        match self.key_for(endpoint).await {
            Ok(Some((key, place))) => KeyStatus::Present { last4: last4(&key), place },
            Ok(None) => KeyStatus::Missing,
            Err(error) => KeyStatus::Unavailable { message: error.message() },
        }
    }

    /// Keeps a key, in place of the one that was there.
    ///
    /// Errors: the keychain's; the key is then kept nowhere. The built-in engine has no key: nothing is kept for it.
    pub async fn save(&self, endpoint: &Endpoint, key: Secret, keep: KeepKey) -> Result<(), KeychainError> {
        let Some(account) = Account::of(endpoint) else { return Ok(()) };
        match keep {
            KeepKey::InKeychain => {
                self.keychain.set(&account, &key).await?;
                let mut memory = self.changed_memory();
                memory.session.remove(&account);
                memory.keychain.insert(account, Some(key));
            }
            KeepKey::ThisSession => {
                self.changed_memory().session.insert(account, key);
            }
        }
        Ok(())
    }

    /// Puts the key that the environment brought into the keychain. Nothing happens where another key is in use.
    ///
    /// Errors: the keychain's; the key then counts for this run as before.
    pub async fn keep_environment_key(&self, endpoint: &Endpoint) -> Result<(), KeychainError> {
        match self.key_for(endpoint).await? {
            Some((key, KeyPlace::Environment)) => self.save(endpoint, key, KeepKey::InKeychain).await,
            _ => Ok(()),
        }
    }

    /// Forgets a service's key, in the keychain and for this session. One in the environment stays: it is not Atlas's.
    ///
    /// Errors: the keychain's; nothing is forgotten then.
    pub async fn delete(&self, endpoint: &Endpoint) -> Result<(), KeychainError> {
        match Account::of(endpoint) {
            Some(account) => self.delete_account(account).await,
            None => Ok(()),
        }
    }

    /// What people call the services that Atlas keeps a key of: in the keychain, where it can be asked, and for this
    /// session.
    pub async fn names(&self) -> Vec<String> {
        let mut accounts = self.keychain.accounts().await.unwrap_or_default();
        accounts.extend(self.memory().session.keys().cloned());
        accounts.sort();
        accounts.dedup();
        accounts.iter().map(|account| account.display_name().to_owned()).collect()
    }

    /// Forgets every key that Atlas keeps.
    ///
    /// Errors: the keychain's, at the first key that it does not give up.
    pub async fn delete_all(&self) -> Result<(), KeychainError> {
        let accounts = match self.keychain.accounts().await {
            Err(KeychainError::NoService) => Vec::new(),
            accounts => accounts?,
        };
        for account in accounts {
            self.delete_account(account).await?;
        }
        self.changed_memory().session.clear();
        Ok(())
    }

    async fn delete_account(&self, account: Account) -> Result<(), KeychainError> {
        match self.keychain.delete(&account).await {
            // Where there is no keychain, there is no key in it.
            Ok(()) | Err(KeychainError::NoService) => {}
            Err(error) => return Err(error),
        }
        let mut memory = self.changed_memory();
        memory.session.remove(&account);
        memory.keychain.remove(&account);
        Ok(())
    }

    fn in_session(&self, account: &Account) -> Option<Secret> {
        self.memory().session.get(account).cloned()
    }

    fn in_environment(&self, account: &Account) -> Option<Secret> {
        Secret::new((self.environment)(account.variable()?)?)
    }

    async fn in_keychain(&self, account: &Account) -> Result<Option<Secret>, KeychainError> {
        let (known, changes) = {
            let memory = self.memory();
            (memory.keychain.get(account).cloned(), memory.changes)
        };
        if let Some(known) = known {
            return Ok(known);
        }
        let found = self.keychain.get(account).await?;
        let mut memory = self.memory();
        if memory.changes == changes {
            memory.keychain.insert(account.clone(), found.clone());
        }
        Ok(found)
    }

    /// A server on the person's own computer works without a key as a rule, and without a keychain none was saved.
    fn can_do_without(&self, endpoint: &Endpoint, error: KeychainError) -> bool {
        error == KeychainError::NoService && endpoint.preset.key_need() != KeyNeed::Required
    }

    fn remember(&self, account: &Account, key: Option<Secret>) {
        self.memory().keychain.insert(account.clone(), key);
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed_memory(&self) -> MutexGuard<'_, Memory> {
        let mut memory = self.memory();
        memory.changes += 1;
        memory
    }
}

#[cfg(test)]
mod tests {
    use super::super::FakeKeychain;
    use super::*;
    use crate::providers::preset::Preset;

    struct Fixture {
        keychain: Arc<FakeKeychain>,
        keys: Keys,
    }

    /// Keys with an empty keychain, and an environment with or without a key for OpenRouter.
    fn fixture(environment: Option<&'static str>) -> Fixture {
        let keychain = Arc::new(FakeKeychain::new());
        let read = move |name: &str| environment.filter(|_| name == "OPENROUTER_API_KEY").map(str::to_owned);
        Fixture { keys: Keys::with_environment(keychain.clone(), read), keychain }
    }

    fn open_router() -> Endpoint {
        Preset::OpenRouter.endpoint()
    }

    fn secret(text: &str) -> Secret {
        Secret::new(text).unwrap()
    }

    async fn found(keys: &Keys, endpoint: &Endpoint) -> Result<Option<(String, KeyPlace)>, KeychainError> {
        Ok(keys.key_for(endpoint).await?.map(|(key, place)| (key.expose().to_owned(), place)))
    }

    fn some(key: &str, place: KeyPlace) -> Result<Option<(String, KeyPlace)>, KeychainError> {
        Ok(Some((key.to_owned(), place)))
    }

    #[tokio::test]
    async fn a_session_key_comes_before_the_keychains_and_that_before_the_environments() {
        let Fixture { keys, .. } = fixture(Some("sk-environment"));
        assert_eq!(found(&keys, &open_router()).await, some("sk-environment", KeyPlace::Environment));
        keys.save(&open_router(), secret("sk-kept"), KeepKey::InKeychain).await.unwrap();
        assert_eq!(found(&keys, &open_router()).await, some("sk-kept", KeyPlace::Keychain));
        keys.save(&open_router(), secret("sk-session"), KeepKey::ThisSession).await.unwrap();
        assert_eq!(found(&keys, &open_router()).await, some("sk-session", KeyPlace::Session));
        keys.delete(&open_router()).await.unwrap();
        assert_eq!(found(&keys, &open_router()).await, some("sk-environment", KeyPlace::Environment));
    }

    #[tokio::test]
    async fn a_key_from_the_environment_is_written_only_when_it_is_saved() {
        let Fixture { keys, keychain } = fixture(Some("sk-environment"));
        keys.key_for(&open_router()).await.unwrap();
        assert_eq!(keychain.contents(), []);
        keys.keep_environment_key(&open_router()).await.unwrap();
        assert_eq!(keychain.contents(), [("openrouter".to_owned(), "sk-environment".to_owned())]);
    }

    #[tokio::test]
    async fn a_key_for_this_session_never_reaches_the_keychain() {
        let Fixture { keys, keychain } = fixture(None);
        keys.save(&open_router(), secret("sk-session"), KeepKey::ThisSession).await.unwrap();
        assert_eq!(keychain.contents(), []);
        assert_eq!(keys.names().await, ["OpenRouter"]);
    }

    #[tokio::test]
    async fn the_keychain_is_asked_once_and_not_at_every_turn() {
        let Fixture { keys, keychain } = fixture(None);
        for _ in 0..3 {
            assert_eq!(found(&keys, &open_router()).await, Ok(None));
        }
        assert_eq!(keychain.reads(), 1);
    }

    #[tokio::test]
    async fn the_status_tells_the_end_of_a_key_and_where_it_is() {
        let Fixture { keys, .. } = fixture(None);
        assert_eq!(keys.status(&open_router()).await, KeyStatus::Missing);
        assert_eq!(keys.status(&Preset::BuiltIn.endpoint()).await, KeyStatus::NotNeeded);
        keys.save(&open_router(), secret("sk-or-v1-0123456789abcdef"), KeepKey::InKeychain).await.unwrap();
        let present = KeyStatus::Present { last4: "cdef".into(), place: KeyPlace::Keychain };
        assert_eq!(keys.status(&open_router()).await, present);
    }

    #[tokio::test]
    async fn a_locked_keychain_says_so_and_is_asked_again_when_the_person_tries_again() {
        let Fixture { keys, keychain } = fixture(None);
        keychain.set(&Account::named("openrouter"), &secret("sk-kept-0123456789")).await.unwrap();
        keychain.fail_with(KeychainError::Locked);
        assert_eq!(found(&keys, &open_router()).await, Err(KeychainError::Locked));
        let locked = KeyStatus::Unavailable { message: KeychainError::Locked.message() };
        assert_eq!(keys.status(&open_router()).await, locked);
        keychain.fail_with(None);
        let present = KeyStatus::Present { last4: "6789".into(), place: KeyPlace::Keychain };
        assert_eq!(keys.status(&open_router()).await, present);
    }

    #[tokio::test]
    async fn with_a_key_in_the_environment_a_keychain_that_hangs_holds_up_one_turn_at_most() {
        let Fixture { keys, keychain } = fixture(Some("sk-environment"));
        keychain.fail_with(KeychainError::TimedOut);
        for _ in 0..3 {
            assert_eq!(found(&keys, &open_router()).await, some("sk-environment", KeyPlace::Environment));
        }
        assert_eq!(keychain.reads(), 1);
    }

    #[tokio::test]
    async fn a_local_server_needs_no_keychain() {
        let Fixture { keys, keychain } = fixture(None);
        keychain.fail_with(KeychainError::NoService);
        assert_eq!(found(&keys, &Preset::Ollama.endpoint()).await, Ok(None));
        assert_eq!(keys.status(&Preset::Ollama.endpoint()).await, KeyStatus::Missing);
        assert_eq!(found(&keys, &open_router()).await, Err(KeychainError::NoService));
    }

    #[tokio::test]
    async fn a_key_that_the_keychain_refuses_is_kept_nowhere() {
        let Fixture { keys, keychain } = fixture(None);
        keychain.fail_with(KeychainError::Locked);
        let saved = keys.save(&open_router(), secret("sk-x"), KeepKey::InKeychain).await;
        assert_eq!(saved, Err(KeychainError::Locked));
        keychain.fail_with(None);
        assert_eq!(found(&keys, &open_router()).await, Ok(None));
    }

    #[tokio::test]
    async fn deleting_everything_names_and_takes_every_key() {
        let Fixture { keys, keychain } = fixture(None);
        let custom = Endpoint { preset: Preset::Custom, base_url: "https://models.example.com/v1".into() };
        keys.save(&open_router(), secret("sk-1"), KeepKey::InKeychain).await.unwrap();
        keys.save(&custom, secret("sk-2"), KeepKey::InKeychain).await.unwrap();
        keys.save(&Preset::OpenAi.endpoint(), secret("sk-3"), KeepKey::ThisSession).await.unwrap();
        assert_eq!(keys.names().await, ["models.example.com", "OpenAI", "OpenRouter"]);
        keys.delete_all().await.unwrap();
        assert_eq!(keychain.contents(), []);
        assert_eq!(keys.names().await, Vec::<String>::new());
        for endpoint in [open_router(), custom, Preset::OpenAi.endpoint()] {
            assert_eq!(found(&keys, &endpoint).await, Ok(None));
        }
    }

    #[tokio::test]
    async fn without_a_keychain_a_session_key_can_still_be_deleted() {
        let Fixture { keys, keychain } = fixture(None);
        keychain.fail_with(KeychainError::NoService);
        keys.save(&open_router(), secret("sk-session"), KeepKey::ThisSession).await.unwrap();
        keys.delete(&open_router()).await.unwrap();
        assert_eq!(found(&keys, &open_router()).await, Err(KeychainError::NoService));
        keys.delete_all().await.unwrap();
    }
}
