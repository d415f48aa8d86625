import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ApiKeyView } from '#api/schemas/access/keys.ts'
import { type ApiKeyScope, apiKeyScopes } from '#domain/api-key-scope.ts'
import { processEnvironment } from '#runtime/environment.ts'
import { actOn } from '../../service/act-on.ts'
import { connect } from '../../service/connect.ts'
import { findService } from '../../service/find-service.ts'
import { printList } from '../../service/print-list.ts'
import {
  type PagingOptions,
  withPaging,
  addList,
  type ServiceOptions,
  withService,
  type JsonOptions,
} from '../../service/service-options.ts'
import { Service } from '../../service/service.ts'
import { startSession, withSession } from '../../service/sign-in.ts'
import { parseSpan, readInstant } from '../option-values.ts'
import { withExamples } from '../examples.ts'
import { addProposalCommands } from './key-proposals.ts'
import { jsonText } from '../../terminal/json-text.ts'

interface CreateOptions extends JsonOptions {
  readonly name: string
  readonly owner?: string
  readonly scopes: readonly ApiKeyScope[]
  readonly expires?: string
}

/** `countersign keys [create|ls|rotate|revoke|proposals|claim|decline]`. */
export function addKeysCommand(program: Command): void {
  const keys = program
    .command('keys')
    .description('create, list, rotate and revoke API keys of programs; a key never decides')
  const create = withService(keys.command('create'))
    .description('create a key; its secret is printed only once')
    .requiredOption('--name <name>', 'what the key is for')
    .option(
      '--owner <email>',
      'the person for whom the key acts (default: you); a key for another person is proposed to them, and only they see its secret',
    )
    .requiredOption(
      '--scopes <scopes>',
      `what the key may do, some of ${apiKeyScopes.join(',')}`,
      readScopes,
    )
    .option('--expires <when>', 'when it expires: 90d, or a date (default: never)', readExpiry)
    .option('--json', 'print JSON')
    .action(createKey)
  withExamples(create, [
    'keys create --name ci --scopes runs:write,runs:read,requests:read',
    'keys create --name ci --owner ada@example.com --scopes audit:read --expires 90d --json',
  ])
  const ls = withPaging(addList(keys)).description('list keys').action(listKeys)
  withExamples(ls, ['keys', 'keys ls --json'])
  const rotate = withService(keys.command('rotate'))
    .description('give a key a new secret, printed once, with the same name and scopes')
    .argument('<key>', 'its id')
    .addOption(
      new Option('--overlap <duration>', 'how long the old secret stays valid; 0 ends it now')
        .argParser(readOverlap)
        .default(86_400, '24h'),
    )
    .option('--json', 'print JSON')
    .action(rotateKey)
  withExamples(rotate, ['keys rotate 8b284a57b3f20b70', 'keys rotate 8b284a57b3f20b70 --overlap 0'])
  const revoke = withService(keys.command('revoke'))
    .description('revoke a key at once')
    .argument('<key>', 'its id')
    .action(actOn((service, id) => service.call('revokeKey', { params: { id } }), 'Revoked.'))
  withExamples(revoke, ['keys revoke 8b284a57b3f20b70'])
  addProposalCommands(keys)
}

async function createKey(options: CreateOptions): Promise<void> {
  const { service, signOut } = await asOwner(options)
  const answer = await service.call('createKey', {
    body: {
      name: options.name,
      scopes: [...options.scopes],
      ...(options.owner === undefined ? {} : { owner: options.owner }),
      ...(options.expires === undefined ? {} : { expiresAt: options.expires }),
    },
  })
  await signOut()
  if (options.json === true) return console.log(jsonText(answer))
  if (answer.key !== null) return console.log(answer.key)
  console.log(
    `Proposed to ${answer.owner.email}. Only they see the key: they claim it on their account page, or with\n  countersign keys claim ${answer.id}`,
  )
}

/** The scopes as they are written, with commas between them. */
function readScopes(text: string): ApiKeyScope[] {
  return text.split(',').map((word) => {
    const scope = apiKeyScopes.find((one) => one === word.trim())
    if (scope !== undefined) return scope
    throw new InvalidArgumentError(`some of ${apiKeyScopes.join(',')}.`)
  })
}

interface RotateOptions extends JsonOptions {
  readonly overlap: number
}

async function rotateKey(id: string, options: RotateOptions): Promise<void> {
  const service = await connect(options)
  const answer = await service.call('rotateKey', {
    params: { id },
    body: { overlapSeconds: options.overlap },
  })
  console.log(options.json === true ? jsonText(answer) : answer.key)
}

/** Seconds of `24h`, `30m` or `0`. */
function readOverlap(text: string): number {
  const ms = text === '0' ? 0 : parseSpan(text)
  if (ms === null) throw new InvalidArgumentError('a duration such as 24h or 30m, or 0.')
  return ms / 1000
}

/** A time: a duration from now, or a date. */
function readExpiry(text: string): string {
  const ms = parseSpan(text)
  return ms === null ? readInstant(text) : new Date(Date.now() + ms).toISOString()
}

/**
 * The service with the session of the key's owner, for a person on the host who does not give
 * `--as`: by the development token, or by a sign-in link that the host creates. `signOut` ends that
 * session.
 */
async function asOwner(
  options: CreateOptions,
): Promise<{ readonly service: Service; readonly signOut: () => Promise<unknown> }> {
  const { owner } = options
  const keepSession = async (): Promise<void> => undefined
  if (options.as === undefined && owner !== undefined) {
    const { url, devToken, hostToken } = await findService(options, processEnvironment())
    if (devToken !== null)
      return { service: await connect({ ...options, as: owner }), signOut: keepSession }
    if (hostToken !== null) {
      const service = await signInAs(url, owner, hostToken)
      return { service, signOut: () => service.call('signOut') }
    }
  }
  return { service: await connect(options), signOut: keepSession }
}

/** Starts a session as a person, with a link that is created and used at once. */
async function signInAs(url: string, email: string, hostToken: string): Promise<Service> {
  const body = { email, token: hostToken }
  const link = await new Service(url, {}).call('createHostLink', { body })
  const token = new URLSearchParams(new URL(link.url).hash.slice(1)).get('link') ?? ''
  return withSession(url, await startSession(url, { link: token }))
}

function listKeys(options: ServiceOptions & PagingOptions): Promise<void> {
  return printList(options, {
    read: (service, query) => service.call('listKeys', { query }),
    columns: {
      id: (key) => key.id,
      name: (key) => key.name,
      owner: (key) => key.owner.email,
      scopes: (key) => key.scopes.join(','),
      'last used': (key) => key.lastUsedAt ?? 'never',
      state: stateOf,
    },
    empty:
      'No keys. Create one with: countersign keys create --name NAME --scopes runs:write,runs:read',
  })
}

function stateOf(key: ApiKeyView): string {
  if (key.revokedAt !== null) return 'revoked'
  const now = new Date().toISOString()
  if (key.expiresAt !== null && key.expiresAt <= now) return 'expired'
  const until = key.expiresAt === null ? 'valid' : `valid until ${key.expiresAt}`
  const { previousUntil } = key
  const overlaps = previousUntil !== null && previousUntil > now
  return [until, ...(overlaps ? [`the previous secret is valid until ${previousUntil}`] : [])].join(
    '; ',
  )
}
