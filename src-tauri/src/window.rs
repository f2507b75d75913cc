//! The one window: where it opens, what it may show, and where it may go (nowhere but its own pages).

use tauri::plugin::TauriPlugin;
use tauri::webview::{NewWindowResponse, PageLoadEvent, PermissionResponse};
use tauri::window::Color;
use tauri::{
    AppHandle, Manager, PhysicalPosition, PhysicalSize, Runtime, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder,
};
use tauri_plugin_window_state::StateFlags;

use crate::ending::Ending;
use crate::preferences;

/// The window's label: capabilities are granted to it.
pub const LABEL: &str = "main";

/// The page's colours, so that nothing flashes before its first frame.
const PAPER: Color = Color(0xfb, 0xfa, 0xf8, 0xff);
const NIGHT: Color = Color(0x16, 0x15, 0x13, 0xff);

/// How much of the window's upper edge must be in sight, in pixels, so that it can be taken hold of.
const GRIP: (i32, i32) = (120, 24);

/// Remembers size and place. Whether the window is visible is not remembered: it is shown when it has something to show.
pub fn state_plugin<R: Runtime>() -> TauriPlugin<R> {
    tauri_plugin_window_state::Builder::new()
        .with_state_flags(StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED)
        .build()
}

/// Creates the window; it shows itself when its page is there.
///
/// # Errors
///
/// The system cannot create a window.
pub fn open<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    let preferences = preferences::load(app);
    let window = WebviewWindowBuilder::new(app, LABEL, WebviewUrl::default())
        .title("Atlas")
        .inner_size(1180.0, 780.0)
        .min_inner_size(480.0, 480.0)
        .center()
        .visible(false)
        .theme(preferences.system_theme())
        .on_navigation(is_own_page)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_download(|_, _| false)
        .on_permission_request(|_, _| PermissionResponse::Deny)
        .on_page_load(|window, page| {
            if page.event() == PageLoadEvent::Finished {
                show(&window);
            }
        })
        .build()?;
    preferences::apply(&window, &preferences);
    let paper = if window.theme()? == tauri::Theme::Dark { NIGHT } else { PAPER };
    window.set_background_color(Some(paper))
}

/// Shows the window where it can be seen and brings it to the front.
fn show<R: Runtime>(window: &WebviewWindow<R>) {
    // A system that refuses one of these still shows the window.
    let _ = window.show();
    let _ = bring_into_sight(window);
    let _ = window.set_focus();
}

/// A second start of Atlas brings the first one's window forward.
pub fn come_forward<R: Runtime>(app: &AppHandle<R>) {
    if app.state::<Ending>().start_again_if_ending() {
        return;
    }
    if let Some(window) = app.get_webview_window(LABEL) {
        let _ = window.unminimize();
        show(&window);
    }
}

/// Whether the window may go to this address: only the pages that are built into the app.
fn is_own_page(url: &Url) -> bool {
    match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        // Windows and Android serve the same pages under this name.
        "http" | "https" => url.host_str() == Some("tauri.localhost") || is_dev_server(url),
        _ => false,
    }
}

/// The development server of the user interface, in development only.
fn is_dev_server(url: &Url) -> bool {
    cfg!(dev) && url.host_str() == Some("localhost") && url.port() == Some(5173)
}

fn bring_into_sight<R: Runtime>(window: &WebviewWindow<R>) -> tauri::Result<()> {
    let screens: Vec<Area> =
        window.available_monitors()?.iter().map(|screen| Area::new(*screen.position(), *screen.size())).collect();
    let place = Area::new(window.outer_position()?, window.outer_size()?);
    if !within_reach(place, &screens) {
        window.center()?;
    }
    Ok(())
}

/// A rectangle in physical pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Area {
    left: i32,
    top: i32,
    width: i32,
    height: i32,
}

impl Area {
    fn new(place: PhysicalPosition<i32>, size: PhysicalSize<u32>) -> Self {
        Self {
            left: place.x,
            top: place.y,
            width: i32::try_from(size.width).unwrap_or(i32::MAX),
            height: i32::try_from(size.height).unwrap_or(i32::MAX),
        }
    }

    /// How much of `other` lies in this area, as width and height.
    fn overlap(self, other: Self) -> (i32, i32) {
        let along = |start: i32, length: i32, other_start: i32, other_length: i32| {
            start.saturating_add(length).min(other_start.saturating_add(other_length)) - start.max(other_start)
        };
        (along(self.left, self.width, other.left, other.width), along(self.top, self.height, other.top, other.height))
    }
}

/// Whether enough of the window's upper edge lies on some screen. Where no screen is known, any place is fine.
fn within_reach(window: Area, screens: &[Area]) -> bool {
    let edge = Area { height: GRIP.1, ..window };
    screens.is_empty()
        || screens.iter().any(|screen| {
            let (width, height) = screen.overlap(edge);
            width >= GRIP.0.min(window.width) && height >= GRIP.1
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Area = Area { left: 0, top: 0, width: 1920, height: 1080 };

    fn at(left: i32, top: i32) -> Area {
        Area { left, top, width: 1180, height: 780 }
    }

    #[test]
    fn a_window_on_a_screen_stays_where_it_is() {
        assert!(within_reach(at(100, 100), &[SCREEN]));
        assert!(within_reach(at(-1000, 0), &[SCREEN]));
        let second = Area { left: 1920, ..SCREEN };
        assert!(within_reach(at(2500, 200), &[SCREEN, second]));
    }

    #[test]
    fn a_window_on_a_screen_that_is_gone_is_brought_back() {
        assert!(!within_reach(at(2500, 200), &[SCREEN]));
        assert!(!within_reach(at(100, -700), &[SCREEN]));
        assert!(!within_reach(at(-1150, 0), &[SCREEN]));
        assert!(!within_reach(at(100, 1070), &[SCREEN]));
    }

    #[test]
    fn a_window_goes_nowhere_but_to_its_own_pages() {
        let own = |url: &str| is_own_page(&url.parse().unwrap());
        assert!(own("tauri://localhost/index.html"));
        assert!(own("http://tauri.localhost/"));
        for elsewhere in [
            "https://example.org",
            "http://localhost:8080",
            "file:///etc/passwd",
            "tauri://elsewhere/",
            "data:text/html,x",
            "about:blank",
        ] {
            assert!(!own(elsewhere), "{elsewhere}");
        }
    }
}
