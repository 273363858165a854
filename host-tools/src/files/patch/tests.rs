//! Tables of patches, and what holds for every one.

use proptest::prelude::*;

use super::apply::apply_hunks;
use super::*;

/// The text after a patch of one file, or what is wrong.
fn patched(before: &str, patch: &str) -> Result<String, String> {
    let words = |err: ToolError| format!("{} {}", err.reason_str().unwrap_or("-"), err.message());
    let patch = parse_patch(patch).map_err(words)?;
    match &patch[0].action {
        PatchAction::Update { hunks, .. } => apply_hunks(before, hunks, "f")
            .map(|applied| applied.text)
            .map_err(words),
        other => panic!("{other:?}"),
    }
}

fn envelope(body: &str) -> String {
    format!("*** Begin Patch\n*** Update File: f\n{body}*** End Patch\n")
}

fn unified(body: &str) -> String {
    format!("--- a/f\n+++ b/f\n{body}")
}

#[track_caller]
fn check(before: &str, patch: &str, expected: Result<&str, &str>) {
    match (patched(before, patch), expected) {
        (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{patch}"),
        (Err(found), Err(expected)) => assert!(found.contains(expected), "{found}\n{patch}"),
        (found, expected) => panic!("{found:?} instead of {expected:?}\n{patch}"),
    }
}

#[test]
fn envelopes() {
    let class = "class A:\n  def f():\n    pass\nclass B:\n  def f():\n    pass\n";
    for (before, body, expected) in [
        ("a\nb\nc\n", "@@\n a\n-b\n+B\n c\n", Ok("a\nB\nc\n")),
        ("a\nb\nc\n", " a\n-b\n+B\n c\n", Ok("a\nB\nc\n")),
        ("a\nb\nc\n", "@@\n-a\n+A\n@@\n-c\n+C\n", Ok("A\nb\nC\n")),
        (
            "a\nb\n",
            "@@\n-c\n+C\n",
            Err("no_match line 3 of the patch: it does not match: `f` has no line `c`"),
        ),
        (
            "a\nb\nc\n",
            "@@\n-c\n+C\n@@\n-a\n+A\n",
            Err("line 6 of the patch: it does not match: `f` has no line `a`"),
        ),
        (
            "x\na\nb\nx\na\nc\n",
            "@@\n x\n a\n-d\n",
            Err("expected `d`, found `b` on line 3"),
        ),
        (
            "x\ny\nx\n",
            "@@\n-x\n+z\n",
            Err(
                "ambiguous line 3 of the patch: it matches at several positions of `f`: lines 1, 3",
            ),
        ),
        (
            "x\ny\nx\n",
            "@@\n-x\n+z\n*** End of File\n",
            Ok("x\ny\nz\n"),
        ),
        (
            "x\ny\n",
            "@@\n-x\n+z\n*** End of File\n",
            Err("does not end with"),
        ),
        (
            class,
            "@@ class B:\n   def f():\n-    pass\n+    return 1\n",
            Ok("class A:\n  def f():\n    pass\nclass B:\n  def f():\n    return 1\n"),
        ),
        (
            class,
            "@@ class A:\n@@   def f():\n-    pass\n+    return 1\n",
            Err("ambiguous"),
        ),
        (
            class,
            "@@ class B:\n@@   def f():\n-    pass\n+    return 1\n",
            Ok("class A:\n  def f():\n    pass\nclass B:\n  def f():\n    return 1\n"),
        ),
        (class, "@@ class C:\n-    pass\n", Err("no line `class C:`")),
        (
            class,
            "@@ class B:\n+  x = 1\n",
            Ok("class A:\n  def f():\n    pass\nclass B:\n  x = 1\n  def f():\n    pass\n"),
        ),
        (class, "@@   def f():\n+    x\n", Err("ambiguous")),
        ("a\n", "@@\n+end\n", Ok("a\nend\n")),
        ("", "@@\n+first\n", Ok("first\n")),
        ("a\n\nb\n", "@@\n a\n\n-b\n+B\n", Ok("a\n\nB\n")),
        ("a\r\nb\r\n", "@@\n-a\n+A\n+x\n", Ok("A\r\nx\r\nb\r\n")),
        ("a\r\nb\n", "@@\n-b\n+B\n", Ok("a\r\nB\n")),
        ("a\nb", "@@\n-b\n+B\n", Ok("a\nB")),
        ("a\n", "@@\n-a\n", Ok("")),
        ("*** a\n", "@@\n-*** a\n+*** b\n", Ok("*** b\n")),
        (
            "a\n",
            "@@\n",
            Err("line 3 of the patch: the hunk has no lines"),
        ),
        (
            "a\n",
            "@@\n*a\n",
            Err("line 4 of the patch: each line of a hunk begins with"),
        ),
        ("a\n", "", Err("changes nothing")),
        (
            "a\n",
            "@@\n-a\n+b\n*** Frob: x\n",
            Err("line 6 of the patch: expected the beginning of a section"),
        ),
    ] {
        check(before, &envelope(body), expected);
        // The same patch with other line ends says the same.
        check(before, &envelope(body).replace('\n', "\r\n"), expected);
    }
    for (text, expected) in [
        (
            "*** Begin Patch\n*** Update File: f\n@@\n-a\n",
            "ends without `*** End Patch`",
        ),
        (
            "*** Begin Patch\n*** End Patch\nmore\n",
            "unexpected text after",
        ),
        ("*** Begin Patch\n*** End Patch\n", "names no file"),
        (
            "*** Begin Patch\n*** Add File: f\nx\n*** End Patch\n",
            "begins with `+`",
        ),
        (
            "*** Begin Patch\n*** Add File:  \n+x\n*** End Patch\n",
            "path is missing",
        ),
        (
            "*** Begin Patch\n*** Update File: f\n*** Move to: \n*** End Patch\n",
            "path is missing",
        ),
        ("", "names no file"),
        ("no patch", "names no file"),
    ] {
        check("a\n", text, Err(expected));
    }
}

#[test]
fn unified_diffs() {
    let ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
    for (before, body, expected) in [
        (
            "a\nb\nc\n",
            "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
            Ok("a\nB\nc\n"),
        ),
        (
            "a\nb\nc\n",
            "@@ -1,3 +1,3 @@ fn main() {\n a\n-b\n+B\n c\n",
            Ok("a\nB\nc\n"),
        ),
        (
            ten,
            "@@ -2 +2 @@\n-2\n+two\n@@ -9 +9 @@\n-9\n+nine\n",
            Ok("1\ntwo\n3\n4\n5\n6\n7\n8\nnine\n10\n"),
        ),
        // It stands three lines further down, and only there.
        (
            ten,
            "@@ -2,2 +2,2 @@\n 5\n-6\n+six\n",
            Ok("1\n2\n3\n4\n5\nsix\n7\n8\n9\n10\n"),
        ),
        // The first place shows by how much; `x` alone would fit in two places.
        (
            "0\n0\na\nx\nb\nx\n",
            "@@ -1 +1 @@\n-a\n+A\n@@ -2 +2 @@\n-x\n+y\n",
            Ok("0\n0\nA\ny\nb\nx\n"),
        ),
        ("x\nb\nx\n", "@@ -2 +2 @@\n-x\n+y\n", Err("ambiguous")),
        (
            ten,
            "@@ -2 +2 @@\n-eleven\n+x\n",
            Err("has no line `eleven`"),
        ),
        (
            ten,
            "@@ -2,2 +2,1 @@\n 2\n-4\n",
            Err("expected `4`, found `3` on line 3"),
        ),
        (
            ten,
            "@@ -3,0 +4,1 @@\n+3.5\n",
            Ok("1\n2\n3\n3.5\n4\n5\n6\n7\n8\n9\n10\n"),
        ),
        (ten, "@@ -11,0 +12,1 @@\n+x\n", Err("has no line 11")),
        ("", "@@ -0,0 +1 @@\n+x\n", Ok("x\n")),
        (
            "a",
            "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n",
            Ok("b\n"),
        ),
        (
            "a\n",
            "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n",
            Ok("b"),
        ),
        (
            "a",
            "@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n\\ No newline at end of file\n",
            Ok("a\nb"),
        ),
        (
            "a\n",
            "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n",
            Err("ends without a line end"),
        ),
        (
            "a\nc\n",
            "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n",
            Err("ends without a line end"),
        ),
        ("a\r\nb\r\n", "@@ -1 +1 @@\n-a\r\n+A\r\n", Ok("A\r\nb\r\n")),
        ("a\r\nb\r\n", "@@ -1 +1 @@\n-a\n+A\n", Ok("A\r\nb\r\n")),
        (
            "-- a\n++ b\n",
            "@@ -1,2 +1,2 @@\n--- a\n+-- c\n ++ b\n",
            Ok("-- c\n++ b\n"),
        ),
        (
            "a\n\nb\n",
            "@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n",
            Ok("a\n\nB\n"),
        ),
        (
            "a\nb\n",
            "@@ -1,3 +1,3 @@\n a\n-b\n+B\n",
            Err("does not have the number of lines"),
        ),
        (
            "a\nb\n",
            "@@ -1 +1 @@\n a\n-b\n+B\n",
            Err("outside of every hunk"),
        ),
        (
            "a\nb\n",
            "@@ -1,1 +1,1 @@\n a\n\n+B\n",
            Err("outside of every hunk"),
        ),
        (
            "a\nb\n",
            "@@ -1,2 +1,2 @@\n a\nb\n+B\n",
            Err("`b` is not a hunk line"),
        ),
        ("a\n", "@@ -1 1 @@\n-a\n", Err("expected `@@ -first,count")),
        (
            "a\n",
            "@@ -99999999999999999999 +1 @@\n-a\n",
            Err("expected `@@ -first,count"),
        ),
        (
            "a\n",
            "@@ -+1 +1 @@\n-a\n",
            Err("expected `@@ -first,count"),
        ),
        ("a\n", "", Err("no changes")),
    ] {
        check(before, &unified(body), expected);
    }
}

#[test]
fn names_of_diffs() {
    let names = |text: &str| -> String {
        match parse_patch(text) {
            Err(err) => err.message().to_owned(),
            Ok(patch) => {
                let shown = |file: &FilePatch| match &file.action {
                    PatchAction::Add { executable, .. } => {
                        format!("add{} {}", u8::from(*executable), file.path)
                    }
                    PatchAction::Delete { .. } => format!("delete {}", file.path),
                    PatchAction::Update { move_to: None, .. } => format!("update {}", file.path),
                    PatchAction::Update {
                        move_to: Some(to), ..
                    } => format!("move {} {to}", file.path),
                };
                patch.iter().map(shown).collect::<Vec<_>>().join(", ")
            }
        }
    };
    let place = "@@ -1 +1 @@\n-a\n+b\n";
    let added = "@@ -0,0 +1 @@\n+b\n";
    for (text, expected) in [
        (format!("--- a/x\n+++ b/x\n{place}"), "update x"),
        (
            format!("--- x.orig\t2026-01-01\n+++ x\t2026-01-02 00:00\n{place}"),
            "update x",
        ),
        (format!("--- a/x y\n+++ b/x y\n{place}"), "update x y"),
        (format!("--- a/x\n+++ c/x\n{place}"), "update c/x"),
        (
            format!("--- \"a/\\303\\244\\t\\\"\"\n+++ \"b/\\303\\244\\t\\\"\"\n{place}"),
            "update \u{e4}\t\"",
        ),
        (
            format!("--- \"a/\\303\"\n+++ \"b/\\303\"\n{place}"),
            "line 1 of the patch: invalid quoted name",
        ),
        (format!("--- /dev/null\n+++ b/x\n{added}"), "add0 x"),
        (
            format!("--- /dev/null\n+++ b/x\n{place}"),
            "line 1 of the patch: a new file must have only added lines, in one hunk",
        ),
        (
            "diff --git a/e b/e\nnew file mode 100755\nindex 0..0\n".to_owned(),
            "add1 e",
        ),
        (
            "diff --git a/e b/e\ndeleted file mode 100644\n".to_owned(),
            "delete e",
        ),
        (
            "diff --git a/l b/l\nnew file mode 120000\n".to_owned(),
            "line 2 of the patch: only regular files can be patched, found mode `120000`",
        ),
        (
            "diff --git a/l b/l\nold mode 100644\nnew mode 100755\n".to_owned(),
            "line 2 of the patch: a patch cannot change file modes",
        ),
        (
            "diff --git a/l b/l\nindex 1..2\nBinary files a/l and b/l differ\n".to_owned(),
            "line 3 of the patch: binary files cannot be patched",
        ),
        (
            "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n".to_owned(),
            "move x y",
        ),
        (
            "diff --git a/x b/y\ncopy from x\ncopy to y\n".to_owned(),
            "line 2 of the patch: a patch cannot copy files",
        ),
        (
            format!("text\n\n--- a/x\n+++ b/x\n{place}\n--- a/y\n+++ b/y\n{place}"),
            "update x, update y",
        ),
        (
            format!("--- /dev/null\n+++ /dev/null\n{added}"),
            "line 1 of the patch: the name of the file is missing",
        ),
        (
            place.to_owned(),
            "line 1 of the patch: a hunk comes before the name of its file",
        ),
    ] {
        assert_eq!(names(&text), expected, "{text}");
    }
}

/// A diff by the longest common subsequence, with so many lines around each change.
fn diff(before: &str, after: &str, context: usize) -> String {
    let split = |text: &str| -> Vec<(String, bool)> {
        text.split_inclusive('\n')
            .map(|line| {
                (
                    line.strip_suffix('\n').unwrap_or(line).to_owned(),
                    line.ends_with('\n'),
                )
            })
            .collect()
    };
    let (a, b) = (split(before), split(after));
    let mut common = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i][j] = if a[i] == b[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let mut script = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            script.push((' ', &a[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < a.len() && (j == b.len() || common[i + 1][j] >= common[i][j + 1]) {
            script.push(('-', &a[i]));
            i += 1;
        } else {
            script.push(('+', &b[j]));
            j += 1;
        }
    }
    let near = |at: usize| {
        let from = at.saturating_sub(context);
        let to = (at + context + 1).min(script.len());
        script[from..to].iter().any(|(mark, _)| *mark != ' ')
    };
    let mut text = String::new();
    let (mut at, mut old, mut new) = (0, 0, 0);
    while at < script.len() {
        if !near(at) {
            (at, old, new) = (at + 1, old + 1, new + 1);
            continue;
        }
        let end = (at..script.len())
            .find(|&at| !near(at))
            .unwrap_or(script.len());
        let count = |not: char| {
            script[at..end]
                .iter()
                .filter(|(mark, _)| *mark != not)
                .count()
        };
        let (olds, news) = (count('+'), count('-'));
        let first = |done: usize, count: usize| done + usize::from(count > 0);
        text.push_str(&format!(
            "@@ -{},{olds} +{},{news} @@\n",
            first(old, olds),
            first(new, news)
        ));
        for (mark, (line, closed)) in &script[at..end] {
            text.push_str(&format!("{mark}{line}\n"));
            if !closed {
                text.push_str("\\ No newline at end of file\n");
            }
        }
        (at, old, new) = (end, old + olds, new + news);
    }
    text
}

fn texts() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "",
        "a",
        "b",
        "-- x",
        "++ y",
        "@@ -1 +1 @@",
        "*** End Patch",
        "c\r",
        " ",
        "\\ No",
    ]);
    (prop::collection::vec(line, 0..12), any::<bool>()).prop_map(|(lines, closed)| {
        let mut text = lines.join("\n");
        if closed && !lines.is_empty() {
            text.push('\n');
        }
        text
    })
}

