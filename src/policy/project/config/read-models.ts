import { endpointProviders, modelProviders } from '#domain/model-provider.ts'
import { nameForm } from '#domain/name-form.ts'
import { readAmount, readCount, readBoolean, readChoice, readText } from '../../reading/values.ts'
import {
  readEntries,
  readFields,
  wrong,
  type YamlField,
  fieldSource,
  type Fields,
} from '../../reading/yaml-field.ts'
import type { ModelPrice, ModelSetting, ModelEndpoint } from '../../model-settings.ts'
import { contextTokens, model, price } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'
import { isOwnVariable } from '../../worker/read-server-settings.ts'

/** The keys that make an entry of `models` an endpoint. */
const ownKeys = ['baseUrl', 'apiKey', 'pictures'] as const

/**
 * Reads an entry of `models` that is an address at which models are asked, as `NAME:MODEL`; `null`
 * when it is not one, or after reporting.
 */
function readEndpoint(field: YamlField, name: string, fields: Fields): ModelEndpoint | null {
  const providerField = fields.get('provider')
  if (providerField === null) {
    const stray = ownKeys.map((key) => fields.get(key)).find((one) => one !== null)
    if (stray === undefined) return null
    wrong(stray, 'is of an endpoint, which has a `provider`', 'write `provider: openai-compatible`')
    return null
  }
  if (!nameForm.test(name) || [...modelProviders, 'script'].some((one) => one === name)) {
    const remedy = 'use letters, digits, "-" and "_", and no name of a provider'
    wrong(field, `"${name}" is not a name for an endpoint`, remedy)
  }
  const provider = readChoice(providerField, endpointProviders)
  const baseUrlField = fields.get('baseUrl')
  const baseUrl = baseUrlField === null ? null : readBaseUrl(baseUrlField)
  if (provider === 'openai-compatible' && baseUrlField === null) {
    wrong(field, 'has no "baseUrl"', 'write where it is: `baseUrl: http://127.0.0.1:11434/v1`')
  }
  const keyField = fields.get('apiKey')
  if (provider !== null && provider !== 'openai-compatible' && keyField === null) {
    wrong(field, 'has no "apiKey"', 'name the variable that holds it: `apiKey: "${TEAM_KEY}"`')
  }
  const apiKeyFrom = keyField === null ? null : readReferenceTo(keyField)
  const pictures = fields.read('pictures', readBoolean, null)
  if (provider === null) return null
  return {
    provider,
    baseUrl,
    apiKeyFrom,
    pictures: pictures ?? provider !== 'openai-compatible',
    source: fieldSource(field),
  }
}

function readBaseUrl(field: YamlField): string | null {
  const text = readText(field)
  if (text === null) return null
  const url = URL.parse(text)
  const isWeb = url !== null && /^https?:$/.test(url.protocol)
  if (isWeb && url.username === '' && url.password === '' && url.search === '') return text
  const remedy = 'write one like `https://models.example.com/v1`, without a key in it'
  wrong(field, 'is not the address of an endpoint', remedy)
  return null
}

/** The variable of `${NAME}`. The text is not shown: somebody may have written the key itself. */
function readReferenceTo(field: YamlField): string | null {
  const name = /^\$\{([A-Z][A-Z0-9_]{0,99})\}$/.exec(readText(field) ?? '')?.[1] ?? null
  if (name !== null && !isOwnVariable(name)) return name
  const what =
    name === null ? 'is not a reference to a variable' : `names ${name}, the service's own`
  wrong(field, what, 'write `apiKey: "${LOCAL_KEY}"`; the key itself never stands in this file')
  return null
}

const maxUsd = 1_000_000

/** Reads `models`: what is known of models beside their names. */
export function readModels(field: YamlField): Map<string, ModelSetting> {
  const models = new Map<string, ModelSetting>()
  for (const [name, value] of readEntries(field)) {
    if (!/^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}$/.test(name)) {
      wrong(value, 'is not the name of a model', 'write it as in a worker file: `claude-…`')
      continue
    }
    const fields = readFields(value, keysOf(model))
    const [priceField, contextField] = [
      fields?.get('price') ?? null,
      fields?.get('context') ?? null,
    ]
    models.set(name, {
      price: priceField === null ? null : readPrice(priceField),
      context:
        contextField === null
          ? null
          : readCount(contextField, contextTokens.min, contextTokens.max),
      endpoint: fields === null ? null : readEndpoint(value, name, fields),
    })
  }
  return models
}

function readPrice(field: YamlField): ModelPrice | null {
  const fields = readFields(field, keysOf(price))
  if (fields === null) return null
  const readUsd = (at: YamlField): number | null => readAmount(at, 0, maxUsd)
  const remedy = 'write `{ input: 3, cachedInput: 0.3, output: 15 }`'
  const input = fields.readNeeded('input', remedy, readUsd)
  const output = fields.readNeeded('output', remedy, readUsd)
  const cachedInput = fields.read('cachedInput', readUsd, input)
  if (input === null || output === null || cachedInput === null) return null
  return { input, cachedInput, output }
}
