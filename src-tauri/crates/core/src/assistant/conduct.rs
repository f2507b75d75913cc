//! How the answers keep to the spec, over time.

use chrono::TimeDelta;

use super::view::health::DriftView;
use super::{Assistant, Error};
use crate::behavior::drift::{self, ConductSample, samples};
use crate::healing::timeline;
use crate::store::id::{ConversationId, TurnId};
use crate::turn::conduct::Conduct;

/// The most days that are shown.
const MOST_DAYS: u32 = 365;

/// How the answer of a turn kept to the spec.
pub(super) struct Measured {
    pub(super) turn: TurnId,
    pub(super) sample: ConductSample,
}

impl Assistant {
    /// How the answers of the last days kept to the spec, today included.
    pub async fn drift(&self, days: u32) -> Result<DriftView, Error> {
        let now = self.clock.local_now();
        let first_day = now.date_naive() - TimeDelta::days(i64::from(days.clamp(1, MOST_DAYS)) - 1);
        let midnight = first_day.and_hms_opt(0, 0, 0).expect("every day has a midnight");
        let from = midnight.and_local_timezone(*now.offset()).single().map_or(now, |from| from).to_utc();
        let read = move |conn: &_| Ok((samples::since(conn, from)?, samples::latest_faulty(conn, from)?));
        let (all, latest) = self.store.read(read).await?;
        Ok(DriftView { days: drift::by_day(&all, now.offset()), latest })
    }

    /// Measures an answer. What cannot be measured is missing in the view.
    pub(super) async fn measure(&self, conduct: Conduct, conversation: ConversationId) -> Option<Measured> {
        let (models, now, turn) = (self.index.models().clone(), self.clock.now(), conduct.turn);
        let earlier = self.store.read(move |conn| {
            let afresh = timeline::began_afresh(conn, conversation)?;
            samples::of_conversation(conn, conversation, afresh)
        });
        let earlier = earlier.await.ok()?;
        let measured = tokio::task::spawn_blocking(move || conduct.measure(&earlier, &models, now)).await;
        Some(Measured { turn, sample: measured.ok()? })
    }
}
