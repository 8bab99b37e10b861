//! The client side of a TLS connection: the handshake, then the token if there is one, then the listener's acceptance.

use std::io::{self, ErrorKind, IoSlice, IoSliceMut};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::ClientConfig;

use super::{ACCEPTED, HEAD_NBYTES, TlsChannel, Token};
use crate::channel::{Channel, Direction};

/// The interval at which waits check for signals.
const WAIT_TIME: Duration = Duration::from_millis(100);

/// Connects TLS over a connected channel. Takes the channel, and closes it on failure.
///
/// # Errors
/// `TimedOut` at the deadline; errors of `interrupted` (called at least ten times a second); `ConnectionAborted` if this side
/// refuses the peer, `ConnectionRefused` if the peer refuses this side, both with the reason; operating-system errors.
pub fn connect(
    below: Arc<dyn Channel>,
    server_name: &str,
    config: &Arc<ClientConfig>,
    token: Option<&Token>,
    deadline: Option<Instant>,
    interrupted: &mut dyn FnMut() -> io::Result<()>,
) -> io::Result<Arc<dyn Channel>> {
    let channel = TlsChannel::client(below, Arc::clone(config), server_name)?;
    let late = |what: &str| io::Error::new(ErrorKind::TimedOut, format!("{}: {what}", channel.peer()));
    drive(&channel, deadline, interrupted, &|| late("no TLS handshake in the time given"), &mut |channel| {
        channel.handshake()
    })?;
    if let Some(token) = token {
        let message = token.message();
        let mut sent = 0;
        let mut answer = ([0; HEAD_NBYTES], 0);
        let text = "no answer to the token in the time given. Does the listener ask for one?";
        drive(&channel, deadline, interrupted, &|| late(text), &mut |channel| {
            show(channel, &message, &mut sent, &mut answer)
        })?;
    }
    Ok(Arc::new(channel))
}

/// Sends the token and reads the acceptance, as far as possible without waiting.
fn show(
    channel: &TlsChannel,
    message: &[u8],
    sent: &mut usize,
    (answer, got): &mut ([u8; HEAD_NBYTES], usize),
) -> io::Result<bool> {
    while let Some(rest) = message.get(*sent..).filter(|rest| !rest.is_empty()) {
        *sent += channel.send(&[IoSlice::new(rest)])?;
    }
    if !channel.flush()? {
        return Ok(false);
    }
    while let Some(rest) = answer.get_mut(*got..).filter(|rest| !rest.is_empty()) {
        match channel.receive(&mut [IoSliceMut::new(rest)]) {
            Ok(0) => return Err(refusal_error(channel)),
            Ok(count) => *got += count,
            Err(e) if matches!(e.kind(), ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset) => {
                return Err(refusal_error(channel));
            }
            Err(e) => return Err(e),
        }
    }
    if *answer == ACCEPTED {
        return Ok(true);
    }
    let text = format!(
        "{}: the response is no answer to the token. Is the peer a Colonnade listener?",
        channel.peer()
    );
    Err(io::Error::new(ErrorKind::ConnectionAborted, text))
}

fn refusal_error(channel: &TlsChannel) -> io::Error {
    let text =
        format!("{} closed instead of accepting the token. Do both sides have the same?", channel.peer());
    io::Error::new(ErrorKind::ConnectionRefused, text)
}

fn drive(
    channel: &TlsChannel,
    deadline: Option<Instant>,
    interrupted: &mut dyn FnMut() -> io::Result<()>,
    late: &dyn Fn() -> io::Error,
    step: &mut dyn FnMut(&TlsChannel) -> io::Result<bool>,
) -> io::Result<()> {
    loop {
        match step(channel) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(e) => return Err(e),
        }
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            return Err(late());
        }
        let slice = left.map_or(WAIT_TIME, |left| left.min(WAIT_TIME));
        let direction: Direction = channel.waits_for();
        match channel.below.wait(direction, slice) {
            Err(e) if e.kind() != ErrorKind::Interrupted => return Err(e),
            _ => interrupted()?,
        }
    }
}
