//! Reads the files that a user names on the command line. Without a named file, a fixture that is compiled into the
//! program takes its place.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::Result;

use crate::trace::Failure;
use kube_testcluster::{FileError, Stages};

/// A file of `fixtures/` that is compiled into the binary.
#[derive(Debug, PartialEq, Eq)]
pub struct Fixture {
    /// The file's name, for messages.
    pub name: &'static str,
    /// The file's content.
    pub text: &'static str,
}

/// The pods that most lessons begin with. The book's exercises name this file, so its name also works without a clone
/// of the repository.
pub static PODS_OF_THE_BOOK: Fixture =
    Fixture { name: "fixtures/pods.yaml", text: include_str!("../../fixtures/pods.yaml") };

pub(crate) struct InputFile {
    pub(crate) text: String,
    pub(crate) name: String,
}

/// The expected content of each file, in Chinese; the parser's error says it in English.
pub(crate) const PODS: &str = "应为若干个 kind 为 Pod 的文档、一个 List，或一个 Pod 数组";
pub(crate) const NODES: &str = "应为若干个 kind 为 Node 的文档、一个 List，或一个 Node 数组";
pub(crate) const MANIFESTS: &str = "应为若干个对象，各有 apiVersion、kind 和 metadata.name";
pub(crate) const SCENARIO: &str = "应为步骤的数组，例如 - {at: 1s, run: NAME} 或 - {at: 4s, delete: NAME}";
const STAGES: &str = "应为 kubelet 的各个阶段：run 和 delete 各是步骤的数组，还可以有 lifecycles";

impl InputFile {
    /// Parses the text. The sentence of an error is the parser's in English, and our own in Chinese.
    ///
    /// # Errors
    /// A syntax error, with its line.
    pub(crate) fn parsed<T>(
        &self,
        expected_zh: &str,
        parse: impl FnOnce(&str, &str) -> Result<T, FileError>,
    ) -> Result<T, Failure> {
        parse(&self.text, &self.name).map_err(|error| {
            let zh = format!("{}:{}：文件内容有误；{expected_zh}", self.name, error.line());
            Failure::new((error.to_string(), zh)).because(error)
        })
    }
}

/// Reads the file at `path`; without a path, returns the fixture `default`. `what` describes the file in messages, as
/// in "the pods file".
pub(crate) fn input_file(path: Option<&Path>, what: &str, default: Option<&Fixture>) -> Result<Option<InputFile>> {
    let built_in = match path {
        Some(path) if path == Path::new(PODS_OF_THE_BOOK.name) && !path.exists() => Some(&PODS_OF_THE_BOOK),
        Some(_) => None,
        None => default,
    };
    Ok(match (path, built_in) {
        (_, Some(fixture)) => Some(InputFile { text: fixture.text.to_owned(), name: fixture.name.to_owned() }),
        (Some(path), None) => Some(InputFile { text: read(path, what)?, name: path.display().to_string() }),
        (None, None) => None,
    })
}

/// Returns the stages, by which the simulated kubelet moves pods from phase to phase: those of a name in
/// [`Stages::NAMES`] or of a file; else the default fixture's; else the default ones.
pub(crate) fn stages(path: Option<&Path>, default: Option<&Fixture>) -> Result<Stages> {
    if let Some(named) = path.and_then(Path::to_str).and_then(Stages::named) {
        return Ok(named);
    }
    // A single word without an ending is meant as a name, not as a file.
    if let Some(word) =
        path.filter(|path| path.extension().is_none() && path.components().count() == 1 && !path.exists())
    {
        return Err(Failure::new((
            format!("unknown stages: {}", word.display()),
            format!("没有名为 {} 的 stages", word.display()),
        ))
        .next((
            format!("choose a file, or one of {}", Stages::NAMES.join(", ")),
            format!("请指定一个文件，或以下之一：{}", Stages::NAMES.join(", ")),
        ))
        .into());
    }
    let source = input_file(path, "the stages file", default)?;
    Ok(source.map(|source| source.parsed(STAGES, Stages::from_yaml)).transpose()?.unwrap_or_default())
}

/// The largest file that is read, enough for some hundred thousand pods. The limit protects from devices without an
/// end, such as /dev/zero.
const LONGEST: u64 = 256 << 20;

fn first_bytes(from: impl Read, count: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read(path: &Path, what: &str) -> Result<String> {
    let shown = path.display();
    let bytes = File::open(path).and_then(|file| first_bytes(file, LONGEST + 1)).map_err(|error| {
        Failure::new((format!("cannot read {what} {shown}"), format!("无法读取 {shown}")))
            .because(error)
            .next(("choose a file that exists and that you may read", "请指定一个存在并且有权读取的文件"))
    })?;
    text(bytes, what, &shown)
}

/// Reads a stream, such as standard input. `name` stands for the name of a file in messages.
///
/// # Errors
/// The stream cannot be read, or is no UTF-8 text.
pub(crate) fn input_stream(stream: impl Read, what: &str, name: &str) -> Result<InputFile> {
    let bytes = first_bytes(stream, LONGEST + 1).map_err(|error| {
        Failure::new((format!("cannot read {what} {name}"), format!("无法读取 {name}"))).because(error)
    })?;
    Ok(InputFile { text: text(bytes, what, &name)?, name: name.to_owned() })
}

/// Returns the text of a file. If the file is not UTF-8, the error names the line of the first wrong byte.
fn text(bytes: Vec<u8>, what: &str, shown: &dyn Display) -> Result<String> {
    if bytes.len() as u64 > LONGEST {
        let mib = LONGEST >> 20;
        return Err(Failure::new((
            format!("{what} {shown} is larger than {mib} MiB"),
            format!("{shown} 超过 {mib} MiB"),
        ))
        .next(("choose a smaller file", "请换一个更小的文件"))
        .into());
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..good].iter().filter(|&&byte| byte == b'\n').count();
        Failure::new((
            format!("{shown}:{line}: {what} is not UTF-8 text"),
            format!("{shown}:{line}：文件不是 UTF-8 文本"),
        ))
        .next(("save the file as UTF-8", "请以 UTF-8 保存这个文件"))
    })?;
    Ok(text)
}
