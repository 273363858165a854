"""Write hostile.zip, an archive with many findings for `archive_open`. The bytes are reproducible."""

import pathlib
import zipfile

STAMP = (1980, 1, 1, 0, 0, 0)
FILE, LINK, DEVICE, SETUID = 0o100644, 0o120777, 0o020644, 0o104755

MEMBERS = [
    ("readme.txt", FILE, b"one harmless file\n"),
    ("../outside.txt", FILE, b"would be written above the folder\n"),
    ("/etc/cron.d/job", FILE, b"would be written anywhere\n"),
    ("C:/start.bat", FILE, b"a drive letter\n"),
    ("..\\windows.txt", FILE, b"a parent on other systems\n"),
    (".git/hooks/post-checkout", FILE, b"#!/bin/sh\n"),
    ("link", LINK, b"/etc/passwd"),
    ("link/through", FILE, b"written through the link\n"),
    ("device", DEVICE, b""),
    ("rights", SETUID, b"#!/bin/sh\n"),
    ("photo\u202egpj.exe", FILE, b"reads as a picture\n"),
    ("bell\x07", FILE, b"a control character\n"),
    ("Notes.txt", FILE, b"upper\n"),
    ("notes.txt", FILE, b"lower\n"),
    ("inner.zip", FILE, b"PK\x05\x06" + bytes(18)),
]

target = pathlib.Path(__file__).with_name("hostile.zip")
with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
    for name, mode, content in MEMBERS:
        member = zipfile.ZipInfo("placeholder", STAMP)
        member.filename = name  # as it is; the constructor would tidy it
        member.create_system = 3
        member.external_attr = mode << 16
        member.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(member, content)
print(f"{target.name}: {target.stat().st_size} bytes, {len(MEMBERS)} members")
