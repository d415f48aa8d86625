import { z } from 'zod'
import type { Tool } from '../../domain/tool.ts'
import { defineBuiltIn } from '../define-built-in.ts'
import { globField, globMatcher } from './glob-field.ts'
import { folderPath } from './path-field.ts'
import { presentBelow } from './present-below.ts'
import { shownText } from './shown-text.ts'
import { walkFiles, type MayRead } from './walk-files.ts'

const mostEntries = 2000
const listLimitMs = 20_000

const schema = z.strictObject({
  path: folderPath('Path of the folder; "." is the workspace root.'),
  glob: globField,
})

/** Lists a folder; with a glob, everything below it that matches (workers-and-policy.md). */
export function listFiles(mayRead: MayRead): Tool {
  return defineBuiltIn({
    name: 'list_files',
    description:
      'List a folder, or with glob everything below it that matches. At most 2,000 entries, and what is left out is said.',
    schema,
    risk: 'low',
    readOnly: true,
    scopes: ['once', 'run'],
    accesses: ({ path }) => [{ operation: 'read', path, target: 'directory' }],

    async present(input, { toolHash }) {
      return presentBelow('List', input, toolHash)
    },

    async execute({ path, glob }, { workspace, signal }) {
      const matches = globMatcher(glob)
      const entries: { path: string; kind: string; bytes: number }[] = []
      const until = performance.now() + listLimitMs
      let more: string | null = null
      for await (const entry of walkFiles(workspace, path, mayRead, signal)) {
        const deeper = entry.below.includes('/')
        if (glob === undefined && deeper) break
        if (entries.length >= mostEntries) more = `only the first ${mostEntries} entries are listed`
        else if (performance.now() > until) more = `stopped after ${listLimitMs / 1000} s`
        if (more !== null) break
        if (!matches(entry.below)) continue
        entries.push({ path: entry.path, kind: entry.state.kind, bytes: entry.state.bytes })
      }
      const lines = entries.map(({ path: at, kind, bytes }) =>
        kind === 'file'
          ? `${at} (${bytes} bytes)`
          : kind === 'directory'
            ? `${at}/`
            : `${at} (${kind})`,
      )
      const shown = shownText(lines.map((line) => JSON.stringify(line).slice(1, -1)).join('\n'))
      const notes = [
        ...(more === null ? [] : [`${more}; narrow path or glob`]),
        ...(shown.leftOut > 0 ? [`${shown.leftOut} bytes of the list are left out`] : []),
        ...(entries.length === 0 ? ['nothing matches'] : []),
      ]
      return {
        type: 'output',
        output: { path, entries, truncated: more !== null },
        text: notes.length === 0 ? shown.text : `${shown.text}\n[${notes.join('; ')}]`.trim(),
      }
    },
  })
}
