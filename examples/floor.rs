//! The floor that `benches/load.sh` measures against: a bare actix handler that reads a body and answers a fixed one.
//!
//!     cargo run --release --example floor -- BYTES

use actix_web::web::Bytes;
use actix_web::{App, HttpResponse, HttpServer, web};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let bytes = std::env::args().nth(1).and_then(|bytes| bytes.parse().ok()).unwrap_or(4096);
    let answer = Bytes::from(vec![b'x'; bytes]);
    let server = HttpServer::new(move || {
        let answer = answer.clone();
        App::new().route(
            "/",
            web::post().to(move |body: Bytes| {
                let answer = answer.clone();
                async move {
                    drop(body);
                    HttpResponse::Ok().content_type("application/json").body(answer)
                }
            }),
        )
    })
    .workers(1)
    .bind("127.0.0.1:0")?;
    let port = server.addrs().first().map_or(0, std::net::SocketAddr::port);
    #[expect(clippy::print_stdout, reason = "the script that started this program reads where it listens")]
    {
        println!("listening on http://127.0.0.1:{port}");
    }
    server.run().await
}
