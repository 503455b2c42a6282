//! Makes the program smaller: compresses the chapters of the book, and the relocations.

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

/// Writes `chapters.gz`, which `src/book/compressed.rs` reads: of each chapter the name of its file and its text, with a zero byte after
/// each.
fn compress_chapters() -> Result<(), Box<dyn Error>> {
    let package = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    // `player/wasm` has the same sources two folders below.
    let root = [package.clone(), package.join("../..")].into_iter().find(|root| root.join("lessons").is_dir());
    let root = root
        .ok_or_else(|| format!("there is no folder lessons in {}, and none two folders above it", package.display()))?;
    rerun_if_changed(&root.join("src/book/chapters.rs")); // a new chapter is named there
    let mut chapters = fs::read_dir(root.join("lessons"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    chapters.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    chapters.sort(); // the same text gives the same program
    let compressed = File::create(PathBuf::from(env::var("OUT_DIR")?).join("chapters.gz"))?;
    let mut compressed = GzEncoder::new(compressed, Compression::best());
    for path in chapters {
        rerun_if_changed(&path);
        let name = path.file_name().and_then(|name| name.to_str()).ok_or("the name of a chapter is no UTF-8")?;
        write!(compressed, "{name}\0{}\0", fs::read_to_string(&path)?)?;
    }
    compressed.finish()?;
    Ok(())
}

fn rerun_if_changed(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

/// Each pointer in the program's constants needs a relocation of 24 bytes; packed (RELR) it takes less than one byte. glibc can read
/// packed relocations since 2.36; with an older one the program does not start. So they are packed only if this machine's glibc is new
/// enough and the program is built for this machine. If the target is another, or a linker was configured, it may be for another one.
fn loader_of_this_machine_reads_packed_relocations() -> bool {
    let is_for_this_machine = env::var("HOST") == env::var("TARGET") && env::var_os("RUSTC_LINKER").is_none();
    let is_glibc = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux")
        && env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|libc| libc == "gnu");
    is_for_this_machine && is_glibc && glibc().is_some_and(|version| version >= (2, 36))
}

/// The version of this machine's glibc.
fn glibc() -> Option<(u32, u32)> {
    let told = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?; // glibc 2.36
    let (major, minor) = str::from_utf8(&told.stdout).ok()?.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
