import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import type { ToolResult } from '../../domain/tool.ts'
import { decodeText, mediaTypeOf } from '../presentations/file-kind.ts'
import { structured } from '../presentations/structured.ts'
import { countLines } from '../presentations/make-presentation.ts'
import { defineBuiltIn } from '../define-built-in.ts'
import { notAFileProblem } from './not-a-file.ts'
import { filePath } from './path-field.ts'
import { readLines } from './read-lines.ts'

const sniffBytes = 64 * 1024
const mostLines = 10_000

const schema = z.strictObject({
  path: filePath('Path of the file, relative to the workspace root.'),
  offset: z.int().min(1).default(1).describe('First line, counted from 1.'),
  limit: z.int().min(1).max(mostLines).default(2000).describe('How many lines at most.'),
})

/** Reads lines of a text file; of anything else tells type, size and hash (workers-and-policy.md). */
export const readFile = defineBuiltIn({
  name: 'read_file',
  description:
    'Read lines of a text file. At most 64 KiB are shown at a time, and what is left out is said; use offset to go on. Of a binary file: type, size and hash.',
  schema,
  risk: 'low',
  readOnly: true,
  scopes: ['once', 'run', 'path'],
  accesses: ({ path }) => [{ operation: 'read', path, target: 'file' }],

  async present(input, { workspace, toolHash }) {
    const { path } = input
    const state = await workspace.state(path, { hash: true })
    if (state.hash === undefined) throw notAFileProblem(path, state)
    const facts = { ...input, bytes: state.bytes, hash: state.hash }
    return {
      title: `Read ${path}`,
      presentation: structured(facts, { path, bytes: state.bytes, hash: state.hash }, [
        'The model will be shown the content of this file.',
      ]),
      facts: { toolHash, bases: [] },
      content: Buffer.from(`${JSON.stringify(input)}\n`),
      contentType: 'text/plain',
      proposes: new Map(),
    }
  },

  async execute({ path, offset, limit }, { workspace }) {
    const state = await workspace.state(path)
    if (state.kind !== 'file') throw notAFileProblem(path, state)
    const start = await workspace.read(path, { start: 0, maxBytes: sniffBytes })
    if (decodeText(start, true) === null) return binary(workspace, path, start)
    const range = { offset, limit, maxBytes: limits.shownToModelBytes }
    const found = await readLines(workspace, path, range)
    const content = new TextDecoder('utf-8', { ignoreBOM: true })
      .decode(found.content, { stream: found.cut })
      .replaceAll('\0', '\uFFFD')
    const whole = found.atEnd && offset === 1
    const lastLine = offset + found.lines - 1
    const note = whole ? null : noteOf(offset, lastLine, found, state.bytes)
    return {
      type: 'output',
      output: {
        path,
        bytes: state.bytes,
        offset,
        lines: countLines(content),
        truncated: !found.atEnd,
        content,
      },
      text: note === null ? content : `${content}${content.endsWith('\n') ? '' : '\n'}[${note}]`,
    }
  },
})

function noteOf(
  offset: number,
  lastLine: number,
  found: { lines: number; cut: boolean; atEnd: boolean },
  bytes: number,
): string {
  const size = `the file has ${bytes} bytes`
  if (found.lines === 0) return `there is no line ${offset}; ${size}`
  const shown = `lines ${offset} to ${lastLine}; ${size}`
  if (found.atEnd) return `${shown}; this is the end`
  if (!found.cut) return `${shown}; go on with offset ${lastLine + 1}`
  const next = found.lines > 1 ? `; go on with offset ${lastLine}` : ''
  return `${shown}; line ${lastLine} is cut, at most ${limits.shownToModelBytes} bytes are shown at a time${next}`
}

async function binary(
  workspace: Parameters<typeof readLines>[0],
  path: string,
  start: Uint8Array,
): Promise<ToolResult> {
  const state = await workspace.state(path, { hash: true })
  const mediaType = mediaTypeOf(path, start)
  const output = { path, mediaType, bytes: state.bytes, hash: state.hash ?? '' }
  return {
    type: 'output',
    output,
    text: `${path} is not text: ${mediaType}, ${state.bytes} bytes, ${output.hash}.`,
  }
}
