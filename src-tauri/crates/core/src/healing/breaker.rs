//! placeholder
use super::FailureKind;
use chrono::{DateTime, Utc};
use std::sync::Arc;
#[derive(Clone, Default)]
pub struct Breakers(Arc<()>);
impl Breakers {
    pub fn not_before(&self, _p: &str, _o: bool, _n: DateTime<Utc>) -> Option<DateTime<Utc>> {
        None
    }
    pub fn answered(&self, _p: &str, _n: DateTime<Utc>) {}
    pub fn all(&self, _n: DateTime<Utc>) -> Vec<crate::assistant::view::health::ProviderHealthView> {
        Vec::new()
    }
    pub fn failed(&self, _p: &str, _k: &FailureKind, _n: DateTime<Utc>) {}
}
