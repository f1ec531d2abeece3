//! The functions that the host calls. A module has one thread, and no call comes while another one runs.

#![expect(unsafe_code, reason = "the names of exports are attributes that count as unsafe; there is no unsafe block")]

use std::cell::RefCell;

use citewire_calls::Call;

use crate::host::Host;

thread_local! {
    static HOST: RefCell<Host> = const { RefCell::new(Host::new()) };
}

fn with<T>(does: impl FnOnce(&mut Host) -> T) -> T {
    HOST.with_borrow_mut(does)
}

/// Room for an answer, an activity or a piece of this many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn body(length: usize) -> *mut u8 {
    with(|host| {
        host.body.resize(length, 0);
        host.body.as_mut_ptr()
    })
}

/// Room for parameters of this many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn parameters(length: usize) -> *mut u8 {
    with(|host| {
        host.parameters.resize(length, 0);
        host.parameters.as_mut_ptr()
    })
}

/// The result of the last call.
#[unsafe(no_mangle)]
pub extern "C" fn result() -> *const u8 {
    with(|host| host.result.as_ptr())
}

/// An answer becomes activities.
#[unsafe(no_mangle)]
pub extern "C" fn convert() -> i32 {
    with(|host| host.call(Call::Convert))
}

/// An activity is checked.
#[unsafe(no_mangle)]
pub extern "C" fn check() -> i32 {
    with(|host| host.call(Call::Check))
}

/// An activity is mended, and checked.
#[unsafe(no_mangle)]
pub extern "C" fn fix() -> i32 {
    with(|host| host.call(Call::Fix))
}

/// An answer becomes records.
#[unsafe(no_mangle)]
pub extern "C" fn records() -> i32 {
    with(|host| host.call(Call::Records))
}

/// Sources become a prompt.
#[unsafe(no_mangle)]
pub extern "C" fn prompt() -> i32 {
    with(|host| host.call(Call::Prompt))
}

/// Begins a stream. Returns its number, or the length of an error below zero.
#[unsafe(no_mangle)]
pub extern "C" fn stream_begin() -> i32 {
    with(Host::begin)
}

/// Takes the next piece of a stream.
#[unsafe(no_mangle)]
pub extern "C" fn stream_push(number: u32) -> i32 {
    with(|host| host.push(number))
}

/// The text of a stream so far, as an activity.
#[unsafe(no_mangle)]
pub extern "C" fn stream_so_far(number: u32) -> i32 {
    with(|host| host.so_far(number))
}

/// Ends a stream.
#[unsafe(no_mangle)]
pub extern "C" fn stream_finish(number: u32) -> i32 {
    with(|host| host.finish(number))
}

/// Gives a stream up.
#[unsafe(no_mangle)]
pub extern "C" fn stream_free(number: u32) {
    with(|host| host.free(number));
}
