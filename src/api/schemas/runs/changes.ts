import { z } from 'zod'
import { netChanges } from '#domain/tools/file-change.ts'
import { hash, listOf } from '../common.ts'

const lines = z.int().nonnegative().nullable()
const example = `sha256:${'0'.repeat(63)}`

export const changedFile = z
  .object({
    path: z.string(),
    change: z.enum(netChanges),
    from: z.string().optional().meta({ description: 'The previous path of a moved file' }),
    before: hash
      .nullable()
      .meta({ description: 'Hash when the run began; null: the file did not exist' }),
    after: hash.nullable().meta({ description: 'Hash now; null: the file does not exist' }),
    added: lines.meta({
      description:
        'Lines; null: the file is not text, is too large, or its lines were not recorded',
    }),
    removed: lines,
    requests: z.array(z.int()).meta({
      description: 'Numbers of the requests that approved the changes; empty: nobody was asked',
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
    total: z.int().nonnegative().meta({ description: 'The number of files on all pages' }),
    unknown: z.object({ commands: z.int().nonnegative(), calls: z.int().nonnegative() }).meta({
      description:
        'Commands and calls of other tools that were started and may have changed files that are not listed',
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
