//! The values of five options of `informer-lab cluster`, which clap needs as types of its own. Each is converted into
//! the type of [`kube_testcluster`].

use kube_testcluster::ControllerSet;

/// The controllers that run in a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Controllers {
    /// All controllers.
    #[default]
    All,
    /// The controllers that are part of the server: garbage collection, namespaces, service accounts, aggregated roles
    /// and nodes.
    Housekeeping,
    /// The controllers of `Housekeeping`, and these.
    Only(ControllerSet),
    /// No controllers, as in an API server alone.
    None,
}

impl From<Controllers> for kube_testcluster::Controllers {
    fn from(controllers: Controllers) -> Self {
        match controllers {
            Controllers::All => Self::All,
            Controllers::Housekeeping => Self::Housekeeping,
            Controllers::Only(controllers) => Self::Only(controllers),
            Controllers::None => Self::None,
        }
    }
}

/// The program that binds pods to nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Scheduler {
    /// Bind pods to nodes as kube-scheduler does.
    /// 像 kube-scheduler 一样把 Pod 绑定到节点
    #[value(verbatim_doc_comment)]
    #[default]
    Simulated,
    /// Leave pods to another scheduler.
    /// 把 Pod 留给别的调度器
    #[value(verbatim_doc_comment)]
    None,
}

impl From<Scheduler> for kube_testcluster::Scheduling {
    fn from(scheduler: Scheduler) -> Self {
        match scheduler {
            Scheduler::Simulated => Self::Simulated,
            Scheduler::None => Self::ByOthers,
        }
    }
}

/// The admission plugins for new pods and namespaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Admission {
    /// Run the admission plugins that kube-apiserver runs by default.
    /// 运行 kube-apiserver 默认的准入插件
    #[value(verbatim_doc_comment)]
    #[default]
    Kube,
    /// Add nothing.
    /// 什么也不补充
    #[value(verbatim_doc_comment)]
    Plain,
}

impl From<Admission> for kube_testcluster::Admission {
    fn from(admission: Admission) -> Self {
        match admission {
            Admission::Kube => Self::Kube,
            Admission::Plain => Self::Plain,
        }
    }
}

/// The way in which requests are authorized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Authorization {
    /// Allow every request.
    /// 允许一切请求
    #[value(verbatim_doc_comment)]
    #[default]
    AlwaysAllow,
    /// Decide by roles and bindings.
    /// 按 role 和 role binding 判断
    #[value(verbatim_doc_comment)]
    Rbac,
}

impl From<Authorization> for kube_testcluster::Authorization {
    fn from(authorization: Authorization) -> Self {
        match authorization {
            Authorization::AlwaysAllow => Self::AlwaysAllow,
            Authorization::Rbac => Self::Rbac,
        }
    }
}

/// The objects that have `managedFields`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ManagedFields {
    /// Record no owners of fields, and refuse server-side apply.
    /// 都不记录，并拒绝 server-side apply
    #[value(verbatim_doc_comment)]
    Off,
    /// Record the owners of an object's fields from its first server-side apply on.
    /// 用 server-side apply 写过的对象，从第一次 apply 起记录
    #[value(verbatim_doc_comment)]
    #[default]
    Applied,
    /// Record the owners of the fields of all objects, as kube-apiserver does.
    /// 全部对象，像 kube-apiserver 一样
    #[value(verbatim_doc_comment)]
    All,
}

impl From<ManagedFields> for kube_testcluster::ManagedFields {
    fn from(managed_fields: ManagedFields) -> Self {
        match managed_fields {
            ManagedFields::Off => Self::Off,
            ManagedFields::Applied => Self::Applied,
            ManagedFields::All => Self::Kept,
        }
    }
}
