//! The board of a live run (`informer-lab board LESSON --follow`): streams the run's records to browsers.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Response, Sse};
use axum::routing::{get, post};
use futures::stream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::page::{Follows, live_page};
use super::serve;
use crate::cluster::listen;
use crate::console::{CommandResult, Console, EndReason, Ended, Followers, Message};
use crate::lab::{Settings, Source};
use crate::lessons::Row;

/// The largest number of pages that follow a run at once.
const MOST_STREAMS: usize = 16;

/// The largest number of bytes in a command.
const LONGEST_COMMAND: usize = 1000;

/// Starts a live run, and serves its page until it ends. For a real cluster, the page takes no commands.
///
/// # Errors
/// The same as [`Row::run`], or the address cannot be listened on.
pub fn follow(run: &Row, settings: &Settings, address: SocketAddr, console: &Console) -> Result<Ended> {
    let listener = listen(address, "--at")?;
    let address = listener.local_addr().context("cannot listen")?;
    let followers = Followers::default();
    let follows = if matches!(settings.source, Source::Real(_)) { Follows::Reads } else { Follows::Acts };
    let router = router(followers.clone(), live_page(console.printer.lang(), follows), follows);
    serve::print_address(address, console);
    let stop = CancellationToken::new();
    let server = std::thread::Builder::new().name("board".into()).spawn({
        let stop = stop.clone();
        move || serve::serve_page(router, listener, stop)
    });
    let server = server.context("cannot start the server of the page")?;
    let console = Console {
        printer: console.printer.clone(),
        speed: console.speed,
        interrupt: console.interrupt.clone(),
        record: console.record.clone(),
        followers: Some(followers.clone()),
    };
    let ended = run.run(settings, &console);
    followers.end();
    stop.cancel();
    match server.join() {
        Ok(served) => ended.and_then(|ended| served.map(|()| ended)),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

fn router(followers: Followers, page: String, follows: Follows) -> Router {
    let router = serve::router(page).route("/events", get(events));
    let router = match follows {
        Follows::Acts => router.route("/typed", post(take_command)),
        Follows::Reads => router,
    };
    router.with_state(LiveState { followers, streams: Arc::new(Semaphore::new(MOST_STREAMS)) })
}

#[derive(Clone)]
struct LiveState {
    followers: Followers,
    /// One permit for each page that may still follow.
    streams: Arc<Semaphore>,
}

/// The place of one page in the run's records.
struct RecordStream {
    followers: Followers,
    /// The number of the record that comes next.
    number: usize,
    _permit: OwnedSemaphorePermit,
}

/// Streams every record from the beginning, and at the end the reason why no more come.
async fn events(State(LiveState { followers, streams }): State<LiveState>) -> Response {
    let Ok(permit) = streams.try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many pages follow the run: close one").into_response();
    };
    let records = RecordStream { followers, number: 0, _permit: permit };
    let events = stream::unfold(Some(records), async |records| {
        let mut records = records?;
        let message = records.followers.next_record(records.number).await;
        records.number += 1;
        let next_state = matches!(message, Message::Record(_)).then_some(records); // `None` ends the stream
        Some((Ok::<_, Infallible>(event(&message)), next_state))
    });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

fn event(message: &Message) -> Event {
    match message {
        Message::Record(line) => Event::default().data(line),
        Message::End(EndReason::Ended) => Event::default().event("end").data("ended"),
        Message::End(EndReason::Full) => Event::default().event("end").data("full"),
    }
}

async fn take_command(State(LiveState { followers, .. }): State<LiveState>, line: String) -> StatusCode {
    if line.len() > LONGEST_COMMAND {
        return StatusCode::PAYLOAD_TOO_LARGE;
    }
    if line.contains(['\n', '\r']) {
        return StatusCode::BAD_REQUEST;
    }
    match followers.send_command(line) {
        CommandResult::Taken => StatusCode::NO_CONTENT,
        CommandResult::Busy => StatusCode::TOO_MANY_REQUESTS,
        CommandResult::Ended => StatusCode::GONE,
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::Request;
    use tower::ServiceExt;

    use super::*;

    async fn respond(router: &Router, method: &str, path: &str, body: String) -> Response {
        let request = Request::builder().method(method).uri(path).body(Body::from(body)).expect("the request is valid");
        router.clone().oneshot(request).await.expect("the router answers")
    }

    #[tokio::test]
    async fn a_line_that_is_not_taken_is_answered_with_the_reason() {
        let followers = Followers::default();
        let router = router(followers.clone(), String::new(), Follows::Acts);
        let status = async |line: String| respond(&router, "POST", "/typed", line).await.status().as_u16();
        assert_eq!(status("x".repeat(LONGEST_COMMAND)).await, 204);
        assert_eq!(status("x".repeat(LONGEST_COMMAND + 1)).await, 413);
        assert_eq!(status("cut\nheal".to_owned()).await, 400);
        while followers.send_command("cut".to_owned()) == CommandResult::Taken {}
        assert_eq!(status("heal".to_owned()).await, 429);
        drop(followers.take_commands());
        assert_eq!(status("heal".to_owned()).await, 410);
    }

    #[tokio::test]
    async fn the_number_of_pages_that_follow_at_once_is_limited() {
        let router = router(Followers::default(), String::new(), Follows::Reads);
        let mut following = Vec::new();
        for _ in 0..MOST_STREAMS {
            following.push(respond(&router, "GET", "/events", String::new()).await);
        }
        assert!(following.iter().all(|answer| answer.status() == StatusCode::OK));
        assert_eq!(respond(&router, "GET", "/events", String::new()).await.status(), StatusCode::SERVICE_UNAVAILABLE);
        following.pop();
        assert_eq!(
            respond(&router, "GET", "/events", String::new()).await.status(),
            StatusCode::OK,
            "one more page may follow"
        );
    }

    #[tokio::test]
    async fn the_last_event_says_why_no_more_come() {
        let followers = Followers::default();
        followers.end();
        let router = router(followers, String::new(), Follows::Reads);
        let body = respond(&router, "GET", "/events", String::new()).await.into_body();
        let bytes = axum::body::to_bytes(body, 1000).await.expect("the stream ends");
        assert_eq!(bytes, "event: end\ndata: ended\n\n");
    }

    #[tokio::test]
    async fn no_other_page_may_hold_this_one_in_a_frame() {
        let router = router(Followers::default(), String::new(), Follows::Reads);
        let answer = respond(&router, "GET", "/", String::new()).await;
        assert_eq!(answer.headers()["x-frame-options"], "DENY");
        assert_eq!(answer.headers()["content-security-policy"], "frame-ancestors 'none'");
    }
}
