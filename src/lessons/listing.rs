//! `informer-lab` without a subcommand: the list of lessons, beside the documents' commands.

use std::io;

use anyhow::Result;

use super::catalog::{Origin, rows};
use crate::console::Ended;
use crate::trace::Printer;

/// Prints the list on standard output, in the language of the narration.
pub fn print(printer: &Printer) -> Result<Ended> {
    Ended::of_writing(write(printer))
}

fn write(printer: &Printer) -> io::Result<()> {
    let documents = || {
        rows().filter_map(|row| match row.origin {
            Origin::Program(go) => Some((row, go)),
            Origin::Step | Origin::Beyond => None,
        })
    };
    let beyond = || rows().filter(|row| row.origin == Origin::Beyond && !row.command.contains(' '));
    let listed = documents().map(|(row, _)| row).chain(beyond());
    let width = listed.map(|row| row.command.len()).max().unwrap_or_default();
    printer.page(printer.pick(
        "client-go's informers, one lesson at a time: informer-lab LESSON\n",
        "client-go 的 informer，一课一课来：informer-lab 课程\n",
    ))?;
    for (row, go) in documents() {
        printer.page(&format!("  {:width$}  {}", row.command, printer.pick(row.en, row.zh)))?;
        printer.page_dimmed(&format!("  {:width$}  {go}", ""))?;
    }
    let tour = printer.pick("all of them, in the documents' order", "按文档顺序全部运行");
    printer.page(&format!("  {:width$}  {tour}", "tour"))?;
    let eras = printer.pick("one of them in both eras, side by side", "一课在两个时代各运行一次，并排比较");
    printer.page(&format!("  {:width$}  {eras}", "eras LESSON"))?;
    let cluster = printer.pick("the built-in cluster, for kubectl and for tests", "内置集群，供 kubectl 和测试使用");
    printer.page(&format!("  {:width$}  {cluster}", "cluster"))?;
    printer.page(printer.pick("\nBeyond the documents' programs:\n", "\n文档程序之外：\n"))?;
    for row in beyond() {
        printer.page(&format!("  {:width$}  {}", row.command, printer.pick(row.en, row.zh)))?;
    }
    printer.page(printer.pick(
        "\ninformer-lab LESSON --help says what a lesson can do.",
        "\ninformer-lab 课程 --help 说明每一课的选项。",
    ))
}
