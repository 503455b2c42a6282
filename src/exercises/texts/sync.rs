//! The texts of exercise 5, `sync`: "Healthy pods are deleted at the start".

use super::{Both, Exercise, InGo};

pub(super) static TEXT: Exercise = Exercise {
    name: "sync",
    file: "05_sync",
    chapter: "20-late-and-synced",
    title: Both { en: "Healthy pods are deleted at the start", zh: "一启动就删掉健康的 Pod" },
    symptom: Both {
        en: "\
            A controller deletes pods whose node does not exist any more. It does so well, but not in its first two \
            seconds: after a restart on a busy API server it deleted every pod of the cluster. The nodes were there \
            all the time.",
        zh: "\
            一个控制器，负责删除节点已经不存在的 Pod。平时都对，只有刚启动的两秒不对：有一次 API server 很\
            忙时重启，它把集群里的 Pod 全删了。节点其实一直都在。",
    },
    hints: [
        Both {
            en: "Two caches are filled by two lists. When is each of them complete?",
            zh: "两个缓存由两次 list 填满。它们各在什么时候才完整？",
        },
        Both {
            en: "Let the workers wait for `pods.synced()` and `nodes.synced()`; see `wait_for`.",
            zh: "让 worker 先等 `pods.synced()` 和 `nodes.synced()`，看看 `wait_for`。",
        },
    ],
    explanation: Both {
        en: "\
            \"Not in the cache\" means \"does not exist\" only when the cache is complete. Before its first list an \
            informer's cache is empty, and of two informers one is always later. So every controller waits for all \
            its caches before its workers begin: `cache.WaitForCacheSync` in Go. The queue may be filled meanwhile; \
            no worker takes anything out of it. The pod garbage collector of Kubernetes waits just like that.",
        zh: "\
            只有缓存完整时，“缓存里没有”才等于“不存在”。第一次 list 之前，informer 的缓存是空的；两个 informer \
            总有一个更晚。所以每个控制器都先等自己的所有缓存，再启动 worker：Go 里是 \
            `cache.WaitForCacheSync`。等待期间队列可以先放东西，只是没有人取。Kubernetes 的 pod garbage \
            collector 就是这样等的。",
    },
    go: InGo {
        hints: [
            Both {
                en: "Two caches are filled by two lists. When is each of them complete?",
                zh: "两个缓存由两次 list 填满。它们各在什么时候才完整？",
            },
            Both {
                en: "Start the workers only after `cache.WaitForCacheSync` for both informers.",
                zh: "先对两个 informer 调用 `cache.WaitForCacheSync`，再启动 worker。",
            },
        ],
        explanation: None,
    },
};
