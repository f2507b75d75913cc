//! Links open in the system's browser, and only those that a browser or a mail program is for.

use atlas_core::assistant::view::ErrorView;
use tauri::Url;

/// Opens a link outside Atlas.
///
/// # Errors
///
/// `link_refused` for anything but http, https and mailto; `link_not_opened` where the system has nothing to open
/// it with.
pub fn open(url: &str) -> Result<(), ErrorView> {
    let url = allowed(url).ok_or_else(|| ErrorView {
        code: "link_refused".to_owned(),
        message: "Atlas opens web and mail addresses only, and this link is neither.".to_owned(),
        retryable: false,
    })?;
    tauri_plugin_opener::open_url(url.as_str(), None::<&str>).map_err(|_| ErrorView {
        code: "link_not_opened".to_owned(),
        message: "This computer has no program set for such links. Copy the address and open it by hand.".to_owned(),
        retryable: true,
    })
}

/// The address, where it is of a kind that may be opened.
fn allowed(url: &str) -> Option<Url> {
    let url = Url::parse(url.trim()).ok()?;
    match url.scheme() {
        "http" | "https" => url.has_host().then_some(url),
        "mailto" => Some(url),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_and_mail_addresses_are_allowed() {
        for url in [
            "https://example.org/a?b=c#d",
            "http://localhost:8080",
            "mailto:someone@example.org",
            " HTTPS://example.org ",
        ] {
            assert!(allowed(url).is_some(), "{url}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for url in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "data:text/html,x",
            "tauri://localhost/",
            "ssh://host",
            "vscode://open",
            "/etc/passwd",
            "--help",
            "",
            "https://",
        ] {
            assert!(allowed(url).is_none(), "{url}");
            assert!(open(url).is_err(), "{url}");
        }
    }
}
