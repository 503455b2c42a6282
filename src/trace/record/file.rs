//! Writes the file of `--record`, and reads such files for `replay`, `step` and `board`: one event a line, as JSON. An
//! error of reading names the line that is wrong.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use super::{Header, Record, SCHEMA, What, to_json};
use crate::trace::Failure;

/// A file that a run is recorded into. Each line is written whole and at once, so a killed run leaves a readable
/// record. Clones share the file.
#[derive(Clone, Debug)]
pub struct RecordFile {
    path: PathBuf,
    file: Arc<File>,
}

impl RecordFile {
    /// Creates the file, and replaces an existing one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|error| {
            cannot_write(path).next(("choose another file for --record", "请为 --record 换一个文件")).because(error)
        })?;
        Ok(Self { path: path.to_owned(), file: Arc::new(file) })
    }

    /// Appends one record.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, record: &Record) -> Result<(), Failure> {
        let mut line = to_json(record).map_err(|error| self.failure(error.into()))?;
        line.push('\n');
        (&*self.file).write_all(line.as_bytes()).map_err(|error| self.failure(error))
    }

    fn failure(&self, error: io::Error) -> Failure {
        cannot_write(&self.path)
            .next((
                "check that the disk has room, or choose another file for --record",
                "请确认磁盘还有空间，或为 --record 换一个文件",
            ))
            .because(error)
    }
}

const HOW_TO_RECORD: (&str, &str) =
    ("record a run with: informer-lab LESSON --record FILE", "录制一次运行：informer-lab LESSON --record FILE");
const WHICH_FILE: (&str, &str) =
    ("give a file that was made with --record or --output json", "请给出用 --record 或 --output json 得到的文件");

fn cannot_write(path: &Path) -> Failure {
    let name = path.display();
    Failure::new((format!("cannot write the record {name}"), format!("无法写入记录 {name}")))
}

/// Reads a record file: one run, or several, each beginning with its header.
///
/// # Errors
/// The file cannot be read, has no run in it, has a later schema, or has a line that is not an event. The error names
/// the line.
pub fn read(path: &Path) -> Result<Vec<Record>, Failure> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| {
        Failure::new((format!("cannot read the record {name}"), format!("无法读取记录 {name}")))
            .next(HOW_TO_RECORD)
            .because(error)
    })?;
    parse(BufReader::new(file), &name)
}

fn parse(lines: impl BufRead, name: &str) -> Result<Vec<Record>, Failure> {
    let mut records: Vec<Record> = Vec::new();
    for (number, line) in (1..).zip(lines.split(b'\n')) {
        let at = || format!("{name}, line {number}");
        let line = line.map_err(|error| {
            Failure::new((format!("cannot read {}", at()), format!("无法读取 {}", at()))).because(error)
        })?;
        let line = String::from_utf8(line).map_err(|error| broken(&at(), error))?;
        if line.trim().is_empty() {
            continue;
        }
        if records.is_empty() {
            check_schema(&line, &at())?;
        }
        let record: Record = serde_json::from_str(&line).map_err(|error| match error.is_eof() {
            true => Failure::new((
                format!("{} ends in the middle: the run was cut off while it was written", at()),
                format!("{} 不完整：写到一半时运行中断了", at()),
            ))
            .next((
                format!("remove line {number} to read what is before it, or record the run again"),
                format!("删去第 {number} 行就能读取之前的内容，或重新录制"),
            ))
            .because(error),
            false => broken(&at(), error),
        })?;
        if records.is_empty() && !matches!(record.what, What::Run(_)) {
            return Err(no_header(&at()));
        }
        if record.header().is_some_and(|header| header.schema > SCHEMA) {
            check_schema(&line, &at())?; // the header of a later run
        }
        records.push(record);
    }
    if records.is_empty() {
        return Err(Failure::new((format!("{name} is empty"), format!("{name} 是空的"))).next(HOW_TO_RECORD));
    }
    Ok(records)
}

/// Refuses a record of a later schema before its other fields are parsed, because a later schema may have other fields.
fn check_schema(line: &str, at: &str) -> Result<(), Failure> {
    #[derive(Deserialize)]
    struct FirstLine {
        event: String,
        schema: u32,
        #[serde(default)]
        program: String,
    }
    match serde_json::from_str::<FirstLine>(line) {
        Ok(FirstLine { event, .. }) if event != "run" => Err(no_header(at)),
        Ok(FirstLine { schema, program, .. }) if schema > SCHEMA => Err(Failure::new((
            format!("{at}: the record has schema {schema}; this program reads up to {SCHEMA}"),
            format!("{at}：记录的 schema 是 {schema}，这个程序最高支持 {SCHEMA}"),
        ))
        .next((format!("use informer-lab {program} or later"), format!("请使用 informer-lab {program} 或更新的版本")))),
        Ok(_) => Ok(()),
        // A line of JSON without these fields is an event that is no header; any other line is no event at all.
        Err(_) => match serde_json::from_str::<serde_json::Value>(line) {
            Ok(_) => Err(no_header(at)),
            Err(error) => Err(broken(at, error)),
        },
    }
}

fn no_header(at: &str) -> Failure {
    let message =
        (format!("{at}: a record begins with an event \"run\""), format!("{at}：记录的第一个事件应为 \"run\""));
    Failure::new(message).next(WHICH_FILE)
}

fn broken(at: &str, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Failure {
    Failure::new((format!("{at} is not an event of a record"), format!("{at} 不是记录中的事件")))
        .next(WHICH_FILE)
        .because(error)
}

impl Record {
    /// Returns the header, if this record begins a run.
    pub fn header(&self) -> Option<&Header> {
        match &self.what {
            What::Run(header) => Some(header),
            _ => None,
        }
    }
}
