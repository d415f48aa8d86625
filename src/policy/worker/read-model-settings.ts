import { reasoningEfforts } from '#domain/model-provider.ts'
import type { WorkerModelSettings } from '../model-settings.ts'
import { readAmount, readBoolean, readChoice, readCount } from '../reading/values.ts'
import { readFields, type YamlField } from '../reading/yaml-field.ts'
import { keysOf } from '../schema/parts.ts'
import { maxOutputTokens, maxTemperature, modelSettings } from '../schema/worker-file.ts'

export const defaultModelSettings: WorkerModelSettings = {
  temperature: null,
  maxOutputTokens: null,
  reasoning: null,
  cache: true,
}

/** Reads `settings`: how a worker's model is asked. */
export function readModelSettings(field: YamlField): WorkerModelSettings {
  const fields = readFields(field, keysOf(modelSettings))
  const part = <T>(key: keyof typeof modelSettings.shape, read: (at: YamlField) => T | null) => {
    const value = fields?.get(key) ?? null
    return value === null ? null : read(value)
  }
  return {
    temperature: part('temperature', (at) => readAmount(at, 0, maxTemperature)),
    maxOutputTokens: part('maxOutputTokens', (at) => readCount(at, 1, maxOutputTokens)),
    reasoning: part('reasoning', (at) => readChoice(at, reasoningEfforts)),
    cache: part('cache', readBoolean) ?? defaultModelSettings.cache,
  }
}
