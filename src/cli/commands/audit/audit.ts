import type { Command } from 'commander'
import type { AuditEventView } from '#api/schemas/audit/audit.ts'
import { eventSentence, noSubjects, type AuditSubjects } from '#domain/text/event-sentence.ts'
import { connect } from '../../service/connect.ts'
import {
  pageOf,
  type PagingOptions,
  printPage,
  withPaging,
  type ServiceOptions,
  withService,
} from '../../service/service-options.ts'
import { addAuditExportCommand } from './audit-export.ts'
import { filtersOf, withFilters, type FilterOptions } from './audit-filters.ts'
import { addAuditVerifyCommand } from './audit-verify.ts'
import { addAuditWitnessCommand } from './audit-witness.ts'
import { withExamples } from '../examples.ts'
import { parseHandovers } from '#evidence/note/log-keys.ts'
import { formatVerifierKey } from '#evidence/note/note-key.ts'
import { jsonText } from '../../terminal/json-text.ts'

/** `countersign audit [tail|export|key|witness|verify]`. */
export function addAuditCommand(program: Command): void {
  const audit = program.command('audit').description('read, export and verify the audit events')
  const newest = withPaging(withFilters(audit.command('tail', { isDefault: true })))
    .description('print the newest events')
    .action(tail)
  withExamples(newest, ['audit', 'audit tail --type decision.recorded --actor grace@example.com'])
  addAuditExportCommand(audit)
  addAuditKeyCommand(audit)
  addAuditWitnessCommand(audit)
  addAuditVerifyCommand(audit)
}

async function tail(options: FilterOptions & PagingOptions): Promise<void> {
  const service = await connect(options)
  const query = { ...filtersOf(options), ...pageOf(options) }
  if (options.json === true) {
    return console.log(jsonText(await service.call('listAuditEvents', { query })))
  }
  const list = await service.call('listAuditEvents', { query: { ...query, about: 'true' } })
  const about = list.about ?? noSubjects
  const page = { ...list, items: list.items.toReversed() }
  printPage(
    page,
    {},
    {
      at: (event) => event.at,
      type: (event) => event.type,
      channel: (event) => event.channel,
      what: (event) => sentenceOf(event, about),
    },
    'No events that you may see.',
  )
}

function sentenceOf(event: AuditEventView, about: AuditSubjects): string {
  const parts = eventSentence(event, about)
  return parts.map(({ as, text }) => (as === 'words' ? `“${text}”` : text)).join(' ')
}

interface KeyOptions extends ServiceOptions {
  readonly json?: boolean
  readonly chain?: boolean
}

/** `countersign audit key`: prints the key that a later reader must keep apart from the service. */
function addAuditKeyCommand(audit: Command): void {
  const key = withService(audit.command('key'))
    .description('print the public key of the audit log, which verifies its checkpoints')
    .option('--chain', 'also print the earlier keys, and how each was replaced')
    .option('--json', 'also print the newest checkpoint, as JSON')
    .action(printKey)
  withExamples(key, ['audit key', 'audit key --chain', 'audit key --json'])
}

async function printKey(options: KeyOptions): Promise<void> {
  const service = await connect(options)
  const checkpoint = await service.call('getCheckpoint')
  if (options.json === true) return console.log(jsonText(checkpoint))
  if (options.chain !== true) return console.log(checkpoint.vkey)
  const handovers = parseHandovers(checkpoint.handovers)
  const [first] = handovers
  const beginning = first === undefined ? checkpoint.vkey : formatKey(first.before)
  console.log(`from the beginning\n  ${beginning}`)
  for (const { size, after, isVouched } of handovers) {
    const how = isVouched ? 'signed by the previous key' : 'NOT signed by the previous key'
    console.log(`from event ${size - 1}, ${how}\n  ${formatKey(after)}`)
  }
}

function formatKey(key: Parameters<typeof formatVerifierKey>[0] | null): string {
  return key === null ? 'a key that is no longer known' : formatVerifierKey(key)
}
