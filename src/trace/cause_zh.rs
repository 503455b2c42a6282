//! Chinese explanations of frequent errors from the operating system and from libraries, whose messages exist in
//! English only. The English text stays beside its explanation, because readers search the web for it.

/// Pairs of a part of an error's text and the Chinese meaning of such an error.
const MEANINGS: [(&str, &str); 39] = [
    ("the cable is pulled out", "与集群的连接已切断"), // the error of the keyboard's command `cut`
    ("Connection refused", "连接被拒绝，那个端口上没有程序在监听"),
    ("Connection reset", "连接被对方重置"),
    ("connection closed", "对方关闭了连接"),
    ("unexpected EOF", "数据没有传完，连接就断了"),
    ("Broken pipe", "对方已不再读取"),
    ("deadline has elapsed", "超时"),
    ("timed out", "超时"),
    ("timeout", "超时"),
    ("Network is unreachable", "网络不可达"),
    ("network is unreachable", "网络不可达"), // the error in the lesson `relist`
    ("too old resource version", "版本太旧，服务端已没有从它开始的变化"),
    ("a fault was asked for", "注入的故障"),
    ("unclosed bracket", "括号没有闭合"), // this and the next three: errors of a YAML parser
    ("expected string scalar", "这里应为字符串"),
    ("expected sequence start", "这里应为列表"),
    ("expected mapping start", "这里应为映射"),
    ("No route to host", "没有到这台主机的路由"),
    ("failed to lookup address", "域名解析失败"),
    ("Name or service not known", "域名解析失败"),
    ("dns error", "域名解析失败"),
    ("Address already in use", "地址已被占用"),
    ("Cannot assign requested address", "本机没有这个地址"),
    ("No such file or directory", "没有这个文件或目录"),
    ("Permission denied", "没有权限"),
    ("Is a directory", "这是一个目录"),
    ("File exists", "已有同名的文件"),
    ("Read-only file system", "文件系统是只读的"),
    ("No space left on device", "磁盘已满"),
    ("Too many open files", "打开的文件太多"),
    ("UnknownIssuer", "证书的签发者不受信任"),
    ("certificate", "证书有问题"),
    ("Unauthorized", "401：凭证无效"),
    ("forbidden", "403：没有权限"),
    ("environment variable not found", "缺少在集群内运行时才有的环境变量"),
    ("\" not found", "404：没有这个对象"), // follows a name, as in: pods "web" not found
    ("page not found", "404：没有这个页面"),
    ("Too Many Requests", "429：请求太多"),
    // Stays last: this text is in many errors, and more exact meanings stand above it.
    ("request to the API server failed", "对 API server 的请求失败"),
];

/// Returns the Chinese meaning of the error, followed by the part of its text that it explains, or `None` if the error
/// is not in the table.
pub fn cause_in_chinese(text: &str) -> Option<String> {
    let (at, meaning) = MEANINGS.iter().find_map(|(part, meaning)| Some((text.find(part)?, meaning)))?;
    let from = text[..at].rfind(": ").map_or(0, |colon| colon + 2);
    Some(format!("{meaning}（{}）", &text[from..]))
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn an_error_of_the_system_is_explained_and_its_text_is_kept() {
        let refused = io::Error::from_raw_os_error(111).to_string();
        let chinese = cause_in_chinese(&refused).unwrap();
        assert_eq!(chinese, "连接被拒绝，那个端口上没有程序在监听（Connection refused (os error 111)）");
        let chinese = |text| cause_in_chinese(text).unwrap_or_default();
        assert!(chinese("pods \"web\" not found").starts_with("404："));
        let outside = "failed to read an incluster environment variable: environment variable not found";
        assert!(chinese(outside).starts_with("缺少在集群内运行时才有的环境变量（"));
        let chain = "the request to the API server failed: ServiceError: Connection refused (os error 111)";
        assert_eq!(
            chinese(chain),
            cause_in_chinese(&refused).unwrap(),
            "only the cause is quoted, not the errors around it"
        );
        assert_eq!(chinese("program kubelogin not found"), "", "programs are not found too, without a 404");
        assert_eq!(cause_in_chinese("no meaning that we know"), None);
    }
}
