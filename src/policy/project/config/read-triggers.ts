import type { TriggerSetting } from '../../project-config.ts'
import {
  fieldSource,
  readFields,
  scalarOf,
  wrong,
  type YamlField,
} from '../../reading/yaml-field.ts'
import { readBoolean, readEmail, readNamed, readReference } from '../../reading/values.ts'
import { keysOf } from '../../schema/parts.ts'
import { trigger, variableForm } from '../../schema/starts.ts'
import { isOwnVariable } from '../../worker/read-server-settings.ts'

/** Reads `triggers`: what starts runs at `/v1/triggers/NAME`. */
export function readTriggers(
  field: YamlField,
  workers: ReadonlySet<string>,
  people: ReadonlySet<string>,
): Map<string, TriggerSetting> {
  return readNamed(field, (value, name) => readTrigger(value, name, workers, people))
}

function readTrigger(
  field: YamlField,
  name: string,
  workers: ReadonlySet<string>,
  people: ReadonlySet<string>,
): TriggerSetting | null {
  const fields = readFields(field, keysOf(trigger))
  if (fields === null) return null
  const worker = fields.readNeeded('worker', 'name the worker whose runs it starts', (at) =>
    readReference(at, 'worker', workers),
  )
  const secretFrom = fields.readNeeded('secret', 'write `secret: "${DEPLOYS_SECRET}"`', readSecret)
  const asField = fields.get('as')
  const as = asField === null ? null : readStarter(asField, people)
  const conversation = readConversation(fields.get('conversation'))
  if (worker === null || secretFrom === null || conversation === null) return null
  if (asField !== null && as === null) return null
  return { name, worker, as, conversation, secretFrom, source: fieldSource(field) }
}

/** Whether the runs rest after their answer; `null` after reporting. */
export function readConversation(field: YamlField | null): boolean | null {
  return field === null ? false : readBoolean(field)
}

/** The address of somebody whom the file names, in lower case; `null` after reporting. */
export function readStarter(field: YamlField, people: ReadonlySet<string>): string | null {
  const email = readEmail(field)
  if (email === null || people.has(email)) return email
  wrong(field, `is ${email}, whom this file does not name`, 'name somebody of people or teams')
  return null
}

/**
 * The variable of `${NAME}`; `null` after reporting. The value itself is not shown: somebody may
 * have written the secret here.
 */
export function readSecret(field: YamlField): string | null {
  const value = scalarOf(field)
  const [, variable] = typeof value === 'string' ? (variableForm.exec(value) ?? []) : []
  if (variable === undefined) {
    const remedy = 'write "${NAME}"; the secret itself never stands in this file'
    wrong(field, 'is not an environment variable', remedy)
    return null
  }
  if (!isOwnVariable(variable)) return variable
  const remedy = 'give the secret its own variable'
  wrong(field, `names ${variable}, a setting of the service itself`, remedy)
  return null
}
