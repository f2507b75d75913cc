//! One try of a download: asks for what is missing, and writes it down as it comes.

use std::path::Path;
use std::time::Duration;

use reqwest::header::{self, HeaderMap};
use reqwest::{Response, StatusCode, Url};
use tokio_util::sync::CancellationToken;

use super::Space;
use super::error::DownloadError;
use super::part::{Note, Part, Place};
use crate::clock::Clock;
use crate::providers::error::NetworkKind;
use crate::providers::http::{Http, is_loopback, request_error};
use crate::supervisor::address::{Unsafe, safe};
use crate::supervisor::models::gguf::{GgufError, MAGIC};

/// How long a server may be silent.
const SILENCE: Duration = Duration::from_secs(30);
/// How often a server may send elsewhere.
const REDIRECTS: usize = 5;
/// How much of the disk is left free, in bytes: a full one harms everything else.
const RESERVE: u64 = 200 << 20;
/// After so many bytes the room is looked at again.
const LOOK_EVERY: u64 = 64 << 20;

/// What a try is made with.
pub(super) struct Transfer<'a> {
    pub(super) http: &'a Http,
    pub(super) clock: &'a dyn Clock,
    pub(super) space: &'a Space,
    pub(super) folder: &'a Path,
    pub(super) place: &'a Place,
    pub(super) cancel: &'a CancellationToken,
    /// The length of the file, where the catalogue tells it; its sum is known then too.
    pub(super) expected: Option<u64>,
    /// The whole address.
    pub(super) address: Url,
    pub(super) note: Note,
}

/// Why a try ended before the file did.
#[derive(Debug, PartialEq)]
pub(super) enum Stopped {
    /// Another try may help.
    Again(DownloadError),
    /// No other try helps.
    Failed(DownloadError),
    /// The person cancelled it.
    Cancelled,
}

impl From<std::io::Error> for Stopped {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl Transfer<'_> {
    /// Loads what is missing. `told` hears how many bytes there are, and of how many.
    pub(super) async fn attempt(
        &mut self,
        part: &mut Part,
        told: &(dyn Fn(u64, Option<u64>) + Send + Sync),
    ) -> Result<(), Stopped> {
        if part.bytes() > 0 && self.note.total == Some(part.bytes()) {
            return Ok(());
        }
        if self.note.validator.is_none() && self.expected.is_none() {
            // Nothing tells whether the rest would belong to the same file.
            part.start_over().await?;
        }
        let mut response = self.ask(part.bytes()).await?;
        if part.bytes() > 0 && !self.goes_on(&response, part.bytes()) {
            part.start_over().await?;
            if response.status() != StatusCode::OK {
                response = self.ask(0).await?;
            }
        }
        if part.bytes() == 0 {
            self.take_note(&response)?;
        }
        let written = self.take_body(response, part, told).await;
        part.flush().await?;
        written?;
        match self.total() {
            Some(total) if part.bytes() < total => Err(Stopped::Again(DownloadError::Network(NetworkKind::Reset))),
            _ => Ok(()),
        }
    }

    /// How long the whole file is, as far as that is known.
    pub(super) fn total(&self) -> Option<u64> {
        self.expected.or(self.note.total)
    }

    /// Asks for the file from a byte on, and follows where the server sends.
    async fn ask(&self, from: u64) -> Result<Response, Stopped> {
        let mut url = self.address.clone();
        for _ in 0..=REDIRECTS {
            let client = self.http.client(&url).map_err(|error| Stopped::Again(error.into()))?;
            let mut request = client.get(url.clone()).header(header::ACCEPT_ENCODING, "identity");
            if from > 0 {
                request = request.header(header::RANGE, format!("bytes={from}-"));
                if let Some(validator) = &self.note.validator {
                    request = request.header(header::IF_RANGE, validator);
                }
            }
            let sent = self.in_time(request.send()).await?;
            let response = sent.map_err(|error| Stopped::Again(request_error(&error).into()))?;
            if !response.status().is_redirection() {
                return self.usable(response, from);
            }
            url = redirected(&url, &response)?;
        }
        Err(Stopped::Failed(DownloadError::BadAddress))
    }

    /// The response, where it is one to go on with.
    fn usable(&self, response: Response, from: u64) -> Result<Response, Stopped> {
        let status = response.status();
        match status.as_u16() {
            200 => Ok(response),
            206 | 416 if from > 0 => Ok(response),
            404 | 410 => Err(Stopped::Failed(DownloadError::NotFound)),
            408 | 425 | 429 | 500..=599 => Err(Stopped::Again(DownloadError::Server(status.as_u16()))),
            other => Err(Stopped::Failed(DownloadError::Refused(other))),
        }
    }

