//! The build script: makes the program smaller by compressing the book's chapters and packing the relocations.

use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> Result<(), Box<dyn Error>> {
    compress_chapters()?;
    if loader_of_this_machine_reads_packed_relocations() {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    Ok(())
}

/// Writes `chapters.gz`, which `src/book/compressed.rs` reads. For each chapter it contains the file name and the text, each followed by a
/// zero byte.
fn compress_chapters() -> Result<(), Box<dyn Error>> {
    let package = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    // `player/wasm` is built from the same sources, and its folder is two levels deeper.
    let root = [package.clone(), package.join("../..")].into_iter().find(|root| root.join("lessons").is_dir());
    let root = root
        .ok_or_else(|| format!("there is no folder lessons in {}, and none two folders above it", package.display()))?;
    rerun_if_changed(&root.join("src/book/chapters.rs")); // each new chapter is added there
    let mut chapters = fs::read_dir(root.join("lessons"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    chapters.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    chapters.sort(); // in a fixed order, to make the build reproducible
    let compressed = File::create(PathBuf::from(env::var("OUT_DIR")?).join("chapters.gz"))?;
    let mut compressed = GzEncoder::new(compressed, Compression::best());
    for path in chapters {
        rerun_if_changed(&path);
        let name = path.file_name().and_then(|name| name.to_str()).ok_or("the name of a chapter is not UTF-8")?;
        write!(compressed, "{name}\0{}\0", fs::read_to_string(&path)?)?;
    }
    compressed.finish()?;
    Ok(())
}

fn rerun_if_changed(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

/// Returns true if the program is built for this machine and this machine's glibc can read packed relocations.
///
/// Each pointer in the program's constants needs a relocation of 24 bytes; packed (RELR) it takes less than one byte. But with a glibc
/// before 2.36, a program with packed relocations does not start. If the target differs from the host, or a linker is configured, the
/// program may be for another machine, so the relocations are not packed.
fn loader_of_this_machine_reads_packed_relocations() -> bool {
    let is_for_this_machine = env::var("HOST") == env::var("TARGET") && env::var_os("RUSTC_LINKER").is_none();
    let is_glibc = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux")
        && env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|libc| libc == "gnu");
    is_for_this_machine && is_glibc && glibc().is_some_and(|version| version >= (2, 36))
}

/// Returns the version of this machine's glibc.
fn glibc() -> Option<(u32, u32)> {
    let told = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?; // glibc 2.36
    let (major, minor) = str::from_utf8(&told.stdout).ok()?.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
