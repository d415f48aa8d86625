import { z } from 'zod'
import { netChanges } from '#domain/tools/file-change.ts'
import { hash, listOf } from '../common.ts'

const noLines = 'null: the file is not text, is too large, or its lines were not recorded'
const lines = z.int().nonnegative().nullable()
const exampleId = '01930000-0000-7000-8000-000000000001'
const example = `sha256:${'0'.repeat(63)}`

const changedFile = z
  .object({
    path: z.string().describe('Path in the workspace'),
    change: z.enum(netChanges).describe('The difference between the beginning of the run and now'),
    from: z.string().optional().meta({ description: 'The previous path of a moved file' }),
    before: hash
      .nullable()
      .meta({ description: 'Hash when the run began; null: the file did not exist' }),
    after: hash.nullable().meta({ description: 'Hash now; null: the file does not exist' }),
    added: lines.describe(`Lines that were added; ${noLines}`),
    removed: lines.describe(`Lines that were removed; ${noLines}`),
    requests: z.array(z.int()).meta({
      description: 'Numbers of the requests that approved the changes; empty: nobody was asked',
    }),
    calls: z
      .array(
        z.object({
          id: z.uuid().describe('Id of the call'),
          runId: z.uuid().describe('Its run: this one, or one below it'),
          turn: z.int().describe('Its turn; negative: a person called the tool'),
          position: z.int().describe('Its place in the turn, from 1'),
          tool: z.string().describe('Name of the tool'),
        }),
      )
      .meta({ description: 'The calls that changed the file, the newest first, at most 20' }),
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
        calls: [{ id: exampleId, runId: exampleId, turn: 2, position: 1, tool: 'shell' }],
      },
    ],
  })

export const runChanges = listOf(changedFile)
  .extend({
    total: z.int().nonnegative().meta({ description: 'The number of files on all pages' }),
    more: z.int().nonnegative().meta({
      description:
        'Changes by commands that are not listed: of too many or too large files, links, repositories in the worktree, and names that no tool accepts',
    }),
    unknown: z
      .object({
        commands: z.int().nonnegative().describe('The number of commands'),
        calls: z.int().nonnegative().describe('The number of calls of other tools'),
      })
      .meta({
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
        more: 0,
        unknown: { commands: 2, calls: 0 },
      },
    ],
  })
export type RunChanges = z.infer<typeof runChanges>
export type ChangedFileItem = RunChanges['items'][number]
