//! How the answers keep to the spec, over time.

use chrono::TimeDelta;

use super::view::health::DriftView;
use super::{Assistant, Error};
use crate::behavior::drift::{self, samples};
use crate::healing::timeline;
use crate::store::id::ConversationId;
use crate::turn::conduct::Conduct;

/// The most days that are shown.
const MOST_DAYS: u32 = 365;

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

    /// Measures an answer and keeps the figures. What cannot be kept is missing in the view.
    pub(super) async fn measure(&self, conduct: Conduct, conversation: ConversationId) {
        let (models, now, turn) = (self.index.models().clone(), self.clock.now(), conduct.turn);
        let earlier = self.store.read(move |conn| {
            let afresh = timeline::began_afresh(conn, conversation)?;
            samples::of_conversation(conn, conversation, afresh)
        });
        let Ok(earlier) = earlier.await else { return };
        let measured = tokio::task::spawn_blocking(move || conduct.measure(&earlier, &models, now)).await;
        if let Ok(sample) = measured {
            let _ = self.store.write(move |tx| samples::record(tx, turn, &sample)).await;
        }
    }
}
