import { readWebhookUrl } from '#domain/network/webhook-url.ts'
import { MalformedEvidence } from '#evidence/malformed-evidence.ts'
import { keyLabel, parseVerifierKey } from '#evidence/note/note-key.ts'
import type { AuditSettings, WitnessSetting } from '../../settings.ts'
import {
  readFields,
  readItems,
  fieldSource,
  wrong,
  type YamlField,
} from '../../reading/yaml-field.ts'
import { readName, readText } from '../../reading/values.ts'
import { audit, witness } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'

/** There are no witnesses. */
export const noWitnesses: AuditSettings = { witnesses: [] }

const maxWitnesses = 10

/** Reads `audit`: the witnesses, each with a name, an address and a key that no other has. */
export function readAuditSettings(field: YamlField): AuditSettings {
  const list = readFields(field, keysOf(audit))?.get('witnesses') ?? null
  if (list === null) return noWitnesses
  const items = readItems(list)
  if (items.length > maxWitnesses) {
    wrong(list, `has ${items.length} witnesses`, `name at most ${maxWitnesses}`)
  }
  const witnesses: WitnessSetting[] = []
  for (const item of items.slice(0, maxWitnesses)) {
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

function readWitness(field: YamlField): WitnessSetting | null {
  const fields = readFields(field, keysOf(witness))
  if (fields === null) return null
  const name = fields.readNeeded('name', 'give it a name, for logs and metrics', readName)
  const url = fields.readNeeded('url', 'write `url: https://…`', readUrl)
  const vkey = fields.readNeeded('vkey', 'write the key that it prints: name+hash+base64', readKey)
  if (name === null || url === null || vkey === null) return null
  return { name, url, vkey, source: fieldSource(field) }
}

/** An address as for webhooks; `/add-checkpoint` is appended. */
function readUrl(field: YamlField): string | null {
  const value = readText(field)
  if (value === null) return null
  const read = readWebhookUrl(value)
  if ('problem' in read) wrong(field, read.problem, read.remedy)
  else if (read.url.includes('?')) {
    wrong(field, 'has a query, and is not an https:// prefix', 'leave it out')
  } else return read.url.replace(/\/+$/, '')
  return null
}

function readKey(field: YamlField): string | null {
  const value = readText(field)
  if (value === null) return null
  try {
    if (parseVerifierKey(value).algorithm === 'cosignature') return value
    wrong(field, 'is the key of a log, not of a witness', 'write the key that the witness prints')
  } catch (error) {
    if (!(error instanceof MalformedEvidence)) throw error
    wrong(field, 'is not the key of a witness', 'write the line that it prints: name+hash+base64')
  }
  return null
}

function labelOf(vkey: string): string {
  return keyLabel(parseVerifierKey(vkey))
}
