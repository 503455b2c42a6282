//! Questions on lines that a lesson prints, for lessons without an informer, or where the line is the point. The answer is
//! the line that the record has; a run that prints another line, such as one with another scenario, has no question.

use std::collections::BTreeMap;

use super::Question;
use super::choices::Choices;
use crate::trace::{Both, Record, What};

/// A question on one line of a run.
struct LineQuestion {
    /// The run's command.
    command: &'static str,
    /// The number of the line, from 0.
    line: usize,
    text: Both,
    /// The choices: lines, or their ends.
    choices: &'static [&'static str],
    reason: Both,
}

/// Returns the questions on lines, by the index of the event at which they are asked: the line before, because the
/// events in between would give the answer away. A first line is asked about at the last event before it that is no
/// narration.
pub(super) fn questions(records: &[Record]) -> BTreeMap<usize, Question> {
    let mut questions = BTreeMap::new();
    let (mut command, mut line, mut asks_at) = ("", 0, 0);
    for (at, record) in records.iter().enumerate() {
        match &record.what {
            What::Run(header) => (command, line) = (header.command.as_str(), 0),
            What::Narration { .. } => continue,
            What::Line { text, .. } => {
                let of_line = LINES.iter().find(|question| question.command == command && question.line == line);
                questions.extend(of_line.and_then(|question| Some((asks_at, question.answered_by(text)?))));
                line += 1;
            }
            _ if line > 0 => continue,
            _ => {}
        }
        asks_at = at;
    }
    questions
}

impl LineQuestion {
    fn answered_by(&self, line: &str) -> Option<Question> {
        let printed = single_spaced(line);
        let answer = self.choices.iter().position(|choice| printed.ends_with(choice))?;
        let all = self.choices.iter().map(|choice| ((*choice).to_owned(), (*choice).to_owned())).collect();
        let Choices { all, answer } = Choices { all, answer }.turned(self.text.en);
        let text = (self.text.en.to_owned(), self.text.zh.to_owned());
        let reason = (self.reason.en.to_owned(), self.reason.zh.to_owned());
        Some(Question { text, choices: all, answer, reason })
    }
}

