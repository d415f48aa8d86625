import { z } from 'zod'
import type { Tool, Workspace } from '../../domain/tool.ts'
import { WorkspaceProblem } from '../../domain/workspace-problem.ts'
import { defineBuiltIn } from '../define-built-in.ts'
import { decodeText } from '../presentations/file-kind.ts'
import { askThread } from '../threads/ask-thread.ts'
import { globField, globMatcher } from './glob-field.ts'
import { folderPath } from './path-field.ts'
import type { LineMatch } from './search-lines.ts'
import { presentBelow } from './present-below.ts'
import { shownText } from './shown-text.ts'
import { walkFiles, type MayRead } from './walk-files.ts'

const mostMatches = 500
const mostFileBytes = 8 * 1024 * 1024
const mostFiles = 20_000
/** for one file, and for all: a pattern may be as slow as it likes, the call ends */
const fileLimitMs = 2000
const searchLimitMs = 20_000

const schema = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(1000)
    .refine(isExpression, {
      message: 'This is no regular expression; escape what is meant literally with a back-slash.',
    })
    .describe('Regular expression (JavaScript, Unicode mode), matched line by line.'),
  path: folderPath('Folder to search; "." is the workspace root.').default(''),
  glob: globField,
})

/** Searches text files below a folder with a regular expression, in a thread that is ended when it takes too long. */
export function searchFiles(mayRead: MayRead): Tool {
  return defineBuiltIn({
    name: 'search_files',
    description:
      'Search the text files below a folder with a regular expression. At most 500 matching lines, and what is left out is said.',
    schema,
    risk: 'low',
    readOnly: true,
    scopes: ['once', 'run'],
    accesses: ({ path }) => [{ operation: 'read', path, target: 'directory' }],

    async present(input, { toolHash }) {
      return presentBelow('Search', input, toolHash)
    },

    async execute(input, { workspace, signal }) {
      const found = await search(input, workspace, mayRead, signal)
      const lines = found.matches.map(({ path, line, text }) => `${path}:${line}: ${text}`)
      const shown = shownText(lines.join('\n'))
      const notes = [
        `${found.matches.length} matching ${found.matches.length === 1 ? 'line' : 'lines'} in ${found.files} files`,
        ...found.notes,
        ...(shown.leftOut > 0 ? [`${shown.leftOut} bytes of the matches are left out`] : []),
      ]
      return {
        type: 'output',
        output: {
          matches: found.matches.map((match) => ({ ...match })),
          files: found.files,
          truncated: found.truncated,
          notes: found.notes,
        },
        text: `${shown.text}\n[${notes.join('; ')}]`.trim(),
      }
    },
  })
}

type Found = LineMatch & { readonly path: string }

interface Outcome {
  readonly matches: Found[]
  /** files that were searched to their end */
  files: number
  truncated: boolean
  readonly notes: string[]
}

async function search(
  input: { pattern: string; path: string; glob?: string | undefined },
  workspace: Workspace,
  mayRead: MayRead,
  signal: AbortSignal,
): Promise<Outcome> {
  const matches = globMatcher(input.glob)
  const outcome: Outcome = { matches: [], files: 0, truncated: false, notes: [] }
  const passedOver = { closed: 0, large: 0 }
  const stop = (note: string): void => {
    outcome.truncated = true
    outcome.notes.push(note)
  }
  const script = new URL('search-thread.ts', import.meta.url)
  await using thread = await askThread<
    { text: string; most: number },
    { matches: LineMatch[]; more: boolean }
  >(script, { pattern: input.pattern })
  const until = performance.now() + searchLimitMs
  for await (const entry of walkFiles(workspace, input.path, mayRead, signal)) {
    if (entry.state.kind !== 'file' || !matches(entry.below)) continue
    if (entry.closed) passedOver.closed += 1
    else if (entry.state.bytes > mostFileBytes) passedOver.large += 1
    else {
      const left = until - performance.now()
      if (outcome.files >= mostFiles) stop(`stopped after ${mostFiles} files; narrow path or glob`)
      else if (left <= 0) stop(`stopped after ${searchLimitMs / 1000} s; narrow path or glob`)
      if (outcome.truncated) break
      const text = await textAt(workspace, entry.path)
      if (text === null) continue
      const most = mostMatches - outcome.matches.length
      const answer = await thread.ask({ text, most }, Math.min(left, fileLimitMs))
      if (answer === null) {
        stop(`the pattern took too long on ${JSON.stringify(entry.path)}; make it simpler`)
        break
      }
      for (const match of answer.matches) outcome.matches.push({ path: entry.path, ...match })
      outcome.files += 1
      if (answer.more) {
        stop(`only the first ${mostMatches} matches are given`)
        break
      }
    }
  }
  if (passedOver.closed > 0) {
    outcome.notes.push(
      `${passedOver.closed} files not searched: reading them needs its own approval`,
    )
  }
  if (passedOver.large > 0) {
    outcome.notes.push(`${passedOver.large} files not searched: larger than ${mostFileBytes} bytes`)
  }
  return outcome
}

/** `null` for what is not text, and for what went away meanwhile. */
async function textAt(workspace: Workspace, path: string): Promise<string | null> {
  try {
    return decodeText(await workspace.read(path, { maxBytes: mostFileBytes }))
  } catch (error) {
    if (error instanceof WorkspaceProblem) return null
    throw error
  }
}

function isExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}
