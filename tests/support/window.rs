//! The real app in a real window: started, driven and ended through WebKitWebDriver, each test in folders of its own.
//!
//! It needs a display and an unlocked Secret Service; where one is missing a test fails and says so. Tests that use it
//! run one at a time, because the app allows itself to be open only once in a session.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tempfile::TempDir;
pub use thirtyfour::Key;
use thirtyfour::{By, Capabilities, WebDriver, WebElement};
use tokio::net::TcpStream;
use tokio::sync::{Mutex, MutexGuard};

use crate::process::{self, Pid};

/// How long anything in the window may take on a slow and busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How often a condition is looked at.
const GLANCE: Duration = Duration::from_millis(40);

static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

/// One person's computer, as far as Atlas sees it: private folders that outlive a restart of the app.
pub struct Computer {
    root: TempDir,
    app: PathBuf,
    environment: Vec<(String, String)>,
    _turn: MutexGuard<'static, ()>,
}

impl Computer {
    /// A computer on which Atlas was never started. `app` is the built app.
    ///
    /// # Panics
    ///
    /// There is no display, no WebKitWebDriver, or no unlocked Secret Service.
    pub async fn new(app: &str) -> Self {
        require_desktop();
        let turn = ONE_AT_A_TIME.lock().await;
        let root = tempfile::tempdir().expect("a folder for the test");
        let app = Path::new(app).canonicalize().expect("the app is built");
        for folder in ["data", "config", "cache"] {
            std::fs::create_dir(root.path().join(folder)).expect("a private folder");
        }
        Self { root, app, environment: Vec::new(), _turn: turn }
    }

    /// Sets an environment variable for the next start of the app.
    pub fn set(&mut self, name: &str, value: &str) {
        self.environment.retain(|(known, _)| known != name);
        self.environment.push((name.to_owned(), value.to_owned()));
    }

    /// Everything that the app can have written: data, configuration, caches, and what it said.
    pub fn folder(&self) -> &Path {
        self.root.path()
    }

    /// What the app keeps: its home.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("data").join("app.atlas.desktop")
    }

    /// A command that runs the app on this computer without a driver.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.app);
        self.equip(&mut command);
        command
    }

    fn equip(&self, command: &mut Command) {
        for variable in ["ATLAS_HOME", "ATLAS_MODELS", "OPENROUTER_API_KEY", "OPENAI_API_KEY"] {
            command.env_remove(variable);
        }
        for (variable, folder) in
            [("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config"), ("XDG_CACHE_HOME", "cache")]
        {
            command.env(variable, self.root.path().join(folder));
        }
        command
            .env("WEBKIT_DISABLE_DMABUF_RENDERER", "1")
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
    }

    /// Starts the app and waits for its window.
    ///
    /// # Panics
    ///
    /// The app does not start; the message holds what it said.
    pub async fn start(&self) -> App {
        let log_path = self.root.path().join("said.log");
        let log = File::options().create(true).append(true).open(&log_path).expect("a log file");
        let port = free_port();
        let mut command = Command::new("WebKitWebDriver");
        self.equip(&mut command);
        let service = command
            .arg(format!("--port={port}"))
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .stdout(Stdio::from(log.try_clone().expect("a second handle of the log file")))
            .stderr(Stdio::from(log))
            .spawn()
            .expect("WebKitWebDriver starts");
        // From here on the service is ended with the test, however that ends.
        let mut app = App { driver: None, service, pid: None };
        eventually("WebKitWebDriver listens", async || {
            TcpStream::connect(("127.0.0.1", port)).await.is_ok().then_some(())
        })
        .await;

        let mut wanted = Map::new();
        wanted.insert("webkitgtk:browserOptions".to_owned(), json!({ "binary": self.app, "args": [] }));
        let started = WebDriver::builder(format!("http://127.0.0.1:{port}"), Capabilities::from(wanted))
            .request_timeout(PATIENCE)
            .await;
        match started {
            Ok(driver) => app.driver = Some(driver),
            Err(error) => {
                let said = std::fs::read_to_string(&log_path).unwrap_or_default();
                panic!("The app {} did not start: {error}\nIt said:\n{said}", self.app.display());
            }
        }
        app.pid = process::children(app.service.id())
            .into_iter()
            .find(|child| child.executable.as_deref() == Some(&self.app))
            .map(|child| child.pid);
        assert!(app.pid.is_some(), "the app's process is found");
        app
    }
}