fn single_spaced(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

const DELETES_NETTOOL: Both = Both {
    en: "Next, kubectl delete pod nettool runs. Which line is printed first?",
    zh: "接下来执行 kubectl delete pod nettool。先打印哪一行？",
};

const FIRST_A_CHANGE: Both = Both {
    en: "the API server first sets deletionTimestamp, which is a change; the pod is removed when its containers have ended.",
    zh: "API server 先设置 deletionTimestamp，这是一次修改；容器都结束之后 Pod 才消失。",
};

static LINES: &[LineQuestion] = &[
    LineQuestion {
        command: "listwatch",
        line: 13,
        text: DELETES_NETTOOL,
        choices: &[
            "MODIFIED : nettool , Status: Running",
            "DELETED : nettool , Status: Running",
            "DELETED : nettool , Status: Succeeded",
        ],
        reason: FIRST_A_CHANGE,
    },
    LineQuestion {
        command: "reflector",
        line: 5,
        text: DELETES_NETTOOL,
        choices: &[
            "Updated : nettool : Running",
            "Deleted : nettool : Running",
            "Deleted : nettool : Running : DeletedFinalStateUnknown",
        ],
        reason: FIRST_A_CHANGE,
    },
    LineQuestion {
        command: "reflector --known-objects",
        line: 5,
        text: DELETES_NETTOOL,
        choices: &[
            "Updated : nettool : Running",
            "Deleted : nettool : Running",
            "Deleted : nettool : Running : DeletedFinalStateUnknown",
        ],
        reason: FIRST_A_CHANGE,
    },
    LineQuestion {
        command: "listwatch",
        line: 17,
        text: Both {
            en: "The containers of nettool have ended, and the pod is removed. What does the last line say?",
            zh: "nettool 的容器都结束了，Pod 要消失了。最后一行是什么？",
        },
        choices: &["DELETED : nettool , Status: Running", "DELETED : nettool , Status: Failed", "DELETED : nettool"],
        reason: Both {
            en: "DELETED brings the whole object in its last state, and nothing has changed its phase.",
            zh: "DELETED 带着对象最后的完整状态，而 phase 一直没有变。",
        },
    },
    LineQuestion {
        command: "deltafifo --step list",
        line: 0,
        text: Both {
            en: "pod1, pod2 and pod3 are queued, and nothing was popped. What does List return?",
            zh: "pod1、pod2、pod3 都已入队，还没有 pop。List 返回什么？",
        },
        choices: &["[{pod1 1} {pod2 2} {pod3 3}]", "[{pod3 3}]", "[]"],
        reason: Both {
            en: "List returns the newest object of each key that is queued; it pops nothing.",
            zh: "List 返回队列里每个 key 的最新对象，不会 pop。",
        },
    },
    LineQuestion {
        command: "indexer",
        line: 0,
        text: Both {
            en: "Two pods are stored, and indexed by their label app. How is the index built?",
            zh: "两个 Pod 已存入，并按 label app 建立索引。索引是什么结构？",
        },
        choices: &[
            "map[app:map[l1:map[ns1---pod1:{}] l2:map[ns2---pod2:{}]]]",
            "map[app:map[ns1---pod1:map[l1:{}] ns2---pod2:map[l2:{}]]]",
            "map[l1:map[app:map[ns1---pod1:{}]] l2:map[app:map[ns2---pod2:{}]]]",
        ],
        reason: Both {
            en: "an index maps each value to the keys that have it, so a search for a value needs no search through objects.",
            zh: "索引从每个值映射到有这个值的 key，所以按值查找不必遍历对象。",
        },
    },
    LineQuestion {
        command: "indexer",
        line: 1,
        text: Both {
            en: "Next, IndexKeys(\"app\", \"l1\") is called. What does it return?",
            zh: "接下来调用 IndexKeys(\"app\", \"l1\")。它返回什么？",
        },
        choices: &["[ns1---pod1] <nil>", "[ns1/pod1] <nil>", "[{ns1 pod1 l1}] <nil>"],
        reason: Both {
            en: "it returns keys, not objects, and this lesson's own key function joins them with ---.",
            zh: "它返回 key 而不是对象，本课自己的 key 函数用 --- 连接。",
        },
    },
    LineQuestion {
        command: "indexer --by namespace",
        line: 0,
        text: Both {
            en: "Next, the lesson looks up namespace ns1 in the index, and then each key that it finds in the store. What does it print?",
            zh: "接下来，本课在索引里查 namespace ns1，再查找到的每个 key。它打印什么？",
        },
        choices: &["ns1/pod1 true <nil>", "ns1/pod1 false <nil>", "pod1 true <nil>"],
        reason: Both {
            en: "the index has the keys that the store has, with the namespace, so GetByKey finds each.",
            zh: "索引里的 key 就是 store 的 key，带 namespace，所以 GetByKey 都能找到。",
        },
    },
    LineQuestion {
        command: "indexer --by misnamed",
        line: 0,
        text: Both {
            en: "The index is called namespace, and its function returns the label app. Next, IndexKeys(\"namespace\", \"ns1\") is called. What does it return?",
            zh: "索引名叫 namespace，索引函数返回的却是 label app。接下来调用 IndexKeys(\"namespace\", \"ns1\")。它返回什么？",
        },
        choices: &["[] <nil>", "[ns1/pod1] <nil>", "[ns1/pod1 ns2/pod2] <nil>"],
        reason: Both {
            en: "the name of an index is only a name. Its function decides the values, and no pod has the label ns1.",
            zh: "索引名只是一个名字，值由索引函数决定，而没有哪个 Pod 的 label 值是 ns1。",
        },
    },
    LineQuestion {
        command: "shared --step stages",
        line: 7,
        text: Both {
            en: "pod2 was just added, and the handler still has pod0. What is pending then?",
            zh: "刚加入 pod2，handler 还在处理 pod0。pending 里有什么？",
        },
        choices: &["pending [pod2]", "pending [pod1 pod2]", "pending []"],
        reason: Both {
            en: "pod1 has left the pending notifications: the first stage holds it, and waits to send it to nextCh.",
            zh: "pod1 已离开 pendingNotifications：第一阶段拿着它，等着发给 nextCh。",
        },
    },
    LineQuestion {
        command: "shared --step stages",
        line: 13,
        text: Both {
            en: "Two more pods come before the handler is free. What is pending after the second?",
            zh: "handler 空闲之前又来了两个 Pod。第二个到来之后 pending 里有什么？",
        },
        choices: &["pending [pod3 pod4]", "pending [pod4]", "pending [pod2 pod3 pod4]"],
        reason: Both {
            en: "the buffer grows without a limit while the handler is busy; only the oldest waits at nextCh.",
            zh: "handler 忙的时候缓冲无限增长；只有最早的那个等在 nextCh。",
        },
    },
    LineQuestion {
        command: "lister",
        line: 4,
        text: Both {
            en: "The lister has answered two Gets and two Lists. How many requests went to the API server meanwhile?",
            zh: "lister 回答了两次 Get 和两次 List。其间向 API server 发了几个请求？",
        },
        choices: &["requests meanwhile: 0", "requests meanwhile: 1", "requests meanwhile: 4"],
        reason: Both {
            en: "a lister reads the informer's store, even for an object that does not exist.",
            zh: "lister 读的是 informer 的 store，查不存在的对象也一样。",
        },
    },
    LineQuestion {
        command: "list --lag",
        line: 3,
        text: Both {
            en: "A pod was just created, and the watch cache lacks it. Which part answers a LIST with resourceVersion=0, on the server of 2023 and on today's?",
            zh: "刚创建了一个 Pod，watch cache 还没有收到。带 resourceVersion=0 的 LIST，2023 年的服务端和今天的服务端各由什么回答？",
        },
        choices: &["watch-cache 4 watch-cache 4", "storage 5 watch-cache 5", "504 504"],
        reason: Both {
            en: "0 accepts any state, so the watch cache answers at once, with the four pods that it has.",
            zh: "0 接受任何状态，所以 watch cache 立即用它已有的四个 Pod 回答。",
        },
    },
    LineQuestion {
        command: "list",
        line: 1,
        text: Both {
            en: "The first LIST names no resourceVersion. Which part answers it, on the server of 2023 and on today's?",
            zh: "第一个 LIST 不带 resourceVersion。2023 年的服务端和今天的服务端各由什么回答？",
        },
        choices: &["storage 4 watch-cache 4", "storage 4 storage 4", "watch-cache 4 watch-cache 4"],
        reason: Both {
            en: "it asks for the newest state. Today's watch cache can give it, since it asks storage for its version first.",
            zh: "它要最新的状态。如今 watch cache 先向存储询问版本，所以也能回答。",
        },
    },
    LineQuestion {
        command: "list",
        line: 14,
        text: Both {
            en: "Next, resourceVersion=0 with limit=1, and there are 4 pods. How many does each of the two servers return?",
            zh: "接下来是 resourceVersion=0 加 limit=1，一共有 4 个 Pod。两个服务端各返回几个？",
        },
        choices: &["watch-cache 4 watch-cache 4", "storage 1 watch-cache 1", "watch-cache 1 watch-cache 1"],
        reason: Both {
            en: "with resourceVersion 0 the watch cache answers, and it ignores the limit.",
            zh: "resourceVersion 为 0 时由 watch cache 回答，它忽略 limit。",
        },
    },
    LineQuestion {
        command: "list",
        line: 27,
        text: Both {
            en: "Next, a continue token together with a resourceVersion. What do the two servers answer?",
            zh: "接下来，continue token 和 resourceVersion 一起用。两个服务端怎么回答？",
        },
        choices: &["400 400", "storage 3 watch-cache 3", "watch-cache 3 watch-cache 3"],
        reason: Both {
            en: "the token has a version of its own, so a second one is a bad request.",
            zh: "token 里已经有版本，再给一个就是错误的请求。",
        },
    },
    LineQuestion {
        command: "stale",
        line: 2,
        text: Both {
            en: "careless creates careless-0, and the watch is behind. Then it counts the pods in its cache once more. What does it do?",
            zh: "careless 创建了 careless-0，但 watch 落后。它再数一次缓存里的 Pod。它会做什么？",
        },
        choices: &[
            "careless: 0 of 1 pods, create careless-1",
            "careless: 1 of 1 pods",
            "careless: waits until the cache has its own write",
        ],
        reason: Both {
            en: "the cache does not have its own write yet, so it counts too few, and creates one pod too many.",
            zh: "缓存里还没有自己的写入，所以数少了，多创建了一个 Pod。",
        },
    },
    LineQuestion {
        command: "stale",
        line: 4,
        text: Both {
            en: "careful creates careful-0, too, and the watch is still behind. What does careful do next?",
            zh: "careful 也创建了 careful-0，watch 仍然落后。它接下来做什么？",
        },
        choices: &[
            "careful: waits until the cache has its own write",
            "careful: 0 of 1 pods, create careful-1",
            "careful: 1 of 1 pods",
        ],
        reason: Both {
            en: "it knows the version of its own write, and counts only when the cache has come that far.",
            zh: "它知道自己那次写入的版本，缓存追上之后才数。",
        },
    },
    LineQuestion {
        command: "mutate",
        line: 1,
        text: Both {
            en: "Next, one handler sets pod.Labels[\"app\"] through the cache's own pointer. What does another handler read?",
            zh: "接下来，一个 handler 通过缓存自己的指针修改 pod.Labels[\"app\"]。另一个 handler 读到什么？",
        },
        choices: &["cached: mine", "cached: wiremock", "cached: wiremock app=mine"],
        reason: Both {
            en: "both have the same pointer, so the cache itself has changed, and no event has reported that.",
            zh: "两者是同一个指针，所以缓存本身变了，而没有任何事件报告过。",
        },
    },
    LineQuestion {
        command: "mutate",
        line: 2,
        text: Both {
            en: "And what does the index by app have now?", zh: "那么按 app 建的索引里现在是什么？"
        },
        choices: &[
            "by app: mine=[] wiremock=[default/wiremock]",
            "by app: mine=[default/wiremock] wiremock=[]",
            "by app: mine=[default/wiremock] wiremock=[default/wiremock]",
        ],
        reason: Both {
            en: "an index changes only when the store is written to, and this write went past the store.",
            zh: "只有写 store 时索引才会变，这次修改绕过了 store。",
        },
    },
    LineQuestion {
        command: "mutate",
        line: 5,
        text: Both {
            en: "A copy of the pod was changed. What does the cache have?",
            zh: "修改的是 Pod 的副本。缓存里是什么？",
        },
        choices: &["cached: wiremock app=wiremock", "cached: wiremock app=mine", "cached: wiremock app="],
        reason: Both {
            en: "a copy shares nothing that can be changed.", zh: "副本和缓存不共享任何可修改的内容。"
        },
    },
];
