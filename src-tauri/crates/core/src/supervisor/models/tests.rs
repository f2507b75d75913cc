use std::fs;

use super::gguf::tests::Made;
use super::*;

/// A home with models in it, and a folder elsewhere.
struct Fixture {
    home: Home,
    root: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let home = Home::at(root.path().join("home"));
        fs::create_dir_all(home.models()).unwrap();
        Self { home, root }
    }

    fn in_folder(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let file = self.home.models().join(name);
        fs::write(&file, bytes).unwrap();
        file
    }

    fn elsewhere(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let file = self.root.path().join(name);
        fs::write(&file, bytes).unwrap();
        file
    }

    async fn ids(&self) -> Vec<String> {
        list(&self.home).await.into_iter().map(|model| model.id).collect()
    }
}

fn tiny(id: &str, external: bool) -> LocalModel {
    LocalModel {
        id: id.into(),
        bytes: Made::model().bytes().len() as u64,
        name: Some("Tiny Talker".into()),
        architecture: Some("llama".into()),
        quantisation: Some("Q4_K_M".into()),
        trained_context: Some(2048),
        missing: false,
        external,
    }
}

#[tokio::test]
async fn the_list_has_the_models_and_no_other_files() {
    let fixture = Fixture::new();
    assert_eq!(list(&Home::at(fixture.root.path().join("nowhere"))).await, []);
    fixture.in_folder("tiny.gguf", Made::model().bytes());
    for name in ["Big-00001-of-00002.gguf", "Big-00002-of-00002.gguf", ".half.gguf", "mmproj-x.gguf", "notes.txt"] {
        fixture.in_folder(name, "12345");
    }
    fs::create_dir(fixture.home.models().join("folder.gguf")).unwrap();
    let big = LocalModel { id: "Big-00001-of-00002.gguf".into(), bytes: 10, ..LocalModel::default() };
    assert_eq!(list(&fixture.home).await, [big, tiny("tiny.gguf", false)]);
}

#[tokio::test]
async fn a_model_is_named_by_its_file_and_never_by_a_path() {
    let fixture = Fixture::new();
    let small = fixture.in_folder("small.gguf", "small");
    let outside = fixture.elsewhere("outside.gguf", "outside");
    assert_eq!(file(&fixture.home, "small.gguf").await, Ok(small));
    let absolute = outside.display().to_string();
    for name in ["", ".", "..", "../../outside.gguf", "./small.gguf", "small.gguf/", "gone.gguf", &absolute] {
        assert_eq!(file(&fixture.home, name).await, Err(EngineError::NoModel), "{name}");
    }
}

#[tokio::test]
async fn a_file_anywhere_on_the_disk_can_be_chosen_and_stays_where_it_is() {
    let fixture = Fixture::new();
    let path = fixture.elsewhere("tiny.gguf", Made::model().bytes());
    let chosen = choose_file(&fixture.home, &path).await.unwrap();
    assert_eq!(chosen, tiny("tiny.gguf", true));
    assert_eq!(choose_file(&fixture.home, &path).await, Ok(chosen.clone()), "twice is once");
    assert_eq!(list(&fixture.home).await, [chosen]);
    assert_eq!(file(&fixture.home, "tiny.gguf").await, Ok(path.clone()));
    remove(&fixture.home, "tiny.gguf").await.unwrap();
    assert_eq!(list(&fixture.home).await, []);
    assert!(path.is_file());
}

#[tokio::test]
async fn a_chosen_file_that_is_gone_shows_as_missing_until_it_is_back() {
    let fixture = Fixture::new();
    let path = fixture.elsewhere("tiny.gguf", Made::model().bytes());
    choose_file(&fixture.home, &path).await.unwrap();
    fs::remove_file(&path).unwrap();
    let missing = LocalModel { id: "tiny.gguf".into(), missing: true, external: true, ..LocalModel::default() };
    assert_eq!(list(&fixture.home).await, [missing]);
    assert_eq!(file(&fixture.home, "tiny.gguf").await, Err(EngineError::NoModel));
    fs::write(&path, Made::model().bytes()).unwrap();
    assert_eq!(list(&fixture.home).await, [tiny("tiny.gguf", true)]);
}

#[tokio::test]
async fn two_files_of_one_name_are_two_models() {
    let fixture = Fixture::new();
    fixture.in_folder("tiny.gguf", "the one in the folder");
    let path = fixture.elsewhere("tiny.gguf", Made::model().bytes());
    assert_eq!(choose_file(&fixture.home, &path).await.unwrap().id, "tiny-2.gguf");
    assert_eq!(fixture.ids().await, ["tiny-2.gguf", "tiny.gguf"]);
    assert_eq!(file(&fixture.home, "tiny-2.gguf").await, Ok(path));
}

#[tokio::test]
async fn a_file_that_is_no_model_to_talk_to_is_refused_with_the_reason() {
    let fixture = Fixture::new();
    let cut = Made::model().bytes();
    let cases = [
        ("page.gguf", b"<html>".to_vec(), "model_not_gguf"),
        ("cut.gguf", cut[..cut.len() - 1].to_vec(), "model_not_whole"),
        ("eyes.gguf", Made::new().text("general.architecture", "clip").bytes(), "model_not_to_talk_to"),
        ("vectors.gguf", Made::new().text("general.architecture", "nomic-bert").bytes(), "model_not_to_talk_to"),
        ("adapter.gguf", Made::model().text("general.type", "adapter").bytes(), "model_not_to_talk_to"),
        ("second.gguf", Made::model().number("split.no", 1).bytes(), "model_not_first_part"),
    ];
    for (name, bytes, code) in cases {
        let path = fixture.elsewhere(name, bytes);
        assert_eq!(choose_file(&fixture.home, &path).await.unwrap_err().code(), code, "{name}");
    }
    let nowhere = choose_file(&fixture.home, &fixture.root.path().join("nowhere.gguf")).await;
    assert_eq!(nowhere.unwrap_err().code(), "model_unreadable");
    assert_eq!(fixture.ids().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_downloaded_model_is_removed_with_all_its_parts() {
    let fixture = Fixture::new();
    for name in ["big-00001-of-00002.gguf", "big-00002-of-00002.gguf", "other.gguf"] {
        fixture.in_folder(name, "x");
    }
    remove(&fixture.home, "big-00001-of-00002.gguf").await.unwrap();
    assert!(!fixture.home.models().join("big-00002-of-00002.gguf").exists());
    assert_eq!(fixture.ids().await, ["other.gguf"]);
    assert_eq!(remove(&fixture.home, "../tiny.gguf").await, Err(ModelFileError::NoModel));
}

#[tokio::test]
async fn the_memory_that_a_model_needs_is_told_beside_what_there_is() {
    let fixture = Fixture::new();
    fixture.in_folder("tiny.gguf", Made::model().bytes());
    let need = memory_need(&fixture.home, "tiny.gguf", 1024).await.unwrap();
    assert_eq!(need.context, 4 * 2 * (8 + 8) * 1024 * 2);
    assert_eq!(need.fit, MemoryFit::Fits);
    assert_eq!(memory_need(&fixture.home, "gone.gguf", 1024).await, Err(ModelFileError::NoModel));
}
