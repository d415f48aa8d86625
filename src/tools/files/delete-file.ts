import { z } from 'zod'
import { presentFileChange } from '../presentations/file-change.ts'
import { decodeText } from '../presentations/file-kind.ts'
import { defineBuiltIn } from '../definition/define-built-in.ts'
import { expectedBase, loadExisting } from './load-version.ts'
import { filePath } from '../definition/path-field.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'

const schema = z.strictObject({
  path: filePath('Path of the file, relative to the workspace root.'),
})

/** Removes one file (workers-and-policy.md), which the approver can read whole. */
export const deleteFile = defineBuiltIn({
  name: 'delete_file',
  description: 'Delete one file. Folders are not deleted.',
  schema,
  readOnly: false,
  scopes: ['once', 'run'],
  accesses: ({ path }) => [{ operation: 'delete', path, target: 'file' }],

  async present({ path }, { workspace, signal, toolHash }) {
    const before = await loadExisting(workspace, path)
    const presented = await presentFileChange({ path, before, after: null }, signal)
    const content = before.content ?? new Uint8Array()
    return {
      ...presented,
      facts: { toolHash, bases: [{ path, hash: before.hash }] },
      content,
      contentType: decodeText(content) === null ? 'application/octet-stream' : 'text/plain',
      proposes: new Map([[path, null]]),
    }
  },

  async execute({ path }, context) {
    const expected = await expectedBase(context, path)
    if (expected === 'absent') {
      throw new WorkspaceProblem('not_found', path, `${JSON.stringify(path)} does not exist.`)
    }
    await context.workspace.remove(path, expected)
    return { type: 'output', output: { path, hash: expected }, text: `Deleted ${path}.` }
  },
})
