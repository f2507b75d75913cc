use std::io::{Cursor, Write};

use super::*;

fn fixture(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/imports/");
    std::fs::read(format!("{folder}{name}")).unwrap()
}

fn read_bytes(bytes: &[u8], name: &str) -> Result<Brought, ImportError> {
    read_from(Cursor::new(bytes), name, bytes.len() as u64)
}

fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn at(moment: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(moment).unwrap().to_utc()
}

fn person(text: &str, moment: &str) -> Said {
    Said { by_person: true, text: text.into(), at: at(moment), model: None }
}

fn model(text: &str, moment: &str, model: Option<&str>) -> Said {
    Said { by_person: false, text: text.into(), at: at(moment), model: model.map(str::to_owned) }
}

fn texts(brought: &Brought) -> Vec<&str> {
    brought.lines.iter().map(|line| line.text.as_str()).collect()
}

#[test]
fn of_a_chatgpt_export_the_open_branch_is_read_without_what_nobody_saw() {
    let brought = read_bytes(&fixture("chatgpt.json"), "conversations.json").unwrap();
    assert_eq!(
        brought.transcripts,
        [
            Transcript {
                key: "chatgpt c-1".into(),
                title: Some("Moving house".into()),
                messages: vec![
                    person("I live in Braga.\nWhich boxes do I need?", "2024-05-01T10:00:01Z"),
                    model("Ten boxes\nand tape.", "2024-05-01T10:00:09Z", Some("gpt-4o")),
                ],
            },
            Transcript {
                key: "chatgpt c-2".into(),
                title: None,
                messages: vec![
                    person("你好", "2024-05-02T08:53:20.5Z"),
                    person("My sister's name is Inês. The demo is tomorrow.", "2024-05-02T08:53:21Z"),
                ],
            },
        ]
    );
    assert_eq!((brought.format, brought.attachments), (Format::ChatGpt, 1));
    assert_eq!(texts(&brought), ["I am allergic to walnuts", "Lives in Braga.", "not a conversation at all 7"]);
}

#[test]
fn of_a_claude_export_the_words_are_read_and_neither_thoughts_nor_attachments() {
    let brought = read_bytes(&fixture("claude.json"), "conversations.json").unwrap();
    assert_eq!(
        brought.transcripts,
        [Transcript {
            key: "claude u-1".into(),
            title: Some("Planning".into()),
            messages: vec![
                person("I work as a nurse. Plan my week, please.", "2025-03-01T10:00:01.5Z"),
                model("Here is a plan.", "2025-03-01T10:00:09Z", None),
                person("I drink tea", "2025-03-01T10:00:09Z"),
            ],
        }]
    );
    assert_eq!((brought.format, brought.attachments), (Format::Claude, 1));
}

#[test]
fn an_archive_is_read_without_being_unpacked_whatever_paths_it_names() {
    let (chats, memories) = (fixture("claude.json"), fixture("claude-memories.json"));
    let archive = zipped(&[
        ("../../etc/conversations.json", &chats),
        ("data/memories.json", &memories),
        ("__MACOSX/._conversations.json", b"\0\0"),
        ("pictures/a.png", b"\x89PNG"),
        ("users.json", b"[{\"full_name\": \"Ana\"}]"),
    ]);
    let brought = read_bytes(&archive, "export.zip").unwrap();
    assert_eq!((brought.transcripts.len(), brought.format), (1, Format::Claude));
    assert_eq!(texts(&brought), ["The user is vegetarian.", "The user's dog is named Rex"]);
    assert!(brought.lines.iter().all(|line| line.about_person && line.file == "memories.json"));
}

#[test]
fn conversations_may_stand_in_an_object_alone_or_one_on_each_line() {
    let chats = String::from_utf8(fixture("claude.json")).unwrap();
    let list: serde_json::Value = serde_json::from_str(&chats).unwrap();
    let one = list[0].to_string();
    for file in
        [format!("{{\"conversations\": {chats}}}"), one.clone(), format!("{one}\n{one}\n"), format!("\u{feff}{chats}")]
    {
        let brought = read_bytes(file.as_bytes(), "x.json").unwrap();
        assert_eq!(brought.transcripts[0].messages.len(), 3, "{}", &file[..20]);
    }
}

