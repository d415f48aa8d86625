import { emailChoices, smtpSecurities } from '#domain/channels/email.ts'
import type { EmailDigest, EmailSettings, SmtpSettings } from '../../../settings.ts'
import {
  readFields,
  scalarOf,
  valueTextAt,
  fieldSource,
  wrong,
  type YamlField,
} from '../../../reading/yaml-field.ts'
import { readChoice, readCount, readDuration, readText } from '../../../reading/values.ts'
import { email, smtp } from '../../../schema/email.ts'
import { keysOf } from '../../../schema/parts.ts'
import { readVariable } from './read-variable.ts'

/** Each morning, unless a team sets another time. */
const usualDigest = { at: '08:00', timeZone: 'UTC' } as const
const usualPorts = { tls: 465, starttls: 587, none: 25 } as const
const leastDigestMs = 3_600_000

/**
 * Reads `email`: the server, the sender, and the default for people who have not chosen. `null`
 * after reporting.
 */
export function readEmail(field: YamlField): EmailSettings | null {
  const fields = readFields(field, keysOf(email))
  if (fields === null) return null
  const [atField, zoneField] = [fields.get('digestAt'), fields.get('timeZone')]
  const everyField = fields.get('digestEvery')
  if (everyField !== null && (atField !== null || zoneField !== null)) {
    wrong(everyField, 'does not go with "digestAt" and "timeZone"', 'keep one or the other')
  }
  const server = fields.readNeeded('smtp', 'write `smtp: { host: … }`', readSmtp)
  const from = fields.readNeeded('from', 'write `from: countersign@example.com`', readSender)
  const choice = fields.read('default', (at) => readChoice(at, emailChoices), 'digest')
  const at = atField === null ? usualDigest.at : readTimeOfDay(atField)
  const timeZone = zoneField === null ? usualDigest.timeZone : readTimeZone(zoneField)
  const everyMs = everyField === null ? null : readEvery(everyField)
  if (server === null || from === null || choice === null) return null
  if (at === null || timeZone === null) return null
  const digest: EmailDigest = everyMs === null ? { at, timeZone } : { everyMs }
  return { smtp: server, ...from, choice, digest, source: fieldSource(field) }
}

function readSmtp(field: YamlField): SmtpSettings | null {
  const fields = readFields(field, keysOf(smtp))
  if (fields === null) return null
  const [userField, passwordField] = [fields.get('userFrom'), fields.get('passwordFrom')]
  const securityField = fields.get('security')
  if ((userField === null) !== (passwordField === null)) {
    wrong(field, 'is not complete', 'give both "userFrom" and "passwordFrom", or neither')
  }
  const host = fields.readNeeded('host', 'write `host: smtp.example.com`', readHost)
  const security = securityField === null ? 'starttls' : readChoice(securityField, smtpSecurities)
  const port = fields.read('port', (at) => readCount(at, 1, 65_535), null)
  const userFrom = userField === null ? null : readVariable(userField, 'SMTP_USER')
  const passwordFrom = passwordField === null ? null : readVariable(passwordField, 'SMTP_PASSWORD')
  if (host === null || security === null) return null
  if (security === 'none' && !isThisMachine(host)) {
    wrong(
      securityField ?? field,
      `would send passwords and mail to ${host} unencrypted`,
      'write starttls or tls; none only for a server on this machine',
    )
    return null
  }
  return { host, port: port ?? usualPorts[security], security, userFrom, passwordFrom }
}

function isThisMachine(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host)
}

function readHost(field: YamlField): string | null {
  const value = scalarOf(field)
  if (typeof value === 'string' && /^[A-Za-z0-9.:_-]{1,253}$/.test(value)) return value
  wrong(
    field,
    `is ${valueTextAt(field)}, not the name of a host`,
    'write smtp.example.com; the port is apart',
  )
  return null
}

/** `countersign@example.com`, or with a name: `Countersign <countersign@example.com>`. */
function readSender(field: YamlField): Pick<EmailSettings, 'from' | 'fromName'> | null {
  const value = readText(field)
  if (value === null) return null
  const match =
    /^(?:([^<>"@,;:\p{Cc}]{1,60}) <([^\s@,;<>"]{1,64}@[^\s@,;<>"]{1,189})>|([^\s@,;<>"]{1,64}@[^\s@,;<>"]{1,189}))$/u.exec(
      value,
    )
  const from = match?.[2] ?? match?.[3]
  if (from !== undefined) return { from, fromName: match?.[1]?.trim() ?? 'Countersign' }
  wrong(
    field,
    `is ${valueTextAt(field)}, not a sender`,
    'write countersign@example.com, or "Countersign <countersign@example.com>"',
  )
  return null
}

function readTimeOfDay(field: YamlField): string | null {
  const value = scalarOf(field)
  if (typeof value === 'string' && /^([01]\d|2[0-3]):[0-5]\d$/.test(value)) return value
  wrong(field, `is ${valueTextAt(field)}, not a time of day`, 'write "08:00", in quotes')
  return null
}

function readTimeZone(field: YamlField): string | null {
  const value = readText(field)
  if (value === null) return null
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone
  } catch {
    wrong(
      field,
      `is ${valueTextAt(field)}, not a time zone`,
      'write a name as Europe/Berlin, or UTC',
    )
    return null
  }
}

function readEvery(field: YamlField): number | null {
  const ms = readDuration(field)
  if (ms === null || ms >= leastDigestMs) return ms
  wrong(field, `is ${valueTextAt(field)}`, 'a digest comes once an hour at most: write 1h or more')
  return null
}
