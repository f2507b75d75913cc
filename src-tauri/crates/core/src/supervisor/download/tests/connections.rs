//! Connections that break, servers that fail or send elsewhere.

use super::*;

#[tokio::test]
async fn a_download_that_breaks_goes_on_where_it_was() {
    let (fixture, body) = (Fixture::new(), model());
    let server = Server::new(body.clone(), [Act::Cut(50_000), Act::Status(503), Act::Cut(20_000)]).await;
    assert_eq!(fixture.load(Source::Address(server.url())).await, done(&body));
    assert_eq!(fixture.files(), [("tiny.gguf".to_owned(), body.clone())]);
    let expected = [(None, None), from(50_000, &body), from(50_000, &body), from(70_000, &body)];
    assert_eq!(server.asked(), expected);
}

#[tokio::test]
async fn a_connection_that_is_reset_or_says_too_much_is_tried_again() {
    let (fixture, body) = (Fixture::new(), model());
    let server = Server::new(body.clone(), [Act::Reset(50_000), Act::TooLong]).await;
    assert_eq!(fixture.load(Source::Address(server.url())).await.step, DownloadStep::Done);
    assert_eq!(fixture.files(), [("tiny.gguf".to_owned(), body)]);
}

#[tokio::test]
async fn a_server_that_is_silent_is_asked_again() {
    let (fixture, body) = (Fixture::new(), model());
    let server = Server::new(body.clone(), [Act::Stall(50_000)]).await;
    let mut news = fixture.downloads.watch();
    fixture.downloads.start(Source::Address(server.url())).await.unwrap();
    let part = fixture.home().own_models().join(".tiny.gguf.part");
    let has_come = || part.metadata().is_ok_and(|part| part.len() == 50_000);
    crate::supervisor::process::tests::eventually("what it sent has come", has_come).await;
    fixture.clock.turn(Duration::from_secs(30));
    assert_eq!(fixture.end(&mut news).await, done(&body));
    assert_eq!(server.asked(), [(None, None), from(50_000, &body)]);
}

#[tokio::test]
async fn a_server_that_fails_again_and_again_is_given_up_and_what_came_is_kept() {
    let (fixture, body) = (Fixture::new(), model());
    let acts = std::iter::once(Act::Cut(50_000)).chain(std::iter::repeat_n(Act::Status(500), 9));
    let server = Server::new(body, acts).await;
    let state = fixture.load(Source::Address(server.url())).await;
    assert_eq!((state.step, state.bytes), (DownloadStep::Failed, 50_000));
    assert_eq!(state.problem.as_ref().map(|problem| problem.code.as_str()), Some("download_server"));
    assert_eq!(server.asked().len(), 5);
}

#[tokio::test]
async fn what_no_other_try_helps_is_tried_once() {
    for (status, code) in [(404, "download_not_found"), (403, "download_refused"), (401, "download_refused")] {
        let fixture = Fixture::new();
        let server = Server::new(model(), [Act::Status(status)]).await;
        let state = fixture.load(Source::Address(server.url())).await;
        assert_eq!(state.problem.map(|problem| (problem.code, problem.retryable)), Some((code.to_owned(), false)));
        assert_eq!(server.asked().len(), 1);
    }
}

#[tokio::test]
async fn a_server_may_send_elsewhere_but_not_in_circles_nor_to_an_open_line() {
    let (fixture, body) = (Fixture::new(), model());
    let end = Server::new(body.clone(), []).await;
    let server = Server::new(Vec::new(), [Act::Redirect(end.url())]).await;
    assert_eq!(fixture.load(Source::Address(server.url())).await, done(&body));
    let circle = Server::new(Vec::new(), std::iter::repeat_n(Act::Redirect("/again.gguf".into()), 20)).await;
    let open = Server::new(Vec::new(), [Act::Redirect("http://example.com/a.gguf".into())]).await;
    for (server, code) in [(circle, "download_bad_address"), (open, "download_not_encrypted")] {
        let fixture = Fixture::new();
        let state = fixture.load(Source::Address(server.url())).await;
        assert_eq!(state.problem.map(|problem| problem.code), Some(code.to_owned()));
    }
}
