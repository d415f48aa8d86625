import { z } from 'zod'
import { binarySize } from '#domain/text/quantities/binary-size.ts'
import { usualScopes } from '#domain/policy/verdict.ts'
import { limits } from '#domain/limits.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import type { FileVersion } from '../presentations/file-change.ts'
import { fileVersion, presentFileChange } from '../presentations/file-change.ts'
import { decodeText } from '../presentations/file-kind.ts'
import { defineBuiltIn } from '../definition/define-built-in.ts'
import { loadExisting, requireWritable, requireWriteSize, sameBytes } from './load-version.ts'
import { filePath } from '../definition/path-field.ts'

const edit = z.strictObject({
  find: z.string().min(1).describe('Text that occurs exactly once in the file as it then is.'),
  replace: z.string().describe('What takes its place.'),
})

const schema = z
  .strictObject({
    path: filePath('Path of the text file, relative to the workspace root.'),
    edits: z
      .array(edit)
      .min(1)
      .max(limits.editsPerCall)
      .describe('Replacements, applied in order, each to the result of the ones before.'),
  })
  .superRefine(({ edits }, context) => {
    const bytes = edits.reduce(
      (sum, { find, replace }) => sum + Buffer.byteLength(find) + Buffer.byteLength(replace),
      0,
    )
    if (bytes <= 2 * limits.writeBytes) return
    const message = `The edits have ${bytes} bytes; together they may have at most ${2 * limits.writeBytes} (${binarySize(2 * limits.writeBytes)}).`
    context.addIssue({ code: 'custom', path: ['edits'], message })
  })

/** Changes places in a text file; shown as the diff of the result (workers-and-policy.md). */
export const editFile = defineBuiltIn({
  name: 'edit_file',
  description:
    'Change places in a text file. Each find must occur exactly once; read the file first. At most 200 edits.',
  schema,
  readOnly: false,
  scopes: usualScopes,
  accesses: ({ path }) => [{ operation: 'write', path, target: 'file' }],

  async whyUnchanged({ path, edits }, workspace) {
    const before = await loadExisting(workspace, path)
    const { bytes, hash } = fileVersion(editedBytes(path, before, edits))
    return hash === before.hash ? sameBytes(path, bytes) : null
  },

  async present({ path, edits }, { workspace, signal, toolHash }) {
    await requireWritable(workspace, path)
    const before = await loadExisting(workspace, path)
    const bytes = editedBytes(path, before, edits)
    const after = fileVersion(bytes)
    const presented = await presentFileChange(
      { path, before, after, metadata: { edits: edits.length } },
      signal,
    )
    return {
      ...presented,
      facts: { toolHash, bases: [{ path, hash: before.hash }], newHash: after.hash },
      content: bytes,
      contentType: 'text/plain',
      proposes: new Map([[path, bytes]]),
    }
  },

  async execute({ path, edits }, { workspace, facts }) {
    const recorded = facts.bases.find((base) => base.path === path)
    const before = await currentBase(workspace, path, recorded?.hash)
    const bytes = editedBytes(path, before, edits)
    const { hash } = fileVersion(bytes)
    if (facts.newHash !== undefined && facts.newHash !== hash) throw changedProblem(path)
    await workspace.write(path, bytes, before.hash)
    return {
      type: 'output',
      output: { path, bytes: bytes.length, hash, edits: edits.length },
      text: `Edited ${path} (${edits.length} ${edits.length === 1 ? 'edit' : 'edits'}, now ${bytes.length} bytes).`,
    }
  },
})

/**
 * The present file; `stale` when it differs from the recorded one, `not_found` without one. A call
 * without a request may have been recorded without a file.
 */
async function currentBase(
  workspace: Parameters<typeof loadExisting>[0],
  path: string,
  recorded: string | undefined,
): Promise<FileVersion> {
  if (recorded === undefined) return loadExisting(workspace, path)
  const { hash, kind } = await workspace.state(path, { hash: true })
  const isSame = recorded === 'absent' ? kind === 'absent' : hash === recorded
  if (!isSame) throw changedProblem(path)
  const version = await loadExisting(workspace, path)
  if (version.hash !== recorded) throw changedProblem(path)
  return version
}

function editedBytes(path: string, before: FileVersion, edits: readonly TextEdit[]): Buffer {
  const quoted = JSON.stringify(path)
  if (before.content === null) {
    throw new ToolProblem(
      `${quoted} has ${before.bytes} bytes; a file to edit may have at most ${limits.writeBytes} (${binarySize(limits.writeBytes)}).`,
    )
  }
  const text = decodeText(before.content)
  if (text === null) throw new ToolProblem(`${quoted} is not a text file; use write_file.`)
  const bytes = Buffer.from(applyEdits(text, edits))
  requireWriteSize(bytes.length)
  return bytes
}

function changedProblem(path: string): WorkspaceProblem {
  return new WorkspaceProblem(
    'stale',
    path,
    `${JSON.stringify(path)} has changed since it was shown.`,
  )
}

/** One replacement: `find` must occur exactly once in the text as it then is. */
interface TextEdit {
  readonly find: string
  readonly replace: string
}

/**
 * Applies edits in order, each to the result of the ones before. Pure. Throws `ToolProblem` that
 * names the edit when its `find` occurs never or more than once, overlapping occurrences counted.
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let current = text
  for (const [index, { find, replace }] of edits.entries()) {
    const at = current.indexOf(find)
    const which = `Edit ${index + 1} of ${edits.length}`
    if (at === -1) {
      throw new ToolProblem(`${which}: the text to find does not occur in the file as it then is.`)
    }
    const again = current.indexOf(find, at + 1)
    if (again !== -1) {
      throw new ToolProblem(
        `${which}: the text to find occurs more than once (on lines ${lineOf(current, at)} and ${lineOf(current, again)}, at least); give more of its surroundings.`,
      )
    }
    current = current.slice(0, at) + replace + current.slice(at + find.length)
  }
  return current
}

function lineOf(text: string, at: number): number {
  let line = 1
  for (
    let next = text.indexOf('\n');
    next !== -1 && next < at;
    next = text.indexOf('\n', next + 1)
  ) {
    line += 1
  }
  return line
}
