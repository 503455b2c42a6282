//! The texts of exercise 6, `resync`: "The resync that brings back only half".

use super::{Both, Exercise, InGo};

pub(super) static TEXT: Exercise = Exercise {
    name: "resync",
    file: "06_resync",
    chapter: "18-resync",
    title: Both { en: "The resync that brings back only half", zh: "只补回一半的 resync" },
    symptom: Both {
        en: "\
            The load balancer is down now and then, for some seconds. That is no problem, says the author: the \
            informer resyncs regularly, and each resync repeats what failed. New pods do arrive with the next resync. \
            Pods that were deleted meanwhile stay in the load balancer for ever.",
        zh: "\
            负载均衡器时不时会故障几秒。作者说没关系：resync 定期进行，失败的会再来一遍。新增的 Pod 到下一次 \
            resync 确实补上了。可是故障期间删除的 Pod，就一直留在负载均衡器里。",
    },
    hints: [
        Both {
            en: "A resync delivers the objects of the store again. Which object is not there after a deletion?",
            zh: "resync 是把 store 里的内容再交付一遍。删除之后，store 里没有了什么？",
        },
        Both {
            en: "Put keys into a `WorkQueue`. A worker that returns an error gets its key again.",
            zh: "把 key 放进 `WorkQueue`。worker 返回错误，这个 key 会再来。",
        },
    ],
    explanation: Both {
        en: "\
            A resync is not a list: the API server has no part in it. It delivers the objects of the store to the \
            handlers again, as updates from each object to itself. It does not deliver objects that have left the \
            store. So a resync repairs additions and updates that failed, never a deletion. The program itself has to \
            remember what failed: a work queue keeps the key and returns it, after a longer wait with each failure. \
            The worker then looks into the cache to see whether the object exists. Then no resync is needed here at \
            all.",
        zh: "\
            resync 不是 list：API server 没有参与。它把 store 里的每个对象作为“自己到自己的更新”再交付一次。已经离开 \
            store 的对象，不会再交付。所以 resync 能补上失败的新增和更新，补不了删除。哪些失败了，要由程序自己记\
            住：work queue 留着 key，每失败一次就隔更久再交出来，worker 到缓存里看对象还在不在。这样一来，这里根本不需\
            要 resync。",
    },
    go: InGo {
        hints: [
            Both {
                en: "A resync delivers the objects of the store again. Which object is not there after a deletion?",
                zh: "resync 是把 store 里的内容再交付一遍。删除之后，store 里没有了什么？",
            },
            Both {
                en: "\
                    Put keys into a rate limiting `workqueue`. After an error, `AddRateLimited` gives the key back \
                    later.",
                zh: "把 key 放进带限速的 `workqueue`。出错后调用 `AddRateLimited`，这个 key 过一会儿会再来。",
            },
        ],
        explanation: None,
    },
};
