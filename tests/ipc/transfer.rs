//! Memory goes out to files and comes in from them; the page names no path.

use atlas_desktop::Dialogs;
use serde_json::json;

use crate::desk::Desk;

#[test]
fn what_was_exported_can_be_chosen_and_imported_by_its_token_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("memory.json");
    let desk = Desk::choosing(Dialogs::Answer(Some(file.clone())));
    desk.call("run_command", json!({"text": "/remember I live in Porto"})).unwrap();
    let report = desk.call("export_memory", json!({"format": "json"})).unwrap();
    assert_eq!((&report["facts"], &report["path"]), (&json!(1), &json!(file.to_str().unwrap())));

    let other = Desk::choosing(Dialogs::Answer(Some(file)));
    let plan = other.call("choose_import", json!({})).unwrap();
    assert_eq!(
        (&plan["format"], &plan["facts"], &plan["title"]),
        (&json!("Atlas export"), &json!(1), &json!("memory.json"))
    );
    let report = other.call("import_memory", json!({"token": plan["token"]})).unwrap();
    assert_eq!(report["added"], json!(1));
    let error = other.call("import_memory", json!({"token": plan["token"]})).unwrap_err();
    assert_eq!(error["code"], "import_not_offered");

    let imports = other.call("imports", json!({})).unwrap();
    assert_eq!(
        (&imports[0]["id"], &imports[0]["format"], &imports[0]["added"], &imports[0]["undone"]),
        (&report["import"], &json!("Atlas export"), &json!(1), &json!(false))
    );
    let undone = other.call("undo_import", json!({"import": report["import"]})).unwrap();
    assert_eq!((&undone["memories"], &undone["kept"]), (&json!(1), &json!(0)));
    assert_eq!(other.call("imports", json!({})).unwrap()[0]["undone"], json!(true));
    assert_eq!(other.call("undo_import", json!({"import": 99})).unwrap_err()["code"], "not_found");
}

#[test]
fn a_dialog_that_was_closed_is_no_error_and_a_strange_file_is_one() {
    let desk = Desk::new();
    assert_eq!(desk.call("choose_import", json!({})).unwrap(), json!(null));
    assert_eq!(desk.call("export_memory", json!({"format": "markdown"})).unwrap(), json!(null));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("empty.zip");
    std::fs::write(&file, "").unwrap();
    let desk = Desk::choosing(Dialogs::Answer(Some(file)));
    assert_eq!(desk.call("choose_import", json!({})).unwrap_err()["code"], "import_empty");
}
