//! .NET finds the functions of a library by their names.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};

#[test]
fn the_library_has_the_functions_that_the_package_imports() {
    let program = std::env::current_exe().expect("a program");
    let library = program.with_file_name(format!("{DLL_PREFIX}citewire_native{DLL_SUFFIX}"));
    let bytes = std::fs::read(&library).expect("the library stands beside its test");
    let package = include_str!("../Citewire.Core/Native.cs");
    let imported = package.split("extern ").skip(1).filter_map(|rest| rest.split_once('(')?.0.split(' ').next_back());
    let imported: Vec<String> = imported.map(|name| format!("{name}\0")).collect();
    assert_eq!(imported.len(), 8, "{imported:?}");
    for name in imported {
        assert!(bytes.windows(name.len()).any(|part| part == name.as_bytes()), "{name} of {}", library.display());
    }
}
