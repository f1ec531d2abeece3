//! Many WebSockets at once, for `benches/sockets.sh`, `benches/fan_out.sh` and `benches/nodes.sh`.
//!
//!     sockets idle SERVER PID SOCKETS SECONDS [SECRET]
//!     sockets fan-out SERVER SOCKETS POSTS SECRET
//!     sockets rings SERVER OTHER CONVERSATIONS POSTS RATE SECRET
//!     sockets restart SERVER CONVERSATIONS RATE SECONDS SECRET
//!
//! `idle` opens sockets that have nothing to say and reads in `/proc` what memory the server at the address SERVER with
//! the process id PID has taken for them: citewire with a SECRET of its Direct Line channel, else the example `echo`.
//! `fan-out` opens sockets on one conversation of citewire and posts to it: how long until each of them has it.
//! `rings` posts to one node and reads on it and on another one. `restart` posts to nodes that are restarted meanwhile.

mod client;
mod fan_out;
mod figures;
mod idle;
mod restart;
mod rings;

use std::time::Duration;

use anyhow::Context as _;
use client::{DirectLine, Server};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let line = match arguments.as_slice() {
        ["idle", server, pid, sockets, seconds, secret @ ..] => {
            let server = match secret {
                [secret] => Server::Citewire(DirectLine::new(server, secret)),
                _ => Server::Echo(server.replacen("http", "ws", 1)),
            };
            let (pid, sockets) = (pid.parse().context("PID")?, sockets.parse().context("SOCKETS")?);
            let idle = Duration::from_secs(seconds.parse().context("SECONDS")?);
            runtime.block_on(idle::measure(&server, pid, sockets, idle))?
        }
        ["fan-out", server, sockets, posts, secret] => {
            let (sockets, posts) = (sockets.parse().context("SOCKETS")?, posts.parse().context("POSTS")?);
            runtime.block_on(fan_out::measure(DirectLine::new(server, secret), sockets, posts))?
        }
        ["rings", server, other, conversations, posts, rate, secret] => {
            let nodes = [*server, *other].map(|node| DirectLine::new(node, secret));
            let (conversations, posts) =
                (conversations.parse().context("CONVERSATIONS")?, posts.parse().context("POSTS")?);
            runtime.block_on(rings::measure(nodes, conversations, posts, rate.parse().context("RATE")?))?
        }
        ["restart", server, conversations, rate, seconds, secret] => {
            let (conversations, rate) =
                (conversations.parse().context("CONVERSATIONS")?, rate.parse().context("RATE")?);
            let posts = rate * seconds.parse::<u32>().context("SECONDS")?;
            runtime.block_on(restart::measure(DirectLine::new(server, secret), conversations, rate, posts))?
        }
        _ => anyhow::bail!(
            "`idle`, `fan-out`, `rings` or `restart` is wanted, with what the first lines of the source say"
        ),
    };
    #[expect(clippy::print_stdout, reason = "this is what the program is for")]
    {
        println!("{line}");
    }
    // What is still open is not closed one by one.
    runtime.shutdown_background();
    Ok(())
}
