"""Builds the wheel and the source distribution with the standard library alone (PEP 517, 427, 625).

`pip install .` and `npm run release` work without a network and without a build tool: the package is
pure Python, and a wheel is a zip file with a list of hashes.
"""

import base64
import gzip
import hashlib
import io
import pathlib
import re
import tarfile
import zipfile

root = pathlib.Path(__file__).parent


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel into `wheel_directory` and returns its file name."""
    field = _project_fields()
    stem = _stem(field)
    info = f"{stem}.dist-info"
    files = _files_below(root / "src")
    files[f"{info}/METADATA"] = _metadata(field).encode()
    files[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: countersign\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    files[f"{info}/licenses/LICENSE"] = (root / "LICENSE").read_bytes()
    record = "".join(f"{path},{_hash(content)},{len(content)}\n" for path, content in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    file_name = f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / file_name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            # A fixed date, so that the same sources give the same bytes.
            wheel.writestr(zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return file_name


def build_sdist(sdist_directory, config_settings=None):
    """Writes the source distribution, of which the same wheel is built, and returns its file name."""
    field = _project_fields()
    stem = _stem(field)
    files = {name: (root / name).read_bytes() for name in _sources}
    files |= {f"src/{path}": content for path, content in _files_below(root / "src").items()}
    files["PKG-INFO"] = _metadata(field).encode()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, content in files.items():
            # Owner, mode and date are those of a new entry, so that the same sources give the same bytes.
            entry = tarfile.TarInfo(f"{stem}/{path}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    file_name = f"{stem}.tar.gz"
    (pathlib.Path(sdist_directory) / file_name).write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return file_name


_sources = ["pyproject.toml", "build_package.py", "LICENSE", "README.md"]


def _files_below(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def _stem(field):
    """How the names of files begin: the name of the project with underscores, and the version."""
    return f"{field['name'].replace('-', '_')}-{field['version']}"


def _project_fields():
    """The values of pyproject.toml that stand on one line; Python 3.10 has no reader for TOML."""
    text = (root / "pyproject.toml").read_text()
    fields = dict(re.findall(r'^([a-z-]+) = "(.*)"$', text, re.MULTILINE))
    fields["dependencies"] = re.search(r'^dependencies = \["(.*)"\]$', text, re.MULTILINE)[1]
    fields["extras"] = "".join(
        f"Provides-Extra: {name}\nRequires-Dist: {needed}; extra == '{name}'\n"
        for name, needed in re.findall(
            r'^([a-z-]+) = \["(.*)"\]$', text.split("[project.optional-dependencies]")[1], re.MULTILINE
        )
    )
    fields["version"] = _python_version(fields["version"])
    return fields


def _python_version(version):
    """`1.2.0-rc.1`, as npm writes a version before a release, in the form of PEP 440: `1.2.0rc1`."""
    return re.sub(r"-(a|b|rc)[a-z]*\.(\d+)$", r"\1\2", version)


def _metadata(field):
    return (
        "Metadata-Version: 2.4\n"
        f"Name: {field['name']}\nVersion: {field['version']}\nSummary: {field['description']}\n"
        f"License-Expression: {field['license']}\nLicense-File: LICENSE\n"
        f"Requires-Python: {field['requires-python']}\nRequires-Dist: {field['dependencies']}\n"
        f"{field['extras']}"
        "Description-Content-Type: text/markdown\n\n"
    ) + (root / "README.md").read_text()


def _hash(content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"sha256={digest}"


if __name__ == "__main__":
    import sys

    print(build_wheel(sys.argv[1]))
    print(build_sdist(sys.argv[1]))
