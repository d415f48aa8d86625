import { writeFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import type { AuditEventView, AuditList } from '../../api/schemas/audit.ts'
import { connect } from '../service/connect.ts'
import { pageOf, type PagingOptions, printMore, withPaging } from '../service/paging.ts'
import { query } from '../service/query.ts'
import { type ServiceOptions, withService } from '../service/service-options.ts'
import { table } from '../text/table.ts'
import { addAuditKeyCommand } from './audit-key.ts'
import { addAuditWitnessCommand } from './audit-witness.ts'
import { withExamples } from './examples.ts'
import { readInstant } from './read-instant.ts'

interface AuditOptions extends ServiceOptions, PagingOptions {
  type?: string
  actor?: string
  request?: string
  run?: string
  from?: string
  to?: string
}

/** `countersign audit [tail|export]`. */
export function addAuditCommand(program: Command): void {
  const audit = program.command('audit').description('who allowed what, what they saw, what ran')
  const newest = withPaging(withFilters(audit.command('tail', { isDefault: true })))
    .description('the newest events')
    .action(tail)
  withExamples(newest, ['audit', 'audit tail --type decision.recorded --actor grace@example.com'])
  const whole = withFilters(audit.command('export'))
    .description('the trail as JSON Lines or CSV, on standard output or into a file')
    .addOption(new Option('--format <format>', 'how').choices(['jsonl', 'csv']).default('jsonl'))
    .option('--out <file>', 'write to this file')
    .action(exportTrail)
  withExamples(whole, [
    'audit export --out trail.jsonl',
    'audit export --request 12 --format csv',
    'audit export --from 2026-11-01 --to 2026-12-01 --out november.jsonl',
  ])
  addAuditKeyCommand(audit)
  addAuditWitnessCommand(audit)
}

function withFilters(command: Command): Command {
  return withService(command)
    .option('--type <type>', 'such as decision.recorded')
    .option('--actor <actor>', 'an id, an address, or a kind of actor')
    .option('--request <request>', 'id or number')
    .option('--run <run>', 'id')
    .option('--from <time>', 'ISO 8601, included', readInstant)
    .option('--to <time>', 'ISO 8601, not included', readInstant)
}

function filters(options: AuditOptions): Record<string, string | undefined> {
  const { type, actor, request, run, from, to } = options
  return { type, actor, requestId: request, runId: run, from, to }
}

async function tail(options: AuditOptions): Promise<void> {
  const service = await connect(options)
  const fields = { ...filters(options), ...pageOf(options) }
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

async function exportTrail(
  options: AuditOptions & { format: string; out?: string },
): Promise<void> {
  const service = await connect(options)
  const fields = { ...filters(options), format: options.format }
  const bytes = await service.bytes(`/v1/audit/export${query(fields)}`)
  if (options.out === undefined) process.stdout.write(bytes)
  else {
    await writeFile(options.out, bytes)
    console.log(`${options.out}: ${bytes.length} bytes`)
  }
}
