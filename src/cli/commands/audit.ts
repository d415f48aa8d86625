import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { AuditEventView, AuditList } from '../../api/schemas/audit.ts'
import { connect } from '../service/connect.ts'
import { query } from '../service/query.ts'
import { type ServiceOptions, withService } from '../service/service-options.ts'
import { table } from '../text/table.ts'

interface AuditOptions extends ServiceOptions {
  type?: string
  actor?: string
  request?: string
  run?: string
  from?: string
  to?: string
  limit?: string
  json?: boolean
}

/** `countersign audit [tail|export]`. */
export function addAuditCommand(program: Command): void {
  const audit = program.command('audit').description('who allowed what, what they saw, what ran')
  withFilters(audit.command('tail', { isDefault: true }))
    .description('the newest events')
    .option('--limit <number>', 'how many', '50')
    .option('--json', 'print JSON')
    .action(tail)
  withFilters(audit.command('export'))
    .description('the trail as JSON Lines or CSV, on standard output or into a file')
    .option('--format <format>', 'jsonl or csv', 'jsonl')
    .option('--out <file>', 'write to this file')
    .action(exportTrail)
}

function withFilters(command: Command): Command {
  return withService(command)
    .option('--type <type>', 'such as decision.recorded')
    .option('--actor <actor>', 'an id, an address, or a kind of actor')
    .option('--request <request>', 'id or number')
    .option('--run <run>', 'id')
    .option('--from <time>', 'ISO 8601')
    .option('--to <time>', 'ISO 8601')
}

function filters(options: AuditOptions): Record<string, string | undefined> {
  const { type, actor, request, run, from, to } = options
  return { type, actor, requestId: request, runId: run, from, to }
}

async function tail(options: AuditOptions): Promise<void> {
  const service = await connect(options)
  const fields = { ...filters(options), limit: options.limit }
  const list = await service.get<AuditList>(`/v1/audit${query(fields)}`)
  if (options.json === true) return console.log(JSON.stringify(list))
  console.log(
    table(
      ['at', 'type', 'actor', 'channel', 'subject'],
      list.items.toReversed().map(row),
      'No events that you may see.',
    ),
  )
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