/// The running app.
pub struct App {
    driver: Option<WebDriver>,
    service: Child,
    pid: Option<Pid>,
}

impl App {
    /// The app's process.
    pub fn pid(&self) -> Pid {
        self.pid.expect("the app was started")
    }

    /// The driver itself, for what has no method here.
    pub fn driver(&self) -> &WebDriver {
        self.driver.as_ref().expect("the app was started")
    }

    /// All elements with this test id, in the order of the page.
    pub async fn all(&self, test_id: &str) -> Vec<WebElement> {
        let selector = format!("[data-testid=\"{test_id}\"]");
        self.driver().find_all(By::Css(selector)).await.unwrap_or_default()
    }

    /// The texts of all elements with this test id, as they are seen.
    pub async fn texts(&self, test_id: &str) -> Vec<String> {
        let mut texts = Vec::new();
        for element in self.all(test_id).await {
            // An element that was replaced meanwhile is seen at the next glance.
            texts.extend(element.text().await);
        }
        texts
    }

    /// The texts of all elements with this test id that the page shows or reads out. The driver passes by text of which a style
    /// shows a few lines at most.
    pub async fn page_texts(&self, test_id: &str) -> Vec<String> {
        let script = r#"
            const elements = [...document.querySelectorAll(`[data-testid="${arguments[0]}"]`)];
            return elements.map((element) => (element.checkVisibility() ? element.innerText.trim() : ""));
        "#;
        serde_json::from_value(self.run(script, vec![json!(test_id)]).await).expect("texts")
    }

    /// The first element with this test id that can be seen, as soon as there is one.
    pub async fn see(&self, test_id: &str) -> WebElement {
        eventually(&format!("“{test_id}” is to be seen"), async || {
            for element in self.all(test_id).await {
                if element.is_displayed().await.unwrap_or(false) {
                    return Some(element);
                }
            }
            None
        })
        .await
    }

