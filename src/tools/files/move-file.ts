import { z } from 'zod'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { presentFileChange } from '../presentations/file-change.ts'
import { decodeText, mediaTypeOf } from '../presentations/file-kind.ts'
import { presentStructured } from '../presentations/structured.ts'
import { defineBuiltIn } from '../definition/define-built-in.ts'
import { expectedBase, loadExisting, loadVersion, requireWritable } from './load-version.ts'
import { filePath } from '../definition/path-field.ts'

const schema = z
  .strictObject({
    from: filePath('Path of the file, relative to the workspace root.'),
    to: filePath('Its new path. Missing folders are made; a file that is there is replaced.'),
  })
  .refine(({ from, to }) => from !== to, { message: 'from and to are the same path.' })

/** Moves one regular file: a delete at `from` and a write at `to` (workers-and-policy.md). */
export const moveFile = defineBuiltIn({
  name: 'move_file',
  description: 'Move or rename one file. A file at the new path is replaced.',
  schema,
  readOnly: false,
  scopes: ['once', 'run'],
  accesses: ({ from, to }) => [
    { operation: 'delete', path: from, target: 'file' },
    { operation: 'write', path: to, target: 'file' },
  ],

  async present({ from, to }, { workspace, signal, toolHash }) {
    const moved = await loadExisting(workspace, from)
    await requireTarget(workspace, from, to)
    const replaced = await loadVersion(workspace, to)
    const metadata = { from, to, path: to }
    const mediaType = mediaTypeOf(to, moved.content ?? new Uint8Array())
    const facts = {
      toolHash,
      bases: [
        { path: from, hash: moved.hash },
        { path: to, hash: replaced?.hash ?? 'absent' },
      ],
      newHash: moved.hash,
    }
    const content = moved.content ?? new Uint8Array()
    const presented =
      replaced === null
        ? {
            title: `Move ${from} → ${to}`,
            presentation: presentStructured(
              { from, to, bytes: moved.bytes, hash: moved.hash },
              {
                ...metadata,
                baseHash: 'absent',
                newHash: moved.hash,
                newBytes: moved.bytes,
                mediaType,
              },
              [],
            ),
          }
        : await presentReplacement(from, to, replaced, moved, signal)
    return {
      ...presented,
      facts,
      content,
      contentType: decodeText(content) === null ? 'application/octet-stream' : 'text/plain',
      proposes: new Map<string, Uint8Array | null>(
        // Contents beyond the limit are not proposed: a later call that builds on them will be
        // stale and ask again.
        moved.content === null
          ? []
          : [
              [from, null],
              [to, content],
            ],
      ),
    }
  },

  async execute({ from, to }, context) {
    const { workspace } = context
    const source = await expectedBase(context, from)
    if (source === 'absent') {
      throw new WorkspaceProblem('not_found', from, `${JSON.stringify(from)} does not exist.`)
    }
    const target = await expectedBase(context, to)
    await workspace.move(from, to, { from: source, to: target })
    return {
      type: 'output',
      output: { from, to, hash: source, replaced: target !== 'absent' },
      text: `Moved ${from} to ${to}${target === 'absent' ? '' : ', replacing what was there'}.`,
    }
  },
})

type Version = Awaited<ReturnType<typeof loadExisting>>

/** The change of the new path, line by line, under a title with both names. */
async function presentReplacement(
  from: string,
  to: string,
  replaced: Version,
  moved: Version,
  signal: AbortSignal,
) {
  const { presentation } = await presentFileChange(
    {
      path: to,
      before: replaced,
      after: moved,
      metadata: { from, to },
      warnings: [`It replaces ${to} (${replaced.bytes} bytes, ${replaced.hash}).`],
    },
    signal,
  )
  return { title: `Move ${from} → ${to} (replaces a file)`, presentation }
}

/** For a change of case only, the moved file itself is not a clash. */
async function requireTarget(
  workspace: Parameters<typeof loadExisting>[0],
  from: string,
  to: string,
): Promise<void> {
  const { clash } = await workspace.state(to, { clash: true })
  const folder = to.slice(0, to.lastIndexOf('/') + 1)
  if (clash !== undefined && `${folder}${clash}` === from) return
  await requireWritable(workspace, to)
}
