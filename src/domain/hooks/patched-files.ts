/** A file that a patch names, and the lines that the patch adds to it. */
interface PatchedFile {
  /** its header has no blank before it: behind one, it may be a line of the file above */
  readonly isCertainHeader: boolean
  readonly isDeleted: boolean
  readonly path: string
  readonly added: readonly string[]
}

/** Names of tools that take a patch of several files (`apply_patch`), of any agent. */
export const patchTool = /^(?:[\w-]+:)?apply_patch$/

/** Codex ignores blanks before the mark and at the ends of a name, OpenCode those around a name. */
const header = /^\s*\*\*\* (Add File|Update File|Delete File|Move to):(.*)$/s

/** The files of a patch of the form `*** Update File: NAME`, as the most lenient agent reads it. */
export function patchedFiles(text: string): readonly PatchedFile[] {
  const files: (PatchedFile & { readonly added: string[] })[] = []
  // U+0085 is a blank for Codex, which is written in Rust, and none for JavaScript.
  for (const line of text.replaceAll('\u0085', ' ').split('\n')) {
    const [, verb, name = ''] = header.exec(line) ?? []
    const path = name.trim()
    if (path !== '') {
      const isCertainHeader = !/^\s/.test(line)
      files.push({ isCertainHeader, isDeleted: verb === 'Delete File', path, added: [] })
    } else if (line.startsWith('+')) files.at(-1)?.added.push(line.slice(1))
  }
  return files
}
