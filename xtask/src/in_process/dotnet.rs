//! The packages for NuGet, installed into empty projects.

use super::{example, write_vectors};
use crate::repository::Repository;
use crate::{dist, process};
use anyhow::{Context as _, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the packages, installs them as users do, and tries them.
pub(crate) fn test(repository: &Repository, program: &Path, writer: Command) -> Result<()> {
    let folder = repository.target("dotnet");
    dist::dotnet_for_tests(repository, program, &folder)?;
    let vectors = folder.join("vectors.jsonl");
    write_vectors(writer, &vectors)?;
    let projects = Projects { repository, folder: &folder, framework: framework()? };
    let readme = fs::read_to_string(repository.path("bindings/dotnet/README.md")).context("the README")?;
    let code = example(&readme, "csharp").context("the README has no example")?;
    let said = process::output(&mut projects.program("Readme", &wrapped(code))?)?;
    anyhow::ensure!(said.ends_with("https://hr.example/leave\nTrue\n"), "the example of the README printed {said}");
    let sources = repository.path("bindings/dotnet/test");
    process::run(&mut projects.program("Calls", &fs::read_to_string(sources.join("Calls.cs"))?)?)?;
    process::run(projects.program("Vectors", &fs::read_to_string(sources.join("Vectors.cs"))?)?.arg(vectors))?;
    tool(repository, &folder)
}

/// The lines of an example as a program: C# 8 has no statements outside of methods.
fn wrapped(code: &str) -> String {
    let (imports, statements): (Vec<&str>, Vec<&str>) =
        code.lines().partition(|line| line.starts_with("using ") && line.ends_with(';') && !line.contains('='));
    format!(
        "{}\nclass Example\n{{\n    static void Main()\n    {{\n{}\n    }}\n}}\n",
        imports.join("\n"),
        statements.join("\n")
    )
}

/// The framework of the SDK that is there.
fn framework() -> Result<String> {
    let version = process::output(dist::dotnet_command()?.arg("--version"))?;
    let major = version.trim().split('.').next().context("a version")?;
    Ok(if major == "3" { "netcoreapp3.1".to_owned() } else { format!("net{major}.0") })
}

/// Empty projects with the package.
struct Projects<'r> {
    repository: &'r Repository,
    folder: &'r Path,
    framework: String,
}

impl Projects<'_> {
    /// Builds a program in an empty project that has the package from the folder of packages.
    fn program(&self, name: &str, source: &str) -> Result<Command> {
        let project = self.folder.join(name);
        if project.exists() {
            fs::remove_dir_all(&project)?;
        }
        fs::create_dir_all(&project)?;
        fs::write(project.join("Program.cs"), source)?;
        fs::copy(self.repository.path("bindings/dotnet/test/Test.csproj"), project.join("Test.csproj"))?;
        fs::write(project.join("nuget.config"), sources(self.folder))?;
        let mut build = dist::dotnet_command()?;
        build.args(["build", "--nologo", "--configuration", "Release", "--verbosity", "quiet", "--output", "built"]);
        build.arg("-p:Program=Program.cs").arg(format!("-p:TestFramework={}", self.framework));
        build.arg(format!("-p:CitewireVersion={}", self.repository.version()?));
        process::run(build.current_dir(&project))?;
        let mut program = dist::dotnet_command()?;
        program.arg(project.join("built/Test.dll")).current_dir(project);
        Ok(program)
    }
}

/// The settings of NuGet for packages of a folder alone.
fn sources(folder: &Path) -> String {
    format!(
        "<configuration><packageSources><clear /><add key=\"here\" value=\"{}\" /></packageSources></configuration>\n",
        folder.display()
    )
}

/// Installs the tool as users do, and has it convert an answer.
fn tool(repository: &Repository, folder: &Path) -> Result<()> {
    let place = folder.join("tool");
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    fs::create_dir_all(&place)?;
    let config = place.join("nuget.config");
    fs::write(&config, sources(folder))?;
    let mut install = dist::dotnet_command()?;
    install.args(["tool", "install", "citewire", "--version", &repository.version()?, "--tool-path"]).arg(&place);
    process::run(install.arg("--configfile").arg(&config))?;
    let program: PathBuf = place.join(if cfg!(windows) { "citewire.exe" } else { "citewire" });
    let mut root = Command::new(&program);
    // The starter looks for the runtime where the installation is, unless it is told.
    if let Some(dotnet) = process::on_path("dotnet").and_then(|file| fs::canonicalize(file).ok())
        && let Some(installed) = dotnet.parent()
    {
        root.env("DOTNET_ROOT", installed);
    }
    root.env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1");
    let sample = repository.path("samples/answers/native/leave/input.json");
    let said = process::output(root.args(["convert", "--to", "teams"]).arg(sample))?;
    anyhow::ensure!(said.contains("\"citation\""), "the tool printed {said}");
    Ok(())
}
