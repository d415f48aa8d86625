import type { EmailChoice, EmailDigest, EmailSettings, SmtpSettings } from '../../settings.ts'
import { emailChoices } from '../../settings.ts'
import { readFields, scalarOf, shownAt, spotSource, wrong, type Spot } from '../../reading/spot.ts'
import { readChoice, readCount, readDuration, readText } from '../../reading/values.ts'
import { email, smtp, smtpSecurities } from '../../schema/email.ts'
import { keysOf } from '../../schema/parts.ts'
import { readVariable } from './read-variable.ts'

/** Each morning; a team that wants it otherwise says so. */
const usualDigest = { at: '08:00', timeZone: 'UTC' } as const
const usualPorts = { tls: 465, starttls: 587, none: 25 } as const
const leastDigestMs = 3_600_000

/** Reads `email`: the server, the sender, and what people get who have not chosen. `null` after reporting. */
export function readEmail(spot: Spot): EmailSettings | null {
  const fields = readFields(spot, keysOf(email))
  if (fields === null) return null
  const [smtpSpot, fromSpot] = [fields.get('smtp'), fields.get('from')]
  const [choiceSpot, atSpot] = [fields.get('default'), fields.get('digestAt')]
  const [zoneSpot, everySpot] = [fields.get('timeZone'), fields.get('digestEvery')]
  if (smtpSpot === null) wrong(spot, 'has no "smtp"', 'write `smtp: { host: … }`')
  if (fromSpot === null) wrong(spot, 'has no "from"', 'write `from: countersign@example.com`')
  if (everySpot !== null && (atSpot !== null || zoneSpot !== null)) {
    wrong(everySpot, 'does not go with "digestAt" and "timeZone"', 'keep one or the other')
  }
  const server = smtpSpot === null ? null : readSmtp(smtpSpot)
  const from = fromSpot === null ? null : readSender(fromSpot)
  const choice: EmailChoice | null =
    choiceSpot === null ? 'digest' : readChoice(choiceSpot, emailChoices)
  const at = atSpot === null ? usualDigest.at : readTimeOfDay(atSpot)
  const timeZone = zoneSpot === null ? usualDigest.timeZone : readTimeZone(zoneSpot)
  const everyMs = everySpot === null ? null : readEvery(everySpot)
  if (server === null || from === null || choice === null) return null
  if (at === null || timeZone === null) return null
  const digest: EmailDigest = everyMs === null ? { at, timeZone } : { everyMs }
  return { smtp: server, ...from, choice, digest, source: spotSource(spot) }
}

function readSmtp(spot: Spot): SmtpSettings | null {
  const fields = readFields(spot, keysOf(smtp))
  if (fields === null) return null
  const [hostSpot, portSpot] = [fields.get('host'), fields.get('port')]
  const [securitySpot, userSpot] = [fields.get('security'), fields.get('userFrom')]
  const passwordSpot = fields.get('passwordFrom')
  if (hostSpot === null) wrong(spot, 'has no "host"', 'write `host: smtp.example.com`')
  if ((userSpot === null) !== (passwordSpot === null)) {
    wrong(spot, 'is not complete', 'give both "userFrom" and "passwordFrom", or neither')
  }
  const host = hostSpot === null ? null : readHost(hostSpot)
  const security = securitySpot === null ? 'starttls' : readChoice(securitySpot, smtpSecurities)
  const port = portSpot === null ? null : readCount(portSpot, 1, 65_535)
  const userFrom = userSpot === null ? null : readVariable(userSpot, 'SMTP_USER')
  const passwordFrom = passwordSpot === null ? null : readVariable(passwordSpot, 'SMTP_PASSWORD')
  if (host === null || security === null) return null
  if (security === 'none' && !isThisMachine(host)) {
    wrong(
      securitySpot ?? spot,
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

function readHost(spot: Spot): string | null {
  const value = scalarOf(spot)
  if (typeof value === 'string' && /^[A-Za-z0-9.:_-]{1,253}$/.test(value)) return value
  wrong(
    spot,
    `is ${shownAt(spot)}, not the name of a host`,
    'write smtp.example.com; the port is apart',
  )
  return null
}

/** `countersign@example.com`, or with a name: `Countersign <countersign@example.com>`. */
function readSender(spot: Spot): Pick<EmailSettings, 'from' | 'fromName'> | null {
  const value = readText(spot)
  if (value === null) return null
  const match =
    /^(?:([^<>"@,;:\p{Cc}]{1,60}) <([^\s@,;<>"]{1,64}@[^\s@,;<>"]{1,189})>|([^\s@,;<>"]{1,64}@[^\s@,;<>"]{1,189}))$/u.exec(
      value,
    )
  const from = match?.[2] ?? match?.[3]
  if (from !== undefined) return { from, fromName: match?.[1]?.trim() ?? 'Countersign' }
  wrong(
    spot,
    `is ${shownAt(spot)}, not a sender`,
    'write countersign@example.com, or "Countersign <countersign@example.com>"',
  )
  return null
}

function readTimeOfDay(spot: Spot): string | null {
  const value = scalarOf(spot)
  if (typeof value === 'string' && /^([01]\d|2[0-3]):[0-5]\d$/.test(value)) return value
  wrong(spot, `is ${shownAt(spot)}, not a time of day`, 'write "08:00", in quotes')
  return null
}

function readTimeZone(spot: Spot): string | null {
  const value = readText(spot)
  if (value === null) return null
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone
  } catch {
    wrong(spot, `is ${shownAt(spot)}, not a time zone`, 'write a name as Europe/Berlin, or UTC')
    return null
  }
}

function readEvery(spot: Spot): number | null {
  const ms = readDuration(spot)
  if (ms === null || ms >= leastDigestMs) return ms
  wrong(spot, `is ${shownAt(spot)}`, 'a digest comes once an hour at most: write 1h or more')
  return null
}
