//! A message to an address that the person gave, when a service crashes again and again. It says which service and what
//! is wrong, and nothing of what anybody wrote.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::Url;
use serde::Serialize;

use super::address::{Unsafe, safe};
use super::service::Notice;
use crate::clock::Clock;
use crate::providers::http::Http;

/// How long the other side has to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The rest before the second try; there is no third.
const REST: Duration = Duration::from_secs(2);

/// Why a message was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    /// The address is none.
    #[error("not an address")]
    BadAddress,
    /// The address is not encrypted.
    #[error("not an encrypted address")]
    NotEncrypted,
    /// Nobody answered.
    #[error("nobody answered")]
    NoAnswer,
    /// The other side did not take it.
    #[error("it was refused (HTTP status {0})")]
    Refused(u16),
}

impl WebhookError {
    /// A stable code to switch on.
    pub fn code(self) -> &'static str {
        match self {
            Self::BadAddress => "webhook_bad_address",
            Self::NotEncrypted => "webhook_not_encrypted",
            Self::NoAnswer => "webhook_no_answer",
            Self::Refused(_) => "webhook_refused",
        }
    }

    /// Whether the same call may work when it is made again.
    pub fn is_retryable(self) -> bool {
        match self {
            Self::NoAnswer => true,
            Self::Refused(status) => status == 429 || status >= 500,
            Self::BadAddress | Self::NotEncrypted => false,
        }
    }

    /// What happened and what to try, for people.
    pub fn message(self) -> &'static str {
        match self {
            Self::BadAddress => "The webhook is not an address. It begins with https://.",
            Self::NotEncrypted => "The webhook's address is not encrypted. Use one that begins with https://.",
            Self::NoAnswer => "The webhook could not be reached. Check its address and the internet connection.",
            Self::Refused(_) => "The webhook did not take the message. Check its address.",
        }
    }
}

/// What is sent.
#[derive(Serialize)]
struct Message<'a> {
    service: &'a str,
    event: &'static str,
    at: DateTime<Utc>,
    /// What is wrong, in a sentence; nothing where nobody knows.
    diagnosis: Option<&'static str>,
}

/// Whether an address can be a webhook.
pub fn check(address: &str) -> Result<(), WebhookError> {
    url(address).map(drop)
}

/// Sends a notice; once more where nobody answers.
pub async fn send(http: &Http, clock: &dyn Clock, address: &str, notice: &Notice) -> Result<(), WebhookError> {
    let url = url(address)?;
    let diagnosis = notice.diagnosis.map(|diagnosis| diagnosis.what());
    let message = Message { service: notice.service, event: "flapping", at: notice.at, diagnosis };
    match post(http, clock, &url, &message).await {
        Err(error) if error.is_retryable() => {
            clock.sleep(REST).await;
            post(http, clock, &url, &message).await
        }
        result => result,
    }
}

async fn post(http: &Http, clock: &dyn Clock, url: &Url, message: &Message<'_>) -> Result<(), WebhookError> {
    let client = http.client(url).map_err(|_| WebhookError::NoAnswer)?;
    let sent = tokio::select! {
        sent = client.post(url.clone()).json(message).send() => sent.map_err(|_| WebhookError::NoAnswer)?,
        () = clock.sleep(PATIENCE) => return Err(WebhookError::NoAnswer),
    };
    if sent.status().is_success() { Ok(()) } else { Err(WebhookError::Refused(sent.status().as_u16())) }
}

fn url(address: &str) -> Result<Url, WebhookError> {
    safe(address).map_err(|error| match error {
        Unsafe::BadAddress => WebhookError::BadAddress,
        Unsafe::NotEncrypted => WebhookError::NotEncrypted,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;
    use crate::clock::hand::HandClock;
    use crate::providers::error::Diagnosis;

    fn notice() -> Notice {
        let at = "2026-03-02T09:00:00Z".parse().unwrap();
        let log = vec!["loading /home/somebody/model.gguf".into()];
        Notice { service: "engine", at, until: at, diagnosis: Some(Diagnosis::ModelDamaged), log }
    }

    /// A server that answers with these statuses, one connection each, and gives what it was sent.
    async fn server(statuses: &'static [u16]) -> (String, tokio::task::JoinHandle<Vec<Value>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/hook", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move {
            let mut bodies = Vec::new();
            for status in statuses {
                let (mut stream, _) = listener.accept().await.unwrap();
                let (mut request, mut piece) = (String::new(), [0; 4096]);
                while !request.ends_with('}') {
                    let read = stream.read(&mut piece).await.unwrap();
                    request.push_str(std::str::from_utf8(&piece[..read]).unwrap());
                }
                let answer = format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                stream.write_all(answer.as_bytes()).await.unwrap();
                assert!(request.starts_with("POST /hook "), "{request}");
                bodies.push(serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap());
            }
            bodies
        });
        (address, serving)
    }

    #[tokio::test]
    async fn a_webhook_gets_what_is_wrong_and_nothing_of_a_person() {
        let (address, serving) = server(&[204]).await;
        assert_eq!(send(&Http::new(), &HandClock::new(), &address, &notice()).await, Ok(()));
        let expected = json!({
            "service": "engine",
            "event": "flapping",
            "at": "2026-03-02T09:00:00Z",
            "diagnosis": "The model's file is damaged or not whole.",
        });
        assert_eq!(serving.await.unwrap(), [expected]);
    }

    #[tokio::test]
    async fn a_webhook_is_tried_twice_and_no_third_time() {
        let (address, serving) = server(&[503, 500]).await;
        let clock = Arc::new(HandClock::new());
        let sending = tokio::spawn({
            let clock = clock.clone();
            async move { send(&Http::new(), clock.as_ref(), &address, &notice()).await }
        });
        let is_sent = || sending.is_finished();
        clock.turn_until("it is given up", Duration::from_millis(20), is_sent).await;
        assert_eq!(sending.await.unwrap(), Err(WebhookError::Refused(500)));
        assert_eq!(serving.await.unwrap().len(), 2);
    }

    #[tokio::test]
    async fn a_webhook_that_refuses_is_not_asked_again() {
        let (address, serving) = server(&[404]).await;
        assert_eq!(send(&Http::new(), &HandClock::new(), &address, &notice()).await, Err(WebhookError::Refused(404)));
        assert_eq!(serving.await.unwrap().len(), 1);
    }

    #[test]
    fn a_webhook_is_encrypted_or_on_this_computer() {
        assert_eq!(check("https://example.com/hook"), Ok(()));
        assert_eq!(check("http://localhost:9/hook"), Ok(()));
        assert_eq!(check("http://example.com/hook"), Err(WebhookError::NotEncrypted));
        assert_eq!(check("hook"), Err(WebhookError::BadAddress));
    }
}
