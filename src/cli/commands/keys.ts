import { type Command, InvalidArgumentError, Option } from 'commander'
import type {
  ApiKeyList,
  ApiKeyView,
  CreatedKeyView,
  RotatedKeyView,
} from '../../api/schemas/access/auth.ts'
import { processEnvironment } from '../../runtime/environment.ts'
import { connect } from '../service/connect.ts'
import { findService } from '../service/find-service.ts'
import { pageOf, type PagingOptions, printMore, withPaging } from '../service/paging.ts'
import { path } from '../service/path.ts'
import { query } from '../service/query.ts'
import { type ServiceOptions, withService } from '../service/service-options.ts'
import { parseSpan } from '../text/span.ts'
import { table } from '../text/table.ts'
import { withExamples } from './examples.ts'
import { readInstant } from './read-instant.ts'

interface CreateOptions extends ServiceOptions {
  name: string
  owner?: string
  scopes: string
  expires?: string
  json?: boolean
}

/** `countersign keys [create|ls|rotate|revoke]`. */
export function addKeysCommand(program: Command): void {
  const keys = program.command('keys').description('API keys of programs; a key never decides')
  const create = withService(keys.command('create'))
    .description('create a key; it is shown this once')
    .requiredOption('--name <name>', 'what it is for')
    .option('--owner <email>', 'the person it acts for (default: you)')
    .requiredOption('--scopes <scopes>', 'such as runs:write,runs:read,requests:read')
    .option(
      '--expires <when>',
      'when it ends by itself: 90d, or a date (default: never)',
      readExpiry,
    )
    .option('--json', 'print JSON')
    .action(createKey)
  withExamples(create, [
    'keys create --name ci --scopes runs:write,runs:read,requests:read',
    'keys create --name ci --owner ada@example.com --scopes audit:read --expires 90d --json',
  ])
  const ls = withPaging(withService(keys.command('ls', { isDefault: true })))
    .description('list keys')
    .action(listKeys)
  withExamples(ls, ['keys', 'keys ls --json'])
  const rotate = withService(keys.command('rotate'))
    .description('give a key a new secret, shown once, under the same name and scopes')
    .argument('<key>', 'its id')
    .addOption(
      new Option('--overlap <duration>', 'how long the old one works on; 0 ends it now')
        .argParser(readOverlap)
        .default(86_400, '24h'),
    )
    .option('--json', 'print JSON')
    .action(rotateKey)
  withExamples(rotate, ['keys rotate 8b284a57b3f20b70', 'keys rotate 8b284a57b3f20b70 --overlap 0'])
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
  const created = await service.post<CreatedKeyView>('/v1/keys', {
    name: options.name,
    scopes: options.scopes.split(',').map((scope) => scope.trim()),
    ...(options.owner === undefined ? {} : { owner: options.owner }),
    ...(options.expires === undefined ? {} : { expiresAt: options.expires }),
  })
  console.log(options.json === true ? JSON.stringify(created) : created.key)
}

interface RotateOptions extends ServiceOptions {
  overlap: number
  json?: boolean
}

async function rotateKey(id: string, options: RotateOptions): Promise<void> {
  const service = await connect(options)
  const rotated = await service.post<RotatedKeyView>(path`/v1/keys/${id}/rotate`, {
    overlapSeconds: options.overlap,
  })
  console.log(options.json === true ? JSON.stringify(rotated) : rotated.key)
}

/** Seconds of `24h`, `30m` or `0`. */
function readOverlap(text: string): number {
  const ms = text === '0' ? 0 : parseSpan(text)
  if (ms === null) throw new InvalidArgumentError('a duration such as 24h or 30m, or 0.')
  return ms / 1000
}

/** An instant: so long from now, or at a date. */
function readExpiry(text: string): string {
  const ms = parseSpan(text)
  return ms === null ? readInstant(text) : new Date(Date.now() + ms).toISOString()
}

/** On the machine itself, in the development profile, owners make keys for themselves unless somebody else is named. */
async function asOwner(options: CreateOptions): Promise<{ as?: string }> {
  if (options.as !== undefined || options.owner === undefined) return {}
  const { devToken } = await findService(options, processEnvironment())
  return devToken === null ? {} : { as: options.owner }
}

async function listKeys(options: ServiceOptions & PagingOptions): Promise<void> {
  const service = await connect(options)
  const list = await service.get<ApiKeyList>(`/v1/keys${query(pageOf(options))}`)
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
        stateOf(key),
      ]),
      'No keys. Create one with: countersign keys create --name NAME --scopes runs:write,runs:read',
    ),
  )
  printMore(list)
}

function stateOf(key: ApiKeyView): string {
  if (key.revokedAt !== null) return 'revoked'
  const now = new Date().toISOString()
  if (key.expiresAt !== null && key.expiresAt <= now) return 'expired'
  const ends = key.expiresAt === null ? [] : [`expires ${key.expiresAt}`]
  const { previousUntil } = key
  const overlaps = previousUntil !== null && previousUntil > now
  return [...ends, ...(overlaps ? [`the secret before works until ${previousUntil}`] : [])].join(
    '; ',
  )
}
