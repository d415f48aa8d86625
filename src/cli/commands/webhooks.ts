import type { Command } from 'commander'
import { actOn } from '../service/act-on.ts'
import { printList } from '../service/print-list.ts'
import {
  type PagingOptions,
  withPaging,
  addList,
  type ServiceOptions,
  withService,
  type JsonOptions,
} from '../service/service-options.ts'
import { fromNow } from '../text/times.ts'
import { runExample, withExamples } from './examples.ts'

interface DeliveryOptions extends ServiceOptions, PagingOptions {
  readonly endpoint?: string
  readonly state?: string
  readonly mine?: boolean
}

/** `countersign webhooks [ls|deliveries|resend]`. */
export function addWebhooksCommand(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description(
      'list the programs that are notified of requests (webhooks in countersign.yaml), and their notifications',
    )
  const ls = addList(webhooks)
    .description('list the endpoints, with their pending and dead deliveries')
    .option('--json', 'print JSON')
    .action(listEndpoints)
  withExamples(ls, ['webhooks', 'webhooks ls --json'])
  const deliveries = withPaging(withService(webhooks.command('deliveries')))
    .description('list notifications and their delivery states, newest first')
    .option('--endpoint <name>', 'only of this endpoint')
    .option('--state <state>', 'only pending, delivered or dead ones')
    .option('--mine', 'only callbacks to programs with keys of your own')
    .action(listDeliveries)
  withExamples(deliveries, [
    'webhooks deliveries --state dead',
    'webhooks deliveries --endpoint chat --json',
    'webhooks deliveries --mine',
  ])
  const resend = withService(webhooks.command('resend'))
    .description('send a delivered or dead notification again, with the same id')
    .argument('<delivery>', 'its id')
    .action(
      actOn(
        (service, id) => service.call('resendDelivery', { params: { id } }),
        'It is being sent again.',
      ),
    )
  withExamples(resend, [`webhooks resend ${runExample}`])
}

function listEndpoints(options: JsonOptions): Promise<void> {
  return printList(options, {
    read: (service) => service.call('listWebhooks'),
    columns: {
      name: (one) => one.name,
      kind: (one) => one.kind,
      to: (one) => one.origin,
      events: (one) => one.events.join(','),
      queues: (one) => one.queues?.join(',') ?? 'all',
      waiting: (one) => String(one.pending),
      'given up': (one) => (one.gone ? `${one.dead}, gone (410)` : String(one.dead)),
    },
    empty: 'No endpoints. Name them under webhooks in countersign.yaml.',
  })
}

function listDeliveries(options: DeliveryOptions): Promise<void> {
  const { endpoint, state } = options
  const filters = { endpoint, state, mine: options.mine === true ? 'true' : undefined }
  return printList(options, {
    read: (service, page) => service.call('listDeliveries', { query: { ...page, ...filters } }),
    columns: {
      id: (one) => one.id,
      endpoint: (one) => one.endpoint,
      to: (one) => one.recipient ?? '',
      event: (one) => one.type,
      since: (one) => fromNow(one.createdAt),
      state: (one) => one.state,
      attempts: (one) => String(one.attempts),
      'last answer': (one) =>
        one.lastError ?? (one.lastStatus === null ? '' : String(one.lastStatus)),
    },
    empty: 'No notifications.',
  })
}
