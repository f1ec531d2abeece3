//! The calls as functions of C, which .NET calls: bytes go in, and bytes of JSON come out. The package around them gives them their
//! names and types.
//!
//! A function writes where the result stands, and returns what it is: [`RESULT`], [`NOTHING`] or [`ERROR`]. The result belongs to the
//! caller until [`citewire_free`]. All is UTF-8. Functions may be called from any thread at any time; threads that share a stream
//! wait for each other.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;
use std::sync::Mutex;

use citewire_calls::{Call, CallError, Stream};

/// The call gave its result.
pub const RESULT: i32 = 1;

/// The call succeeded, and has nothing to say: readers see what they saw before.
pub const NOTHING: i32 = 0;

/// The call failed, and the bytes are its error: `code` and `detail`, and where it has them `pointer`, `event` and `line`.
pub const ERROR: i32 = -1;

/// Bytes of this library.
#[derive(Debug)]
#[repr(C)]
pub struct Written {
    data: *mut u8,
    length: usize,
}

/// An answer that arrives in pieces.
#[derive(Debug)]
pub struct SharedStream(Mutex<Stream>);

/// The longest answer, activity or stream, in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn citewire_max_bytes() -> usize {
    citewire_calls::MAX_BYTES
}

/// The call of this number, in the order of [`Call::ALL`].
///
/// # Safety
/// Each address has to be that of as many bytes as its length says, or the length has to be 0; `written` that of a [`Written`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn citewire_call(
    number: u32,
    body: *const u8,
    body_length: usize,
    parameters: *const u8,
    parameters_length: usize,
    written: *mut Written,
) -> i32 {
    let call = usize::try_from(number).ok().and_then(|number| Call::ALL.get(number).copied());
    // SAFETY: the caller says that these are their bytes.
    let (body, parameters) = unsafe { (lent(body, body_length), lent(parameters, parameters_length)) };
    let result = outcome(|| call.map_or(Ok(None), |call| call.run(body, parameters).map(Some)));
    // SAFETY: the caller says that a result can be written there.
    unsafe { give(result, written) }
}

/// Begins a stream; null where it cannot begin, and then an error is written.
///
/// # Safety
/// Addresses are as [`citewire_call`] wants them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn citewire_stream_begin(
    parameters: *const u8,
    parameters_length: usize,
    written: *mut Written,
) -> *mut SharedStream {
    // SAFETY: the caller says that these are its bytes.
    let parameters = unsafe { lent(parameters, parameters_length) };
    match outcome(|| Stream::begin(parameters)) {
        Ok(stream) => Box::into_raw(Box::new(SharedStream(Mutex::new(stream)))),
        Err(error) => {
            // SAFETY: the caller says that a result can be written there.
            unsafe { give(Err(error), written) };
            std::ptr::null_mut()
        }
    }
}

/// Takes the next piece, and gives the new text for readers, if there is one.
///
/// # Safety
/// `stream` has to be one that [`citewire_stream_begin`] gave and that is not freed; the other addresses are as [`citewire_call`]
/// wants them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn citewire_stream_push(
    stream: *const SharedStream,
    piece: *const u8,
    piece_length: usize,
    written: *mut Written,
) -> i32 {
    // SAFETY: the caller says that these are its bytes.
    let piece = unsafe { lent(piece, piece_length) };
    // SAFETY: the caller says that this is a stream, and that a result can be written there.
    unsafe { with(stream, written, |stream| stream.push(piece)) }
}

/// Gives the text so far as an activity, if there is one.
///
/// # Safety
/// As [`citewire_stream_push`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn citewire_stream_so_far(stream: *const SharedStream, written: *mut Written) -> i32 {
    // SAFETY: the caller says that this is a stream, and that a result can be written there.
    unsafe { with(stream, written, Stream::so_far) }
}

/// Ends a stream and gives its message. The stream still has to be freed.
///
/// # Safety
/// As [`citewire_stream_push`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn citewire_stream_finish(stream: *const SharedStream, written: *mut Written) -> i32 {
    // SAFETY: the caller says that this is a stream, and that a result can be written there.
    unsafe { with(stream, written, |stream| stream.finish().map(Some)) }
}

/// Frees a stream.
///
/// # Safety
/// `stream` has to be null, or one that [`citewire_stream_begin`] gave, that is not freed and that no call uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn citewire_stream_free(stream: *mut SharedStream) {
    if !stream.is_null() {
        // SAFETY: the caller says that the stream is its own.
        drop(unsafe { Box::from_raw(stream) });
    }
}

/// Frees a result.
///
/// # Safety
/// Address and length have to be those that a call has written, and are not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn citewire_free(data: *mut u8, length: usize) {
    if !data.is_null() {
        // SAFETY: the caller says that these are the bytes of a result, which was a box.
        drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(data, length)) });
    }
}

/// The bytes at an address, for the time of a call.
///
/// # Safety
/// The address has to be that of as many bytes, or the length has to be 0.
unsafe fn lent<'b>(data: *const u8, length: usize) -> &'b [u8] {
    if data.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: the caller says so.
    unsafe { slice::from_raw_parts(data, length) }
}

/// Calls a stream.
///
/// # Safety
/// As [`citewire_stream_push`].
unsafe fn with(
    stream: *const SharedStream,
    written: *mut Written,
    does: impl FnOnce(&mut Stream) -> Result<Option<Vec<u8>>, CallError>,
) -> i32 {
    // SAFETY: the caller says that this is a stream.
    let stream = unsafe { stream.as_ref() };
    let result = outcome(|| {
        let stream = stream.ok_or(CallError::StreamEnded)?;
        // A panic leaves a stream as it was in the middle of a call.
        does(&mut *stream.0.lock().map_err(|_| CallError::StreamEnded)?)
    });
    // SAFETY: the caller says that a result can be written there.
    unsafe { give(result, written) }
}

/// The result of a call, or its error as JSON. A panic is an error of citewire.
fn outcome<T>(call: impl FnOnce() -> Result<T, CallError>) -> Result<T, Vec<u8>> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result.map_err(|error| error.to_json()),
        Err(_) => Err(br#"{"code":"internal","detail":"citewire failed"}"#.to_vec()),
    }
}

/// Hands a result to the caller.
///
/// # Safety
/// `written` has to be the address of a [`Written`].
unsafe fn give(result: Result<Option<Vec<u8>>, Vec<u8>>, written: *mut Written) -> i32 {
    let (kind, bytes) = match result {
        Ok(Some(bytes)) => (RESULT, bytes),
        Ok(None) => return NOTHING,
        Err(error) => (ERROR, error),
    };
    let bytes = Box::into_raw(bytes.into_boxed_slice());
    // SAFETY: the caller says that a result can be written there.
    unsafe { written.write(Written { data: bytes.cast(), length: bytes.len() }) };
    kind
}