    /// Waits until an element with this test id has a text that fits; answers with the text.
    pub async fn see_text(&self, test_id: &str, fits: impl Fn(&str) -> bool) -> String {
        let mut last = Vec::new();
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            last = self.page_texts(test_id).await;
            if let Some(text) = last.iter().find(|text| fits(text)) {
                return text.clone();
            }
            tokio::time::sleep(GLANCE).await;
        }
        panic!("No “{test_id}” with the expected text in {PATIENCE:?}; there were: {last:#?}");
    }

    /// Waits until an element with this test id holds these words.
    pub async fn see_words(&self, test_id: &str, words: &str) {
        self.see_text(test_id, |text| text.contains(words)).await;
    }

    /// Waits until nothing with this test id can be seen.
    pub async fn see_no(&self, test_id: &str) {
        eventually(&format!("no “{test_id}” is to be seen"), async || {
            for element in self.all(test_id).await {
                if element.is_displayed().await.unwrap_or(false) {
                    return None;
                }
            }
            Some(())
        })
        .await;
    }

    /// Clicks the element with this test id as soon as it can be clicked.
    pub async fn click(&self, test_id: &str) {
        eventually(&format!("“{test_id}” can be clicked"), async || {
            for element in self.all(test_id).await {
                if element.is_enabled().await.unwrap_or(false) && element.click().await.is_ok() {
                    return Some(());
                }
            }
            None
        })
        .await;
    }

    /// Types into the element with this test id, after what is there.
    pub async fn type_into(&self, test_id: &str, text: &str) {
        let element = self.see(test_id).await;
        element.send_keys(text).await.expect("typing works");
    }

    /// Replaces what stands in the element with this test id.
    pub async fn fill(&self, test_id: &str, text: &str) {
        let element = self.see(test_id).await;
        element.send_keys(Key::Control + "a").await.expect("selecting works");
        element.send_keys(Key::Delete + "").await.expect("deleting works");
        element.send_keys(text).await.expect("typing works");
        let value = element.prop("value").await.expect("the field has a value").unwrap_or_default();
        assert_eq!(value, text, "what was typed into “{test_id}”");
    }

    /// Presses Ctrl and a key, wherever the focus is.
    pub async fn press_control(&self, key: char) {
        self.press_keys(&(Key::Control + key).to_string()).await;
    }

    /// Presses a key, wherever the focus is.
    pub async fn press(&self, key: char) {
        self.press_keys(&key.to_string()).await;
    }

    /// A button that was just pressed takes no keys while what it began is under way.
    async fn press_keys(&self, keys: &str) {
        eventually("keys are pressed", async || {
            let focused = self.driver().active_element().await.ok()?;
            focused.send_keys(keys).await.ok()
        })
        .await;
    }

    /// Chooses an option of the `<select>` with this test id by its value.
    pub async fn choose(&self, test_id: &str, value: &str) {
        self.see(test_id).await;
        let script = r#"
            const select = document.querySelector(`[data-testid="${arguments[0]}"]`);
            select.value = arguments[1];
            select.dispatchEvent(new Event("input", { bubbles: true }));
            select.dispatchEvent(new Event("change", { bubbles: true }));
            return select.value;
        "#;
        let chosen = self.run(script, vec![json!(test_id), json!(value)]).await;
        assert_eq!(chosen, json!(value), "an option of “{test_id}”");
    }

    /// Runs a script in the page, as the body of an async function; answers with what it returns.
    pub async fn run(&self, script: &str, arguments: Vec<Value>) -> Value {
        let wrapped = format!(
            "const done = arguments[arguments.length - 1];
             (async function () {{ {script} }})
                .apply(null, Array.from(arguments).slice(0, -1))
                .then((value) => done({{ value }}), (error) => done({{ error: String(error) }}));"
        );
        let result = self.driver().execute_async(wrapped, arguments).await.expect("the script runs");
        let result = result.json();
        assert!(result.get("error").is_none(), "the script failed: {result}");
        result.get("value").cloned().unwrap_or(Value::Null)
    }

    /// Waits until a script, the body of a function, returns true.
    pub async fn until(&self, what: &str, script: &str) {
        self.until_within(PATIENCE, what, script).await;
    }

    /// As [`Self::until`], for what takes longer than anything else.
    pub async fn until_within(&self, patience: Duration, what: &str, script: &str) {
        within(patience, what, async || {
            let result = self.driver().execute(script, Vec::new()).await.ok()?;
            (result.json() == &Value::Bool(true)).then_some(())
        })
        .await;
    }

    /// Makes the window this large at once, as a person does who lets it snap to a side of the screen.
    pub async fn resize(&self, width: u32, height: u32) {
        self.driver().set_window_rect(0, 0, width, height).await.expect("the window takes another size");
        self.until("the page has the window's size", &format!("return innerWidth === {width}")).await;
    }

    /// Names a file in the system's own dialog of this title, and waits until the dialog is gone.
    pub async fn answer_dialog(&self, title: &str, path: &Path) {
        let window = eventually(&format!("the dialog “{title}” is open"), async || windows_called(title).pop()).await;
        // The first letter opens the dialog's line for paths, which may miss the next ones: then it is all said again.
        eventually(&format!("the dialog “{title}” takes the path"), async || {
            let path = path.to_str().expect("a path of a test is text");
            xdotool(&["windowfocus", "--sync", &window, "key", "ctrl+a", "type", "--delay", "20", path]);
            xdotool(&["key", "Return"]);
            let asked = Instant::now();
            while asked.elapsed() < Duration::from_secs(2) {
                if windows_called(title).is_empty() {
                    return Some(());
                }
                tokio::time::sleep(GLANCE).await;
            }
            None
        })
        .await;
    }

    /// Keeps a picture of the window in `target/screenshots/NAME.png`.
    pub async fn picture(&self, name: &str) {
        let executable = std::env::current_exe().expect("the test knows its own place");
        // target/debug/deps/window-… → target
        let target = executable.ancestors().nth(3).expect("the test is in a target folder");
        let folder = target.join("screenshots");
        std::fs::create_dir_all(&folder).expect("a folder for pictures");
        // WebKit takes the picture at its next frame, and a page at rest draws none: one pixel that nobody can see
        // changes until the picture is there.
        let begin = r#"
            const pixel = document.createElement("i");
            Object.assign(pixel.style, { position: "fixed", right: 0, bottom: 0, width: "1px", height: "1px" });
            document.body.append(pixel);
            let even = false;
            const timer = setInterval(() => {
                even = !even;
                pixel.style.background = even ? "rgb(0 0 0 / .004)" : "rgb(0 0 0 / .008)";
            }, 16);
            window.pictureTaken = () => { clearInterval(timer); pixel.remove(); };
        "#;
        self.run(begin, Vec::new()).await;
        let picture = self.driver().screenshot_as_png().await.expect("a picture of the window");
        self.run("window.pictureTaken()", Vec::new()).await;
        std::fs::write(folder.join(format!("{name}.png")), picture).expect("the picture is kept");
    }

    /// Ends the app as the system does when the person logs out, and waits until it is gone.
    pub async fn quit(mut self) {
        process::signal(self.pid(), "TERM");
        self.gone().await;
    }

    /// Ends the app at once, as a crash does; nothing of it gets to run any more.
    pub async fn kill(mut self) {
        process::signal(self.pid(), "KILL");
        self.gone().await;
    }

    async fn gone(&mut self) {
        let pid = self.pid();
        eventually("the app has ended", async || (!process::is_alive(pid)).then_some(())).await;
        self.pid = None;
    }
}

