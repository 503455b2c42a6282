//! The texts of exercise 3, `slow`: "A dashboard that lives in the past".

use super::{Both, Exercise, InGo};

pub(super) static TEXT: Exercise = Exercise {
    name: "slow",
    file: "03_slow",
    chapter: "20-late-and-synced",
    title: Both { en: "A dashboard that lives in the past", zh: "活在过去的仪表盘" },
    symptom: Both {
        en: "\
            A dashboard shows each pod's state. When a lot happens it falls behind: after half a minute it shows \
            what was true a minute ago, and the program's memory grows. It goes on falling behind until the cluster \
            is quiet. The other handlers of the informer notice nothing.",
        zh: "\
            仪表盘显示每个 Pod 的状态。变化一多，它就跟不上：半分钟以后，显示的是一分钟前的情况，程序占用的内存\
            也在涨。只要集群不安静下来，它就越落越远。同一个 informer 的其他 handler 不受影响。",
    },
    hints: [
        Both {
            en: "Each handler has a buffer. What does it hold after half a minute, and does the handler need it all?",
            zh: "每个 handler 都有一个缓冲。半分钟后里面有什么？handler 需要其中的每一个吗？",
        },
        Both {
            en: "`HandlerOptions` chooses the buffer. Or put keys into a `WorkQueue`, and show what the cache has.",
            zh: "`HandlerOptions` 可以选缓冲。或者把 key 放进 `WorkQueue`，显示缓存里的状态。",
        },
    ],
    explanation: Both {
        en: "\
            client-go's buffer has no limit: a slow handler delays no other handler, but its buffer grows, and its \
            notifications get old. A handler that needs every change needs that buffer. One that needs only the \
            current state does not: `Buffer::Coalesced` keeps one notification for each object, the newest. A work \
            queue does the same with keys: however often a key is added, it is in the queue once, and the worker \
            reads the current state from the cache.",
        zh: "\
            client-go 的缓冲没有上限：慢的 handler 不会拖慢别人，代价是内存，以及越来越旧的数据。只有一次变化也不\
            能少的 handler，才需要这样的缓冲。只关心现状的话，`Buffer::Coalesced` 给每个对象只留最新的一条通知。\
            work queue 对 key 做的是同一件事：加多少次，队列里都只有一个，worker 从缓存里读到的就是当时的状态。",
    },
    go: InGo {
        hints: [
            Both {
                en: "Each handler has a buffer. What does it hold after half a minute, and does the handler need it all?",
                zh: "每个 handler 都有一个缓冲。半分钟后里面有什么？handler 需要其中的每一个吗？",
            },
            Both {
                en: "\
                    Let the handler only add the key to a `workqueue`. A worker takes the key and shows the pod that \
                    the lister has.",
                zh: "handler 只把 key 放进 `workqueue`；worker 取出 key，显示 lister 里的 Pod。",
            },
        ],
        explanation: Some(Both {
            en: "\
                client-go's buffer has no limit: a slow handler delays no other handler, but its buffer grows, and its \
                notifications get old. A handler that needs every change needs that buffer. One that needs only the \
                current state does not: it adds the key to a work queue. However often a key is added, it is in the \
                queue once, and the worker reads the current state from the cache. That is why controllers do almost \
                nothing in their handlers.",
            zh: "\
                client-go 的缓冲没有上限：慢的 handler 不会拖慢别人，代价是内存，以及越来越旧的通知。只有一次变化\
                也不能少的 handler，才需要这样的缓冲。只关心现状的话，把 key 放进 work queue 就行：同一个 key 加多少\
                次，队列里都只有一个，worker 从缓存里读到的就是当时的状态。所以控制器的 handler 里几乎什么都不做。",
        }),
    },
};
