import { readWebhookUrl } from '../../../domain/text/webhook-url.ts'
import { MalformedEvidence } from '../../../evidence/malformed.ts'
import { keyLabel, parseVerifierKey } from '../../../evidence/note/note-key.ts'
import type { AuditSettings, WitnessSetting } from '../../settings.ts'
import { readFields, readItems, spotSource, wrong, type Spot } from '../../reading/spot.ts'
import { checkName, readText } from '../../reading/values.ts'
import { audit, witness } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'

/** Nobody cosigns. */
export const noWitnesses: AuditSettings = { witnesses: [] }

const mostWitnesses = 10

/** Reads `audit`: the witnesses, each with a name, an address and a key that no other has. */
export function readAudit(spot: Spot): AuditSettings {
  const listed = readFields(spot, keysOf(audit))?.get('witnesses') ?? null
  if (listed === null) return noWitnesses
  const items = readItems(listed)
  if (items.length > mostWitnesses) {
    wrong(listed, `has ${items.length} witnesses`, `name at most ${mostWitnesses}`)
  }
  const witnesses: WitnessSetting[] = []
  for (const item of items.slice(0, mostWitnesses)) {
    const one = readWitness(item)
    if (one === null) continue
    const label = labelOf(one.vkey)
    if (witnesses.some(({ name }) => name === one.name)) {
      wrong(item, `names ${one.name} twice`, 'give each witness a name of its own')
    } else if (witnesses.some(({ vkey }) => labelOf(vkey) === label)) {
      wrong(item, `names ${label} twice`, 'list each witness once')
    } else witnesses.push(one)
  }
  return { witnesses }
}

function readWitness(spot: Spot): WitnessSetting | null {
  const fields = readFields(spot, keysOf(witness))
  if (fields === null) return null
  const part = (key: keyof WitnessSetting, remedy: string): Spot | null => {
    const found = fields.get(key)
    if (found === null) wrong(spot, `has no "${key}"`, remedy)
    return found
  }
  const nameSpot = part('name', 'give it a name, for logs and metrics')
  const urlSpot = part('url', 'write `url: https://…`')
  const vkeySpot = part('vkey', 'write the key that it prints: name+hash+base64')
  const given = nameSpot === null ? null : readText(nameSpot)
  const name = given !== null && nameSpot !== null && checkName(nameSpot, given) ? given : null
  const url = urlSpot === null ? null : readUrl(urlSpot)
  const vkey = vkeySpot === null ? null : readKey(vkeySpot)
  if (name === null || url === null || vkey === null) return null
  return { name, url, vkey, source: spotSource(spot) }
}

/** As webhooks have them; `/add-checkpoint` follows it. */
function readUrl(spot: Spot): string | null {
  const value = readText(spot)
  if (value === null) return null
  const read = readWebhookUrl(value)
  if ('problem' in read) wrong(spot, read.problem, read.remedy)
  else if (read.url.includes('?')) {
    wrong(spot, 'has a query, and is not an https:// prefix', 'leave it out')
  } else return read.url.replace(/\/+$/, '')
  return null
}

function readKey(spot: Spot): string | null {
  const value = readText(spot)
  if (value === null) return null
  try {
    if (parseVerifierKey(value).algorithm === 'cosignature') return value
    wrong(spot, 'is the key of a log, not of a witness', 'write the key that the witness prints')
  } catch (error) {
    if (!(error instanceof MalformedEvidence)) throw error
    wrong(spot, 'is no key of a witness', 'write the line that it prints: name+hash+base64')
  }
  return null
}

function labelOf(vkey: string): string {
  return keyLabel(parseVerifierKey(vkey))
}
