import { endpointProviders, modelProviders } from '#domain/model-provider.ts'
import type { ModelEndpoint } from '../../model-settings.ts'
import { readBoolean, readChoice, readText } from '../../reading/values.ts'
import { fieldSource, wrong, type Fields, type YamlField } from '../../reading/yaml-field.ts'
import { isOwnVariable } from '../../worker/read-server-settings.ts'
import { nameForm } from '#domain/name-form.ts'

/** The keys that make an entry of `models` an endpoint. */
const ownKeys = ['baseUrl', 'apiKey', 'pictures'] as const

/**
 * Reads an entry of `models` that is an address at which models are asked, as `NAME:MODEL`; `null`
 * when it is not one, or after reporting.
 */
export function readEndpoint(field: YamlField, name: string, fields: Fields): ModelEndpoint | null {
  const providerField = fields.get('provider')
  if (providerField === null) {
    const stray = ownKeys.map((key) => fields.get(key)).find((one) => one !== null)
    if (stray === undefined || stray === null) return null
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
