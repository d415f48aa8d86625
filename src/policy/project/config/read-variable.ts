import { scalarOf, wrong, type Spot } from '../../reading/spot.ts'
import { isOwnVariable } from '../../worker/own-variable.ts'

/**
 * The name of an environment variable that holds a secret; `null` after reporting. The value itself is not shown:
 * somebody may have written the secret here.
 */
export function readVariable(spot: Spot, example: string): string | null {
  const value = scalarOf(spot)
  if (typeof value !== 'string' || !/^[A-Z][A-Z0-9_]{0,99}$/.test(value)) {
    wrong(
      spot,
      'is not the name of an environment variable',
      `name one, as ${example}; the secret itself never stands in this file`,
    )
    return null
  }
  if (!isOwnVariable(value)) return value
  wrong(spot, `names ${value}, a setting of the service itself`, 'give the secret its own variable')
  return null
}
