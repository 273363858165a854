//! Resources that a call reads and writes, and the identity of a file under all its names.

use std::fmt;

names! {
    /// How a resource is used.
    Access {
        /// Shared with other readers.
        Read = "read",
        /// Exclusive.
        Write = "write",
    }

    /// The kind of a resource.
    ResourceKind {
        /// A path in the workspace; a folder contains the paths below it.
        Path = "path",
        /// A network host.
        Host = "host",
        /// Anything else with a name.
        Name = "name",
    }
}

/// The resource that one argument names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceTemplate {
    /// Kind of the resource.
    pub kind: ResourceKind,
    /// JSON pointer of the argument that names it, such as `/path`.
    pub pointer: &'static str,
    /// How it is used.
    pub access: Access,
}

/// Device and inode number of a file that has several names (hard links).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Inode {
    /// The file system.
    pub device: u64,
    /// The number of the file in it.
    pub number: u64,
}

impl Inode {
    fn parse(text: &str) -> Option<Self> {
        let (device, number) = text.split_once(':')?;
        Some(Self {
            device: device.parse().ok()?,
            number: number.parse().ok()?,
        })
    }
}

/// Identity of a path: links resolved, relative to the workspace root, equal for every spelling of one file.
///
/// Journals and records write it as `a/b`, or `a/b//8:1042` with an inode; no path contains two slashes in a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId {
    /// The path, `a/b/c`; `.` for the root.
    pub path: String,
    /// The inode of a regular file with several names.
    pub inode: Option<Inode>,
}

impl ResourceId {
    /// Reads the written form.
    pub fn parse(text: &str) -> Self {
        let with_inode = text
            .split_once("//")
            .and_then(|(path, inode)| Some((path, Some(Inode::parse(inode)?))));
        let (path, inode) = with_inode.unwrap_or((text, None));
        Self {
            path: path.to_owned(),
            inode,
        }
    }

    /// Whether both are one file, or one is a folder that contains the other.
    pub fn overlaps(&self, other: &Self) -> bool {
        let contains = |folder: &str, path: &str| {
            folder == "."
                || path
                    .strip_prefix(folder)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        (self.inode.is_some() && self.inode == other.inode)
            || contains(&self.path, &other.path)
            || contains(&other.path, &self.path)
    }
}

impl From<String> for ResourceId {
    /// A path without an inode.
    fn from(path: String) -> Self {
        Self { path, inode: None }
    }
}

impl fmt::Display for ResourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        match self.inode {
            Some(Inode { device, number }) => write!(f, "//{device}:{number}"),
            None => Ok(()),
        }
    }
}

/// One resource that a call uses.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceKey {
    /// Kind of the resource.
    pub kind: ResourceKind,
    /// Its name; for a path, as the caller wrote it until [`ResourceKey::identified`].
    pub name: String,
    /// The inode of an identified file with several names.
    pub inode: Option<Inode>,
    /// How it is used.
    pub access: Access,
}

impl ResourceKey {
    /// A resource by name, without an inode.
    pub fn new(kind: ResourceKind, name: impl Into<String>, access: Access) -> Self {
        Self {
            kind,
            name: name.into(),
            inode: None,
            access,
        }
    }

    /// A path that is read.
    pub fn read_path(path: impl Into<String>) -> Self {
        Self::new(ResourceKind::Path, path, Access::Read)
    }

    /// A path that is written.
    pub fn write_path(path: impl Into<String>) -> Self {
        Self::new(ResourceKind::Path, path, Access::Write)
    }

    /// Replaces the path as written by the identity of the file.
    #[must_use]
    pub fn identified(mut self, id: ResourceId) -> Self {
        (self.name, self.inode) = (id.path, id.inode);
        self
    }

    /// The identity of the resource.
    pub fn id(&self) -> ResourceId {
        ResourceId {
            path: self.name.clone(),
            inode: self.inode,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_overlap_when_equal_contained_or_hard_linked() {
        for (a, b, expected) in [
            ("a/b", "a/b", true),
            ("a", "a/b", true),
            ("a", "ab", false),
            ("a/b", "a/c", false),
            (".", "a", true),
            (".", ".", true),
            ("a/f//8:1", "b/g//8:1", true),
            ("a/f//8:1", "b/g//8:12", false),
            ("a", "a/f//8:1", true),
            ("b", "a/f//8:1", false),
            ("a/f", "a/f//8:1", true),
        ] {
            let (one, other) = (ResourceId::parse(a), ResourceId::parse(b));
            assert_eq!(one.overlaps(&other), expected, "{a} {b}");
            assert_eq!(other.overlaps(&one), expected, "{b} {a}");
            assert_eq!((one.to_string(), other.to_string()), (a.into(), b.into()));
        }
    }
}
