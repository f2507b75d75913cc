//! The agent's model and limits, and the keys of services.

use std::sync::Arc;

use super::view::{KeepKey, KeyStatus, LocalModel, SettingsView};
use super::{Assistant, Error};
use crate::providers::preset::{Endpoint, Preset};
use crate::providers::secret::Secret;
use crate::settings::{self, ModelChoice, Settings};
use crate::supervisor::models;

impl Assistant {
    /// The settings and what they mean here and now.
    pub async fn settings(&self) -> Result<SettingsView, Error> {
        let settings = self.settings_in_force();
        let key = match &settings.endpoint {
            Some(endpoint) => self.key_status(endpoint).await,
            None => KeyStatus::NotNeeded,
        };
        Ok(SettingsView {
            settings: settings.as_ref().clone(),
            automatic_memory_writing: settings.automatic_memory_writing(),
            writing_trial: settings.writing_trial().cloned(),
            presets: Preset::ALL.map(Preset::view).to_vec(),
            key,
            local_models: self.local_models().await,
            data_folder: self.home.root().display().to_string(),
        })
    }

    /// Saves the settings; the next turn follows them.
    pub async fn save_settings(self: &Arc<Self>, settings: Settings) -> Result<SettingsView, Error> {
        let settings = checked(settings)?;
        let saved = settings.clone();
        self.store.write(move |tx| settings::save(tx, &saved)).await?;
        self.owe_trial(&settings);
        self.follow_settings(settings).await
    }

    /// Follows other settings until Atlas is closed; the saved ones stay.
    pub async fn use_settings_for_this_session(self: &Arc<Self>, settings: Settings) -> Result<SettingsView, Error> {
        self.follow_settings(checked(settings)?).await
    }

    async fn follow_settings(self: &Arc<Self>, settings: Settings) -> Result<SettingsView, Error> {
        let trial = self.settings_in_force().trial.clone();
        let settings = Arc::new(Settings { trial, ..settings });
        self.tune_engine(&settings);
        self.let_go_of_the_engine(&settings).await;
        self.put_in_force(|in_force| in_force.settings = settings);
        self.mind.wake();
        self.warm_up();
        self.settings().await
    }

    /// Whether the desktop may show notices.
    pub fn shows_notices(&self) -> bool {
        self.settings_in_force().notify
    }

    /// What may be known of a service's key.
    pub async fn key_status(&self, endpoint: &Endpoint) -> KeyStatus {
        self.keys.status(endpoint).await
    }

    /// Keeps a key, in the keychain or for this session.
    pub async fn save_key(&self, endpoint: &Endpoint, key: Secret, keep: KeepKey) -> Result<KeyStatus, Error> {
        self.keys.save(endpoint, key, keep).await?;
        Ok(self.key_status(endpoint).await)
    }

    /// Puts the key that the environment brought into the keychain, so that it is there without the environment too.
    pub async fn keep_environment_key(&self, endpoint: &Endpoint) -> Result<KeyStatus, Error> {
        self.keys.keep_environment_key(endpoint).await?;
        Ok(self.key_status(endpoint).await)
    }

    /// Forgets a key, in the keychain and for this session.
    pub async fn delete_key(&self, endpoint: &Endpoint) -> Result<KeyStatus, Error> {
        self.keys.delete(endpoint).await?;
        Ok(self.key_status(endpoint).await)
    }

    pub(super) async fn local_models(&self) -> Vec<LocalModel> {
        models::list(&self.home).await
    }
}

/// Settings as they are kept: in their ranges, without stray spaces.
fn checked(mut settings: Settings) -> Result<Settings, Error> {
    settings.check()?;
    settings.model = settings.model.trim().to_owned();
    settings.endpoint = settings.endpoint.map(normal_endpoint).transpose()?;
    settings.fallback_model = settings.fallback_model.map(trimmed).filter(|model| !model.is_empty());
    settings.fallback = settings.fallback.map(normal_choice).transpose()?;
    settings.webhook = settings.webhook.map(trimmed).filter(|address| !address.is_empty());
    Ok(settings)
}

fn trimmed(text: String) -> String {
    text.trim().to_owned()
}

fn normal_choice(choice: ModelChoice) -> Result<ModelChoice, Error> {
    Ok(ModelChoice { endpoint: normal_endpoint(choice.endpoint)?, model: trimmed(choice.model) })
}

/// An endpoint as it is kept: the address in one spelling.
pub(super) fn normal_endpoint(endpoint: Endpoint) -> Result<Endpoint, Error> {
    endpoint.normalized().map_err(|_| Error::Address)
}
