//! The drift view: what conduct was over time, as the window draws it.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, TimeZone, Utc};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::OFF;
use crate::behavior::conduct::ViolationKind;

/// How one answer was. It holds no text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ConductSample {
    /// When it was given.
    pub at: DateTime<Utc>,
    /// The model that gave it.
    pub model: String,
    /// The service of that model.
    pub provider: String,
    /// What it broke, each kind once.
    pub violations: Vec<ViolationKind>,
    /// How far it was in the role, 0 to 1; none where it said too little to be judged.
    pub on_role: Option<f64>,
}

/// What a stretch of time was like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct DriftView {
    /// Its days, oldest first; those without answers are left out.
    pub days: Vec<DriftDay>,
    /// The latest answers that broke a rule or left the role, newest first.
    pub latest: Vec<ConductSample>,
}

/// One day of conduct.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct DriftDay {
    /// Which day, where the person is: "2026-03-02".
    pub day: NaiveDate,
    /// How many answers there were.
    #[ts(type = "number")]
    pub answers: u32,
    /// How many of them broke a rule.
    #[ts(type = "number")]
    pub violations: u32,
    /// How far they were in the role, 0 to 1, on the average of those that could be judged; none where none could.
    pub on_role: Option<f64>,
    /// How many were out of it.
    #[ts(type = "number")]
    pub off_role: u32,
}

/// The days of these samples, oldest first, where `zone` says when a day begins.
pub fn by_day<Zone: TimeZone>(samples: &[ConductSample], zone: &Zone) -> Vec<DriftDay> {
    let mut days: BTreeMap<NaiveDate, Vec<&ConductSample>> = BTreeMap::new();
    for sample in samples {
        days.entry(sample.at.with_timezone(zone).date_naive()).or_default().push(sample);
    }
    days.into_iter().map(|(day, samples)| one_day(day, &samples)).collect()
}

fn one_day(day: NaiveDate, samples: &[&ConductSample]) -> DriftDay {
    let judged: Vec<f64> = samples.iter().filter_map(|sample| sample.on_role).collect();
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    DriftDay {
        day,
        answers: count(samples.len()),
        violations: count(samples.iter().filter(|sample| !sample.violations.is_empty()).count()),
        on_role: (!judged.is_empty()).then(|| judged.iter().sum::<f64>() / judged.len() as f64),
        off_role: count(judged.iter().filter(|on_role| **on_role < OFF).count()),
    }
}

#[cfg(test)]
mod tests {
    use chrono::FixedOffset;

    use super::*;

    fn sample(at: &str, violations: &[ViolationKind], on_role: Option<f64>) -> ConductSample {
        ConductSample {
            at: at.parse().unwrap(),
            model: "small".into(),
            provider: "OpenRouter".into(),
            violations: violations.to_vec(),
            on_role,
        }
    }

    #[test]
    fn days_begin_where_the_person_is() {
        let samples = [
            sample("2026-03-02T22:30:00Z", &[ViolationKind::ClaimsHuman, ViolationKind::LeakedKey], Some(0.25)),
            sample("2026-03-02T23:30:00Z", &[], Some(0.75)),
            sample("2026-03-03T08:00:00Z", &[], None),
            sample("2026-03-05T08:00:00Z", &[], None),
        ];
        let east = FixedOffset::east_opt(3_600).unwrap();
        let day = |day: &str, answers, violations, on_role, off_role| DriftDay {
            day: day.parse().unwrap(),
            answers,
            violations,
            on_role,
            off_role,
        };
        let expected = [
            day("2026-03-02", 1, 1, Some(0.25), 1),
            day("2026-03-03", 2, 0, Some(0.75), 0),
            day("2026-03-05", 1, 0, None, 0),
        ];
        assert_eq!(by_day(&samples, &east), expected);
        assert_eq!(by_day(&samples, &Utc)[0], day("2026-03-02", 2, 1, Some(0.5), 1));
    }
}
