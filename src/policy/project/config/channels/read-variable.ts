import { scalarOf, wrong, type YamlField } from '../../../reading/yaml-field.ts'
import { isOwnVariable } from '../../../worker/read-server-settings.ts'

/**
 * The name of an environment variable that holds a secret; `null` after reporting. The value itself
 * is not shown: somebody may have written the secret here.
 */
export function readVariable(field: YamlField, example: string): string | null {
  const value = scalarOf(field)
  if (typeof value !== 'string' || !/^[A-Z][A-Z0-9_]{0,99}$/.test(value)) {
    wrong(
      field,
      'is not the name of an environment variable',
      `name one, as ${example}; the secret itself never stands in this file`,
    )
    return null
  }
  if (!isOwnVariable(value)) return value
  wrong(
    field,
    `names ${value}, a setting of the service itself`,
    'give the secret its own variable',
  )
  return null
}
