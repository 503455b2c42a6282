//! The texts of exercise 2, `tombstone`: "A backend that does not answer".

use super::{Both, Exercise, InGo};

pub(super) static TEXT: Exercise = Exercise {
    name: "tombstone",
    file: "02_tombstone",
    chapter: "19-relist",
    title: Both { en: "A backend that does not answer", zh: "一个连不上的后端" },
    symptom: Both {
        en: "\
            A program keeps a load balancer in step with the cluster. It worked for weeks. Then the network was gone \
            for a few seconds, and since then one request in three times out: the load balancer sends it to a pod \
            that was deleted in these seconds. The informer's own cache does not have that pod any more.",
        zh: "\
            程序让负载均衡器和集群保持一致，几个星期都没问题。后来网络断了几秒，从此三个请求里就有一个超时：负载\
            均衡器把它发给了那几秒里删除的 Pod。informer 自己的缓存里早已没有这个 Pod 了。",
    },
    hints: [
        Both {
            en: "The program gets this deletion. Which of the two kinds of deletion is it?",
            zh: "这次删除通知了程序。删除有两种，这是哪一种？",
        },
        Both {
            en: "A `FinalStateUnknown` has no final object, but it has a key. See `deletion_key`.",
            zh: "`FinalStateUnknown` 没有最终的对象，但有 key。看看 `deletion_key`。",
        },
    ],
    explanation: Both {
        en: "\
            The watch missed the deletion, and the next list showed that the pod was gone. The informer cannot know \
            its final state, so it delivers a tombstone: the key, and the last state that it saw. In Go that is a \
            `DeletedFinalStateUnknown` where handlers expect a `*v1.Pod`: a handler that casts without a check \
            panics, and one that checks and returns leaves a deleted pod behind. Most handlers need only the key.",
        zh: "\
            watch 漏掉了这次删除，下一次 list 才发现 Pod 没了。informer 不可能知道它最后的状态，所以交付一个 \
            tombstone：key，加上最后一次看到的状态。在 Go 里，大家以为拿到的是 `*v1.Pod`，这时却是 \
            `DeletedFinalStateUnknown`：不检查就断言的会 panic，检查完直接 return 的会留下一个幽灵。多数 \
            handler 只要 key 就够了。",
    },
    go: InGo {
        hints: [
            Both {
                en: "`DeleteFunc` is called for this deletion. Which type does its argument have?",
                zh: "这次删除调用了 `DeleteFunc`。它的参数是什么类型？",
            },
            Both {
                en: "A `cache.DeletedFinalStateUnknown` has a key. See `cache.DeletionHandlingMetaNamespaceKeyFunc`.",
                zh: "`cache.DeletedFinalStateUnknown` 里有 key。看看 `cache.DeletionHandlingMetaNamespaceKeyFunc`。",
            },
        ],
        explanation: None,
    },
};
