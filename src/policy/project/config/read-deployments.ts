import { isMap } from 'yaml'
import type { DeploymentSetting } from '../../project-config.ts'
import { readCount, readNamed, readReference, readText } from '../../reading/values.ts'
import {
  fieldSource,
  readEntries,
  readFields,
  wrong,
  type YamlField,
} from '../../reading/yaml-field.ts'
import { accountIdForm, deployments, nobody, repositoryForm } from '../../schema/deployments.ts'
import { keysOf } from '../../schema/parts.ts'
import { readSecret, readStarter } from './read-triggers.ts'

/** Names that other parts of the file define and deployments use. */
interface DefinedNames {
  readonly queues: ReadonlySet<string>
  readonly people: ReadonlySet<string>
}

/** Reads `deployments`: whose deployments ask at `/v1/deployments/NAME`. */
export function readDeployments(
  field: YamlField,
  names: DefinedNames,
): Map<string, DeploymentSetting> {
  return readNamed(field, (value, name) => readSetting(value, name, names))
}

function readSetting(
  field: YamlField,
  name: string,
  names: DefinedNames,
): DeploymentSetting | null {
  const fields = readFields(field, keysOf(deployments))
  if (fields === null) return null
  const secretFrom = fields.readNeeded(
    'secret',
    'write `secret: "${GITHUB_WEBHOOK_SECRET}"`',
    readSecret,
  )
  const keyFrom = fields.readNeeded('key', 'write `key: "${DEPLOYMENTS_KEY}"`', readSecret)
  const repositories = fields.readNeeded(
    'repositories',
    'write them as `OWNER/NAME: ID`',
    readRepositories,
  )
  const people = fields.readNeeded('people', 'map ids of GitHub accounts to addresses', (at) =>
    readAccounts(at, names.people),
  )
  const appId = fields.read('appId', readId, null)
  const privateKeyFrom = fields.read('privateKey', readSecret, null)
  const tokenFrom = fields.read('token', readSecret, null)
  const queue = fields.read('queue', (at) => readReference(at, 'queue', names.queues), null)
  const apiUrl = fields.read('apiUrl', readApiUrl, null) ?? 'https://api.github.com'
  const answersAs = answererOf(field, { appId, privateKeyFrom, tokenFrom })
  if (secretFrom === null || keyFrom === null || answersAs === null) return null
  if (repositories === null || people === null) return null
  const source = fieldSource(field)
  return { name, secretFrom, keyFrom, answersAs, repositories, people, queue, apiUrl, source }
}

function answererOf(
  field: YamlField,
  { appId, privateKeyFrom, tokenFrom }: Readonly<Record<string, string | number | null>>,
): DeploymentSetting['answersAs'] | null {
  if (typeof tokenFrom === 'string' && appId === null && privateKeyFrom === null) {
    return { kind: 'token', tokenFrom }
  }
  if (tokenFrom === null && typeof appId === 'number' && typeof privateKeyFrom === 'string') {
    return { kind: 'app', appId, privateKeyFrom }
  }
  wrong(field, 'does not say how GitHub is answered', 'give `appId` and `privateKey`, or `token`')
  return null
}

function readId(field: YamlField): number | null {
  return readCount(field, 1, Number.MAX_SAFE_INTEGER)
}

/** Names in lower case, since GitHub ignores their case. `null` after reporting: there is none. */
function readRepositories(field: YamlField): Map<string, number> | null {
  const ids = new Map<string, number>()
  for (const [name, value] of readEntries(field)) {
    const id = readId(value)
    const repository = name.toLowerCase()
    if (!repositoryForm.test(name)) {
      wrong(value, `is for "${name}", which is no repository`, 'write OWNER/NAME: ID')
    } else if (ids.has(repository)) {
      wrong(value, `names ${repository} twice: GitHub ignores case`, 'list each repository once')
    } else if (id !== null) ids.set(repository, id)
  }
  if (isMap(field.node) && field.node.items.length === 0) {
    wrong(field, 'is empty', 'write OWNER/NAME: ID')
  }
  return ids.size === 0 ? null : ids
}

/** Addresses by the ids of accounts; a login would be whoever has it at the time. */
function readAccounts(field: YamlField, people: ReadonlySet<string>): Map<number, string | null> {
  const accounts = new Map<number, string | null>()
  for (const [id, value] of readEntries(field)) {
    if (!accountIdForm.test(id)) {
      const remedy = `write the account's id, which https://api.github.com/users/${id} shows`
      wrong(value, `is for "${id}", which is no id of an account`, remedy)
      continue
    }
    const text = readText(value)
    if (text === nobody) accounts.set(Number(id), null)
    const address = text === null || text === nobody ? null : readStarter(value, people)
    if (address !== null) accounts.set(Number(id), address)
  }
  return accounts
}

/** Without a slash at the end. */
function readApiUrl(field: YamlField): string | null {
  const text = readText(field)
  if (text === null) return null
  const url = URL.parse(text)
  const isPlain = url !== null && url.search === '' && url.hash === '' && url.username === ''
  if (isPlain && (url.protocol === 'https:' || url.protocol === 'http:')) {
    return url.href.replace(/\/+$/, '')
  }
  wrong(field, `is "${text}", not the address of an API`, 'write https://HOST/api/v3')
  return null
}
