import type { Command } from 'commander'
import type { GrantView } from '#api/schemas/policy/grants.ts'
import { connect } from '../service/connect.ts'
import { addList, type ServiceOptions, withService } from '../service/service-options.ts'
import { table } from '../text/table.ts'
import { fromNow } from '../text/times.ts'
import { runExample, withExamples } from './examples.ts'
import { runArgument } from './option-values.ts'
import { jsonText } from '../terminal/json-text.ts'

/** `countersign grants [ls|revoke]`. */
export function addGrantsCommand(program: Command): void {
  const grants = program
    .command('grants')
    .description('list and revoke the remembered approvals of a run')
  const ls = addList(grants)
    .description('list the grants of a run, with who approved each and when')
    .argument(...runArgument)
    .option('--json', 'print JSON')
    .action(async (run: string, options: ServiceOptions & { json?: boolean }) => {
      const list = await (await connect(options)).call('listGrants', { params: { id: run } })
      if (options.json === true) return console.log(jsonText(list))
      console.log(
        table(
          ['id', 'tool', 'scope', 'approved by', 'since', 'uses', 'until', 'state'],
          list.items.map((grant) => [
            grant.id,
            grant.tool,
            grant.path === null ? grant.scope : `${grant.scope} ${grant.path}`,
            grant.grantedBy.name,
            fromNow(grant.createdAt),
            grant.usesAllowed === null ? `${grant.uses}` : `${grant.uses} of ${grant.usesAllowed}`,
            grant.expiresAt ?? '',
            stateOf(grant),
          ]),
          'This run has no grants.',
        ),
      )
    })
  withExamples(ls, [`grants ${runExample}`, `grants ls ${runExample} --json`])
  const revoke = withService(grants.command('revoke'))
    .description('end a grant at once')
    .argument('<grant>', 'its id')
    .action(async (id: string, options: ServiceOptions) => {
      await (await connect(options)).call('revokeGrant', { params: { id } })
      console.log('Revoked. The next such call asks again.')
    })
  withExamples(revoke, [`grants revoke ${runExample}`])
}

function stateOf({ revokedAt, endedAt, dormant }: GrantView): string {
  if (revokedAt !== null) return 'revoked'
  if (endedAt !== null) return 'ended'
  return dormant === null ? 'live' : `dormant: ${dormant}`
}
