import type { DeploymentSetting } from '../../project-config.ts'
import { checkName, readCount, readList, readReference, readText } from '../../reading/values.ts'
import {
  fieldSource,
  readEntries,
  readFields,
  wrong,
  type YamlField,
} from '../../reading/yaml-field.ts'
import { deployments, nobody, repositoryForm } from '../../schema/deployments.ts'
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
  const settings = new Map<string, DeploymentSetting>()
  for (const [name, value] of readEntries(field)) {
    const setting = checkName(value, name) ? readSetting(value, name, names) : null
    if (setting !== null) settings.set(name, setting)
  }
  return settings
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
  const repositories = fields.readNeeded('repositories', 'list them as OWNER/NAME', (at) =>
    readList(at, readRepository),
  )
  const people = fields.readNeeded('people', 'map GitHub logins to addresses', (at) =>
    readLogins(at, names.people),
  )
  const appId = fields.read('appId', (at) => readCount(at, 1, Number.MAX_SAFE_INTEGER), null)
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

function readRepository(field: YamlField): string | null {
  const text = readText(field)
  if (text === null || repositoryForm.test(text)) return text === null ? null : text.toLowerCase()
  wrong(field, `is "${text}", not a repository`, 'write OWNER/NAME')
  return null
}

/** Logins in lower case, since GitHub ignores their case. */
function readLogins(field: YamlField, people: ReadonlySet<string>): Map<string, string | null> {
  const logins = new Map<string, string | null>()
  for (const [login, value] of readEntries(field)) {
    const text = readText(value)
    if (text === nobody) logins.set(login.toLowerCase(), null)
    const address = text === null || text === nobody ? null : readStarter(value, people)
    if (address !== null) logins.set(login.toLowerCase(), address)
  }
  return logins
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
