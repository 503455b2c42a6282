//! The two eras of the lessons: Kubernetes as the tutorials describe it (2023), and as it is today. The queue, the way
//! to list and the watch cache changed in between. `--era`, `--client` and `--server` choose the era.

use std::fmt;

use clap::ValueEnum;

/// A generation of Kubernetes. The client and the built-in API server each have their own era.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Era {
    /// The tutorials' time, 2023: DeltaFIFO and LIST; an unordered watch cache
    /// 教程当时的（2023 年）：DeltaFIFO 和 LIST；无序的 watch cache
    #[value(verbatim_doc_comment)]
    #[default]
    Classic,
    /// Today: RealFIFO and streaming lists; a watch cache ordered by key
    /// 今天的：RealFIFO 和 streaming list；按 key 排序的 watch cache
    #[value(verbatim_doc_comment)]
    Modern,
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Classic => "classic",
            Self::Modern => "modern",
        })
    }
}

impl From<Era> for kube_testcluster::Era {
    fn from(era: Era) -> Self {
        match era {
            Era::Classic => Self::Classic,
            Era::Modern => Self::Modern,
        }
    }
}
