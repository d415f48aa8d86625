import { binarySize } from '#domain/text/quantities/binary-size.ts'
import { z } from 'zod'
import { usualScopes } from '#domain/policy/verdict.ts'
import { limits } from '#domain/limits.ts'
import { decodeText } from '../presentations/file-kind.ts'
import { fileVersion, presentFileChange } from '../presentations/file-change.ts'
import { defineBuiltIn } from '../definition/define-built-in.ts'
import { expectedBase, loadReplaced, sameBytes } from './load-version.ts'
import { filePath } from '../definition/path-field.ts'

const schema = z
  .strictObject({
    path: filePath('Path of the file, relative to the workspace root. Missing folders are made.'),
    content: z.string().describe('The whole new content of the file.'),
    encoding: z
      .enum(['utf8', 'base64'])
      .default('utf8')
      .describe('How content is written: as text, or as base64 of the bytes.'),
  })
  .superRefine(({ content, encoding }, context) => {
    const bytes = encoding === 'utf8' ? Buffer.from(content) : base64Bytes(content)
    const message =
      bytes === null
        ? 'This is not base64 (standard alphabet, padded).'
        : bytes.length > limits.writeBytes
          ? `The content has ${bytes.length} bytes; one write may have at most ${limits.writeBytes} (${binarySize(limits.writeBytes)}).`
          : null
    if (message !== null) context.addIssue({ code: 'custom', path: ['content'], message })
  })

/** Writes a whole file, new or not (workers-and-policy.md). */
export const writeFile = defineBuiltIn({
  name: 'write_file',
  description: `Write a whole file: makes it, or replaces what is there. At most ${binarySize(limits.writeBytes)}. Use edit_file for small changes.`,
  schema,
  readOnly: false,
  scopes: usualScopes,
  accesses: ({ path }) => [{ operation: 'write', path, target: 'file' }],

  async whyUnchanged(input, workspace) {
    const { bytes, hash } = fileVersion(bytesOf(input))
    const state = await workspace.state(input.path, { hash: true })
    return state.hash === hash ? sameBytes(input.path, bytes) : null
  },

  async present(input, { workspace, signal, toolHash }) {
    const { path } = input
    const after = fileVersion(bytesOf(input))
    const before = await loadReplaced(workspace, path)
    const presented = await presentFileChange({ path, before, after }, signal)
    return {
      ...presented,
      facts: {
        toolHash,
        bases: [{ path, hash: before?.hash ?? 'absent' }],
        newHash: after.hash,
      },
      content: bytesOf(input),
      contentType: decodeText(bytesOf(input)) === null ? 'application/octet-stream' : 'text/plain',
      proposes: new Map([[path, bytesOf(input)]]),
    }
  },

  async execute(input, context) {
    const { path } = input
    const bytes = bytesOf(input)
    const expected = await expectedBase(context, path)
    await context.workspace.write(path, bytes, expected)
    const { hash } = fileVersion(bytes)
    const created = expected === 'absent'
    return {
      type: 'output',
      output: { path, bytes: bytes.length, hash, created },
      text: `${created ? 'Created' : 'Replaced'} ${path} (${bytes.length} bytes).`,
    }
  },
})

function bytesOf(input: { content: string; encoding: 'utf8' | 'base64' }): Buffer {
  return Buffer.from(input.content, input.encoding)
}

/** `null` unless the text is exactly the encoding of its bytes. */
function base64Bytes(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : null
}
