//! The loop that the controllers of CertificateSigningRequests share: each change of a request is handled. Upstream:
//! `CertificateController`.

use std::sync::Arc;

use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
use kube_client::Client;
use kube_client::api::{ApiResource, DynamicObject};
use kube_informers::cache::{
    Deletion, Done, Error, EventHandler, InformerStopped, InitialList, Reader, SharedIndexInformer,
    SharedInformerFactory, meta_namespace_key,
};
use kube_informers::workqueue::WorkQueue;

use crate::clock::Clock;
use crate::shared::error::SyncError;
use crate::shared::reconciler::Reconciler;

/// The parts of a controller that its handler uses.
pub(super) struct Context {
    pub(super) client: Client,
    pub(super) kind: ApiResource,
    pub(super) clock: Clock,
    pub(super) queue: WorkQueue<String>,
}

/// The work on a request.
pub(crate) trait Handle: Send + Sync + 'static {
    fn handle(&self, context: &Context, request: &DynamicObject) -> impl Future<Output = Result<(), SyncError>> + Send;

    /// Returns true if the controller must start for this request.
    fn is_needed_by(_: &DynamicObject) -> bool {
        true
    }
}

pub(crate) struct Controller<H> {
    context: Context,
    informer: SharedIndexInformer<DynamicObject>,
    requests: Reader<DynamicObject>,
    handler: H,
}

impl<H: Handle> Controller<H> {
    pub(super) fn with(handler: H, client: Client, clock: Clock, factory: &SharedInformerFactory) -> Self {
        let kind = ApiResource::erase::<CertificateSigningRequest>(&());
        let informer = factory.dynamic_informer(&kind);
        let context = Context { client, kind, clock, queue: WorkQueue::new() };
        Self { requests: informer.reader(), informer, context, handler }
    }
}

impl<H: Handle + Default> Reconciler for Controller<H> {
    type Kind = CertificateSigningRequest;
    type Key = String;

    fn new(client: Client, clock: Clock, factory: &SharedInformerFactory) -> Result<Self, Error> {
        Ok(Self::with(H::default(), client, clock, factory))
    }

    fn listen(self: &Arc<Self>) -> Result<Vec<Done>, InformerStopped> {
        let queue = RequestHandler(self.clone());
        Ok(vec![self.informer.add_event_handler(queue)?.synced()])
    }

    fn queue(&self) -> &WorkQueue<String> {
        &self.context.queue
    }

    async fn sync(&self, key: &String) -> Result<(), SyncError> {
        match self.requests.get(key) {
            Some(request) => self.handler.handle(&self.context, &request).await,
            None => Ok(()),
        }
    }

    fn is_needed_by(request: &DynamicObject) -> bool {
        H::is_needed_by(request)
    }
}

/// Queues each request that was added or changed.
struct RequestHandler<H>(Arc<Controller<H>>);

impl<H: Handle> EventHandler<DynamicObject> for RequestHandler<H> {
    fn on_add(&mut self, request: Arc<DynamicObject>, _initial: InitialList) {
        self.0.context.queue.add(meta_namespace_key(&*request));
    }

    fn on_update(&mut self, _old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        self.0.context.queue.add(meta_namespace_key(&*new));
    }

    fn on_delete(&mut self, _deletion: Deletion<DynamicObject>) {}
}
