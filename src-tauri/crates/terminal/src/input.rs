//! What comes in: lines, and requests to stop or to end.

use std::io::{self, BufRead};

use tokio::sync::mpsc;

/// A request that did not come as a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl+C: stop the answer, or leave.
    Interrupt,
    /// The system wants the process to end.
    Terminate,
}

/// Lines of standard input, without their line breaks; the channel closes at the end of input.
///
/// They are read on a thread of their own, because reading cannot be given up half-way. Bytes that are not UTF-8 are
/// replaced, so that one bad byte does not end the session.
pub fn lines() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            match input.read_until(b'\n', &mut bytes) {
                Ok(0) | Err(_) => return,
                Ok(_) => {
                    let line = String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned();
                    if sender.blocking_send(line).is_err() {
                        return;
                    }
                }
            }
        }
    });
    receiver
}

/// Ctrl+C and the system's requests to end, from now on.
///
/// # Errors
///
/// The system does not let the process hear them.
#[cfg(unix)]
pub fn signals() -> io::Result<mpsc::Receiver<Signal>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let (sender, receiver) = mpsc::channel(4);
    tokio::spawn(async move {
        loop {
            let heard = tokio::select! {
                _ = interrupt.recv() => Signal::Interrupt,
                _ = terminate.recv() => Signal::Terminate,
                _ = hang_up.recv() => Signal::Terminate,
            };
            if sender.send(heard).await.is_err() {
                return;
            }
        }
    });
    Ok(receiver)
}

/// Ctrl+C, from now on.
///
/// # Errors
///
/// None on this system.
#[cfg(not(unix))]
pub fn signals() -> io::Result<mpsc::Receiver<Signal>> {
    let (sender, receiver) = mpsc::channel(4);
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            if sender.send(Signal::Interrupt).await.is_err() {
                return;
            }
        }
    });
    Ok(receiver)
}
