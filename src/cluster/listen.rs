//! Binds the listeners of options such as `--serve`. If a port is in use, the error names an option that takes a free
//! one.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener};

use anyhow::{Context, Result};

use crate::trace::Failure;

/// Binds the address of `option`. Callers do this before any other work, so a port in use is reported at once.
pub(crate) fn listen(address: SocketAddr, option: &str) -> Result<TcpListener> {
    let listener = TcpListener::bind(address).map_err(|error| failure(address, option, error))?;
    listener.set_nonblocking(true).context("cannot listen without blocking")?;
    Ok(listener)
}

fn failure(address: SocketAddr, option: &str, error: io::Error) -> Failure {
    let port = address.port();
    let free = SocketAddr::new(address.ip(), 0);
    match error.kind() {
        ErrorKind::AddrInUse => Failure::new((
            format!("port {port} is in use: cannot listen on {address}"),
            format!("端口 {port} 已被占用：无法监听 {address}"),
        ))
        .next((
            format!("stop what listens there, or choose another port: {option} {free} picks a free one"),
            format!("请停止占用它的程序，或换一个端口：{option} {free} 会任选一个空闲端口"),
        )),
        ErrorKind::PermissionDenied => Failure::new((
            format!("port {port} is not allowed: cannot listen on {address}"),
            format!("不允许使用端口 {port}：无法监听 {address}"),
        ))
        .next((
            format!("choose a port above 1023: {option} {free} picks a free one"),
            format!("请选大于 1023 的端口：{option} {free} 会任选一个空闲端口"),
        )),
        _ => Failure::new((format!("cannot listen on {address}"), format!("无法监听 {address}")))
            .next(("choose an address of this machine", "请指定本机的地址")),
    }
    .because(error)
}
