import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import type { Command } from 'commander'
import { countWords } from '#domain/text/quantities/count-words.ts'
import type { RetentionPreviewView } from '#api/schemas/operation/retention.ts'
import { requestOf } from '#client/call.ts'
import { connect } from '../../service/connect.ts'
import {
  type ServiceOptions,
  withService,
  type JsonOptions,
} from '../../service/service-options.ts'
import { withExamples } from '../examples.ts'
import { readInstant } from '../option-values.ts'
import { jsonText } from '../../terminal/json-text.ts'

interface RetentionOptions extends JsonOptions {
  readonly transcripts?: string
  readonly records?: string
}

/**
 * `countersign archive`: writes the transcripts of old runs to a file before retention removes
 * them.
 */
export function addArchiveCommand(program: Command): void {
  const command = withService(program.command('archive'))
    .description('write the messages and results of runs that ended before a given time to a file')
    .requiredOption(
      '--before <time>',
      'archive the runs that ended before this time: 2026-09-01',
      readInstant,
    )
    .requiredOption('--out <file>', 'a new file, with one line of JSON for each run')
    .action(archive)
  withExamples(command, ['archive --before 2026-09-01 --out until-september.jsonl'])
}

async function archive(options: ServiceOptions & { before: string; out: string }): Promise<void> {
  const service = await connect(options)
  const hash = createHash('sha256')
  let runs = 0
  const file = await open(options.out, 'wx', 0o600)
  try {
    for await (const chunk of service.chunks(
      requestOf('getRunsArchive', { query: { before: options.before } }),
    )) {
      hash.update(chunk)
      runs += Buffer.from(chunk).filter((byte) => byte === lineEnd).length
      // `write` may store a part only, without an error, when the disk is full.
      await file.appendFile(chunk)
    }
    await file.sync()
  } catch (error) {
    // The part that was written would refuse the next attempt, which overwrites nothing.
    await rm(options.out, { force: true })
    throw error
  } finally {
    await file.close()
  }
  console.log(`${options.out}: ${countWords(runs, 'run')}, sha256:${hash.digest('hex')}`)
}

const lineEnd = 10

/** `countersign retention`: counts what would be removed, and removes nothing. */
export function addRetentionCommand(program: Command): void {
  const command = withService(program.command('retention'))
    .description('count what `retention` of countersign.yaml would remove now; removes nothing')
    .option('--transcripts <duration>', 'try this instead of the rule in force: 90d')
    .option('--records <duration>', 'try this instead of the rule in force: 30d')
    .option('--json', 'print JSON')
    .action(showRetention)
  withExamples(command, ['retention', 'retention --transcripts 90d --records 30d'])
}

async function showRetention(options: RetentionOptions): Promise<void> {
  const { transcripts, records } = options
  const service = await connect(options)
  const preview = await service.call('previewRetention', { query: { transcripts, records } })
  if (options.json === true) return console.log(jsonText(preview))
  for (const line of linesOf(preview)) console.log(line)
}

function linesOf({ transcripts, records }: RetentionPreviewView): string[] {
  const first =
    transcripts === null
      ? 'transcripts: the messages and results of every run are kept.'
      : `${transcripts.rule}: the messages and results of ${countWords(transcripts.runs, 'run')} would be removed.`
  if (records === null) {
    const sentence = 'every session, event and the like is kept; notifications that were delivered'
    return [first, `records: ${sentence} are removed after 30 days.`]
  }
  const { rule, ...counts } = records
  const each = Object.entries(counts).map(([kind, count]) => `${count} ${wordsOf(kind)}`)
  return [first, `${rule}: ${each.join(', ')} would be removed.`]
}

/** The kind of a record in words: `idempotency keys` for `idempotencyKeys`. */
function wordsOf(kind: string): string {
  return kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
