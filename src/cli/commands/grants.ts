import type { Command } from 'commander'
import type { GrantView } from '#api/schemas/policy/grants.ts'
import { actOn } from '../service/act-on.ts'
import { printList } from '../service/print-list.ts'
import { addList, withService, type JsonOptions } from '../service/service-options.ts'
import { fromNow } from '../text/times.ts'
import { runExample, withExamples } from './examples.ts'
import { runArgument } from './option-values.ts'

/** `countersign grants [ls|revoke]`. */
export function addGrantsCommand(program: Command): void {
  const grants = program
    .command('grants')
    .description('list and revoke the remembered approvals of a run')
  const ls = addList(grants)
    .description('list the grants of a run, with who approved each and when')
    .argument(...runArgument)
    .option('--json', 'print JSON')
    .action((id: string, options: JsonOptions) =>
      printList(options, {
        read: (service) => service.call('listGrants', { params: { id } }),
        columns: {
          id: (grant) => grant.id,
          tool: (grant) => grant.tool,
          scope: ({ path, scope }) => (path === null ? scope : `${scope} ${path}`),
          'approved by': (grant) => grant.grantedBy.name,
          since: (grant) => fromNow(grant.createdAt),
          uses: ({ uses, usesAllowed }) =>
            usesAllowed === null ? `${uses}` : `${uses} of ${usesAllowed}`,
          until: (grant) => grant.expiresAt ?? '',
          state: stateOf,
        },
        empty: 'This run has no grants.',
      }),
    )
  withExamples(ls, [`grants ${runExample}`, `grants ls ${runExample} --json`])
  const revoke = withService(grants.command('revoke'))
    .description('end a grant at once')
    .argument('<grant>', 'its id')
    .action(
      actOn(
        (service, id) => service.call('revokeGrant', { params: { id } }),
        'Revoked. The next such call asks again.',
      ),
    )
  withExamples(revoke, [`grants revoke ${runExample}`])
}

function stateOf({ revokedAt, endedAt, dormant }: GrantView): string {
  if (revokedAt !== null) return 'revoked'
  if (endedAt !== null) return 'ended'
  return dormant === null ? 'live' : `dormant: ${dormant}`
}
