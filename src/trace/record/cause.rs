//! The cause of an event: why an object was queued, stored or reported to a handler.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The cause of an event. A delta keeps its cause on its way through the queue, the store and the buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Cause {
    /// The object existed before the run began.
    Start,
    /// The Reflector's first list.
    InitialList,
    /// An event of the watch.
    Watch,
    /// A later list, because the watch could not go on.
    Relist,
    /// The resync period is over, so the known objects are handed out again.
    Resync,
    /// A handler was added while the informer ran.
    HandlerAdded,
    /// A timer expired.
    Timer,
    /// A client wrote to the API server.
    Write,
    /// The program called a method itself.
    Call,
    /// A cause that this version of the program does not know.
    Other,
}

impl Cause {
    /// The causes as a record spells them. `Other` has no entry: every other spelling is read as `Other`.
    const NAMES: [(Self, &str); 9] = [
        (Self::Start, "start"),
        (Self::InitialList, "initial_list"),
        (Self::Watch, "watch"),
        (Self::Relist, "relist"),
        (Self::Resync, "resync"),
        (Self::HandlerAdded, "handler_added"),
        (Self::Timer, "timer"),
        (Self::Write, "write"),
        (Self::Call, "call"),
    ];

    /// All causes.
    pub const ALL: [Self; 10] = [
        Self::Start,
        Self::InitialList,
        Self::Watch,
        Self::Relist,
        Self::Resync,
        Self::HandlerAdded,
        Self::Timer,
        Self::Write,
        Self::Call,
        Self::Other,
    ];

    /// Returns the cause as a record spells it.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(cause, _)| *cause == self).map_or("other", |(_, name)| name)
    }

    /// Returns the cause in words for the reader, in English and Chinese.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Start => ("there at the start", "开始时已有"),
            Self::InitialList => ("initial list", "首次 list"),
            Self::Watch => ("watch", "watch"),
            Self::Relist => ("relist", "relist"),
            Self::Resync => ("resync", "resync"),
            Self::HandlerAdded => ("handler added", "加入 handler"),
            Self::Timer => ("timer", "定时器"),
            Self::Write => ("write to the API server", "写 API server"),
            Self::Call => ("a call", "程序调用"),
            Self::Other => ("unknown cause", "未知原因"),
        }
    }
}

impl From<String> for Cause {
    fn from(name: String) -> Self {
        Self::NAMES.iter().find(|(_, known)| *known == name).map_or(Self::Other, |(cause, _)| *cause)
    }
}

impl From<Cause> for String {
    fn from(cause: Cause) -> Self {
        cause.name().to_owned()
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
