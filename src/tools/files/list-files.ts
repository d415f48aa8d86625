import { z } from 'zod'
import { defineBuiltIn, type NamedTool } from '../definition/define-built-in.ts'
import type { ReadingBounds } from './search/may-read.ts'
import { lookBelow } from './search/look-below.ts'
import { globField } from './search-fields.ts'
import { folderPath } from '../definition/path-field.ts'
import { presentBelow } from './present-below.ts'
import { visibleText } from '../definition/visible-text.ts'

const schema = z.strictObject({
  path: folderPath('Path of the folder; "." is the workspace root.'),
  glob: globField,
})

/** Lists a folder; with a glob, everything below it that matches (workers-and-policy.md). */
export function listFiles(bounds: ReadingBounds): NamedTool<'list_files'> {
  return defineBuiltIn({
    name: 'list_files',
    description:
      'List a folder, or with glob everything below it that matches. At most 2,000 entries, and what is left out is said.',
    schema,
    readOnly: true,
    scopes: ['once', 'run'],
    accesses: ({ path }) => [{ operation: 'read', path, target: 'directory' }],

    async present(input, { toolHash }) {
      return presentBelow('List', input, toolHash)
    },

    async execute({ path, glob }, { workspace, signal }) {
      const search = await lookBelow(
        { do: 'list', glob },
        { workspace, folder: path, bounds, signal },
      )
      const lines = search.results.map(({ path: at, kind, bytes }) =>
        kind === 'file'
          ? `${at} (${bytes} bytes)`
          : kind === 'directory'
            ? `${at}/`
            : `${at} (${kind})`,
      )
      const visible = visibleText(lines.map((line) => JSON.stringify(line).slice(1, -1)).join('\n'))
      const notes = [
        ...search.notes,
        ...(visible.leftOut > 0 ? [`${visible.leftOut} bytes of the list are left out`] : []),
        ...(search.results.length === 0 ? ['nothing matches'] : []),
      ]
      const entries = search.results.map((entry) => ({ ...entry }))
      return {
        type: 'output',
        output: { path, entries, truncated: search.truncated },
        text: notes.length === 0 ? visible.text : `${visible.text}\n[${notes.join('; ')}]`.trim(),
      }
    },
  })
}
