//! What is wrong before anything is sent, or on the way.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};

use atlas_core::keychain::KeychainError;
use atlas_core::providers::Reach;
use atlas_core::providers::preset::{Endpoint, Preset};
use atlas_tests::agent::Agent;

use super::{RETRIED, SOON, with_names};

/// What is wrong before anything is sent.
pub(super) struct Local {
    pub failure: &'static str,
    /// Whom the settings name.
    endpoint: Option<Endpoint>,
    /// What the keychain does.
    keychain: Option<KeychainError>,
    /// How services are reached.
    reach: Reach,
    code: &'static str,
    pub sees: &'static str,
    pub tried: &'static [&'static str],
}

/// A server that answers this to whoever connects, whatever they say. It lives as long as the process.
fn answers(response: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free loopback port");
    let address = listener.local_addr().expect("a bound socket has an address");
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for mut stream in listener.incoming().flatten() {
            // Who answers before it was asked anything is not heard.
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(response.as_bytes());
            // It is not closed: the client is to read what was said.
            open.push(stream);
        }
    });
    address
}

/// A proxy that answers this to whatever it is asked for.
fn proxy(response: &'static str) -> reqwest::Proxy {
    reqwest::Proxy::all(format!("http://{}", answers(response))).expect("an address")
}

/// A server whose queue of connections is full: it takes no more, and refuses none.
fn accepts_nobody() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free loopback port");
    let address = listener.local_addr().expect("a bound socket has an address");
    let mut waiting = Vec::new();
    while let Ok(stream) = TcpStream::connect_timeout(&address, SOON) {
        waiting.push(stream);
    }
    // As long as the process lives.
    Box::leak(Box::new((listener, waiting)));
    address
}

pub(super) fn locals() -> Vec<Local> {
    let at = |base_url: String| Some(Endpoint { preset: Preset::Custom, base_url });
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let encrypted = at(format!("https://{}/v1", answers("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")));
    let local = |failure, endpoint, code, sees, tried| Local {
        failure,
        endpoint,
        keychain: None,
        reach: Reach::default(),
        code,
        sees,
        tried,
    };
    let elsewhere = || at("http://192.0.2.1/v1".to_owned());
    let through = |response| Reach { proxy: Some(proxy(response)), ..Reach::default() };
    vec![
        local("no model chosen yet", None, "not_set_up", "No model has been chosen yet.", &[]),
        local(
            "no engine or model file",
            Some(Preset::BuiltIn.endpoint()),
            "engine_missing",
            "The built-in engine or its model is not on this computer.",
            &[],
        ),
        Local {
            keychain: Some(KeychainError::Locked),
            ..local(
                "locked keychain",
                Some(Preset::OpenRouter.endpoint()),
                "keychain",
                "The key for OpenRouter could not be read.",
                &[],
            )
        },
        local(
            "nothing runs at the address",
            at(format!("http://{closed}/v1")),
            "network",
            "S does not answer: nothing runs at its address.",
            &["retry", "wait", "wait"],
        ),
        local(
            "no trusted encryption",
            encrypted,
            "network",
            "No trusted encrypted connection to S could be made.",
            &[],
        ),
        Local {
            reach: Reach { connect: SOON, ..Reach::default() },
            ..local(
                "no connection in time",
                at(format!("http://{}/v1", accepts_nobody())),
                "timeout",
                "S could not be reached in time.",
                RETRIED,
            )
        },
        Local {
            reach: through("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n"),
            ..local(
                "a proxy that wants a login (407)",
                elsewhere(),
                "network",
                "The network's proxy does not let Atlas through to S.",
                &[],
            )
        },
        Local {
            reach: through("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n"),
            ..local(
                "a proxy that does not get through (502)",
                at("https://192.0.2.1/v1".to_owned()),
                "network",
                "The network's proxy does not let Atlas through to S.",
                &[],
            )
        },
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_before_anything_is_sent_is_told_as_the_table_says() {
    for local in locals() {
        let agent = Agent::reaching(local.reach).await;
        agent.keychain.fail_with(local.keychain);
        agent.choose(|settings| settings.endpoint.clone_from(&local.endpoint)).await;
        let name = local.endpoint.as_ref().map(Endpoint::display_name).unwrap_or_default();
        let heard = agent.says("What is new?").await;
        let failure = heard.failure().unwrap_or_else(|| panic!("{}: {heard:?}", local.failure));
        assert_eq!(failure.code, local.code, "{}", local.failure);
        let seen = with_names(local.sees, &name);
        assert!(failure.message.starts_with(&seen), "{}: {}", local.failure, failure.message);
        let tried: Vec<String> = heard.notes().into_iter().map(|note| note.remedy).collect();
        assert_eq!(tried, local.tried, "{}", local.failure);
        assert_eq!(agent.messages(heard.conversation()).await.len(), 1, "{}", local.failure);
        agent.assistant.close().await;
    }
}
