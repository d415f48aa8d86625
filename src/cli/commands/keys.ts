import type { Command } from 'commander'
import type { z } from 'zod'
import type { apiKeyList, createdKey } from '../../api/schemas/auth.ts'
import { processEnvironment } from '../../runtime/environment.ts'
import { connect } from '../service/connect.ts'
import { findService } from '../service/find-service.ts'
import { pageOf, type PagingOptions, printMore, withPaging } from '../service/paging.ts'
import { path } from '../service/path.ts'
import { query } from '../service/query.ts'
import { type ServiceOptions, withService } from '../service/service-options.ts'
import { table } from '../text/table.ts'
import { withExamples } from './examples.ts'

interface CreateOptions extends ServiceOptions {
  name: string
  owner?: string
  scopes: string
  json?: boolean
}

/** `countersign keys [create|ls|revoke]`. */
export function addKeysCommand(program: Command): void {
  const keys = program.command('keys').description('API keys of programs; a key never decides')
  const create = withService(keys.command('create'))
    .description('create a key; it is shown this once')
    .requiredOption('--name <name>', 'what it is for')
    .option('--owner <email>', 'the person it acts for (default: you)')
    .requiredOption('--scopes <scopes>', 'such as runs:write,runs:read,requests:read')
    .option('--json', 'print JSON')
    .action(createKey)
  withExamples(create, [
    'keys create --name ci --scopes runs:write,runs:read,requests:read',
    'keys create --name ci --owner ada@example.com --scopes audit:read --json',
  ])
  const ls = withPaging(withService(keys.command('ls', { isDefault: true })))
    .description('list keys')
    .action(listKeys)
  withExamples(ls, ['keys', 'keys ls --json'])
  const revoke = withService(keys.command('revoke'))
    .description('revoke a key at once')
    .argument('<key>', 'its id')
    .action(async (id: string, options: ServiceOptions) => {
      await (await connect(options)).delete(path`/v1/keys/${id}`)
      console.log('Revoked.')
    })
  withExamples(revoke, ['keys revoke 8b284a57b3f20b70'])
}

async function createKey(options: CreateOptions): Promise<void> {
  const service = await connect({ ...options, ...(await asOwner(options)) })
  const created = await service.post<z.infer<typeof createdKey>>('/v1/keys', {
    name: options.name,
    scopes: options.scopes.split(',').map((scope) => scope.trim()),
    ...(options.owner === undefined ? {} : { owner: options.owner }),
  })
  console.log(options.json === true ? JSON.stringify(created) : created.key)
}

/** On the machine itself, in the development profile, owners make keys for themselves unless somebody else is named. */
async function asOwner(options: CreateOptions): Promise<{ as?: string }> {
  if (options.as !== undefined || options.owner === undefined) return {}
  const { devToken } = await findService(options, processEnvironment())
  return devToken === null ? {} : { as: options.owner }
}

async function listKeys(options: ServiceOptions & PagingOptions): Promise<void> {
  const service = await connect(options)
  const list = await service.get<z.infer<typeof apiKeyList>>(`/v1/keys${query(pageOf(options))}`)
  if (options.json === true) return console.log(JSON.stringify(list))
  console.log(
    table(
      ['id', 'name', 'owner', 'scopes', 'last used', 'state'],
      list.items.map((key) => [
        key.id,
        key.name,
        key.owner.email,
        key.scopes.join(','),
        key.lastUsedAt ?? 'never',
        key.revokedAt === null ? '' : 'revoked',
      ]),
      'No keys. Create one with: countersign keys create --name NAME --scopes runs:write,runs:read',
    ),
  )
  printMore(list)
}
