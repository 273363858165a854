//! Conflicts of resources as edges: who must wait for whom, from the plan alone.
//!
//! Keys are read/write locks. For each key, in plan order, a write waits for all reads and writes since the last write, a read
//! for the last write. Paths are compared by components: a folder contains what is below it, so paths live in a trie.
//!
//! # Cost
//! Linear in the accesses and the edges. The number of edges can be quadratic (many readers of a folder between many writers in
//! it); beyond [`EDGES_MAX`] the plan runs one step after the other instead.

use std::collections::HashMap;
use std::sync::Arc;

use tool_core::capability::fold_file_name;
use tool_core::{Access, Inode, ResourceKey, ResourceKind};

/// Most conflict edges of a plan that is run in parallel.
pub const EDGES_MAX: usize = 500_000;

/// One step waits for an earlier one because of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceConflict {
    /// The earlier step.
    pub from: usize,
    /// The later one.
    pub to: usize,
    /// Whether the earlier one writes what the later one uses.
    pub from_writes: bool,
    /// The resource, as the later step names it: `path:out/a.csv`.
    pub resource: Arc<str>,
}

/// Gathers accesses in plan order.
#[derive(Debug, Default)]
pub struct ConflictCollector {
    edges: Vec<ResourceConflict>,
    paths: PathTrie,
    /// Hosts, of which the root is any.
    hosts: PathTrie,
    /// Files with several names.
    inodes: HashMap<Inode, ResourceSlot>,
    named: HashMap<(ResourceKind, String), ResourceSlot>,
    overflow: bool,
}

/// Who used one resource since its last write.
#[derive(Debug, Default)]
struct ResourceSlot {
    writer: Option<usize>,
    readers: Vec<usize>,
}

#[derive(Debug)]
struct PathTrie {
    nodes: Vec<PathTrieNode>,
}

#[derive(Debug, Default)]
struct PathTrieNode {
    slot: ResourceSlot,
    parent: usize,
    children: HashMap<String, usize>,
    /// Live writers at and below this node: folders without any are not searched.
    writers: usize,
}

impl Default for PathTrie {
    fn default() -> Self {
        Self {
            nodes: vec![PathTrieNode::default()],
        }
    }
}

impl ConflictCollector {
    /// A step uses resources; steps come in plan order.
    pub fn step(&mut self, step: usize, keys: &[ResourceKey]) {
        for key in keys {
            if self.edges.len() > EDGES_MAX {
                self.overflow = true;
                return;
            }
            let mut found = Vec::new();
            match key.kind {
                ResourceKind::Path => {
                    self.paths.touch(step, &key.name, key.access, &mut found);
                    if let Some(inode) = key.inode {
                        let slot = self.inodes.entry(inode).or_default();
                        slot.touch(step, key.access, &mut found);
                        found.sort_unstable();
                        found.dedup();
                    }
                }
                ResourceKind::Host => {
                    // A host has no folders.
                    let host = key.name.replace('/', "\\");
                    self.hosts.touch(step, &host, key.access, &mut found);
                }
                kind => {
                    let slot = self.named.entry((kind, key.name.clone())).or_default();
                    slot.touch(step, key.access, &mut found);
                }
            }
            found.retain(|(from, _)| *from != step);
            if found.is_empty() {
                continue;
            }
            let resource: Arc<str> = describe_resource_key(key).into();
            let edges = found
                .into_iter()
                .map(|(from, from_writes)| ResourceConflict {
                    from,
                    to: step,
                    from_writes,
                    resource: Arc::clone(&resource),
                });
            self.edges.extend(edges);
        }
    }

    /// The edges, or `None` when there are more than [`EDGES_MAX`].
    pub fn finish(self) -> Option<Vec<ResourceConflict>> {
        (!self.overflow && self.edges.len() <= EDGES_MAX).then_some(self.edges)
    }
}

/// The resource in words: `path:out/a.csv`, or `path:*` for any path, `host:*` for any host.
pub fn describe_resource_key(key: &ResourceKey) -> String {
    match (key.kind, key.name.as_str()) {
        (ResourceKind::Path, "" | ".") => "path:*".to_owned(),
        (ResourceKind::Host, "") => "host:*".to_owned(),
        (kind, _) => format!("{kind}:{}", key.id()),
    }
}

impl ResourceSlot {
    /// Who must be waited for; then this access is the newest.
    fn touch(&mut self, step: usize, access: Access, found: &mut Vec<(usize, bool)>) {
        self.collect(access, found);
        self.enter(step, access);
    }

