//! Activities of Teams, posted to a bot at a given rate, for `benches/activities.sh`.
//!
//!     activities SERVER LISTEN PID RATE SECONDS
//!
//! Posts RATE messages of group chats a second to `/api/messages` of the bot at the address SERVER with the process id PID, for so
//! many seconds, whether or not it keeps up. Listens at LISTEN (address and port) as the bot's back end and as its Connector,
//! where every message has to be answered once.

mod figures;
mod posting;
mod service;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use figures::Figures;
use service::Answered;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// So long nothing may arrive before the rest is given up.
const PATIENCE: Duration = Duration::from_secs(20);

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [server, listen, pid, rate, seconds] = arguments.as_slice() else {
        anyhow::bail!("`SERVER LISTEN PID RATE SECONDS` are wanted");
    };
    let (pid, rate): (u32, usize) = (pid.parse().context("PID")?, rate.parse().context("RATE")?);
    let count = rate * seconds.parse::<usize>().context("SECONDS")?;
    let line = actix_web::rt::System::new().block_on(measure(server, listen, pid, rate, count))?;
    #[expect(clippy::print_stdout, reason = "this is what the program is for")]
    {
        println!("{line}");
    }
    Ok(())
}

async fn measure(server: &str, listen: &str, pid: u32, rate: usize, count: usize) -> anyhow::Result<String> {
    let answered = Arc::new(Answered::new(count));
    service::listen(listen, Arc::clone(&answered))?;
    let before = figures::cpu_seconds(pid)?;
    let posted = posting::post(server, &format!("http://{listen}/connector"), rate, count).await?;
    answered.all(PATIENCE).await?;
    let cpu = figures::cpu_seconds(pid)? - before;
    Ok(Figures::new(&posted, &answered)?.line(cpu, figures::peak_kib(pid)?))
}
