//! The HTTP clients that all providers share, and what their failures and headers say.

use std::error::Error as _;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Proxy, Response, Url};

use super::error::{NetworkKind, ProviderError, TimeoutPhase};
use super::preset::Preset;
use super::timeouts::Timeouts;

/// How long one look at whether a server is there may take.
const REACH: Duration = Duration::from_secs(5);

/// The longest wait that a header can ask for; what is beyond is taken as this.
const LONGEST_WAIT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How services are reached, and how long Atlas waits for them.
#[derive(Debug, Clone)]
pub struct Reach {
    /// How long a connection may take to be made.
    pub connect: Duration,
    /// How long the answers of a service may take.
    pub timeouts: fn(Preset) -> Timeouts,
    /// The proxy for what is not on this computer; without one, the system's.
    pub proxy: Option<Proxy>,
}

impl Default for Reach {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), timeouts: Timeouts::for_preset, proxy: None }
    }
}

/// The shared clients. Cloning is cheap and shares the connections.
///
/// There are two. This computer's own servers are spoken to directly: a system proxy would be asked to reach *its*
/// localhost, and they need no certificates, so they work on a machine that has none. Everything else goes through the
/// system's proxy. Neither follows redirects: a key goes to the host that the person named and to no other.
#[derive(Debug, Clone, Default)]
pub struct Http {
    reach: Reach,
    loopback: Arc<OnceLock<Client>>,
    remote: Arc<OnceLock<Client>>,
}

impl Http {
    /// Clients that are built at their first use, since reading the system's certificates takes a while.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, reached in another way than usual.
    pub fn reached(reach: Reach) -> Self {
        Self { reach, ..Self::default() }
    }

    /// How long the answers of such a service may take.
    pub(crate) fn timeouts(&self, preset: Preset) -> Timeouts {
        (self.reach.timeouts)(preset)
    }

    /// The client for an address.
    pub(crate) fn client(&self, url: &Url) -> Result<Client, ProviderError> {
        if url.scheme() == "http" && is_loopback(url) {
            build_once(&self.loopback, || self.base().no_proxy().tls_certs_only([]))
        } else {
            build_once(&self.remote, || self.through_the_proxy())
        }
    }

    fn base(&self) -> ClientBuilder {
        Client::builder()
            .user_agent(concat!("Atlas/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.reach.connect)
            .redirect(Policy::none())
    }

    /// Where none is named, reqwest asks the system for its proxy by itself.
    fn through_the_proxy(&self) -> ClientBuilder {
        match self.reach.proxy.clone() {
            Some(proxy) => self.base().proxy(proxy),
            None => self.base(),
        }
    }
}

impl Http {
    /// Whether anything answers at an address, whatever it says. No key is sent, and no model is asked.
    pub async fn is_reachable(&self, base_url: &str) -> bool {
        let Ok(url) = super::address::parse(base_url) else { return false };
        let Ok(client) = self.client(&url) else { return false };
        client.get(url).timeout(REACH).send().await.is_ok()
    }
}

/// A failure is not kept: certificates that are installed meanwhile are found at the next try.
fn build_once(cell: &OnceLock<Client>, builder: impl Fn() -> ClientBuilder) -> Result<Client, ProviderError> {
    if let Some(client) = cell.get() {
        return Ok(client.clone());
    }
    let built = builder().build().map_err(|_| ProviderError::Network { kind: NetworkKind::Tls })?;
    Ok(cell.get_or_init(|| built).clone())
}

/// Whether the address is this computer itself.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.ends_with(".localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Why no response came.
pub(crate) fn request_error(error: &reqwest::Error) -> ProviderError {
    if error.is_builder() {
        return ProviderError::BadAddress;
    }
    if error.is_timeout() {
        return ProviderError::Timeout { phase: TimeoutPhase::Connect };
    }
    ProviderError::Network { kind: network_kind(error) }
}

fn network_kind(error: &reqwest::Error) -> NetworkKind {
    if error.is_dns() {
        return NetworkKind::Dns;
    }
    if !error.is_connect() {
        // The connection was made, and broke before there was a response.
        return NetworkKind::Reset;
    }
    // An untrusted certificate or a server that speaks no TLS is "invalid data" to the socket; a plain connection
    // attempt reads no data and cannot give it. A connection that fails with no socket error beneath was refused by
    // the proxy: its error type is not public.
    match innermost_io(error).map(|error| error.kind()) {
        Some(io::ErrorKind::InvalidData) => NetworkKind::Tls,
        Some(io::ErrorKind::ConnectionRefused) => NetworkKind::Refused,
        Some(
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof,
        ) => NetworkKind::Reset,
        Some(_) => NetworkKind::Other,
        None => NetworkKind::Proxy,
    }
}

/// The socket error furthest down. One can be wrapped in another, which `source` does not show.
fn innermost_io(error: &reqwest::Error) -> Option<&io::Error> {
    let mut found = None;
    let mut next = error.source();
    while let Some(error) = next {
        let Some(io) = error.downcast_ref::<io::Error>() else {
            next = error.source();
            continue;
        };
        found = Some(io);
        next = io.get_ref().map(|inner| inner as _);
    }
    found
}

/// Reads a body up to a limit; what is beyond is cut off. A body that breaks off is what came of it.
pub(crate) async fn read_capped(mut response: Response, limit: usize) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        let room = limit - body.len();
        body.extend_from_slice(&piece[..piece.len().min(room)]);
        if body.len() == limit {
            break;
        }
    }
    body
}