    fn collect(&self, access: Access, found: &mut Vec<(usize, bool)>) {
        found.extend(self.writer.map(|writer| (writer, true)));
        if access == Access::Write {
            found.extend(self.readers.iter().map(|reader| (*reader, false)));
        }
    }

    fn enter(&mut self, step: usize, access: Access) {
        match access {
            Access::Read => self.readers.push(step),
            Access::Write => {
                self.readers.clear();
                self.writer = Some(step);
            }
        }
    }
}

impl PathTrie {
    fn touch(&mut self, step: usize, path: &str, access: Access, found: &mut Vec<(usize, bool)>) {
        let mut at = 0;
        self.nodes[at].slot.collect(access, found);
        for part in resolve_path_components(path) {
            at = self.child(at, part);
            self.nodes[at].slot.collect(access, found);
        }
        self.collect_below(at, access, found);
        match access {
            Access::Read => self.nodes[at].slot.enter(step, access),
            Access::Write => self.write(step, at),
        }
    }

    fn child(&mut self, at: usize, part: &str) -> usize {
        // On every file system, since which one a file will lie on is not known before it is there: two files whose names differ in
        // case alone are written one after the other.
        let part = fold_file_name(part);
        if let Some(&child) = self.nodes[at].children.get(&part) {
            return child;
        }
        let child = self.nodes.len();
        self.nodes.push(PathTrieNode {
            parent: at,
            ..PathTrieNode::default()
        });
        self.nodes[at].children.insert(part, child);
        child
    }

    fn collect_below(&self, top: usize, access: Access, found: &mut Vec<(usize, bool)>) {
        let mut open: Vec<usize> = self.nodes[top].children.values().copied().collect();
        let start = found.len();
        while let Some(at) = open.pop() {
            let node = &self.nodes[at];
            if access == Access::Read && node.writers == 0 {
                continue;
            }
            node.slot.collect(access, found);
            open.extend(node.children.values().copied());
        }
        found[start..].sort_unstable(); // the order of a hash map must not show
    }

    /// This write stands for all that was below it: whoever comes later waits for it, and it has waited for them.
    fn write(&mut self, step: usize, at: usize) {
        self.nodes[at].children.clear();
        self.nodes[at].slot.enter(step, Access::Write);
        let change = 1_isize - self.nodes[at].writers as isize;
        let mut up = at;
        loop {
            self.nodes[up].writers = self.nodes[up].writers.saturating_add_signed(change);
            if up == 0 {
                return;
            }
            up = self.nodes[up].parent;
        }
    }
}

