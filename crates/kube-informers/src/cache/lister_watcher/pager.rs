//! Pager: requests a list page by page, and puts the pages together, because one answer with all objects of a large
//! cluster would cost the server much memory. Upstream: `client-go/tools/pager`.

use std::sync::Arc;

use super::ListerWatcher;
use super::api_error::ApiError;
use super::list_options::ListOptions;

#[derive(Debug)]
pub(crate) struct Listed<T> {
    pub items: Vec<Arc<T>>,
    /// The resourceVersion of the first page, which is that of the whole list.
    pub resource_version: String,
    pub paginated: bool,
}

/// Lists all objects with `options.limit` objects on a page. If the continue token expires, lists once more without
/// pages. Errors: as [`ListerWatcher::list`], and [`ApiError::Endless`].
pub(crate) async fn list<T>(source: &dyn ListerWatcher<T>, options: ListOptions) -> Result<Listed<T>, ApiError> {
    let first = source.list(options.clone()).await?;
    let mut all = Listed { items: first.items, resource_version: first.resource_version, paginated: false };
    let mut next = first.continue_token;
    while let Some(token) = next {
        all.paginated = true;
        // The continue token has the resourceVersion, and the server refuses one beside it.
        let page = ListOptions {
            resource_version: None,
            resource_version_match: None,
            continue_token: Some(token.clone()),
            ..options.clone()
        };
        match source.list(page).await {
            Ok(page) if page.continue_token.as_ref() == Some(&token) => return Err(ApiError::Endless),
            Ok(page) => {
                all.items.extend(page.items);
                next = page.continue_token;
            }
            Err(ApiError::Status(status)) if status.reason == "Expired" => {
                let whole = source.list(ListOptions { limit: 0, ..options }).await?;
                return Ok(Listed { items: whole.items, resource_version: whole.resource_version, paginated: true });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}