/// How long the headers ask us to wait.
///
/// `Retry-After` in seconds or as a date, which is taken relative to the server's own `Date`, so that a wrong clock on
/// this computer does no harm; `retry-after-ms`; and the reset time of a rate limit whose remaining count is 0.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(HeaderName::try_from(name).ok()?)?.to_str().ok().map(str::trim);
    let millis = || seconds(text("retry-after-ms")?).map(|wait| wait / 1000);
    let after = || {
        let value = text("retry-after")?;
        seconds(value).or_else(|| until(text("date")?, value))
    };
    let reset = |what: &str| {
        let spent = text(&format!("x-ratelimit-remaining-{what}"))? == "0";
        spent.then(|| span(text(&format!("x-ratelimit-reset-{what}"))?)).flatten()
    };
    let wait = millis().or_else(after).or_else(|| reset("requests").max(reset("tokens")))?;
    Some(wait.min(LONGEST_WAIT))
}

fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

fn until(now: &str, then: &str) -> Option<Duration> {
    let now = httpdate::parse_http_date(now).ok()?;
    let then = httpdate::parse_http_date(then).ok()?;
    Some(then.duration_since(now).unwrap_or(Duration::ZERO))
}

/// A time span as OpenAI's headers write it: `1s`, `6m0s`, `120ms`, `1h2m3.5s`.
fn span(text: &str) -> Option<Duration> {
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let unit = rest.find(|c: char| c != '.' && !c.is_ascii_digit())?;
        let (number, tail) = rest.split_at(unit);
        let end = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let scale = match &tail[..end] {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return None,
        };
        let part = Duration::try_from_secs_f64(number.parse::<f64>().ok()? * scale).ok()?;
        total = total.checked_add(part)?;
        rest = &tail[end..];
    }
    (!text.is_empty()).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(headers: &[(&'static str, &'static str)]) -> Option<f64> {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), value.parse().expect("a header value")))
            .collect();
        retry_after(&headers).map(|wait| wait.as_secs_f64())
    }

    #[test]
    fn retry_after_counts_in_seconds_or_from_the_servers_own_date() {
        assert_eq!(wait(&[("retry-after", "7")]), Some(7.0));
        assert_eq!(wait(&[("retry-after", " 1.5 ")]), Some(1.5));
        let date = ("date", "Mon, 02 Mar 2026 09:00:00 GMT");
        assert_eq!(wait(&[date, ("retry-after", "Mon, 02 Mar 2026 09:00:30 GMT")]), Some(30.0));
        assert_eq!(wait(&[date, ("retry-after", "Mon, 02 Mar 2026 08:00:00 GMT")]), Some(0.0));
        assert_eq!(wait(&[("retry-after-ms", "250"), ("retry-after", "1")]), Some(0.25));
    }

    #[test]
    fn a_wait_that_makes_no_sense_is_none() {
        for nonsense in ["", "soon", "-3", "NaN", "inf", "1e400"] {
            assert_eq!(wait(&[("retry-after", nonsense)]), None, "{nonsense}");
        }
        assert_eq!(wait(&[("retry-after", "Mon, 02 Mar 2026 09:00:30 GMT")]), None, "no Date to count from");
        assert_eq!(wait(&[]), None);
    }

    #[test]
    fn a_wait_of_more_than_a_week_is_a_week() {
        assert_eq!(wait(&[("retry-after", "99999999")]), Some(604_800.0));
    }

    #[test]
    fn a_spent_rate_limit_tells_when_it_is_filled_again() {
        let reset = [
            ("x-ratelimit-remaining-requests", "0"),
            ("x-ratelimit-reset-requests", "1m0.5s"),
            ("x-ratelimit-remaining-tokens", "12"),
            ("x-ratelimit-reset-tokens", "1h"),
        ];
        assert_eq!(wait(&reset), Some(60.5));
        assert_eq!(wait(&reset[2..]), None, "a limit that is not spent asks for no wait");
        assert_eq!(span("120ms"), Some(Duration::from_millis(120)));
        assert_eq!(span("5 apples"), None);
        assert_eq!(span(""), None);
    }

    #[test]
    fn loopback_is_this_computer_and_nothing_else() {
        let loopback = |url: &str| is_loopback(&Url::parse(url).expect("a url"));
        for here in
            ["http://localhost:1", "http://127.0.0.1", "http://127.9.9.9/v1", "http://[::1]:8080", "http://a.localhost"]
        {
            assert!(loopback(here), "{here}");
        }
        for elsewhere in ["http://192.168.1.2", "http://localhost.example.com", "https://openrouter.ai", "http://[::2]"]
        {
            assert!(!loopback(elsewhere), "{elsewhere}");
        }
    }
}