impl Drop for App {
    fn drop(&mut self) {
        if let Some(pid) = self.pid {
            process::signal(pid, "KILL");
        }
        // The session ends with its service: asking for that politely could block a test that has failed.
        if let Some(driver) = self.driver.take() {
            let _ = driver.leak();
        }
        let _ = self.service.kill();
        let _ = self.service.wait();
    }
}

/// Waits until there is something, and gives it back.
///
/// # Panics
///
/// There is nothing after [`PATIENCE`].
pub async fn eventually<T>(what: &str, look: impl AsyncFn() -> Option<T>) -> T {
    within(PATIENCE, what, look).await
}

async fn within<T>(patience: Duration, what: &str, look: impl AsyncFn() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(started.elapsed() < patience, "Waited {patience:?} in vain until {what}.");
        tokio::time::sleep(GLANCE).await;
    }
}

/// The windows on the screen whose title has this in it, as xdotool calls them.
fn windows_called(title: &str) -> Vec<String> {
    xdotool(&["search", "--onlyvisible", "--name", title]).lines().map(str::to_owned).collect()
}

/// What xdotool says; a search that finds nothing says nothing.
fn xdotool(arguments: &[&str]) -> String {
    let output = Command::new("xdotool").args(arguments).stderr(Stdio::null()).output();
    String::from_utf8_lossy(&output.expect("xdotool is installed").stdout).into_owned()
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener.local_addr().expect("an address").port()
}

fn require_desktop() {
    const HOW: &str = "Run the tests inside the headless desktop: bash .ci/headless cargo test --workspace";
    let has_display =
        ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    assert!(has_display, "There is no display for the window. {HOW}");
    let driver = Command::new("WebKitWebDriver").arg("--help").stdout(Stdio::null()).status();
    assert!(driver.is_ok(), "WebKitWebDriver is not installed (Debian package webkit2gtk-driver).");
    let secrets = Command::new("gdbus")
        .args(["call", "--session", "--dest", "org.freedesktop.DBus"])
        .args(["--object-path", "/org/freedesktop/DBus"])
        .args(["--method", "org.freedesktop.DBus.NameHasOwner", "org.freedesktop.secrets"])
        .output();
    let owned = secrets.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("true"));
    assert!(owned, "There is no Secret Service on the session bus. {HOW}");
}
