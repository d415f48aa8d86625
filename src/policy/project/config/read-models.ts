import { readAmount, readCount } from '../../reading/values.ts'
import { readEntries, readFields, wrong, type YamlField } from '../../reading/yaml-field.ts'
import type { ModelPrice, ModelSetting } from '../../model-settings.ts'
import { readEndpoint } from './read-endpoint.ts'
import { contextTokens, model, price } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'

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
