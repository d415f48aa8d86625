import { binarySize } from '#domain/text/quantities/binary-size.ts'
import { z } from 'zod'
import { hashBytes } from '#domain/json/digest.ts'
import { usualScopes } from '#domain/policy/verdict.ts'
import { limits } from '#domain/limits.ts'
import { pictureTypeOf } from '#domain/tools/picture-type.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import type { FileState } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { decodeText, mediaTypeOf } from '../presentations/file-kind.ts'
import { presentStructured } from '../presentations/structured.ts'
import { countLines } from '../presentations/make-presentation.ts'
import { defineBuiltIn } from '../definition/define-built-in.ts'
import { filePath } from '../definition/path-field.ts'
import { readLines } from './read-lines.ts'

const sniffBytes = 64 * 1024
const maxLines = 10_000

const schema = z.strictObject({
  path: filePath('Path of the file, relative to the workspace root.'),
  offset: z.int().min(1).default(1).describe('First line, counted from 1.'),
  limit: z.int().min(1).max(maxLines).default(2000).describe('How many lines at most.'),
})

/**
 * Reads lines of a text file; shows a picture to models that see pictures; for anything else
 * returns type, size and hash (workers-and-policy.md).
 */
export const readFile = defineBuiltIn({
  name: 'read_file',
  description: `Read lines of a text file. At most ${binarySize(limits.shownToModelBytes)} are shown at a time, and what is left out is said; use offset to go on. A picture (PNG, JPEG, GIF, WebP) is shown as one. Of any other binary file: type, size and hash.`,
  schema,
  readOnly: true,
  scopes: usualScopes,
  accesses: ({ path }) => [{ operation: 'read', path, target: 'file' }],

  async present(input, { workspace, toolHash }) {
    const { path } = input
    const state = await workspace.state(path, { hash: true })
    if (state.hash === undefined) throw notAFileProblem(path, state)
    const facts = { ...input, bytes: state.bytes, hash: state.hash }
    return {
      title: `Read ${path}`,
      presentation: presentStructured(facts, { path, bytes: state.bytes, hash: state.hash }, [
        'The model will be shown the content of this file.',
      ]),
      facts: { toolHash, bases: [] },
      content: Buffer.from(`${JSON.stringify(input)}\n`),
      contentType: 'text/plain',
    }
  },

  async execute({ path, offset, limit }, { workspace }) {
    const state = await workspace.state(path)
    if (state.kind !== 'file') throw notAFileProblem(path, state)
    const start = await workspace.read(path, { start: 0, maxBytes: sniffBytes })
    if (decodeText(start, true) === null) return binary(workspace, path, start)
    const range = { offset, limit, maxBytes: limits.shownToModelBytes }
    const result = await readLines(workspace, path, range)
    const content = new TextDecoder('utf-8', { ignoreBOM: true })
      .decode(result.content, { stream: result.isCut })
      .replaceAll('\0', '\uFFFD')
    const isComplete = result.isAtEnd && offset === 1
    const lastLine = offset + result.lines - 1
    const note = isComplete ? null : noteOf(offset, lastLine, result, state.bytes)
    return {
      type: 'output',
      output: {
        path,
        bytes: state.bytes,
        offset,
        lines: countLines(content),
        truncated: !result.isAtEnd,
        content,
      },
      text: note === null ? content : `${content}${content.endsWith('\n') ? '' : '\n'}[${note}]`,
    }
  },
})

function noteOf(
  offset: number,
  lastLine: number,
  result: { lines: number; isCut: boolean; isAtEnd: boolean },
  bytes: number,
): string {
  const size = `the file has ${bytes} bytes`
  if (result.lines === 0) return `there is no line ${offset}; ${size}`
  const description = `lines ${offset} to ${lastLine}; ${size}`
  if (result.isAtEnd) return `${description}; this is the end`
  if (!result.isCut) return `${description}; go on with offset ${lastLine + 1}`
  const next = result.lines > 1 ? `; go on with offset ${lastLine}` : ''
  return `${description}; line ${lastLine} is cut, at most ${limits.shownToModelBytes} bytes are shown at a time${next}`
}

/** Content that is not text: a picture as a picture, if models may see it; else its facts. */
async function binary(
  workspace: Parameters<typeof readLines>[0],
  path: string,
  start: Uint8Array,
): Promise<ToolResult> {
  const picture = pictureTypeOf(start)
  if (picture !== null) {
    const bytes = await workspace.read(path, { start: 0, maxBytes: limits.pictureBytes + 1 })
    // The facts are of the bytes that are shown: the file may have changed meanwhile.
    if (bytes.length <= limits.pictureBytes && pictureTypeOf(bytes) === picture) {
      const output = { path, mediaType: picture, bytes: bytes.length, hash: hashBytes(bytes) }
      const text = `${path} is a picture: ${picture}, ${output.bytes} bytes, ${output.hash}. It comes with this result, if this model sees pictures.`
      return { type: 'output', output, text, files: [{ mediaType: picture, bytes }] }
    }
  }
  const state = await workspace.state(path, { hash: true })
  const mediaType = picture ?? mediaTypeOf(path, start)
  const output = { path, mediaType, bytes: state.bytes, hash: state.hash ?? '' }
  const why = picture === null ? 'is not text' : 'is a picture, too large to be shown'
  return {
    type: 'output',
    output,
    text: `${path} ${why}: ${mediaType}, ${state.bytes} bytes, ${output.hash}.`,
  }
}

/** The refusal of a path that is not a regular file. */
function notAFileProblem(path: string, state: FileState): WorkspaceProblem {
  const quoted = JSON.stringify(path)
  switch (state.kind) {
    case 'absent':
      return new WorkspaceProblem('not_found', path, `${quoted} does not exist.`)
    case 'symlink':
      return new WorkspaceProblem(
        'is_a_link',
        path,
        `${quoted} is a symbolic link; links are not followed.`,
      )
    case 'directory':
      return new WorkspaceProblem('not_a_file', path, `${quoted} is a folder.`)
    default:
      return new WorkspaceProblem('not_a_file', path, `${quoted} is not a regular file.`)
  }
}
