import type { Command } from 'commander'
import type { RetentionPreviewView } from '../../api/schemas/retention.ts'
import { connect } from '../service/connect.ts'
import { query } from '../service/query.ts'
import { type ServiceOptions, withService } from '../service/service-options.ts'
import { withExamples } from './examples.ts'

interface RetentionOptions extends ServiceOptions {
  transcripts?: string
  records?: string
  json?: boolean
}

/** `countersign retention`: what would go, and nothing goes. */
export function addRetentionCommand(program: Command): void {
  const command = withService(program.command('retention'))
    .description('count what `retention` of countersign.yaml would remove now; it removes nothing')
    .option('--transcripts <duration>', 'try this instead of the rule in force: 90d')
    .option('--records <duration>', 'try this instead of the rule in force: 30d')
    .option('--json', 'print JSON')
    .action(showRetention)
  withExamples(command, ['retention', 'retention --transcripts 90d --records 30d'])
}

async function showRetention(options: RetentionOptions): Promise<void> {
  const { transcripts, records } = options
  const service = await connect(options)
  const asked = query({ transcripts, records })
  const preview = await service.get<RetentionPreviewView>(`/v1/retention${asked}`)
  if (options.json === true) return console.log(JSON.stringify(preview))
  for (const line of linesOf(preview)) console.log(line)
}

function linesOf({ transcripts, records }: RetentionPreviewView): string[] {
  const first =
    transcripts === null
      ? 'transcripts: every word of every run is kept.'
      : `${transcripts.rule}: the words of ${transcripts.runs} runs would go.`
  if (records === null) return [first, 'records: every delivery, session and the like is kept.']
  const { rule, ...counts } = records
  const each = Object.entries(counts).map(([kind, count]) => `${count} ${wordsOf(kind)}`)
  return [first, `${rule}: ${each.join(', ')} would go.`]
}

/** `idempotencyKeys`: idempotency keys. */
function wordsOf(kind: string): string {
  return kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
