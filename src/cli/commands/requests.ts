import type { Command } from 'commander'
import type { RequestDetail, RequestItem, RequestList } from '../../api/schemas/requests.ts'
import { connect } from '../service/connect.ts'
import { query } from '../service/query.ts'
import { type ServiceOptions, withService } from '../service/service-options.ts'
import { requestText } from '../text/request-text.ts'
import { table } from '../text/table.ts'
import { printable } from '../text/terminal-text.ts'
import { fromNow } from '../text/times.ts'

interface ListOptions extends ServiceOptions {
  state?: string
  queue?: string
  mine?: boolean
  limit?: string
  json?: boolean
}

/** `countersign requests [ls|show|claim|comment]`. */
export function addRequestsCommand(program: Command): void {
  const requests = program.command('requests').description('what waits, and what became of it')
  withService(requests.command('ls', { isDefault: true }))
    .description('list requests; by default those that wait')
    .option('--state <state>', 'pending, approved, denied, expired, cancelled or all', 'pending')
    .option('--queue <name>', 'only this queue')
    .option('--mine', 'only those you may decide and have not voted on')
    .option('--limit <number>', 'how many', '50')
    .option('--json', 'print JSON')
    .action(listRequests)
  withService(requests.command('show'))
    .description('one request: what will happen, and why it asks')
    .argument('<request>', 'its id or number')
    .option('--full', 'every line, and the raw input')
    .option('--digest', 'only the digest, for --digest of approve and deny')
    .option('--json', 'print JSON')
    .action(showRequest)
  withService(requests.command('claim'))
    .description('tell colleagues that you look at it; it locks nobody out')
    .argument('<request>', 'its id or number')
    .option('--release', 'give it back')
    .action(async (ref: string, options: ServiceOptions & { release?: boolean }) => {
      const service = await connect(options)
      const path = `/v1/requests/${encodeURIComponent(ref)}/claim`
      await (options.release === true ? service.delete(path) : service.post(path))
      console.log(options.release === true ? 'Released.' : 'Claimed.')
    })
  withService(requests.command('comment'))
    .description('say something to colleagues')
    .argument('<request>', 'its id or number')
    .argument('<text>', 'the comment')
    .action(async (ref: string, text: string, options: ServiceOptions) => {
      const service = await connect(options)
      await service.post(`/v1/requests/${encodeURIComponent(ref)}/comments`, { text })
      console.log('Commented.')
    })
}

async function listRequests(options: ListOptions): Promise<void> {
  const service = await connect(options)
  const fields = {
    state: options.state === 'all' ? undefined : options.state,
    queue: options.queue,
    mine: options.mine === true ? 'true' : undefined,
    limit: options.limit,
  }
  const list = await service.get<RequestList>(`/v1/requests${query(fields)}`)
  if (options.json === true) return console.log(JSON.stringify(list))
  console.log(
    table(
      ['#', 'risk', 'title', 'worker', 'queue', 'asked by', 'expires', 'state'],
      list.items.map(row),
      options.mine === true ? 'Nothing waits for you.' : 'No requests.',
    ),
  )
}

function row(item: RequestItem): string[] {
  return [
    `${item.number}`,
    item.risk,
    item.title,
    item.worker ?? '',
    item.queue,
    item.lineage[0]?.startedBy.name ?? '',
    item.state === 'pending' ? fromNow(item.expiresAt) : '',
    item.state,
  ]
}

async function showRequest(
  ref: string,
  options: ServiceOptions & { full?: boolean; digest?: boolean; json?: boolean },
): Promise<void> {
  const service = await connect(options)
  const request = await service.get<RequestDetail>(`/v1/requests/${encodeURIComponent(ref)}`)
  if (options.json === true) return console.log(JSON.stringify(request))
  if (options.digest === true) return console.log(request.digest)
  console.log(requestText(request, { full: options.full === true }).text)
  if (options.full === true) {
    console.log(`\ninput\n${printable(JSON.stringify(request.input, null, 2))}`)
    if (request.presentation.truncated) {
      const bytes = await service.bytes(`/v1/requests/${request.id}/content`)
      console.log(
        `\nevery byte (${bytes.length})\n${printable(Buffer.from(bytes).toString('utf8'))}`,
      )
    }
  }
}
