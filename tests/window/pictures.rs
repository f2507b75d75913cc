//! Pictures of every page, light and dark, for people to look at: `target/screenshots`.

use atlas_tests::script::{greeter, words};
use atlas_tests::window::Computer;

use crate::APP;
use crate::steps::{back_to_conversation, connect, find_fact, hear, learns, press_on_fact, say};

#[tokio::test(flavor = "multi_thread")]
async fn every_page_can_be_looked_at_in_both_themes() {
    let server = greeter();
    let computer = Computer::new(APP).await;
    for theme in ["dark", "light"] {
        let app = computer.start().await;
        app.see("welcome").await;
        let prefer = "await window.__TAURI_INTERNALS__.invoke('save_preferences', { preferences: { theme: arguments[0], zoom: 1 } })";
        app.run(prefer, vec![theme.into()]).await;
        app.quit().await;
        let app = computer.start().await;
        app.see("welcome").await;
        app.picture(&format!("first-run-{theme}")).await;
        app.quit().await;
    }
    let app = computer.start().await;
    connect(&app, &server.base_url(), "anthropic/claude-haiku-4.5").await;
    for (asked, answered, facts) in EARLIER {
        server.says(learns(answered, facts));
        say(&app, asked).await;
        hear(&app).await;
    }
    app.click("new-conversation").await;
    for (asked, answered) in CONVERSATION {
        server.says(words(answered));
        say(&app, asked).await;
        hear(&app).await;
    }
    find_fact(&app, "Porto").await;
    press_on_fact(&app, "I live in Porto", 'p').await;
    for theme in ["light", "dark"] {
        app.click("nav-settings").await;
        app.choose("theme-select", theme).await;
        app.see_no("toast").await;
        app.picture(&format!("settings-{theme}")).await;
        app.click("nav-behaviour").await;
        app.see("behaviour-save").await;
        app.picture(&format!("behaviour-{theme}")).await;
        app.click("nav-memory").await;
        app.click("tab-facts").await;
        app.see("fact-row").await;
        app.picture(&format!("memory-{theme}")).await;
        app.click("nav-health").await;
        app.see("provider").await;
        app.picture(&format!("health-{theme}")).await;
        back_to_conversation(&app).await;
        app.see("message-assistant").await;
        app.picture(&format!("chat-{theme}")).await;
    }
    app.quit().await;
}

/// What was said before, and the facts that an answer handed over.
const EARLIER: [(&str, &str, &str); 3] = [
    (
        "I live in Berlin with my daughter Mia, who gets carsick.",
        "Then I will plan with short drives.",
        r#"{"subject":"user","relation":"lives in","value":"Berlin"},{"subject":"Mia","relation":"is","value":"user's daughter"},{"subject":"Mia","relation":"gets","value":"carsick"}"#,
    ),
    (
        "I prefer short answers and metric units.",
        "Short, and in metres.",
        r#"{"subject":"user","relation":"prefers","value":"short answers and metric units"}"#,
    ),
    (
        "I have started to learn Portuguese, and my friend Raj speaks Hindi.",
        "Boa sorte!",
        r#"{"subject":"user","relation":"is learning","value":"Portuguese","confidence":0.7},{"subject":"Raj","relation":"speaks","value":"Hindi"}"#,
    ),
];

const CONVERSATION: [(&str, &str); 3] = [
    ("Remember that I live in Porto", "Noted: you live in **Porto**."),
    ("Remember that I am allergic to peanuts", "I will keep that in mind whenever food comes up."),
    (
        "What shall I cook tonight? I have rice and vegetables.",
        "A vegetable fried rice, ready in 20 minutes and **without peanuts**:\n\n\
         1. Fry garlic and ginger in sesame oil.\n2. Add carrots and peas for 4 minutes.\n3. Add yesterday's rice and soy sauce.\n\n\
         ```python\nportions = 2\nrice_g = 90 * portions\nprint(f\"{rice_g} g of rice\")\n```\n\n\
         > Cold rice from the day before fries best.",
    ),
];
