//! Tells the linker of macOS that the interpreter has the functions that the module lacks.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
