//! The calls as a module of Python: bytes go in, and bytes of JSON come out or are the argument of a `Failed`. The package around it
//! gives them their names and types. Calls let other threads of Python run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use citewire_calls::{Call, CallError};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

create_exception!(_native, Failed, PyException, "A call that failed: its argument is the error in JSON.");

/// The result of a call, of which a panic is an error of citewire.
fn outcome<T: Send>(py: Python<'_>, call: impl FnOnce() -> Result<T, CallError> + Send) -> PyResult<T> {
    let written = py.detach(|| catch_unwind(AssertUnwindSafe(call)));
    match written {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(error)) => Err(failed(py, &error.to_json())),
        Err(_) => Err(failed(py, br#"{"code":"internal","detail":"citewire failed"}"#)),
    }
}

fn failed(py: Python<'_>, json: &[u8]) -> PyErr {
    Failed::new_err(PyBytes::new(py, json).unbind())
}

/// A call by its name.
#[pyfunction]
fn call<'py>(py: Python<'py>, name: &str, body: &[u8], parameters: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let call = Call::ALL.into_iter().find(|call| call.name() == name);
    let call = call.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
    Ok(PyBytes::new(py, &outcome(py, || call.run(body, parameters))?))
}

/// An answer that arrives in pieces. Threads that share one wait for each other.
#[pyclass(frozen, module = "citewire._native")]
struct Stream(Mutex<citewire_calls::Stream>);

#[pymethods]
impl Stream {
    #[new]
    fn begin(py: Python<'_>, parameters: &[u8]) -> PyResult<Self> {
        Ok(Self(Mutex::new(outcome(py, || citewire_calls::Stream::begin(parameters))?)))
    }

    /// The new text for readers, if there is one.
    fn push<'py>(&self, py: Python<'py>, piece: &[u8]) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let shown = outcome(py, || self.with(|stream| stream.push(piece)))?;
        Ok(shown.map(|shown| PyBytes::new(py, &shown)))
    }

    /// The text so far, as an activity.
    fn so_far<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let activity = outcome(py, || self.with(citewire_calls::Stream::so_far))?;
        Ok(activity.map(|activity| PyBytes::new(py, &activity)))
    }

    /// The end.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &outcome(py, || self.with(citewire_calls::Stream::finish))?))
    }
}

impl Stream {
    fn with<T>(&self, does: impl FnOnce(&mut citewire_calls::Stream) -> Result<T, CallError>) -> Result<T, CallError> {
        // A panic leaves a stream as it was in the middle of a call.
        does(&mut *self.0.lock().map_err(|_| CallError::StreamEnded)?)
    }
}

/// The module.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("MAX_BYTES", citewire_calls::MAX_BYTES)?;
    module.add("Failed", module.py().get_type::<Failed>())?;
    module.add_function(wrap_pyfunction!(call, module)?)?;
    module.add_class::<Stream>()
}