proptest! {
    /// A diff leads from the old text to the new one, whatever both are.
    #[test]
    fn a_diff_makes_the_new_text(before in texts(), after in texts(), context in 0_usize..4) {
        prop_assume!(before != after);
        let text = unified(&diff(&before, &after, context));
        // A file of CR LF keeps them where the patch has none; here such a patch brings in lines and names no other.
        let ended: Vec<&str> = before.split_inclusive('\n').filter(|line| line.ends_with('\n')).collect();
        let keeps = !text.contains('\r') && !ended.is_empty() && ended.iter().all(|line| line.ends_with("\r\n"));
        let wanted = if keeps { after.replace("\r\n", "\n").replace('\n', "\r\n") } else { after };
        prop_assert_eq!(patched(&before, &text), Ok(wanted), "{}", text);
    }

    /// No text, and no patch on any file, is more than an error.
    #[test]
    fn nothing_panics(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "*** Begin Patch\n", "*** End Patch\n", "*** Update File: f\n", "*** Add File: f\n", "*** Delete File: f\n", "*** Move to: g\n",
            "*** End of File\n", "@@\n", "@@ a\n", "@@ -1,2 +1,2 @@\n", "@@ -0,0 +1 @@\n", "@@ -18446744073709551615,1 +1 @@\n",
            "--- a/f\n", "+++ b/f\n", "--- \"a/\\3\n", "diff --git a/f b/f\n", "rename from f\n", "rename to g\n", "new file mode 100644\n",
            "\\ No newline at end of file\n", " a\n", "-a\n", "+b\n", "\n", "é", "\r\n", "-", "+", " ",
        ]), 0..16),
        noise in ".{0,8}",
        before in texts(),
    ) {
        for text in [pieces.concat(), format!("{}{noise}", pieces.concat()), noise.clone()] {
            let Ok(patch) = parse_patch(&text) else { continue };
            for file in &patch {
                if let PatchAction::Update { hunks, .. } | PatchAction::Delete { hunks: Some(hunks) } = &file.action {
                    let _ = apply_hunks(&before, hunks, "f");
                }
            }
        }
    }
}
