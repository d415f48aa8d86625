import { isDomainEntry, maxDomains, type NetworkAccess } from '#domain/network/network-access.ts'
import type { WorkerDefinition } from '../worker-definition.ts'
import { readBoolean, readChoice, readList, readText } from '../reading/values.ts'
import { isListAt, readFields, valueTextAt, wrong, type YamlField } from '../reading/yaml-field.ts'
import { keysOf } from '../schema/parts.ts'
import { sandbox } from '../schema/worker-file.ts'

/** The sandbox for a worker's commands; without this setting it has no network. */
export function readSandbox(field: YamlField): WorkerDefinition['sandbox'] {
  const fields = readFields(field, keysOf(sandbox))
  const required = fields?.get('required') ?? null
  const network = fields?.get('network') ?? null
  return {
    required: required !== null && readBoolean(required) === true,
    network: network === null ? 'none' : readNetwork(network),
  }
}

function readNetwork(field: YamlField): NetworkAccess {
  if (!isListAt(field)) {
    const remedy = 'write none, allow or a list of domains, such as [pypi.org]'
    return readChoice<'none' | 'allow'>(field, ['none', 'allow'], remedy) ?? 'none'
  }
  const entries = readList(field, (item) => {
    const text = readText(item)
    if (text === null || isDomainEntry(text)) return text
    wrong(
      item,
      `is ${valueTextAt(item)}, which is no domain`,
      'write a name in lower case with a dot, such as "example.com", "*.example.com" or "example.com:8443"; no address and no path',
    )
    return null
  })
  if (entries.length > maxDomains) {
    wrong(field, `lists ${entries.length} domains`, `list at most ${maxDomains}`)
  }
  if (entries.length === 0) wrong(field, 'lists no domain', 'write none, or a domain')
  return entries.length === 0 ? 'none' : [...new Set(entries)]
}