    /// Whether a response goes on where the part ends, with the same file.
    fn goes_on(&self, response: &Response, from: u64) -> bool {
        if response.status() != StatusCode::PARTIAL_CONTENT {
            return false;
        }
        let Some((begin, total)) = range(response.headers()) else { return false };
        let same_total = self.total().is_none_or(|known| total.is_none_or(|total| total == known));
        // Some servers take no notice of the condition that the file is still the same.
        let same_file = match (&self.note.validator, validator(response.headers())) {
            (Some(known), Some(now)) => *known == now,
            _ => true,
        };
        begin == from && same_total && same_file
    }

    /// Notes down what the server says of the whole file.
    fn take_note(&mut self, response: &Response) -> Result<(), Stopped> {
        self.note.validator = validator(response.headers());
        self.note.total = response.content_length();
        if let (Some(expected), Some(total)) = (self.expected, self.note.total)
            && expected != total
        {
            return Err(Stopped::Failed(DownloadError::OtherFile));
        }
        Ok(self.place.save(&self.note)?)
    }

    async fn take_body(
        &self,
        mut response: Response,
        part: &mut Part,
        told: &(dyn Fn(u64, Option<u64>) + Send + Sync),
    ) -> Result<(), Stopped> {
        let total = self.total();
        let mut look_at = part.bytes();
        loop {
            if part.bytes() >= look_at {
                self.check_room(total.unwrap_or(0).saturating_sub(part.bytes()))?;
                look_at = part.bytes() + LOOK_EVERY;
            }
            let came = self.in_time(response.chunk()).await?;
            let broken = |_| Stopped::Again(DownloadError::Network(NetworkKind::Reset));
            let Some(piece) = came.map_err(broken)? else { return Ok(()) };
            part.write(&piece).await?;
            if part.begin().len() == MAGIC.len() && part.begin() != MAGIC {
                return Err(Stopped::Failed(GgufError::NotGguf.into()));
            }
            if total.is_some_and(|total| part.bytes() > total) {
                return Err(Stopped::Failed(DownloadError::OtherFile));
            }
            told(part.bytes(), total);
        }
    }

    fn check_room(&self, missing: u64) -> Result<(), Stopped> {
        let Some(free) = (self.space)(self.folder) else { return Ok(()) };
        let needed = missing.saturating_add(RESERVE);
        if free >= needed {
            return Ok(());
        }
        Err(Stopped::Failed(DownloadError::DiskFull { missing: needed - free }))
    }

    /// Waits for a server, until it was silent for too long or the person has enough of it.
    async fn in_time<T>(&self, what: impl Future<Output = T>) -> Result<T, Stopped> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(Stopped::Cancelled),
            came = what => Ok(came),
            () = self.clock.sleep(SILENCE) => Err(Stopped::Again(DownloadError::Silent)),
        }
    }
}

/// An address that a model may be downloaded from.
pub(super) fn allowed(address: &str) -> Result<Url, DownloadError> {
    safe(address).map_err(|error| match error {
        Unsafe::BadAddress => DownloadError::BadAddress,
        Unsafe::NotEncrypted => DownloadError::NotEncrypted,
    })
}

/// Where a server sends. What is not on this computer does not lead into it.
fn redirected(from: &Url, response: &Response) -> Result<Url, Stopped> {
    let bad = || Stopped::Failed(DownloadError::BadAddress);
    let location = response.headers().get(header::LOCATION).and_then(|to| to.to_str().ok()).ok_or_else(bad)?;
    let url = allowed(from.join(location).map_err(|_| bad())?.as_str()).map_err(Stopped::Failed)?;
    if is_loopback(&url) && !is_loopback(from) { Err(bad()) } else { Ok(url) }
}

/// What names this very file: a strong tag, else when it was changed.
fn validator(headers: &HeaderMap) -> Option<String> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    text(header::ETAG).filter(|tag| !tag.starts_with("W/")).or_else(|| text(header::LAST_MODIFIED))
}

/// The first byte that comes, and how long the whole is: `bytes 100-199/200`.
fn range(headers: &HeaderMap) -> Option<(u64, Option<u64>)> {
    let text = headers.get(header::CONTENT_RANGE)?.to_str().ok()?.strip_prefix("bytes ")?;
    let (range, total) = text.split_once('/')?;
    let begin = range.split_once('-')?.0.trim().parse().ok()?;
    Some((begin, total.trim().parse().ok()))
}