#[test]
fn notes_are_read_with_their_dates_and_without_their_markup() {
    let brought = read_bytes(&fixture("MEMORY.md"), "MEMORY.md").unwrap();
    let read: Vec<(&str, Option<String>)> =
        brought.lines.iter().map(|line| (line.text.as_str(), line.at.map(|at| at.date_naive().to_string()))).collect();
    let day = |day: &str| Some(day.to_owned());
    assert_eq!(
        read,
        [
            ("User lives in Porto.", None),
            ("Prefers to travel by train", None),
            ("The flight is tomorrow", day("2025-11-02")),
            ("Started to learn Portuguese", day("2026-01-15")),
            ("deploy runs on Tuesdays", day("2026-01-15")),
        ]
    );
    let user = read_bytes(&fixture("USER.md"), "USER.md").unwrap();
    assert_eq!(texts(&user), ["Name: Ana", "Time zone: Europe/Lisbon", "Is allergic to peanuts."]);
    assert!(user.lines.iter().all(|line| line.about_person));
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let chats = fixture("claude.json");
    let cut = &chats[..chats.len() / 2];
    let broken_zip = &zipped(&[("conversations.json", &chats)])[..200];
    for (bytes, error) in [
        (b"".as_slice(), ImportError::Empty),
        (b"   \n", ImportError::NothingInIt),
        (b"[]", ImportError::NothingInIt),
        (b"{}", ImportError::NotRecognised),
        (b"[{\"a\": 3}]", ImportError::NotRecognised),
        (cut, ImportError::Damaged),
        (b"{\"conversations\": 7}", ImportError::Damaged),
        (b"{\"format\": \"atlas-memory\"}", ImportError::Damaged),
        (b"{\"format\": \"atlas-memory\", \"version\": 2}", ImportError::Newer),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", ImportError::NotRecognised),
        (b"\xff\xfe\xfa", ImportError::NotRecognised),
        (broken_zip, ImportError::Damaged),
        (&zipped(&[("a.txt", b"hello")]), ImportError::NotRecognised),
        (&zipped(&[]), ImportError::Empty),
        (&zipped(&[("conversations.json", cut)]), ImportError::Damaged),
    ] {
        let got = read_bytes(bytes, "file");
        assert_eq!(got, Err(error), "{:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(60)]));
    }
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(read(folder.path()), Err(ImportError::NotAFile));
    assert!(matches!(read(&folder.path().join("none")), Err(ImportError::Unreadable(_))));
}

#[test]
fn what_unpacks_to_more_than_is_good_is_refused_before_it_is_unpacked() {
    let mut bomb = zip::ZipWriter::new(Cursor::new(Vec::new()));
    bomb.start_file("conversations.json", zip::write::SimpleFileOptions::default()).unwrap();
    bomb.write_all(b"[\"").unwrap();
    for _ in 0..40 {
        bomb.write_all(&vec![b'a'; 1 << 20]).unwrap();
    }
    let bomb = bomb.finish().unwrap().into_inner();
    assert!(bomb.len() < 1 << 18);
    let budget = Budget::of(8 << 20);
    let mut brought = Brought::default();
    assert_eq!(read_zip(Cursor::new(bomb), &mut brought, &budget), Err(ImportError::TooLarge));
    assert_eq!(read_from(Cursor::new(b"x"), "a.json", 1 << 31), Err(ImportError::TooLarge));
}

#[test]
fn no_nesting_is_too_deep_to_be_refused() {
    let deep = format!("[{}", "[".repeat(100_000));
    assert_eq!(read_bytes(deep.as_bytes(), "a.json"), Err(ImportError::Damaged));
}
