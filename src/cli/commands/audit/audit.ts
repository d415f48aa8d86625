import type { Command } from 'commander'
import type { AuditEventView, AuditList } from '../../../api/schemas/audit/audit.ts'
import { connect } from '../../service/connect.ts'
import { pageOf, type PagingOptions, printMore, withPaging } from '../../service/paging.ts'
import { query } from '../../service/query.ts'
import { table } from '../../text/table.ts'
import { addAuditExportCommand } from './audit-export.ts'
import { filtersOf, withFilters, type FilterOptions } from './audit-filters.ts'
import { addAuditVerifyCommand } from './audit-verify.ts'
import { addAuditKeyCommand } from './audit-key.ts'
import { addAuditWitnessCommand } from './audit-witness.ts'
import { withExamples } from '../examples.ts'

/** `countersign audit [tail|export|verify]`. */
export function addAuditCommand(program: Command): void {
  const audit = program.command('audit').description('who allowed what, what they saw, what ran')
  const newest = withPaging(withFilters(audit.command('tail', { isDefault: true })))
    .description('the newest events')
    .action(tail)
  withExamples(newest, ['audit', 'audit tail --type decision.recorded --actor grace@example.com'])
  addAuditExportCommand(audit)
  addAuditKeyCommand(audit)
  addAuditWitnessCommand(audit)
  addAuditVerifyCommand(audit)
}

async function tail(options: FilterOptions & PagingOptions): Promise<void> {
  const service = await connect(options)
  const fields = { ...filtersOf(options), ...pageOf(options) }
  const list = await service.get<AuditList>(`/v1/audit${query(fields)}`)
  if (options.json === true) return console.log(JSON.stringify(list))
  console.log(
    table(
      ['at', 'type', 'actor', 'channel', 'subject'],
      list.items.toReversed().map(row),
      'No events that you may see.',
    ),
  )
  printMore(list)
}

function row(event: AuditEventView): string[] {
  const subject = event.requestId ?? event.callId ?? event.runId ?? ''
  return [event.at, event.type, event.actor.name ?? event.actor.type, event.channel, subject]
}
