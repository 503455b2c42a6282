//! Makes the program smaller: packs the chapters of the book, and the relocations.

use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    pack_chapters()?;
    if loader_reads_packed_relocations() {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    Ok(())
}

/// Writes `lessons.gz`, which `src/book/pack.rs` reads: of each chapter the name of its file and its text, with a zero byte after each.
fn pack_chapters() -> Result<(), Box<dyn Error>> {
    let package = env::var("CARGO_MANIFEST_DIR")?;
    // The package for web pages is two folders below the chapters.
    let lessons = Path::new(&package).ancestors().map(|folder| folder.join("lessons")).find(|folder| folder.is_dir());
    let lessons = lessons.ok_or("there is no folder lessons")?;
    println!("cargo::rerun-if-changed={}", lessons.display());
    let mut chapters =
        fs::read_dir(lessons)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    chapters.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    chapters.sort(); // the same text gives the same program
    let pack = PathBuf::from(env::var("OUT_DIR")?).join("lessons.gz");
    let mut pack = GzEncoder::new(File::create(pack)?, Compression::best());
    for path in chapters {
        println!("cargo::rerun-if-changed={}", path.display());
        let name = path.file_name().and_then(|name| name.to_str()).ok_or("the name of a chapter is no UTF-8")?;
        write!(pack, "{name}\0{}\0", fs::read_to_string(&path)?)?;
    }
    pack.finish()?;
    Ok(())
}

/// A pointer in the program's constants takes 24 bytes of relocations, packed (RELR) less than one. glibc reads these since 2.36, and
/// this machine's says which it is: where the program is built for another machine, nothing is packed.
fn loader_reads_packed_relocations() -> bool {
    let is_for_this_machine = env::var("HOST") == env::var("TARGET");
    let is_glibc = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux")
        && env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|libc| libc == "gnu");
    is_for_this_machine && is_glibc && glibc().is_some_and(|version| version >= (2, 36))
}

fn glibc() -> Option<(u32, u32)> {
    let told = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?; // glibc 2.36
    let (major, minor) = str::from_utf8(&told.stdout).ok()?.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
