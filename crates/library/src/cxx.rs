//! Functions of C++ libraries, whose names say their class and not much else.

/// In mangled names of what reads streams of wide characters in libstdc++.
const WIDE_STREAMS: &[&str] = &["istreamIw", "getlineIw", "StrsIw"];
/// In mangled names of what reads their buffers.
const WIDE_BUFFERS: &[&str] = &["basic_iosIw", "filebufIw", "streambufIw", "stringbufIw"];
/// In names of what reads a buffer.
const TAKING: &[&str] = &["rdbuf", "flow", "sgetc", "sbumpc", "snextc", "sgetn"];
/// In mangled names of what reads streams in libc++, whose names have its own namespace.
const OTHER_STREAMS: &[&str] = &["istream", "streambuf", "filebuf", "getline", "num_get"];

/// Whether a function of a C++ library reads a stream that has no model.
pub(crate) fn reads_stream(name: &str) -> bool {
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let wide = has(WIDE_STREAMS) || has(WIDE_BUFFERS) && has(TAKING);
    name.starts_with("_Z") && (wide || name.contains("St3__1") && has(OTHER_STREAMS))
}
