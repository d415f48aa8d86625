import { resolve } from 'node:path'
import type { Command } from 'commander'
import { connect } from '../service/connect.ts'
import { withService, type ServiceOptions } from '../service/service-options.ts'
import { CommandFailure } from '../terminal/exit-codes.ts'
import { table } from '../text/table.ts'
import { printable } from '../text/terminal-text.ts'
import { fromNow } from '../text/times.ts'
import { changeWorkerFile } from './change-worker-file.ts'
import { withExamples } from './examples.ts'
import { readReference } from './option-values.ts'
import { jsonText } from '../terminal/json-text.ts'

/**
 * `countersign policy [changes|apply]`: lists the changes that people propose, and makes one in a
 * project folder.
 */
export function addPolicyChanges(policy: Command): void {
  const changes = withService(policy.command('changes'))
    .description('list the proposals to pre-approve a rule that was always approved')
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

async function listChanges(options: ServiceOptions & { json?: boolean }): Promise<void> {
  const list = await (await connect(options)).call('listPolicyChanges')
  if (options.json === true) return console.log(jsonText(list))
  const rows = list.items.map(({ number, worker, rule, evidence, proposedBy, proposedAt }) => [
    String(number),
    worker,
    rule.text,
    `${evidence.approved} of ${evidence.asked}`,
    proposedBy.name,
    fromNow(proposedAt),
  ])
  const heads = ['no.', 'worker', 'rule', 'approved', 'proposed by', 'when']
  console.log(table(heads, rows, 'No change is proposed.'))
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
