//! The floor that `benches/sockets.sh` measures against: a bare WebSocket that sends back every text.
//!
//!     cargo run --release --example echo -- WORKERS

use actix_web::web::Payload;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, rt, web};
use actix_ws::Message;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[expect(clippy::disallowed_methods, reason = "nothing here outlives the server, which is killed")]
async fn echo(request: HttpRequest, payload: Payload) -> actix_web::Result<HttpResponse> {
    let (response, mut session, mut messages) = actix_ws::handle(&request, payload)?;
    rt::spawn(async move {
        while let Some(Ok(Message::Text(text))) = messages.recv().await {
            if session.text(text).await.is_err() {
                return;
            }
        }
        session.close(None).await.ok();
    });
    Ok(response)
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let workers = std::env::args().nth(1).and_then(|workers| workers.parse().ok()).unwrap_or(1);
    let server = HttpServer::new(|| App::new().route("/", web::get().to(echo))).workers(workers).bind("127.0.0.1:0")?;
    let port = server.addrs().first().map_or(0, std::net::SocketAddr::port);
    #[expect(clippy::print_stdout, reason = "the script that started this program reads where it listens")]
    {
        println!("listening on http://127.0.0.1:{port}");
    }
    server.run().await
}
