import { resolve } from 'node:path'
import type { Command } from 'commander'
import { connect } from '../service/connect.ts'
import { printList } from '../service/print-list.ts'
import { withService, type ServiceOptions, type JsonOptions } from '../service/service-options.ts'
import { CommandFailure } from '../terminal/exit-codes.ts'
import { printable } from '../text/terminal-text.ts'
import { fromNow } from '../text/times.ts'
import { changeWorkerFile } from './change-worker-file.ts'
import { withExamples } from './examples.ts'
import { readReference } from './option-values.ts'

/**
 * `countersign policy [changes|apply]`: lists the changes that people propose, and makes one in a
 * project folder.
 */
export function addPolicyChanges(policy: Command): void {
  const changes = withService(policy.command('changes'))
    .description('list the proposals to pre-approve calls that were always approved')
    .option('--json', 'print JSON')
    .action(listChanges)
  withExamples(changes, ['policy changes', 'policy changes --json'])
  const apply = withService(policy.command('apply'))
    .description(
      'change the project folder as a proposal says, for review; this does not activate the version',
    )
    .argument(
      '<number>',
      'the number of the proposal, as listed by: countersign policy changes',
      readReference,
    )
    .action(applyChange)
  withExamples(apply, ['policy apply 3', 'policy apply 3 --project ../agents'])
}

function listChanges(options: JsonOptions): Promise<void> {
  return printList(options, {
    read: (service) => service.call('listPolicyChanges'),
    columns: {
      'no.': (change) => String(change.number),
      worker: (change) => change.worker,
      rule: (change) => change.rule.text,
      approved: ({ evidence }) => `${evidence.approved} of ${evidence.asked}`,
      'proposed by': (change) => change.proposedBy.name,
      when: (change) => fromNow(change.proposedAt),
    },
    empty: 'No change is proposed.',
  })
}

async function applyChange(number: string, options: ServiceOptions): Promise<void> {
  const { items } = await (await connect(options)).call('listPolicyChanges')
  const change = items.find((one) => String(one.number) === number)
  if (change === undefined) throw new CommandFailure(`No proposed change ${number} is open.`)
  const folder = resolve(options.project ?? '.')
  await changeWorkerFile(folder, change)
  console.log(printable(change.patch).trimEnd())
  console.log(`Changed ${change.file}. Review it and commit it; then: countersign policy activate`)
}
