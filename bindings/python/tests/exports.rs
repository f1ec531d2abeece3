//! Python finds the module of a library by a symbol.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};

#[test]
fn the_library_has_the_module_under_the_name_that_the_package_imports() {
    let program = std::env::current_exe().expect("a program");
    let library = program.with_file_name(format!("{DLL_PREFIX}_native{DLL_SUFFIX}"));
    let bytes = std::fs::read(&library).expect("the library stands beside its test");
    let symbol = b"PyInit__native\0";
    assert!(bytes.windows(symbol.len()).any(|part| part == symbol), "{}", library.display());
    let package = include_str!("../citewire/__init__.py");
    assert!(package.contains("\nfrom . import _native\n"));
}
