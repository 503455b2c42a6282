//! The page of a run that goes on: its events as they come, and what the reader does in the page.

use std::convert::Infallible;
use std::net::SocketAddr;

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use axum::routing::{get, post};
use futures::{Stream, stream};
use tokio_util::sync::CancellationToken;

use super::page::{Follows, live_page};
use super::serve;
use crate::cluster::listen;
use crate::console::{Audience, Console, Ended};
use crate::lab::{Settings, Source};
use crate::lessons::Run;

/// Plays a live run, and serves its page until it ends. What is done in the page is what can be typed; on a real cluster the page
/// only shows.
///
/// # Errors
/// As [`Run::play`]; or the address cannot be listened on.
pub fn follow(run: Run, settings: &Settings, address: SocketAddr, console: &Console) -> Result<Ended> {
    let listener = listen(address, "--at")?;
    let address = listener.local_addr().context("cannot listen")?;
    let audience = Audience::default();
    let follows = if matches!(settings.source, Source::Real(_)) { Follows::Reads } else { Follows::Acts };
    let router = router(audience.clone(), live_page(console.printer.lang(), follows), follows);
    serve::tell(address, console);
    let stop = CancellationToken::new();
    let server = std::thread::Builder::new().name("board".into()).spawn({
        let stop = stop.clone();
        move || serve::until(router, listener, stop)
    });
    let server = server.context("cannot start the server of the page")?;
    let console = Console {
        printer: console.printer.clone(),
        speed: console.speed,
        interrupt: console.interrupt.clone(),
        record: console.record.clone(),
        audience: Some(audience),
    };
    let ended = run.play(settings, &console);
    stop.cancel();
    match server.join() {
        Ok(served) => ended.and_then(|ended| served.map(|()| ended)),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

fn router(audience: Audience, page: String, follows: Follows) -> Router {
    let router = serve::router(page).route("/events", get(events));
    let router = match follows {
        Follows::Acts => router.route("/typed", post(typed)),
        Follows::Reads => router,
    };
    router.with_state(audience)
}

/// Every record from the beginning, each as it comes.
async fn events(State(audience): State<Audience>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let lines = stream::unfold((audience, 0), |(audience, number)| async move {
        let line = audience.heard(number).await?;
        Some((Ok(Event::default().data(&line)), (audience, number + 1)))
    });
    Sse::new(lines).keep_alive(KeepAlive::default())
}

/// A line, as at the keyboard.
async fn typed(State(audience): State<Audience>, line: String) -> StatusCode {
    let one_line = line.len() <= 1000 && !line.contains(['\n', '\r']);
    match one_line && audience.say(line) {
        true => StatusCode::NO_CONTENT,
        false => StatusCode::BAD_REQUEST,
    }
}
