//! What is taken for a model: the right file, whole, and from an address of one.

use super::*;

#[tokio::test]
async fn a_model_is_downloaded_checked_and_there() {
    let (fixture, body) = (Fixture::new(), model());
    let server = Server::new(body.clone(), []).await;
    assert_eq!(fixture.load(Source::Address(server.url())).await, done(&body));
    assert_eq!(fixture.files(), [("tiny.gguf".to_owned(), body.clone())]);
    assert_eq!(server.asked(), [(None, None)]);
    let again = fixture.downloads.start(Source::Address(server.url())).await;
    assert_eq!(again, Err(DownloadError::AlreadyHere));
    assert_eq!(fixture.downloads.list().await, [done(&body)]);
    assert_eq!(models::list(&fixture.home()).await[0].name.as_deref(), Some("Tiny Talker"));
}

#[tokio::test]
async fn a_file_with_another_sum_or_length_than_the_catalogues_is_not_used() {
    let (body, other) = (model(), Made::model().text("padding", &"y".repeat(200_000)).bytes());
    for (sent, code) in [(other, "download_wrong_sum"), (Made::model().bytes(), "download_other_file")] {
        let fixture = Fixture::new();
        let server = Server::new(sent, []).await;
        let state = fixture.load_job(fixture.job(&server, &body)).await;
        assert_eq!(state.problem.map(|problem| problem.code), Some(code.to_owned()));
        assert_eq!(fixture.files(), []);
    }
}

#[tokio::test]
async fn a_model_of_the_catalogue_is_checked_over_a_break_and_a_restart() {
    let (fixture, body) = (Fixture::new(), model());
    let server = Server::new(body.clone(), [Act::Cut(50_000), Act::Stall(20_000)]).await;
    let mut news = fixture.downloads.watch();
    fixture.downloads.begin(fixture.job(&server, &body)).await.unwrap();
    while news.recv().await.unwrap().step != DownloadStep::Waiting {}
    fixture.clock.turn(Duration::from_secs(1));
    let part = fixture.home().own_models().join(".tiny.gguf.part");
    let has_come = || part.metadata().is_ok_and(|part| part.len() == 70_000);
    crate::supervisor::process::tests::eventually("what it sent has come", has_come).await;
    fixture.downloads.stop().await;
    let fixture = fixture.opened_again();
    let state = fixture.load_job(fixture.job(&server, &body)).await;
    assert_eq!(state, DownloadState { name: "Tiny Talker".into(), ..done(&body) });
    assert_eq!(server.asked().last(), Some(&from(70_000, &body)));
}

#[tokio::test]
async fn what_is_no_model_is_noticed_and_not_kept() {
    let page = b"<html><title>Sign in</title>".to_vec();
    let (cut, eyes) = (model(), Made::new().text("general.architecture", "clip").bytes());
    let cases = [
        (page, Act::Serve, "model_not_gguf"),
        (cut[..100_000].to_vec(), Act::Endless, "model_not_whole"),
        (eyes, Act::Serve, "model_not_to_talk_to"),
    ];
    for (body, act, code) in cases {
        let fixture = Fixture::new();
        let server = Server::new(body, [act]).await;
        let state = fixture.load(Source::Address(server.url())).await;
        assert_eq!(state.problem.map(|problem| problem.code), Some(code.to_owned()));
        assert_eq!(fixture.files(), []);
    }
}

#[tokio::test]
async fn only_an_address_of_one_model_file_is_taken() {
    let fixture = Fixture::new();
    let cases = [
        ("", DownloadError::BadAddress),
        ("file:///etc/a.gguf", DownloadError::BadAddress),
        ("https://name:password@example.com/a.gguf", DownloadError::BadAddress),
        ("https://example.com/", DownloadError::BadAddress),
        ("https://example.com/.gguf", DownloadError::BadAddress),
        ("https://example.com/page.html", DownloadError::BadAddress),
        ("http://example.com/a.gguf", DownloadError::NotEncrypted),
        ("https://example.com/a-00001-of-00002.gguf", DownloadError::SeveralFiles),
    ];
    for (address, error) in cases {
        assert_eq!(fixture.downloads.start(Source::Address(address.into())).await, Err(error), "{address}");
    }
    let unknown = fixture.downloads.start(Source::Catalogue("gone".into())).await;
    assert_eq!(unknown, Err(DownloadError::NotInCatalogue));
    assert_eq!(clean("../..%2Fa b/é.gguf"), "2Fab.gguf");
}
