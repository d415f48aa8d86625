import { type Command, Option } from 'commander'
import { programWords } from '#domain/requests/program-words.ts'
import { requestHeadline } from '#domain/requests/request-headline.ts'
import { requestStates, type RequestSort } from '#domain/requests/request.ts'
import { risks } from '#domain/policy/verdict.ts'
import { starterName } from '#domain/text/starter-name.ts'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { showWhole } from '../../decide/show-whole.ts'
import { connect } from '../../service/connect.ts'
import { printList } from '../../service/print-list.ts'
import {
  type Columns,
  type PagingOptions,
  withPaging,
  addList,
  type ServiceOptions,
  withService,
  type JsonOptions,
} from '../../service/service-options.ts'
import { stateWord } from '../../text/request-card.ts'
import { requestText } from '../../text/request-text.ts'
import { fromNow } from '../../text/times.ts'
import { withExamples } from '../examples.ts'
import { addRequestActions } from './request-actions.ts'
import { requestOf } from '#client/call.ts'
import { readReference, requestArgument } from '../option-values.ts'
import { jsonText } from '../../terminal/json-text.ts'
import { writeOut } from '../../terminal/write-out.ts'

interface ListOptions extends ServiceOptions, PagingOptions {
  readonly state?: string
  readonly queue?: string
  readonly risk?: string
  readonly tool?: string
  readonly run?: string
  readonly mine?: boolean
  readonly search?: string
  readonly sort?: string
}

/** The orders by their words on the command line; without one, the most urgent first. */
const orders: Readonly<Record<string, RequestSort>> = {
  urgency: 'urgency',
  newest: 'createdAt',
  oldest: 'age',
  expiry: 'expiresAt',
  risk: 'risk',
}
const states = [...requestStates, 'all']

/** `countersign requests [ls|show|receipt|claim|comment|settle|revoke|extend]`. */
export function addRequestsCommand(program: Command): void {
  const requests = program.command('requests').description('list, show and change requests')
  const ls = withPaging(addList(requests))
    .description('list requests; by default the pending ones')
    .addOption(new Option('--state <state>', 'only this state').choices(states).default('pending'))
    .option('--queue <name>', 'only this queue')
    .addOption(new Option('--risk <risk>', 'only this risk').choices(risks))
    .option('--tool <name>', 'only calls of this tool')
    .option('--run <run>', 'only those of this run', readReference)
    .option('--mine', 'only those you may decide and have not voted on')
    .option('--search <words>', 'only those with these words in title, tool or worker')
    .addOption(new Option('--sort <order>', 'the order').choices(Object.keys(orders)))
    .action(listRequests)
  withExamples(ls, [
    'requests',
    'requests ls --mine',
    'requests ls --sort expiry',
    'requests ls --state all --limit 20 --json',
  ])
  const show = withService(requests.command('show'))
    .description('show one request: what would happen, and why it needs an approval')
    .argument(...requestArgument)
    .option('--full', 'every line, the raw input, and every byte of a shortened content')
    .option('--digest', 'only the digest, for --digest of approve and deny')
    .option('--json', 'print JSON')
    .action(showRequest)
  withExamples(show, ['requests show 12', 'requests show 12 --full', 'requests show 12 --digest'])
  addReceiptCommand(requests)
  addRequestActions(requests)
}

function listRequests(options: ListOptions): Promise<void> {
  const filters = {
    state: options.state === 'all' ? undefined : options.state,
    queue: options.queue,
    risk: options.risk,
    tool: options.tool,
    runId: options.run,
    mine: options.mine === true ? 'true' : undefined,
    q: options.search,
    sort: options.sort === undefined ? undefined : orders[options.sort],
  }
  return printList(options, {
    read: (service, page) => service.call('listRequests', { query: { ...filters, ...page } }),
    // If all are pending, the column of states is left out, which leaves more room for titles.
    columns: options.state === 'pending' ? columns : { ...columns, state: stateWord },
    empty: options.mine === true ? 'Nothing waits for you.' : 'No requests.',
  })
}

const columns: Columns<RequestItem> = {
  '#': (item) => `${item.number}`,
  risk: (item) => item.risk,
  what: requestHeadline,
  worker: (item) => item.lineage.map(({ worker }) => worker).join(' › ') || (item.worker ?? ''),
  queue: (item) => item.queue,
  by: askerOf,
  expires: (item) => (item.state === 'pending' ? fromNow(item.expiresAt) : ''),
}

/** The person who started the run, or the program that asked and the owner of its key. */
function askerOf({ lineage, external }: RequestItem): string {
  if (external !== null) return programWords(external)
  return lineage[0] === undefined ? '' : starterName(lineage[0].startedBy)
}

async function showRequest(
  ref: string,
  options: JsonOptions & { full?: boolean; digest?: boolean },
): Promise<void> {
  const service = await connect(options)
  const request = await service.call('getRequest', { params: { id: ref } })
  if (options.json === true) return console.log(jsonText(request))
  if (options.digest === true) return console.log(request.digest)
  if (options.full === true) await showWhole(service, request, (text) => console.log(text))
  else console.log(requestText(request, { full: false }).text)
}

/** `countersign requests receipt`: the proof of a request, for an approver to keep. */
function addReceiptCommand(requests: Command): void {
  const receipt = withService(requests.command('receipt'))
    .description('print the proof that the audit log has each event of the request, as JSON')
    .argument(...requestArgument)
    .option('--out <file>', 'write to this file')
    .action(printReceipt)
  withExamples(receipt, ['requests receipt 12 --out receipt-12.json'])
}

async function printReceipt(
  request: string,
  options: ServiceOptions & { out?: string },
): Promise<void> {
  const service = await connect(options)
  const bytes = await service.bytes(requestOf('getReceipt', { params: { id: request } }))
  if (options.out === undefined) {
    process.stdout.write(bytes)
    console.log()
    return
  }
  await writeOut(options.out, bytes)
  console.log(`${options.out}: ${bytes.length} bytes`)
}
