import { z } from 'zod'
import { netChanges } from '#domain/tools/file-change.ts'
import { hash, listOf } from '../common.ts'

const lines = z.int().nonnegative().nullable()
const example = `sha256:${'0'.repeat(63)}`

export const changedFile = z
  .object({
    path: z.string(),
    change: z.enum(netChanges),
    from: z.string().optional().meta({ description: 'Where the file was; of a move only' }),
    before: hash.nullable().meta({ description: 'When the run began; null: it was not there' }),
    after: hash.nullable().meta({ description: 'Now; null: it is gone' }),
    added: lines.meta({
      description: 'Lines; null: no text, too large, or its lines were not recorded',
    }),
    removed: lines,
    requests: z.array(z.int()).meta({
      description:
        'Numbers of the requests whose approval the changes have; none: nobody was asked',
    }),
  })
  .meta({
    examples: [
      {
        path: 'docs/pricing.md',
        change: 'modified',
        before: `${example}1`,
        after: `${example}2`,
        added: 3,
        removed: 1,
        requests: [142],
      },
    ],
  })

export const runChanges = listOf(changedFile)
  .extend({
    total: z.int().nonnegative().meta({ description: 'Files on all pages together' }),
    unknown: z.object({ commands: z.int().nonnegative(), calls: z.int().nonnegative() }).meta({
      description:
        'Commands, and calls of other tools, that were begun and may have changed files that are not listed',
    }),
  })
  .meta({
    examples: [
      {
        items: changedFile.meta()?.examples ?? [],
        nextCursor: null,
        total: 1,
        unknown: { commands: 2, calls: 0 },
      },
    ],
  })
export type RunChanges = z.infer<typeof runChanges>
export type ChangedFileItem = RunChanges['items'][number]
