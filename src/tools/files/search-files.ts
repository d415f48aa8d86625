import { countWords } from '#domain/text/quantities/count-words.ts'
import { z } from 'zod'
import { defineBuiltIn, type NamedTool } from '../definition/define-built-in.ts'
import type { ReadingBounds } from './search/may-read.ts'
import { lookBelow } from './search/look-below.ts'
import { globField, searchPattern } from './search-fields.ts'
import { folderPath } from '../definition/path-field.ts'
import { presentBelow } from './present-below.ts'
import { visibleText } from '../definition/visible-text.ts'

const schema = z.strictObject({
  pattern: searchPattern,
  path: folderPath('Folder to search; "." is the workspace root.').default(''),
  glob: globField,
})

/** Searches text files below a folder with a regular expression. */
export function searchFiles(bounds: ReadingBounds): NamedTool<'search_files'> {
  return defineBuiltIn({
    name: 'search_files',
    description:
      'Search the text files below a folder with a regular expression. At most 500 matching lines, and what is left out is said.',
    schema,
    readOnly: true,
    scopes: ['once', 'run'],
    accesses: ({ path }) => [{ operation: 'read', path, target: 'directory' }],

    async present(input, { toolHash }) {
      return presentBelow('Search', input, toolHash)
    },

    async execute({ pattern, path, glob }, { workspace, signal }) {
      const search = await lookBelow(
        { do: 'search', pattern, glob },
        { workspace, folder: path, bounds, signal },
      )
      const lines = search.results.map(({ path: at, line, text }) => `${at}:${line}: ${text}`)
      const visible = visibleText(lines.join('\n'))
      const notes = [
        `${countWords(lines.length, 'matching line')} in ${countWords(search.files, 'file')}`,
        ...search.notes,
        ...(visible.leftOut > 0 ? [`${visible.leftOut} bytes of the matches are left out`] : []),
      ]
      return {
        type: 'output',
        output: {
          matches: search.results.map((match) => ({ ...match })),
          files: search.files,
          truncated: search.truncated,
          notes: [...search.notes],
        },
        text: `${visible.text}\n[${notes.join('; ')}]`.trim(),
      }
    },
  })
}
