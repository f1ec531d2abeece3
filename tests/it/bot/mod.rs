//! A bot behind the embedded channel (rule DL-09).

mod cited;
mod connector;
mod failures;
mod real;
mod replies;
mod told;
