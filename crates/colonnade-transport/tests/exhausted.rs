//! A test in a process of its own, because it uses up all descriptors.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs::File;
use std::time::Duration;

use colonnade_transport::{Address, ListeningSocket, SystemError, dial};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

#[test]
fn without_descriptors_a_peer_is_rejected_and_the_listener_continues() {
    let address: Address = "tcp://:0".parse().unwrap();
    let listening = ListeningSocket::bind(&address, &mut || Ok(())).unwrap();
    let connect = || dial(listening.address(), None, &mut || Ok(())).unwrap();
    let waiting = [connect(), connect()];
    let most = Rlimit { current: Some(64), ..getrlimit(Resource::Nofile) };
    setrlimit(Resource::Nofile, most).unwrap();
    let mut taken: Vec<_> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
    for _ in &waiting {
        assert!(listening.wait(Duration::from_secs(5)).unwrap());
        let error = listening.accept().unwrap_err();
        let inner = error.get_ref().unwrap().downcast_ref::<SystemError>().unwrap();
        assert_eq!(inner.errno(), libc::EMFILE);
        assert!(inner.to_string().contains("turned away"), "{inner}");
    }
    // The listener must not stay ready without a connection.
    assert!(!listening.wait(Duration::ZERO).unwrap());
    taken.truncate(10);
    let _peer = connect();
    assert!(listening.wait(Duration::from_secs(5)).unwrap());
    listening.accept().unwrap().unwrap();
}