/// The components of a path, `.` and `..` resolved by name; what leaves the root stays at the root.
fn resolve_path_components(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use tool_core::ResourceId;

    use super::*;
    use proptest::prelude::*;

    /// Reads `r:path` and `w:path`, one step each (several keys joined by `+`), and prints the edges.
    fn edges(steps: &[&str]) -> String {
        let mut conflicts = ConflictCollector::default();
        for (index, step) in steps.iter().enumerate() {
            conflicts.step(index, &keys(step));
        }
        conflicts
            .finish()
            .unwrap()
            .iter()
            .map(|edge| format!("{}-{}", edge.from, edge.to))
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn keys(step: &str) -> Vec<ResourceKey> {
        step.split('+')
            .map(|key| match key.split_at(2) {
                ("r:", path) => ResourceKey::read_path("").identified(ResourceId::parse(path)),
                (_, path) => ResourceKey::write_path("").identified(ResourceId::parse(path)),
            })
            .collect()
    }

    #[test]
    fn readers_share_and_writers_wait() {
        let cases: [(&[&str], &str); 20] = [
            (&["r:a", "r:a"], ""),
            (&["w:a", "r:a"], "0-1"),
            (&["r:a", "w:a"], "0-1"),
            (&["w:a", "w:a"], "0-1"),
            (&["w:a", "w:b"], ""),
            (&["w:a", "r:a", "r:a", "w:a"], "0-1 0-2 0-3 1-3 2-3"),
            (&["w:d/f", "r:d"], "0-1"),
            (&["r:d", "w:d/f"], "0-1"),
            (&["w:d", "r:d/f/g"], "0-1"),
            (&["w:d/f", "w:d", "r:d/f"], "0-1 1-2"),
            (&["w:./d//f", "r:d/x/../f"], "0-1"),
            (&["w:data", "r:data2"], ""),
            (&["w:Data/A", "r:data/a"], "0-1"),
            (&["w:Straße", "r:STRASSE"], "0-1"),
            (&["w:caf\u{e9}", "r:cafe\u{301}"], "0-1"),
            (&["w:cafe", "r:café"], ""),
            (&["w:a//8:1", "r:b//8:1"], "0-1"),
            (&["w:a//8:1", "r:a"], "0-1"),
            (&["w:a//8:1", "r:b//8:2"], ""),
            (&["r:a//8:1", "w:b//8:1", "r:a//8:1"], "0-1 1-2"),
        ];
        for (steps, expected) in cases {
            assert_eq!(edges(steps), expected, "{steps:?}");
        }
    }

    #[test]
    fn an_unknown_path_is_every_path() {
        assert_eq!(edges(&["w:a/b", "r:", "w:c"]), "0-1 1-2");
    }

    #[test]
    fn an_unknown_host_is_every_host() {
        let mut conflicts = ConflictCollector::default();
        let hosts = [
            ("a:443", Access::Write),
            ("", Access::Read),
            ("b:443", Access::Read),
            ("b:443", Access::Write),
        ];
        for (step, (name, access)) in hosts.into_iter().enumerate() {
            let kind = ResourceKind::Host;
            conflicts.step(step, &[ResourceKey::new(kind, name, access)]);
        }
        let edges = conflicts.finish().unwrap();
        let edges: Vec<_> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
        assert_eq!(edges, [(0, 1), (1, 3), (2, 3)]);
    }

    #[test]
    fn one_step_does_not_wait_for_itself() {
        assert_eq!(edges(&["r:a+w:a", "r:a+w:a"]), "0-1 0-1");
    }

    #[test]
    fn other_kinds_have_no_folders() {
        let key = |name: &str, access| ResourceKey::new(ResourceKind::Host, name, access);
        let mut conflicts = ConflictCollector::default();
        conflicts.step(0, &[key("a/b", Access::Write)]);
        conflicts.step(1, &[key("a", Access::Read)]);
        conflicts.step(
            2,
            &[key("a/b", Access::Read), ResourceKey::write_path("a/b")],
        );
        let edges = conflicts.finish().unwrap();
        assert_eq!(edges.len(), 1);
        assert_eq!(
            (edges[0].from, edges[0].to, &*edges[0].resource),
            (0, 2, "host:a/b")
        );
    }

    #[test]
    fn too_many_edges_are_refused() {
        let mut conflicts = ConflictCollector::default();
        for step in 0..2_000 {
            let key = if step < 1_000 {
                ResourceKey::write_path(format!("d/{step}"))
            } else {
                ResourceKey::read_path("d")
            };
            conflicts.step(step, &[key]);
        }
        assert_eq!(conflicts.finish(), None);
    }

    fn overlap(a: &str, b: &str) -> bool {
        let (a, b) = (resolve_path_components(a), resolve_path_components(b));
        let shorter = a.len().min(b.len());
        a[..shorter] == b[..shorter]
    }

    proptest! {
        /// Every pair that conflicts is ordered by a path of edges, and every edge joins a pair that conflicts.
        #[test]
        fn edges_order_exactly_the_conflicts(
            steps in prop::collection::vec((prop::sample::select(vec!["", "a", "a/b", "a/b/c", "a/d", "e"]), any::<bool>()), 1..14)
        ) {
            let mut conflicts = ConflictCollector::default();
            for (index, (path, write)) in steps.iter().enumerate() {
                let key = if *write { ResourceKey::write_path(*path) } else { ResourceKey::read_path(*path) };
                conflicts.step(index, &[key]);
            }
            let edges = conflicts.finish().unwrap();
            let mut before = vec![vec![false; steps.len()]; steps.len()];
            for edge in &edges {
                let (a, b) = (&steps[edge.from], &steps[edge.to]);
                prop_assert!(overlap(a.0, b.0) && (a.1 || b.1));
                prop_assert_eq!(edge.from_writes, a.1);
                before[edge.from][edge.to] = true;
            }
            for mid in 0..steps.len() {
                for from in 0..mid {
                    for to in mid + 1..steps.len() {
                        before[from][to] |= before[from][mid] && before[mid][to];
                    }
                }
            }
            for from in 0..steps.len() {
                for to in from + 1..steps.len() {
                    if overlap(steps[from].0, steps[to].0) && (steps[from].1 || steps[to].1) {
                        prop_assert!(before[from][to], "{} before {}", from, to);
                    }
                }
            }
        }
    }
}
